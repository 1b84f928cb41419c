"""Algorithms on distributed graphs, against one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import filled_pair, host, of_shape
from graphs import GRAPHS

import frontier as fr
from algorithms import (
    analytics,
    bfs,
    coloring,
    connected_components,
    pagerank,
    sssp,
    temporal_cycle_count,
    temporal_cycles,
    temporal_motifs,
    temporal_random_walks,
    triangle_count,
)
from algorithms.catalogue import GALLERY
from algorithms.pagerank import ConvergenceError
from frontier.distributed import DistributedGraph, GraphPart
from structures import SlabGraph

COMPILED_MORE = "coloring", "label_propagation", "leiden", "ecg"
"""Algorithms whose kernels over partitions are compiled for `--all` only."""


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["empty", "one-vertex", "path", "star", "rmat"])
def test_algorithms(engine, name, directed):
    graph, one = of_shape(engine, name, directed)
    found, expected = bfs(graph, 0), bfs(one, 0)
    distance = host(expected.distance)
    assert np.array_equal(host(found.distance), distance) and found.levels == expected.levels
    before = host(found.predecessor)
    reached = np.flatnonzero((distance > 0) & (distance < distance.max(initial=1) + (distance.max() < 2**31 - 1)))
    reached = reached[distance[reached] < 2**31 - 1]
    assert np.array_equal(distance[before[reached]] + 1, distance[reached])
    assert np.all(before[np.setdiff1d(np.arange(distance.size), reached)] == -1)
    assert graph.has_edges(before[reached], reached).all()
    found, expected = connected_components(graph), connected_components(one)
    assert np.array_equal(host(found.labels), host(expected.labels)) and found.count == expected.count
    found, expected = pagerank(graph, max_iter=500), pagerank(one, max_iter=500)
    assert np.allclose(host(found.pagerank), host(expected.pagerank), rtol=1e-4, atol=1e-9)
    if not directed:
        found, expected = triangle_count(graph), triangle_count(one)
        assert found.total == expected.total
        assert np.array_equal(host(found.per_vertex), host(expected.per_vertex))


def test_algorithms_after_updates(engine):
    graph, one = of_shape(engine, "rmat")
    src, dst, _ = GRAPHS["rmat"]
    for g in (graph, one):
        g.delete_edges(src[:400], dst[:400])
        g.delete_vertices([1, 5, 17])
    assert bfs(graph, 0, depth_limit=2).levels == 2
    assert np.array_equal(host(connected_components(graph).labels), host(connected_components(one).labels))
    assert triangle_count(graph, per_vertex=False).total == triangle_count(one).total
    ranks = [host(pagerank(g, personalization={0: 1.0, 9: 2.0}).pagerank) for g in (graph, one)]
    assert np.allclose(*ranks, rtol=1e-4, atol=1e-9)
    with pytest.raises(ConvergenceError):
        pagerank(graph, max_iter=1)
    with pytest.raises(ValueError, match="source is 5, a vertex that was deleted"):
        bfs(graph, 5)


def test_a_weighted_pagerank(engine):
    weights = np.random.default_rng(1).integers(1, 9, GRAPHS["rmat"][0].size).astype(np.int32)
    graph, one = filled_pair(engine, "rmat", weights, weight_dtype="int32")
    found, expected = (pagerank(g, layout="native").pagerank for g in (graph, one))
    assert np.allclose(host(found), host(expected), rtol=1e-6)


NOT_OVER_PARTS = {
    "all_pairs_cosine", "all_pairs_jaccard", "all_pairs_overlap", "all_pairs_sorensen", "betweenness_centrality",
    "biased_random_walks", "edge_betweenness_centrality", "ego_graph", "force_atlas2", "k_core",
    "maximal_independent_set", "maximum_spanning_forest", "minimum_spanning_forest", "node2vec_random_walks",
    "random_walks", "shortest_path", "strongly_connected_components", "truss_numbers",
}  # fmt: skip


def weighted_of_shape(engine, name, directed):
    """One of `GRAPHS` with weights, distributed and on one device."""
    weights = (1 + np.arange(GRAPHS[name][0].size) % 7).astype(np.float32)
    return filled_pair(engine, name, weights, directed=directed, in_edges=directed, weight_dtype="float32")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in GALLERY and name not in NOT_OVER_PARTS else name
        for name, known in analytics().items()
        if known.static is not None
    ],
)
def test_all_analytics_run_or_say_that_they_do_not(engine, name, directed):
    graph, one = weighted_of_shape(engine, "rmat", directed)
    known = analytics()[name]
    if known.obstacle(one):
        pytest.skip(known.obstacle(one))
    settings = known.settings(one, seed=1)
    if name in NOT_OVER_PARTS:
        with pytest.raises(
            NotImplementedError, match=f"{known.static.__name__} is not available for distributed graphs"
        ):
            known.compute(graph, **settings)
        return
    found, expected = known.compute(graph, **settings), known.compute(one, **settings)
    comparator, device = known.comparator_for(**settings), one.device
    edges = fr.io.EdgeList(*(device.to_host(each) for each in one.to_coo()), num_vertices=one.num_vertices)
    verdict = comparator.compare(known.fetch(device, found), known.fetch(device, expected), edges=edges, rounding=1e-5)
    assert verdict.agrees, verdict.text


@pytest.mark.parametrize(
    "name", ["core_number", "louvain", *(pytest.param(name, marks=pytest.mark.slow) for name in COMPILED_MORE)]
)
@pytest.mark.parametrize("shape", ["empty", "one-vertex", "path", "star", "rmat"])
@pytest.mark.parametrize("directed", [False, True])
def test_results_are_those_of_one_device(engine, name, shape, directed):
    known = analytics()[name]
    if directed and known.directions == "refused":
        pytest.skip("it is defined for undirected graphs")
    graph, one = weighted_of_shape(engine, shape, directed)
    for seed, deleted in enumerate([[], [v for v in (1, 5, 17) if v < one.num_vertices]]):
        for each in (graph, one):
            each.delete_vertices(deleted)
        found, expected = known.compute(graph, seed=seed), known.compute(one, seed=seed)
        for value, other in zip(vars(found).values(), vars(expected).values(), strict=True):
            np.testing.assert_array_equal(host(value), host(other))


def test_a_vertex_has_more_earlier_neighbors_than_a_word_has_bits(engine):
    src, dst = np.triu_indices(70, 1)
    graph = DistributedGraph(SlabGraph, 70, engine=engine)
    graph.insert_edges(src, dst)
    found = coloring(graph, priority=range(70))
    assert host(found.color).tolist() == list(range(69, -1, -1)) and found.count == 70


@pytest.mark.parametrize("name", ["core_number", "hits", "katz_centrality"])
def test_directed_graphs_without_in_edges_are_refused(engine, name):
    graph, _ = of_shape(engine, "path", directed=True)
    with pytest.raises(ValueError, match=r"follows edges backward: make a distributed directed graph with in_edge"):
        analytics()[name].compute(graph)


def test_walks_and_patterns_in_time_say_that_they_do_not_run(engine):
    graph = DistributedGraph(SlabGraph, 3, time_unit="s", engine=engine)
    with pytest.raises(NotImplementedError, match="temporal_random_walks is not available for distributed graphs"):
        temporal_random_walks(graph, [0])
    for function in (temporal_motifs, temporal_cycles, temporal_cycle_count):
        with pytest.raises(NotImplementedError, match=f"{function.__name__} is not available for distributed graphs"):
            function(graph, 5)


@pytest.mark.parametrize("algorithm", [bfs, sssp])
@pytest.mark.parametrize("directed", [False, True])
def test_several_sources(engine, algorithm, directed):
    graph, one = weighted_of_shape(engine, "rmat", directed)
    for count in (3, 12):
        found, expected = (algorithm(g, sources=range(count)) for g in (graph, one))
        assert np.array_equal(host(found.distance), host(expected.distance))
        assert np.array_equal(host(found.predecessor) < 0, host(expected.predecessor) < 0)
        for row in range(count):
            distance, before = host(found.distance)[row], host(found.predecessor)[row]
            ends = np.flatnonzero(before >= 0)
            lengths = 1 if algorithm is bfs else host(one.edge_weights(before[ends], ends))
            assert np.array_equal(distance[before[ends]] + lengths, distance[ends])


def test_every_worker_has_the_whole_result(engine):
    graph, one = of_shape(engine, "grid")

    def distances(worker, key):
        part: GraphPart = worker.objects[key]
        return host(bfs(part, 3).distance), host(connected_components(part).labels)

    for distance, labels in engine.run_alike(distances, graph._key):
        assert np.array_equal(distance, host(bfs(one, 3).distance))
        assert np.array_equal(labels, host(connected_components(one).labels))


def test_components_exchange_forests_once(engine):
    edges = fr.io.rmat(12, 8, seed=3)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, engine=engine)
    graph.insert_edges(edges.src, edges.dst)
    comm = engine.hosts[0].comm
    before = comm.exchanges, comm.sent_bytes
    connected_components(graph)
    rounds = (engine.size - 1).bit_length()
    deferred = not comm.device.is_gpu
    assert comm.exchanges - before[0] == rounds + 3 - deferred  # with the most common label, and two sums
    assert comm.sent_bytes - before[1] <= rounds * 4 * edges.num_vertices + 200


def test_triangles_exchange_lists_once(engine):
    edges = fr.io.rmat(10, 8, seed=3)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, engine=engine)
    graph.insert_edges(edges.src, edges.dst)
    comm = engine.hosts[0].comm
    before = comm.exchanges, comm.waits
    triangle_count(graph)
    lists = engine.size - 1
    assert comm.exchanges - before[0] == lists + 4  # with degrees, lengths of lists, what vertices have, and the sum
    assert comm.waits - before[1] == 1


def test_triangles_of_dense_graphs_need_no_copy(engine):
    n = 200
    graph = DistributedGraph(SlabGraph, n, engine=engine)
    graph.insert_edges(*np.triu_indices(n, 1))
    assert triangle_count(graph).total == n * (n - 1) * (n - 2) // 6
    with pytest.raises(NotImplementedError, match="use it as it is"):
        triangle_count(graph, layout="csr")


def test_an_iteration_of_pagerank_is_one_exchange_on_cpus(engine):
    graph, one = of_shape(engine, "rmat")
    comm = engine.hosts[0].comm
    rounds = {}
    for tol in (1e-2, 1e-5):
        before = comm.exchanges
        found, expected = pagerank(graph, tol=tol), pagerank(one, tol=tol)
        assert found.iterations == expected.iterations and np.isclose(found.error, expected.error, rtol=1e-3)
        rounds[found.iterations] = comm.exchanges - before
    (few, first), (many, second) = rounds.items()
    assert second - first <= (many - few) * (3 if comm.device.is_gpu else 1) + 1  # one may be expected to be the last
