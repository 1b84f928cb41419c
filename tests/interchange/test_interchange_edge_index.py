"""PyTorch Geometric's edge_index: tensors, arrays and lists."""

from __future__ import annotations

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, make

from frontier import interchange
from structures import CSR


def test_edge_index(device, directed):
    graph = make(CSR, device, directed, "float32")
    edge_index, edge_weight = interchange.to_edge_index(graph)
    assert tuple(edge_index.shape) == (2, graph.num_arcs) and "int64" in str(edge_index.dtype)
    assert edge_index.__dlpack_device__()[0] == (2 if device == "gpu" else 1)
    rows = edge_index.tolist()
    expected = dict(zip(zip(SRC, DST, strict=True), WEIGHTS["float32"], strict=True))
    if not directed:
        expected |= {(v, u): w for (u, v), w in expected.items()}
    assert dict(zip(zip(*rows, strict=True), edge_weight.tolist(), strict=True)) == expected
    assert interchange.to_edge_index(make(CSR, device, directed))[1] is None


def test_edge_index_of_tensors(device):
    torch = pytest.importorskip("torch")
    place = "cuda" if device == "gpu" else "cpu"
    edge_index = torch.tensor([SRC, DST], device=place)
    weights = torch.tensor(WEIGHTS["float32"], requires_grad=True, device=place)
    graph = interchange.from_edge_index(edge_index, weights, num_vertices=N, device=device)
    assert_equal(graph, make(CSR, device, weight_dtype="float32"))
    assert isinstance(interchange.to_edge_index(graph)[0], torch.Tensor)


def test_edge_index_of_lists(device):
    graph = interchange.from_edge_index([SRC, DST], [1, 2, 3, 4, 5], structure="csr", device=device)
    assert graph.num_vertices == 7 and graph.num_edges == len(SRC) and graph.weight_dtype == np.int64
    assert interchange.from_edge_index([[], []], structure="csr", device=device).num_vertices == 0


def test_bad_edge_index():
    for bad in ([SRC], [SRC, DST, SRC], SRC, np.zeros((4, 2), int), None, [[0], [1, 2]]):
        with pytest.raises(ValueError, match=r"edge_index must (have shape \(2, m\)|be two lists)"):
            interchange.from_edge_index(bad, structure="csr", device="cpu")
    with pytest.raises(TypeError, match="edge_index must contain integer vertex ids, not float64"):
        interchange.from_edge_index(np.zeros((2, 3)), structure="csr", device="cpu")
    with pytest.raises(ValueError, match="edge_weight has 1 entries, but edge_index 5 edges"):
        interchange.from_edge_index([SRC, DST], [1.0], structure="csr", device="cpu")
    with pytest.raises(ValueError, match="edge_weight must be one-dimensional"):
        interchange.from_edge_index([SRC, DST], np.ones((5, 1)), structure="csr", device="cpu")
    with pytest.raises(ValueError, match=r"src\[1\] is 3, outside"):
        interchange.from_edge_index([SRC, DST], structure="csr", num_vertices=3, device="cpu")
