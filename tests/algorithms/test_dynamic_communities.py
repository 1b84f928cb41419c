"""Communities that are maintained incrementally, compared with those recomputed from scratch."""

import math
from functools import partial

import numpy as np
import pytest
from community_verifiers import verify_communities, verify_frequent_labels
from histories import Followed, History
from host_graphs import host

import frontier as fr
from algorithms import DynamicLabelPropagation, DynamicLouvain, louvain
from structures import SlabGraph

LIMITS = {"moves": math.inf, "levels": 0.0}
"""Fractions of changed edges above which communities are split, and levels follow the moves."""


@pytest.fixture(params=LIMITS)
def incremental(request, monkeypatch):
    """No communities are recomputed from scratch. They are split never, or always."""
    monkeypatch.setattr("algorithms._maintained_communities.RECOMPUTE_AFTER", math.inf)
    monkeypatch.setattr("algorithms._maintained_communities.SPLIT_AFTER", LIMITS[request.param])


@pytest.fixture
def recomputed(monkeypatch):
    """The number of recomputations from scratch, in a list."""
    found, recompute = [], DynamicLouvain._recompute
    monkeypatch.setattr(DynamicLouvain, "_recompute", lambda self: found.append(1) or recompute(self))
    return found


def blocks(rng, count=40, size=25, inner=6.0, outer=2.0):
    """The edges of a graph of blocks, and of random edges between them, shuffled."""
    n = count * size
    inside = rng.integers(0, size, (2, int(inner * n / 2))) + size * rng.integers(0, count, int(inner * n / 2))
    edges = np.concatenate([inside, rng.integers(0, n, (2, int(outer * n / 2)))], axis=1)
    edges = np.unique(np.sort(edges[:, edges[0] != edges[1]], axis=0), axis=1)
    return edges[:, rng.permutation(edges.shape[1])]


CHECKS = {"louvain": verify_communities, "label_propagation": verify_frequent_labels}


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, "float32"])
@pytest.mark.parametrize("name", CHECKS)
def test_any_history(device, incremental, name, weights, monkeypatch, tries):
    """Communities are valid, but need not be good: few edges may change all communities of a small graph."""
    monkeypatch.setattr(Followed, "check", lambda self: CHECKS[name](self.one, self.made))
    for seed in range(tries(20, 500) if device == "cpu" else 3):
        History(seed, partial(SlabGraph, device=device, weight_dtype=weights), [name]).run()


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_modularity_over_a_long_stream(device, rng, weighted, recomputed):
    """Insertions, deletions and both: within 0.5 % of recomputation on average, and within 2 % always."""
    src, dst = blocks(rng)
    weights = rng.integers(1, 5, src.size).astype(np.float32) if weighted else None

    def some(batch):
        return src[batch], dst[batch], weights[batch] if weighted else None

    begin, size = src.size // 2, src.size // 50
    graph = SlabGraph.from_edges(*some(slice(begin)), num_vertices=1000, device=device)
    found, lost = DynamicLouvain(graph), []
    for step in range(60):
        held = slice(begin + step * size, begin + (step + 1) * size)
        gone = slice((step - 20) * size, (step - 19) * size)
        if step < 25:
            graph.insert_edges(*some(held))
        if step >= 20:
            graph.delete_edges(*some(gone)[:2])
        verify_communities(graph, found)
        lost.append(1 - found.modularity / np.mean([louvain(graph, seed=seed).modularity for seed in range(2)]))
    assert np.mean(lost) < 0.005 and max(lost) < 0.02, (np.mean(lost), max(lost))
    assert 2 < len(recomputed) < 40


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_adverse_changes(device, weighted, incremental):
    """Each is followed by a read, without a recomputation from scratch."""
    n = 30
    graph = SlabGraph(n, weight_dtype="float32" if weighted else None, device=device)
    found = DynamicLouvain(graph, seed=2)

    def insert(src, dst, weight=2.0):
        graph.insert_edges(src, dst, np.full(len(src), weight) if weighted else None)
        verify_communities(graph, found)

    def delete(src, dst):
        graph.delete_edges(src, dst)
        verify_communities(graph, found)

    verify_communities(graph, found)
    assert host(found.labels).tolist() == list(range(n))
    pairs = np.triu_indices(5, 1)
    for begin in (0, 5, 10):  # cliques
        insert(pairs[0] + begin, pairs[1] + begin)
    insert([3, 4, 4], [3, 4, 5])  # self-loops are dropped
    assert host(found.labels)[:15].tolist() == [0] * 5 + [5] * 5 + [10] * 5
    hub = np.arange(n - 1)
    insert(np.full(n - 1, n - 1), hub)
    delete(np.full(n - 1, n - 1), hub)
    assert found.count == 3 + 15
    insert([0, 0], [1, 1], 7.0)  # an edge that exists, twice
    delete([0, 20], [0, 21])  # absent ones
    graph.delete_vertices([0, 5, 29])
    verify_communities(graph, found)
    graph.insert_vertices(6)
    verify_communities(graph, found)
    insert([0, 29], [29, 32])  # of which 0 and 29 have returned
    graph.delete_vertices(np.arange(10))
    verify_communities(graph, found)
    assert host(found.labels)[:15].tolist() == [-1] * 10 + [10] * 5
    graph.delete_vertices(np.arange(10, 30))
    insert([30, 31], [31, 32])
    delete(*(host(ends) for ends in graph.to_coo()[:2]))
    assert found.modularity == 0


