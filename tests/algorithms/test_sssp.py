"""Shortest paths on every structure and device, against a verifier, SciPy and NetworkX."""

from dataclasses import replace

import emulator
import networkx as nx
import numpy as np
import pytest
from graphs import GRAPHS
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from verifiers import host, verify_distances

from algorithms import bfs, sssp
from structures import CSR


@pytest.fixture(params=list(GRAPHS))
def edges(request):
    return GRAPHS[request.param]


def random_weights(rng, count, dtype):
    weights = rng.integers(1, 256, count).astype(dtype)
    return weights if weights.dtype.kind == "i" else weights / weights.dtype.type(16)


def weighted(structure, device, edges, weights, **options):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    src, dst, n = edges
    return structure.from_edges(src, dst, weights, num_vertices=n, device=device, **options)


def scipy_distances(graph, source):
    """Dijkstra's distances on the host, in double precision, inf for unreached vertices."""
    src, dst, weights = (host(a) for a in graph.to_coo())
    matrix = coo_array((weights.astype(np.float64), (src, dst)), shape=(graph.num_vertices,) * 2).tocsr()
    return dijkstra(matrix, directed=graph.directed, indices=source)


def as_doubles(distance):
    """Distances with inf for unreached vertices, for any type."""
    distance = host(distance)
    if distance.dtype.kind == "f":
        return distance.astype(np.float64)
    return np.where(distance == np.iinfo(distance.dtype).max, np.inf, distance)


