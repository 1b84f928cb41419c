"""Searches from several sources at once, against searches from one, on all structures."""

import importlib

import networkx as nx
import numpy as np
import pytest
from conftest import ORIENTATIONS
from graphs import GRAPHS
from verifiers import host, verify_bfs, verify_distances

import frontier as fr
from algorithms import BFSResult, bfs, closeness_centrality, sssp
from algorithms.sssp import SSSPResult

CSR = fr.structures()["csr"]
words = importlib.import_module("algorithms._source_words")
COUNTS = [0, 1, 7, 8, 64, 65, 130]


def build(structure, name, device, weights=None, **options):
    src, dst, n = GRAPHS[name]
    return structure.from_edges(src, dst, weights, num_vertices=n, device=device, **options)


def drawn(rng, graph, count):
    """Vertices, some of them twice, and isolated ones."""
    return rng.integers(0, graph.num_vertices, count)


def check_bfs(graph, sources, depth_limit=None):
    """Each row equals the result of a search from its source."""
    found = bfs(graph, depth_limit=depth_limit, sources=sources)
    assert found.distance.shape == found.predecessor.shape == (len(sources), graph.num_vertices)
    assert found.distance.dtype == np.int32 and found.predecessor.dtype == graph.vertex_dtype
    assert host(found.sources).tolist() == list(sources)
    levels = 0
    for i, source in enumerate(sources):
        one = bfs(graph, int(source), depth_limit)
        assert (host(found.distance[i]) == host(one.distance)).all()
        levels = max(levels, one.levels)
        row = BFSResult(found.distance[i], found.predecessor[i], one.levels)
        if depth_limit is None:
            verify_bfs(graph, int(source), row)
    assert found.levels == levels
    less = bfs(graph, depth_limit=depth_limit, sources=sources, predecessors=False)
    assert less.predecessor is None and (less.distance == found.distance).all()


@pytest.mark.parametrize("kind", ORIENTATIONS)
@pytest.mark.sampled("kind", of=3)
def test_bfs(structure, device, kind, rng):
    graph = build(structure, "rmat", device, **ORIENTATIONS[kind])
    check_bfs(graph, drawn(rng, graph, 70))


@pytest.mark.parametrize("count", COUNTS)
def test_numbers_of_sources(device, count, rng):
    graph = build(CSR, "rmat", device)
    check_bfs(graph, drawn(rng, graph, count))


@pytest.mark.parametrize("name", ["path", "grid", "clique", "one-vertex"])
@pytest.mark.parametrize("deep", [True, False])
def test_bfs_of_other_shapes(device, name, deep, rng, monkeypatch):
    """Paths are long. On such graphs, a CPU searches from one source at a time by default."""
    monkeypatch.setattr(words, "DEEP", 10**6 if deep else 4)
    graph = build(CSR, name, device)
    check_bfs(graph, drawn(rng, graph, 66))


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_depth_limits(device, limit, rng):
    graph = build(CSR, "rmat", device)
    check_bfs(graph, drawn(rng, graph, 64), limit)


def test_the_same_source_many_times(device):
    graph = build(CSR, "grid", device)
    check_bfs(graph, [5] * 40 + [6] * 10)


@pytest.mark.parametrize("above", [0.0, 1.0])
def test_push_and_pull_find_the_same(device, above, rng, monkeypatch):
    monkeypatch.setattr(words, "PULL_ABOVE", above)
    for options in ({}, ORIENTATIONS["in_edges"]):
        graph = build(CSR, "rmat", device, **options)
        check_bfs(graph, drawn(rng, graph, 64))


def test_sources_that_reach_different_parts(device):
    """Unreachable vertices do not prevent searches from ending."""
    src, dst, n = GRAPHS["rmat"]
    graph = CSR.from_edges(
        np.append(src, [n, n + 1]), np.append(dst, [n + 1, n + 2]), num_vertices=n + 5, device=device
    )
    check_bfs(graph, [*range(20), n, n + 2, n + 3, n + 4])


def test_deleted_vertices(device, rng):
    graph = build(fr.structures()["slab"], "rmat", device)
    graph.delete_vertices([3, 9, 100])
    left = np.flatnonzero(host(graph.has_vertices(np.arange(graph.num_vertices))))
    check_bfs(graph, rng.choice(left, 64))
    with pytest.raises(ValueError, match=r"sources\[1\] is 9, a vertex that was deleted"):
        bfs(graph, sources=[1, 9])


@pytest.mark.parametrize("deep", [True, False])
def test_closeness_sums_the_same(device, deep, monkeypatch):
    graph = build(CSR, "grid", device)
    monkeypatch.setattr(words, "DEEP", 10**6 if deep else 4)
    found = host(closeness_centrality(graph, wf_improved=False).closeness_centrality)
    distance = host(bfs(graph, sources=np.arange(graph.num_vertices)).distance).astype(float)
    assert found == pytest.approx((graph.num_vertices - 1) / distance.sum(axis=0))