@pytest.mark.slow
def test_weights(device, incremental, recomputed):
    """Communities follow weights that change. Invalid weights are reported until they are gone."""
    src, dst = np.triu_indices(8, 1)
    graph = SlabGraph.from_edges(src, dst, np.ones(src.size, np.float32), num_vertices=8, device=device)
    found = DynamicLouvain(graph)
    assert found.count == 1
    heavy = (src < 4) == (dst < 4)
    graph.insert_edges(src[heavy], dst[heavy], np.full(heavy.sum(), 9.0))
    verify_communities(graph, found)
    within = host(found.labels)[src] == host(found.labels)[dst]
    graph.insert_edges(src[within], dst[within], np.full(within.sum(), 0.0))
    verify_communities(graph, found)
    graph.insert_edges([0], [1], [1e30])
    verify_communities(graph, found)
    graph.delete_edges([0], [1])
    verify_communities(graph, found)
    assert len(recomputed) == 1
    for bad in (-1.0, np.inf):
        graph.insert_edges([2], [5], [bad])
        for _ in range(2):
            with pytest.raises(ValueError, match="louvain needs weights that are"):
                found.labels  # noqa: B018
        graph.insert_edges([2], [5], [3.0])
        verify_communities(graph, found)


def test_results_depend_on_the_seed_only(device):
    """And on the batches. Arguments are the arguments of `louvain`."""
    src, dst = blocks(np.random.default_rng(3), count=8)
    results = []
    for seed in (-7, -7):
        graph = SlabGraph.from_edges(src[40:], dst[40:], num_vertices=200, device=device)
        found = DynamicLouvain(graph, resolution=2.0, seed=seed)
        graph.insert_edges(src[:40], dst[:40])
        verify_communities(graph, found, resolution=2.0)
        results.append(host(found.labels).tolist())
    assert results[0] == results[1]
    for name in ("resolution", "threshold", "max_level"):
        with pytest.raises(ValueError, match=name):
            DynamicLouvain(graph, **{name: -1})


def test_the_work_is_near_the_batch(device, monkeypatch):
    """An edge at one end of a long path of cliques leads to visits there only."""
    src, dst = np.triu_indices(6, 1)
    blocks = np.arange(400)[:, None] * 6
    src, dst = ((ends + blocks).ravel() for ends in (src, dst))
    bridges = np.arange(399) * 6
    graph = SlabGraph.from_edges(np.append(src, bridges), np.append(dst, bridges + 6), device=device)
    found, visited = DynamicLouvain(graph), []
    call = fr.neighbor_reduce

    def note(graph, members, *args, **options):
        visited.append(graph.num_vertices if members is None else len(members))
        return call(graph, members, *args, **options)

    monkeypatch.setattr(fr, "neighbor_reduce", note)
    graph.insert_edges([1], [9])
    graph.delete_edges([0], [1])
    assert found.count and 0 < sum(visited) < 40


