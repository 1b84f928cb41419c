"""SpMV with several vectors, the columns of an array, in both forms."""

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from structures import CSR, SlabGraph

N = 300


def make(structure, device, rng):
    src = np.concatenate([rng.integers(0, 200, 900), np.zeros(250, int)])
    dst = np.concatenate([rng.integers(0, 200, 900), np.arange(1, 251)])
    weights = rng.random(src.size).astype(np.float32)
    return structure.from_edges(src, dst, weights, num_vertices=N, directed=True, device=device)


def product(graph, x, transpose, weighted):
    src, dst, weights = (host(part) for part in graph.to_coo())
    src, dst = (dst, src) if transpose else (src, dst)
    y = np.zeros(x.shape)
    np.add.at(y, src, (weights[:, None] if weighted else 1) * x[dst].astype(np.float64))
    return y


@pytest.mark.parametrize("layout", ["native", "csr"])
@pytest.mark.parametrize("transpose", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize(
    ("structure", "weighted", "dtype"), [(CSR, True, np.float32), (SlabGraph, False, np.float64)], ids=["csr", "slab"]
)
def test_products_with_several_vectors(structure, device, rng, layout, transpose, weighted, dtype):
    graph = make(structure, device, rng)
    x = rng.random((N, 5)).astype(dtype)
    x[::3] = 0
    multiply = fr.SpMV(graph, transpose=transpose, weighted=weighted, layout=layout)
    arranged = multiply.arrange(graph.xp.asarray(x))
    out = graph.xp.ones((N, 5))
    assert multiply(arranged, out=out) is out
    expected = product(graph, x, transpose, weighted)
    np.testing.assert_allclose(host(multiply.restore(out)), expected, rtol=1e-6, atol=1e-12)
    one = multiply(graph.xp.ascontiguousarray(arranged[:, 1]))
    np.testing.assert_allclose(host(multiply.restore(one)), expected[:, 1], rtol=1e-6, atol=1e-12)
    assert multiply(arranged[:, :0].copy()).shape == (N, 0)


def test_deleted_vertices_have_zeros(device):
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 3], device=device)
    graph.delete_vertices([1])
    out = graph.xp.ones((4, 2))
    fr.SpMV(graph, layout="native")(graph.xp.ones((4, 2)), out=out)
    assert out.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


WRONG = {
    "np.zeros((3, 2))": r"x must be of shape \(300, 2\), not \(3, 2\)",
    "np.zeros((2, N)).T": "x must be contiguous",
    "np.zeros((N, 2, 2))": r"x must be of shape \(300,\), not \(300, 2, 2\)",
    "np.zeros((N, 2)), out=np.zeros(N)": r"out must be of shape \(300, 2\), not \(300,\)",
    "np.zeros((N, 2)), out=np.zeros((N, 3))": r"out must be of shape \(300, 2\), not \(300, 3\)",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_arrays(device, arguments):
    multiply = fr.SpMV(CSR.from_edges([0], [1], num_vertices=N, device=device), layout="native")
    with pytest.raises(ValueError, match=WRONG[arguments]):
        eval(f"multiply({arguments})", globals() | {"multiply": multiply, "np": multiply.graph.xp})