def weighted(structure, name, device, dtype, rng, **options):
    """With weights whose sums are exact."""
    weights = rng.integers(1, 256, len(GRAPHS[name][0])).astype(dtype)
    weights = weights if np.dtype(dtype).kind == "i" else weights / weights.dtype.type(16)
    return build(structure, name, device, weights, **options)


def check_sssp(graph, sources):
    found = sssp(graph, sources=sources)
    assert found.distance.shape == found.predecessor.shape == (len(sources), graph.num_vertices)
    assert found.predecessor.dtype == graph.vertex_dtype and host(found.sources).tolist() == list(sources)
    for i, source in enumerate(sources):
        one = sssp(graph, int(source))
        assert one.distance.dtype == found.distance.dtype and (host(found.distance[i]) == host(one.distance)).all()
        verify_distances(graph, int(source), SSSPResult(found.distance[i], found.predecessor[i]))
    less = sssp(graph, sources=sources, predecessors=False)
    assert less.predecessor is None and (less.distance == found.distance).all()


@pytest.mark.parametrize("kind", ORIENTATIONS)
@pytest.mark.sampled("kind", of=7)
def test_sssp(structure, device, kind, rng):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    graph = weighted(structure, "rmat", device, "float32", rng, **ORIENTATIONS[kind])
    check_sssp(graph, drawn(rng, graph, 66))


@pytest.mark.slow
@pytest.mark.parametrize("count", COUNTS)
def test_numbers_of_sources_of_sssp(device, count, rng):
    graph = weighted(CSR, "rmat", device, "float32", rng)
    check_sssp(graph, drawn(rng, graph, count))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["path", "road", "star"])
@pytest.mark.parametrize("deep", [True, False])
def test_sssp_of_other_shapes(device, name, deep, rng, monkeypatch):
    monkeypatch.setattr(words, "DEEP", 10**6 if deep else 4)
    graph = weighted(CSR, name, device, "float32", rng)
    check_sssp(graph, drawn(rng, graph, 20))


@pytest.mark.slow
def test_integer_weights(device, rng):
    """Zero ones among them, over which predecessors are as far away."""
    graph = build(CSR, "rmat", device, rng.integers(0, 3, len(GRAPHS["rmat"][0])))
    check_sssp(graph, drawn(rng, graph, 20))
    graph = CSR.from_edges([0, 1], [1, 2], np.array([2**62, 2**62]), device=device)
    with pytest.raises(ValueError, match=r"the distance of vertex [02] does not fit in int64"):
        sssp(graph, sources=[0, 1, 2] * 4)


def test_without_weights_edges_are_counted(device, rng):
    graph = build(CSR, "rmat", device)
    sources = drawn(rng, graph, 64)
    found, expected = sssp(graph, sources=sources), bfs(graph, sources=sources)
    assert (found.distance == expected.distance).all() and (host(found.sources) == sources).all()


@pytest.mark.slow
def test_sssp_and_networkx(device, rng):
    graph = weighted(CSR, "grid", device, "float32", rng, directed=True)
    src, dst, weights = (host(a).tolist() for a in graph.to_coo())
    theirs = nx.DiGraph()
    theirs.add_weighted_edges_from(zip(src, dst, weights, strict=True))
    sources = rng.choice(src, 12)
    for row, source in zip(host(sssp(graph, sources=sources).distance), sources, strict=True):
        assert {v: d for v, d in enumerate(row) if d < np.inf} == nx.single_source_dijkstra_path_length(theirs, source)


SEARCHES = [bfs, sssp]


@pytest.mark.parametrize("search", SEARCHES)
def test_bad_sources_are_named(search):
    graph = build(CSR, "grid", "cpu", np.ones(len(GRAPHS["grid"][0]), np.float32))
    for options, error, message in (
        ({"source": 1, "sources": [1]}, ValueError, "source and sources cannot both be given"),
        ({}, TypeError, "source must be an integer, not None"),
        ({"sources": 3}, TypeError, "sources must be a list or array of vertices, not 3; one is given by source"),
        ({"sources": [0, 10**6]}, ValueError, r"sources\[1\] is 1000000, outside"),
        ({"sources": [0.5]}, TypeError, "sources must contain integer vertex ids"),
        ({"sources": [[1, 2]]}, ValueError, "sources must be one-dimensional"),
        ({"sources": [1], "predecessors": 1}, TypeError, "predecessors must be True or False"),
    ):
        with pytest.raises(error, match=message):
            search(graph, **options)


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
def test_data_frames_have_a_row_for_each_source_and_vertex(search, device):
    graph = CSR.from_edges([0, 1], [1, 2], np.array([1, 2], np.int32), device=device)
    frame = search(graph, sources=[2, 0]).to_dataframe()
    assert list(frame.columns) == ["source", "vertex", "distance", "predecessor"]
    assert frame["source"].to_numpy().tolist() == [2, 2, 2, 0, 0, 0]
    assert frame["vertex"].to_numpy().tolist() == [0, 1, 2] * 2
    assert frame["predecessor"].to_numpy().tolist() == [1, 2, -1, -1, 0, 1]
