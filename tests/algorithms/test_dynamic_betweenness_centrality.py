"""Betweenness centrality that is maintained incrementally, compared with a count of all shortest paths."""

import numpy as np
import pytest
from centrality_verifiers import distances_and_paths, verify_betweenness
from host_graphs import host
from model import random_batch, random_change

import frontier as fr
from algorithms import DynamicBetweennessCentrality, betweenness_centrality
from algorithms._shortest_paths import UNREACHED
from algorithms._trials import Trials
from frontier.distributed import DistributedGraph, ThreadEngine

pytestmark = pytest.mark.slow  # their kernels compile slowly
KINDS = {"undirected": {}, "directed": {"directed": True}, "in_edges": {"directed": True, "in_edges": True}}
MODULE = "algorithms.dynamic_betweenness_centrality"


@pytest.fixture
def structure():
    """One: tests do not depend on the structure."""
    return fr.structures()["slab"]


@pytest.fixture
def always_repairs(monkeypatch):
    """No repair is given up."""
    monkeypatch.setattr(f"{MODULE}.MOST", 10**9)
    monkeypatch.setattr(f"{MODULE}.MOST_LONG", 10**9)
    monkeypatch.setattr(f"{MODULE}.MOST_EDGES", 10**9)


class Counted:
    """Outcomes of repairs, and the number of recomputations."""

    def __init__(self, monkeypatch):
        self.repaired, self.searched = [], 0
        repair, recompute = DynamicBetweennessCentrality._repair, DynamicBetweennessCentrality._recompute

        def repaired(made):
            self.repaired.append(repair(made))
            return self.repaired[-1]

        def recomputed(made):
            self.searched += 1
            recompute(made)

        monkeypatch.setattr(DynamicBetweennessCentrality, "_repair", repaired)
        monkeypatch.setattr(DynamicBetweennessCentrality, "_recompute", recomputed)