@pytest.mark.slow
def test_labels_after_adverse_changes(device, incremental, request):
    """All labels are among the most frequent ones of the neighbors. Weights are ignored."""
    n, splits = 30, "levels" in request.node.name
    graph = SlabGraph(n, weight_dtype="float32", device=device)
    found = DynamicLabelPropagation(graph)

    def insert(src, dst):
        graph.insert_edges(src, dst, np.arange(len(src)) % 2 - 1)
        verify_frequent_labels(graph, found)

    def delete(src, dst):
        graph.delete_edges(src, dst)
        verify_frequent_labels(graph, found)

    assert host(found.labels).tolist() == list(range(n))
    pairs = np.triu_indices(5, 1)
    for begin in (0, 5, 10):  # cliques
        insert(pairs[0] + begin, pairs[1] + begin)
    insert([3, 4, 4], [3, 4, 5])
    assert host(found.labels)[:15].tolist() == [0] * 5 + [5] * 5 + [10] * 5
    hub = np.arange(n - 1)
    insert(np.full(n - 1, n - 1), hub)
    delete(np.full(n - 1, n - 1), hub)
    graph.delete_vertices([0, 5, 29])
    verify_frequent_labels(graph, found)
    graph.insert_vertices(6)
    verify_frequent_labels(graph, found)
    insert([0, 29], [29, 32])
    ends = [np.concatenate(each) for each in zip(pairs, pairs + np.full((2, 1), 5), [[4], [9]], strict=True)]
    insert(*ends)
    insert(np.repeat(np.arange(5), 5), np.tile(np.arange(5, 10), 5))
    assert found.count == np.unique(host(found.labels)).size and (host(found.labels)[:10] == 0).all()
    delete(np.repeat(np.arange(5), 5), np.tile(np.arange(5, 10), 5))
    assert (host(found.labels)[:10] == [0] * 5 + [5 if splits else 0] * 5).all()
    delete(*(host(ends) for ends in graph.to_coo()[:2]))
    assert found.count == graph.num_vertices


def test_few_vertices_are_visited(device, monkeypatch):
    """Most changes of edges leave the labels most frequent, and lead to no visit."""
    src, dst = blocks(np.random.default_rng(1), inner=12.0, outer=1.0)
    graph = SlabGraph.from_edges(src[200:], dst[200:], num_vertices=1000, device=device)
    found, visited = DynamicLabelPropagation(graph), []
    call = fr.neighbor_reduce

    def note(graph, members, *args, **options):
        visited.append(len(members))
        return call(graph, members, *args, **options)

    graph.insert_edges(src[200:], dst[200:])  # no edge is new
    monkeypatch.setattr(fr, "neighbor_reduce", note)
    graph.insert_edges(src[:200], dst[:200])
    verify_frequent_labels(graph, found)
    first = sum(visited)
    visited.clear()
    graph.delete_edges(src[:100], dst[:100])
    verify_frequent_labels(graph, found)
    assert 0 < sum(visited) < 200 and 0 < first < 200


def test_rounds_that_do_not_suffice(device):
    """The next read continues."""
    src, dst = blocks(np.random.default_rng(2), inner=3.0)
    graph = SlabGraph.from_edges(src, dst, num_vertices=1000, device=device)
    found = DynamicLabelPropagation(graph, max_iter=4)
    for part in (src, dst), (src[::2], dst[::2]):
        graph.delete_edges(*part)
        graph.insert_edges(*part)
        assert not found.converged
        assert any(found.converged for _ in range(50))
        verify_frequent_labels(graph, found)
    with pytest.raises(ValueError, match="max_iter"):
        DynamicLabelPropagation(graph, max_iter=0)