@pytest.mark.parametrize("dtype", [pytest.param("int32", marks=pytest.mark.slow), "float32"])
@pytest.mark.sampled("dtype", of=2)
def test_sssp(structure, device, edges, dtype, directed, rng):
    graph = weighted(structure, device, edges, random_weights(rng, len(edges[0]), dtype), directed=directed)
    for source in {0, graph.num_vertices // 2, graph.num_vertices - 1}:
        result = sssp(graph, source)
        verify_distances(graph, source, result)
        # These weights are sixteenths, whose sums are exact in either precision.
        assert (as_doubles(result.distance) == scipy_distances(graph, source)).all()


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_vertices_that_come_nearer_again_and_again(device, dtype, directed):
    """A path, and longer edges from its first vertex to each vertex: one round per vertex would last minutes."""
    n = 50_000 if device == "cpu" else 100 if emulator.wanted() else 5000
    v = np.arange(1, n)
    ids = np.r_[0, n - v]  # against the order in which a thread goes through them
    edges = ids[np.r_[0 * v, v[:-1]]], ids[np.r_[v, v[1:]]], n
    graph = weighted(CSR, device, edges, np.r_[3 * v, 0 * v[1:] + 1].astype(dtype), directed=directed)
    result = sssp(graph, 0)
    verify_distances(graph, 0, result)
    assert (as_doubles(result.distance)[ids[1:]] == v + 2).all()


@pytest.mark.slow
def test_lengths_that_do_not_fit():
    graph = weighted(CSR, "cpu", ([0, 1], [1, 2], 3), np.array([2**62, 2**62]))
    with pytest.raises(ValueError, match="does not fit in int64"):
        sssp(graph, 0)


@pytest.mark.slow
@pytest.mark.parametrize("dtype, expected", [("int32", "int64"), ("int64", "int64"), ("float32", "float32"),
                                             ("float64", "float64")])  # fmt: skip
@pytest.mark.sampled("dtype", of=2)
def test_type_of_distances(structure, device, dtype, expected, rng):
    edges = GRAPHS["rmat"]
    graph = weighted(structure, device, edges, random_weights(rng, len(edges[0]), dtype))
    result = sssp(graph, 1)
    assert result.distance.dtype == expected
    verify_distances(graph, 1, result)
    assert sssp(graph, 1, predecessors=False).predecessor is None


def test_without_weights_edges_are_counted(structure, device, edges):
    src, dst, n = edges
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    result, expected = sssp(graph, 0), bfs(graph, 0)
    verify_distances(graph, 0, result, hops=True)
    assert result.distance.dtype == np.int32
    assert (host(result.distance) == host(expected.distance)).all()
    assert sssp(graph, 0, predecessors=False).predecessor is None


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.sampled("dtype", of=2)
def test_weights_of_zero_make_no_circles(structure, device, dtype, directed, rng):
    edges = GRAPHS["rmat"]
    graph = weighted(structure, device, edges, rng.integers(0, 2, len(edges[0])).astype(dtype), directed=directed)
    verify_distances(graph, 5, sssp(graph, 5))
    src, dst, _ = (host(a).tolist() for a in graph.to_coo())
    weights = host(graph.to_coo()[2]).tolist()
    other = nx.DiGraph() if directed else nx.Graph()
    other.add_weighted_edges_from(zip(src, dst, weights, strict=True))
    found = {v: d for v, d in enumerate(as_doubles(sssp(graph, 5).distance)) if d < np.inf}
    assert found == nx.single_source_dijkstra_path_length(other, 5)


def test_all_weights_zero(structure, device):
    edges = GRAPHS["grid"]
    graph = weighted(structure, device, edges, np.zeros(len(edges[0]), np.float32))
    result = sssp(graph, 7)
    verify_distances(graph, 7, result)
    assert not host(result.distance).any()


def test_weights_too_small_to_be_seen(structure, device):
    """1 + 1e-9 is 1 in single precision: edges behind vertex 1 add nothing."""
    src, dst = np.arange(9), np.arange(1, 10)
    weights = np.array([1] + [1e-9] * 8, np.float32)
    graph = weighted(structure, device, (src, dst, 10), weights)
    result = sssp(graph, 0)
    verify_distances(graph, 0, result)
    assert host(result.distance).tolist() == [0] + [1] * 9


def test_weights_of_very_different_size(structure, device, rng):
    edges = GRAPHS["rmat"]
    graph = weighted(structure, device, edges, np.exp(rng.uniform(-40, 40, len(edges[0]))).astype(np.float32))
    result = sssp(graph, 3)
    verify_distances(graph, 3, result)
    np.testing.assert_allclose(as_doubles(result.distance), scipy_distances(graph, 3), rtol=1e-5)


def test_infinite_weights_lead_nowhere(structure, device):
    graph = weighted(structure, device, ([0, 1, 2], [1, 2, 3], 4), np.array([1, np.inf, 1], np.float32))
    result = sssp(graph, 0)
    verify_distances(graph, 0, result)
    assert host(result.distance).tolist() == [0, 1, np.inf, np.inf]


@pytest.mark.parametrize("dtype, bad", [("float32", -1), ("float64", -1e-300), ("int32", -1),
                                        ("float32", -np.inf)])  # fmt: skip
@pytest.mark.sampled("dtype", of=2)
def test_bad_weights_are_named(structure, device, dtype, bad):
    graph = weighted(structure, device, ([0, 1], [1, 2], 3), np.array([1, bad], dtype))
    with pytest.raises(ValueError, match="weights"):
        sssp(graph, 0)


@pytest.mark.slow
def test_integer_sums_that_do_not_fit(structure, device):
    graph = weighted(structure, device, ([0, 1], [1, 2], 3), np.array([2**62, 2**62]))
    with pytest.raises(ValueError, match="int64"):
        sssp(graph, 0)


@pytest.mark.parametrize("source", [-1, 5, 1.5, "a"])
def test_bad_sources_are_named(structure, device, source):
    graph = weighted(structure, device, ([0], [1], 5), np.ones(1, np.float32))
    with pytest.raises((ValueError, TypeError)):
        sssp(graph, source)


def test_deleted_vertices(structure, device):
    if not hasattr(structure, "delete_vertices"):
        pytest.skip(f"{structure.name} cannot be changed")
    graph = weighted(structure, device, ([0, 1, 0, 3], [1, 2, 3, 2], 4), np.array([1, 1, 5, 5], np.float32))
    graph.delete_vertices([1])
    result = sssp(graph, 0)
    verify_distances(graph, 0, result)
    assert host(result.distance).tolist() == [0, np.inf, 10, 5]
    with pytest.raises(ValueError):
        sssp(graph, 1)


def test_edges_without_weights_given(structure, device):
    graph = weighted(structure, device, ([], [], 3), np.zeros(0, np.float32))
    assert host(sssp(graph, 2).distance).tolist() == [np.inf, np.inf, 0]


def test_wrong_distances_fail_their_verifier(structure):
    edges = GRAPHS["grid"]
    graph = weighted(structure, "cpu", edges, np.ones(len(edges[0]), np.float32))
    right = sssp(graph, 0)
    verify_distances(graph, 0, right)
    for change in (1, -1, np.inf):
        distance = right.distance.copy()
        distance[-1] += change
        with pytest.raises(AssertionError):
            verify_distances(graph, 0, replace(right, distance=distance))
    for vertex, wrong in ((-1, 0), (40, -1), (0, 1)):
        predecessor = right.predecessor.copy()
        predecessor[vertex] = wrong
        with pytest.raises(AssertionError):
            verify_distances(graph, 0, replace(right, predecessor=predecessor))


def test_circles_fail_the_verifier(structure):
    graph = weighted(structure, "cpu", ([0, 1, 2, 0], [1, 2, 3, 3], 4), np.zeros(4, np.float32))
    right = sssp(graph, 0)
    predecessor = right.predecessor.copy()
    predecessor[1], predecessor[2] = 2, 1
    with pytest.raises(AssertionError):
        verify_distances(graph, 0, replace(right, predecessor=predecessor))


def test_dataframe(structure, device):
    graph = weighted(structure, device, ([0, 1], [1, 2], 3), np.array([1, 2], np.int32))
    frame = sssp(graph, 0).to_dataframe()
    assert list(frame.columns) == ["vertex", "distance", "predecessor"]
    assert frame["distance"].to_numpy().tolist() == [0, 1, 3]
