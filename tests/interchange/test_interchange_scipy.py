"""Adjacency matrices of SciPy and CuPy."""

from __future__ import annotations

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, edges_of, make, rows_of, with_data
from scipy import sparse
from verifiers import host

from frontier import interchange
from structures import CSR


@pytest.fixture(params=[None, *WEIGHTS])
def any_weight_dtype(request):
    return request.param


def test_scipy_matrix(device, directed, any_weight_dtype):
    graph = make(CSR, device, directed, any_weight_dtype)
    matrix = interchange.to_scipy(graph)
    expected = np.zeros((N, N))
    values = [1] * len(SRC) if any_weight_dtype is None else WEIGHTS[any_weight_dtype]
    expected[SRC, DST] = np.array(values, any_weight_dtype)
    if not directed:
        expected[DST, SRC] = expected[SRC, DST]
    assert (host(matrix.toarray()) == expected).all()
    assert matrix.nnz == graph.num_arcs  # stored zeros are edges
    if device == "cpu":
        assert isinstance(matrix, sparse.csr_array) and matrix.dtype == (any_weight_dtype or np.float32)
        assert matrix.has_canonical_format
    else:
        assert type(matrix).__module__.startswith("cupyx") and matrix.dtype.kind == "f"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_scipy_formats(kind, device):
    dense = np.array([[0, 2.5, 0], [0, 0, 0], [1, 0, 9]])
    for array in (sparse.csr_array(dense), sparse.csr_matrix(dense)):
        graph = interchange.from_scipy(array.asformat(kind), structure="csr", directed=True, device=device)
        assert edges_of(graph) == {(0, 1): 2.5, (2, 0): 1.0}


def test_scipy_matrix_is_the_callers():
    graph = make(CSR, weight_dtype="float64")
    interchange.to_scipy(graph).data[:] = 0
    assert edges_of(graph) == edges_of(make(CSR, weight_dtype="float64"))


def test_scipy_duplicates_are_added(device):
    matrix = sparse.csr_array((np.array([1.0, 2, 4]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    graph = interchange.from_scipy(matrix, structure="csr", directed=True, device=device)
    assert edges_of(graph) == {(0, 1): 3.0, (1, 0): 4.0}
    assert matrix.nnz == 3


def test_scipy_values_left_behind(device):
    matrix = sparse.csr_array(np.array([[0, 2], [0, 0]]))
    assert not interchange.from_scipy(matrix, structure="csr", weighted=False, device=device).is_weighted
    assert not interchange.from_scipy(matrix.astype(bool), structure="csr", device=device).is_weighted
    assert interchange.from_scipy(matrix.astype(np.int8), structure="csr", device=device).weight_dtype == np.int32


def test_bad_scipy_input():
    with pytest.raises(ValueError, match=r"matrix must be square, not of shape \(2, 3\)"):
        interchange.from_scipy(sparse.csr_array((2, 3)), structure="csr", device="cpu")
    with pytest.raises(TypeError, match="matrix must be a sparse matrix"):
        interchange.from_scipy(np.eye(3), structure="csr", device="cpu")
    with pytest.raises(TypeError, match=r"matrix\.data must contain numbers, not complex128"):
        interchange.from_scipy(sparse.csr_array((2, 2), dtype=complex), structure="csr", device="cpu")


@pytest.mark.parametrize("name", ["amount", "flag", "step", "time"])
def test_scipy_matrix_of_edge_data(name, directed):
    graph = with_data(CSR, directed=directed)
    matrix = interchange.to_scipy(graph, data=name)
    assert matrix.dtype == graph.edge_data[name].dtype and matrix.nnz == graph.num_arcs
    again = interchange.from_scipy(matrix, structure="csr", data=name, directed=directed, device="cpu")
    assert not again.is_weighted
    assert rows_of(again) == {edge: {name: row[name]} for edge, row in rows_of(graph).items()}


def test_bad_columns_of_scipy_matrices():
    with pytest.raises(ValueError, match=r"data='fee' is no column of the graph's edge data \('weight', .*'step'\)"):
        interchange.to_scipy(with_data(CSR), data="fee")
    with pytest.raises(ValueError, match=r"data='fee' is no column of the graph's edge data \(there are none\)"):
        interchange.to_scipy(make(CSR), data="fee")
