"""Every algorithm on every structure and device, against verifiers and NetworkX."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import host, triangles_per_vertex, verify_bfs, verify_local_clustering, verify_triangles

import algorithms
from algorithms import DynamicLocalClustering, DynamicTriangleCount, bfs, dynamic_triangle_count, triangle_count


def networkx_graph(edges):
    graph = nx.Graph()
    graph.add_nodes_from(range(edges[2]))
    graph.add_edges_from((u, v) for u, v in zip(edges[0].tolist(), edges[1].tolist(), strict=True) if u != v)
    return graph


def test_bfs(graph, edges):
    for source in {0, graph.num_vertices // 2, graph.num_vertices - 1}:
        result = bfs(graph, source)
        verify_bfs(graph, source, result)
        expected = nx.single_source_shortest_path_length(networkx_graph(edges), source)
        found = {v: int(d) for v, d in enumerate(host(result.distance)) if d != algorithms.UNREACHED}
        assert found == expected


def test_bfs_of_directed_graphs_follows_edges_forward(structure, device):
    graph = structure.from_edges([0, 1, 3], [1, 2, 0], num_vertices=4, directed=True, device=device)
    assert host(bfs(graph, 0).distance).tolist() == [0, 1, 2, algorithms.UNREACHED]


def test_bfs_stops_at_the_depth_limit(structure, device):
    src, dst, n = GRAPHS["path"]
    result = bfs(structure.from_edges(src, dst, num_vertices=n, device=device), 0, depth_limit=7)
    assert int((host(result.distance) != algorithms.UNREACHED).sum()) == 8


@pytest.mark.parametrize("source", [-1, 300, 1.5, "a"])
def test_bfs_names_a_bad_source(structure, device, source):
    src, dst, n = GRAPHS["path"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    with pytest.raises((ValueError, TypeError)):
        bfs(graph, source)


def test_a_wrong_bfs_fails_its_verifier(structure):
    src, dst, n = GRAPHS["grid"]
    graph = structure.from_edges(src, dst, num_vertices=n, device="cpu")
    right = bfs(graph, 0)
    for change in (1, -1):
        distance = right.distance.copy()
        distance[-1] += change
        with pytest.raises(AssertionError):
            verify_bfs(graph, 0, replace(right, distance=distance))
    predecessor = right.predecessor.copy()
    predecessor[-1] = 0
    with pytest.raises(AssertionError):
        verify_bfs(graph, 0, replace(right, predecessor=predecessor))


def test_triangles(graph, edges):
    result = triangle_count(graph)
    verify_triangles(graph, result)
    assert triangle_count(graph, per_vertex=False).total == result.total
    assert {v: int(c) for v, c in enumerate(host(result.per_vertex))} == nx.triangles(networkx_graph(edges))


def test_triangles_of_directed_graphs_are_refused(structure, device):
    graph = structure.from_edges([0, 1], [1, 2], directed=True, device=device)
    with pytest.raises(ValueError, match="undirected"):
        triangle_count(graph)


def test_a_wrong_count_fails_its_verifier(structure):
    src, dst, n = GRAPHS["clique"]
    graph = structure.from_edges(src, dst, num_vertices=n, device="cpu")
    right = triangle_count(graph)
    with pytest.raises(AssertionError):
        verify_triangles(graph, replace(right, total=right.total + 1))
    with pytest.raises(AssertionError):
        verify_triangles(graph, replace(right, per_vertex=right.per_vertex[::-1]))


def test_dynamic_triangles_keep_up(structure, device, rng):
    graph = structure(60, device=device)
    count = DynamicTriangleCount(graph)
    for step in range(12):
        src, dst = rng.integers(0, 60, (2, 150))
        (graph.delete_edges if step % 3 == 2 else graph.insert_edges)(src, dst)
        verify_triangles(graph, count)


def test_batches_that_hold_whole_triangles(structure, device):
    graph = structure(6, device=device)
    count = DynamicTriangleCount(graph)
    graph.insert_edges([0, 1, 2], [1, 2, 0])  # all three edges at once
    assert count.total == 1
    graph.insert_edges([0, 1, 3, 3], [3, 3, 2, 2])  # two edges of each new triangle, and a duplicate
    assert count.total == triangles_per_vertex(graph).sum() // 3 == 4
    graph.insert_edges([0, 1, 2], [1, 2, 0])  # nothing new
    assert count.total == 4
    graph.delete_edges([0, 0, 1, 4], [1, 2, 0, 5])  # two edges of some, one listed twice, one absent
    verify_triangles(graph, count)
    graph.delete_vertices([3])
    verify_triangles(graph, count)
    assert count.total == 0


def test_dynamic_triangles_under_all_kinds_of_updates(structure, device, rng):
    graph = structure(40, device=device, weight_dtype="float32")
    count = DynamicTriangleCount(graph)
    for step in range(8):
        src, dst = rng.integers(0, graph.num_vertices, (2, 120))
        if graph.store.absent is not None:
            there = host(graph.has_vertices(src)) & host(graph.has_vertices(dst))
            src, dst = src[there], dst[there]
        weights = rng.normal(size=src.size).astype(np.float32)
        graph.insert_edges(src, dst, weights, on_existing=("replace", "keep", "add")[step % 3])
        verify_triangles(graph, count)
        if step == 3:
            graph.delete_vertices(rng.permutation(40)[:5])
            verify_triangles(graph, count)
        if step == 5:
            graph.insert_vertices(9)
            verify_triangles(graph, count)


def test_large_batches_are_counted_from_scratch(structure, device, rng, monkeypatch):
    monkeypatch.setattr(dynamic_triangle_count, "SMALL_EDGES", {device: 8})
    graph = structure(60, device=device)
    count = DynamicTriangleCount(graph)
    recounts = []
    monkeypatch.setattr(
        dynamic_triangle_count, "triangle_count", lambda graph: recounts.append(graph) or triangle_count(graph)
    )
    for step in range(4):  # nothing is counted between large batches
        src, dst = rng.integers(0, 60, (2, 200))
        graph.insert_edges(src, dst)
        graph.delete_edges(src[:90], dst[:90])
        graph.insert_edges(src[:3], dst[:3])
        graph.insert_vertices(step)
        if step % 2:
            verify_triangles(graph, count)
    assert len(recounts) == 2
    graph.delete_edges(src[90:96], dst[90:96])
    verify_triangles(graph, count)
    assert len(recounts) == 2


def test_failed_updates_leave_counts_alone(structure, device):
    src, dst, n = GRAPHS["clique"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    count = DynamicTriangleCount(graph)
    for update in (graph.insert_edges, graph.delete_edges):
        with pytest.raises(ValueError, match="src"):
            update([0, n], [1, 2])
        verify_triangles(graph, count)


def test_a_closed_count_keeps_up_no_more(structure, device):
    graph = structure(4, device=device)
    count = DynamicTriangleCount(graph)
    count.close()
    graph.insert_edges([0, 1, 2], [1, 2, 0])
    assert count.total == 0


def test_dynamic_clustering_under_all_kinds_of_updates(structure, device, rng):
    """A degree may change without a triangle, and vertices are inserted and deleted. Triangles can be read, too."""
    graph = structure(40, device=device)
    with DynamicLocalClustering(graph) as found:
        verify_local_clustering(graph, found)
        graph.insert_edges([0, 0, 0], [1, 2, 3])
        verify_local_clustering(graph, found)
        for step in range(4):
            src, dst = rng.integers(0, 36, (2, 120))
            graph.insert_edges(src, dst)
            graph.delete_edges(src[:50], dst[:50])
            verify_local_clustering(graph, found)
            graph.delete_vertices([36 + step])
            graph.insert_vertices(2)
            verify_local_clustering(graph, found)
        verify_triangles(graph, found)
        before = [host(found.clustering).tolist(), found.average, found.transitivity]
    graph.insert_edges([0, 1, 2, 5], [1, 2, 0, 6])
    assert [host(found.clustering).tolist(), found.average, found.transitivity] == before
    with pytest.raises(ValueError, match="undirected"):
        DynamicLocalClustering(structure(4, directed=True, device=device))


def test_all_algorithms_are_exported_with_docstrings():
    for name in algorithms.__all__:
        assert getattr(algorithms, name).__doc__ or not callable(getattr(algorithms, name))
