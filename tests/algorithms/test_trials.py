"""Repairs that are given up, and the batches that are tried after them."""

import numpy as np
import pytest
from centrality_verifiers import exact_ranks
from verifiers import host, verify_components, verify_distances, verify_k_truss

import frontier as fr
from algorithms import DynamicBFS, DynamicConnectedComponents, DynamicKTruss, DynamicPageRank, DynamicSSSP
from algorithms._trials import Trials
from structures import SlabGraph


def tried(trials, sizes, wasted=1.0):
    """The batches of these sizes that are tried, if all repairs waste this fraction."""
    found = []
    for size in sizes:
        found.append(trials.pays(size))
        if found[-1]:
            trials.note(wasted)
    return found


def test_fewer_and_fewer_batches_are_tried():
    found = tried(Trials(), [100] * 200)
    gaps = np.diff(np.flatnonzero(found)) - 1
    assert gaps.tolist() == [1, 3, 7, 15] + [31] * 5


def test_smaller_batches_are_tried_all_the_same():
    trials = Trials()
    assert tried(trials, [100, 40, 100]) == [True, True, False]
    assert tried(trials, [10], wasted=0) == [True]


def test_success_ends_it_and_small_losses_do_not_count():
    trials = Trials()
    assert tried(trials, [100, 100, 100]) == [True, False, True]
    assert tried(trials, [100] * 5, wasted=0) == [False, False, False, True, True]
    assert tried(trials, [100] * 3, wasted=0.01) == [True] * 3


def test_repairs_that_waste_several_recomputations_count_as_often():
    found = tried(Trials(), [100] * 400, wasted=3.0)
    gaps = np.diff(np.flatnonzero(found)) - 1
    assert gaps.tolist()[:6] == [3, 9, 21, 45, 93, 93]


def test_repairs_that_have_saved_more_are_tried_on():
    trials = Trials()
    for saved, wasted in ((0.5, 0), (0.5, 0), (0, 0.75), (0.5, 0), (0, 0.75)):
        assert trials.pays(100)
        trials.note(wasted, saved)
    assert tried(trials, [100, 100]) == [True, False]


def test_losses_outlive_the_next_read(graph):
    observer = DynamicBFS(graph, 0)
    assert observer._insertions.pays(100)
    observer._note(observer._insertions, 1.0)
    observer.distance  # noqa: B018
    assert observer._insertions.skips


@pytest.fixture
def graph(rng):
    """A ring with triangles and few shortcuts: a few of its edges cut off much."""
    found = fr.io.small_world(1200, 6, 0.01)
    weights = rng.integers(1, 9, found.src.size).astype(np.float32)
    return SlabGraph.from_edges(found.src, found.dst, weights, num_vertices=found.num_vertices, device="cpu")


def batches(graph, rng):
    """Adverse batches: many edges at the first vertices at once, then few anywhere."""
    src, dst, weights = graph.to_coo()
    near = np.flatnonzero(np.maximum(src, dst) < graph.num_vertices // 8)
    for _ in range(3):
        yield src[near], dst[near], weights[near]
        few = rng.permutation(src.size)[:5]
        yield src[few], dst[few], weights[few]


def verify_ranks(graph, found):
    assert abs(host(found.pagerank) - exact_ranks(graph)).sum() < 1e-5 * 0.85 / 0.15


@pytest.mark.slow
@pytest.mark.parametrize("make, verify", [
    (DynamicConnectedComponents, verify_components),
    (lambda graph: DynamicKTruss(graph, 3), verify_k_truss),
    (DynamicPageRank, verify_ranks),
    (lambda graph: DynamicBFS(graph, 0), lambda graph, found: verify_distances(graph, 0, found, hops=True)),
    (lambda graph: DynamicSSSP(graph, 0), lambda graph, found: verify_distances(graph, 0, found)),
], ids=["components", "truss", "ranks", "bfs", "sssp"])  # fmt: skip
def test_results_where_repairs_are_given_up(graph, rng, monkeypatch, make, verify):
    """Also of batches that follow before they are read."""
    for module, limits in {
        "dynamic_connected_components": {"MOST_ARCS": 0, "SMALL_ARCS": 0, "MOST_VERTICES": 0, "SMALL_VERTICES": 8},
        "dynamic_distances": {"RECOMPUTE_ABOVE": 1 / 8, "PULLED": 1, "LOOK_UP": 999, "SMALL": 8, "MOST_IMPROVED": 0.01},
        "dynamic_k_truss": {"SMALL_LEAVING": 4, "RECOMPUTE_ABOVE": 0, "SMALL_SIDES": 100},
        "dynamic_pagerank": {"PASSES": 400},
    }.items():
        for name, value in limits.items():
            monkeypatch.setattr(f"algorithms.{module}.{name}", value)
    follower, skipped = make(graph), []
    pays = Trials.pays
    monkeypatch.setattr(Trials, "pays", lambda *args: skipped.append(not pays(*args)) or not skipped[-1])
    for turn, (src, dst, weights) in enumerate(batches(graph, rng)):
        graph.delete_edges(src, dst)
        if turn % 3:
            verify(graph, follower)
        graph.insert_edges(src, dst, weights)
        if turn % 4 != 3:
            verify(graph, follower)
    verify(graph, follower)
    assert any(skipped) and not all(skipped)