def check(made, verified=True):
    """Compare the result, and all of its state, with what they must be."""
    graph, sources = made.graph, host(made.sources)
    options = {"normalized": made.normalized, "endpoints": made.endpoints}
    static = betweenness_centrality(graph, sources, **options).betweenness_centrality
    np.testing.assert_allclose(host(made.betweenness_centrality), host(static), rtol=1e-9, atol=1e-13)
    if verified and sources.size:
        verify_betweenness(graph, made, sources, **options)
    if not made._follows:
        return
    distance, paths = distances_and_paths(graph)
    for i, source in enumerate(sources):
        found, column = made._words[i // 32].found, i % 32
        near = np.isfinite(distance[source])
        assert (host(found.distance)[:, column] == np.where(near, distance[source], UNREACHED)).all()
        assert host(found.paths)[:, column] == pytest.approx(np.where(near, paths[source], 0))
    for word in made._words:
        state = word.state
        assert not any(host(bits).any() for bits in (state.down, state.up, state.moved, word.numbers, made._coming))
        assert not any(host(array).any() for array in (state.gain, state.again))
        assert not made.endpoints or (host(state.reached) == (host(word.found.paths) > 0).sum(axis=0)).all()
    assert not host(made._is_altered).any()


@pytest.mark.parametrize("kind", KINDS)
def test_random_batches(structure, device, kind, rng, tries, always_repairs):
    """Batches of all sizes, between vertices that go and return."""
    for turn in range(tries(4 if device == "cpu" else 1, 100)):
        n = int(rng.integers(2, 40))
        pairs = rng.integers(0, n, (2, int(n * rng.uniform(0, 2))))
        graph = structure.from_edges(*pairs, num_vertices=n, device=device, **KINDS[kind])
        options = {"endpoints": bool(turn % 2), "normalized": bool(turn % 3)}
        followed = [
            DynamicBetweennessCentrality(graph, k=4, seed=turn, **options),
            DynamicBetweennessCentrality(graph, **options),
        ]
        for _ in range(25):
            random_change(graph, rng)
            for made in followed:
                made._trials = Trials()
                if rng.random() < 0.6:
                    check(made)
        for made in followed:
            check(made)


def test_special_graphs(structure, device, always_repairs, monkeypatch):
    """Without vertices, with one, a star, loops that are dropped, two parts with a bridge, and sources that go."""
    empty, one, star = structure(0, device=device), structure(1, device=device), structure(40, device=device)
    made = [DynamicBetweennessCentrality(graph) for graph in (empty, one)]
    made.append(DynamicBetweennessCentrality(star, [0, 5, 6, 7]))
    empty.insert_vertices(3)
    empty.insert_edges([0, 1], [1, 2])
    one.insert_edges([0], [0])
    star.insert_edges([0] * 40, range(40))
    for each in made:
        check(each)
    assert made[0].sources.tolist() == [0, 1, 2]
    star.delete_edges([0] * 20, range(20))
    check(made[2])
    star.delete_vertices([5, 0])
    check(made[2])
    assert made[2].sources.tolist() == [6, 7]
    star.insert_vertices([0])
    star.insert_edges([0, 0, 0], [6, 7, 9])
    check(made[2])
    assert made[2].sources.tolist() == [0, 6, 7]
    star.delete_vertices([0, 6, 7])
    assert not host(made[2].betweenness_centrality).any() and not made[2].sources.size
    with made[0] as closed:
        pass
    empty.insert_edges([0], [2])
    assert host(closed.betweenness_centrality).tolist() == [0, 1, 0] and closed.sources.size == 3


def test_long_paths(structure, device, always_repairs, monkeypatch):
    """A cycle of which a CPU searches from one source after another is cut and closed, and shortened."""
    n, counted = 150, Counted(monkeypatch)
    graph = structure.from_edges(np.arange(n), (np.arange(n) + 1) % n, num_vertices=n, device=device)
    made = DynamicBetweennessCentrality(graph, [0, 20, 40, 60], endpoints=True)
    for update, src, dst in (("delete", 75, 76), ("insert", 75, 76), ("insert", 10, 80), ("delete", 10, 80)):
        getattr(graph, f"{update}_edges")([src], [dst])
        check(made)
    assert counted.repaired == [True] * 4 and counted.searched == 1


def test_many_paths(structure, device, always_repairs, monkeypatch):
    """More paths than integers count exactly."""
    width, length = 8, 40
    first = np.arange(width * length).reshape(length, width)
    src, dst = np.repeat(first[:-1], width, axis=1).ravel(), np.tile(first[1:], (1, width)).ravel()
    graph = structure.from_edges(src, dst, num_vertices=width * length, device=device)
    made = DynamicBetweennessCentrality(graph, [0, 1, 100, 101])
    graph.delete_edges(src[:90], dst[:90])
    check(made, verified=False)
    graph.insert_edges(src[:90], dst[:90])
    check(made, verified=False)


def test_batches_that_change_little(structure, device, rng, monkeypatch):
    """Edges between vertices at the same distance cost nothing, and others little."""
    monkeypatch.setattr(f"{MODULE}.MOST", 10)
    n, counted = 2000, Counted(monkeypatch)
    graph = structure.from_edges(*random_batch(rng, n, 3 * n)[:2], num_vertices=n, device=device)
    made = DynamicBetweennessCentrality(graph, k=40)
    distances = np.concatenate([host(word.found.distance) for word in made._words], axis=1)
    alike = np.flatnonzero((distances == distances[:, :1]).all(axis=1))
    assert alike.size  # vertices that no source reaches
    graph.insert_edges(alike[:1], alike[-1:])
    assert not any(host(word.numbers).any() for word in made._words)
    for _ in range(3):
        src, dst = rng.integers(0, n, (2, 2))
        graph.insert_edges(src, dst)
        graph.delete_edges(*rng.integers(0, n, (2, 1)))
        static = betweenness_centrality(graph, host(made.sources)).betweenness_centrality
        np.testing.assert_allclose(host(made.betweenness_centrality), host(static), rtol=1e-9, atol=1e-13)
    assert all(counted.repaired) and counted.searched == 1


def test_repairs_that_are_given_up(structure, device, rng, monkeypatch):
    """They leave nothing behind, and fewer are tried. A batch of many edges is not looked at."""
    n, counted = 200, Counted(monkeypatch)
    graph = structure.from_edges(*random_batch(rng, n, 2 * n)[:2], num_vertices=n, device=device)
    made = DynamicBetweennessCentrality(graph, k=33)
    src, dst = (host(ends) for ends in graph.to_coo()[:2])
    monkeypatch.setattr(f"{MODULE}.MOST_EDGES", 1 / 8)
    for turn in range(6):
        monkeypatch.setattr(f"{MODULE}.CALLS", dict.fromkeys(("cpu", "gpu"), turn * 300))
        monkeypatch.setattr(f"{MODULE}.MOST", 4.0)
        graph.delete_edges(src[turn::50], dst[turn::50])
        check(made)
        graph.insert_edges(src[turn::50], dst[turn::50])
        check(made)
    assert False in counted.repaired and len(counted.repaired) < 12 and counted.searched > 3
    graph.insert_edges(*random_batch(rng, n, 2 * n)[:2])
    assert made._stale
    check(made)
    monkeypatch.setattr(f"{MODULE}.MOST", 10**9)
    repaired = len(counted.repaired)
    for edge in range(3):  # small ones are tried all the same
        graph.delete_edges(src[edge : edge + 1], dst[edge : edge + 1])
        check(made)
    assert counted.repaired[repaired:] == [True, True]


def test_refused_arguments(structure):
    graph = structure(3, device="cpu")
    for options, error, message in (
        ({"sources": [3]}, ValueError, "sources"), ({"sources": 1}, TypeError, "sources must be a list"),
        ({"k": 0}, ValueError, "k must be"), ({"sources": [0], "k": 1}, ValueError, "sources and k cannot both"),
        ({"normalized": 2}, TypeError, "normalized must be True or False"), ({"endpoints": 2}, TypeError, "endpoints"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            DynamicBetweennessCentrality(graph, **options)
    with ThreadEngine(2, "cpu") as engine:
        parts = DistributedGraph(structure, 3, engine=engine)
        with pytest.raises(NotImplementedError, match="DynamicBetweennessCentrality is not available for distributed"):
            DynamicBetweennessCentrality(parts, [0])
