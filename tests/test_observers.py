"""Observers: what analytics that keep up with a graph are told."""

import gc

import pytest
from model import random_batch, to_host

import frontier as fr


class Recorder(fr.UpdateObserver):
    """Keeps a set of edges up to date from what it is told, and nothing else."""

    def __init__(self, graph, edges=()):
        self.graph = graph
        self.edges = set(edges)
        self.vertex_changes = 0
        self.leaving = None
        graph.attach(self)

    def _pairs(self, src, dst):
        src, dst = to_host(self.graph, src).tolist(), to_host(self.graph, dst).tolist()
        pairs = list(zip(src, dst, strict=True))
        assert len(set(pairs)) == len(pairs), "an edge is named twice"
        assert self.graph.directed or all(u < v for u, v in pairs)
        return set(pairs)

    def edges_inserted(self, src, dst):
        new = self._pairs(src, dst)
        assert not new & self.edges, "an edge is new that was there"
        assert to_host(self.graph, self.graph.has_edges(src, dst)).all(), "an edge is new that is not there"
        self.edges |= new

    def edges_deleting(self, src, dst):
        assert self.leaving is None
        self.leaving = self._pairs(src, dst)
        assert self.leaving <= self.edges, "an edge leaves that was not there"
        assert to_host(self.graph, self.graph.has_edges(src, dst)).all(), "an edge can no longer be seen"

    def edges_deleted(self, src, dst):
        assert self._pairs(src, dst) == self.leaving
        self.edges -= self.leaving
        self.leaving = None

    def vertices_changed(self):
        self.vertex_changes += 1


@pytest.fixture
def watched(new, rng, directed):
    pair = new(*random_batch(rng, 30, 100, "float32"), num_vertices=30, directed=directed)
    return pair, Recorder(pair.graph, [(u, v) for u, v, _ in pair.model.edges()])


def same(watched):
    pair, recorder = watched
    assert recorder.edges == {(u, v) for u, v, _ in pair.model.edges()}
    pair.check()


@pytest.mark.parametrize("on_existing", ["replace", "keep", "add"])
def test_edges(watched, rng, on_existing):
    pair, _ = watched
    for size in (1, 60, 300):
        pair.insert(*random_batch(rng, 30, size, "float32"), on_existing=on_existing)
        same(watched)
        pair.delete(*random_batch(rng, 30, size)[:2])
        same(watched)


def test_vertices(watched):
    pair, recorder = watched
    pair.delete_vertices([1, 4, 5])
    assert recorder.vertex_changes == 1
    same(watched)
    pair.insert_vertices([4])
    assert recorder.vertex_changes == 2
    pair.insert_vertices(3)
    assert recorder.vertex_changes == 3
    pair.insert([4, 30], [30, 4], [1, 2])
    same(watched)


def test_batches_without_effect(watched):
    pair, _ = watched
    edges = pair.model.edges()
    pair.insert([u for u, _, _ in edges], [v for _, v, _ in edges], [5] * len(edges))
    pair.insert([3, 4], [3, 4])
    pair.delete([3, 4], [3, 4])
    same(watched)


def test_bad_batches_are_not_told(watched):
    pair, recorder = watched
    before = set(recorder.edges)
    for act in (pair.graph.insert_edges, pair.graph.delete_edges):
        with pytest.raises(ValueError, match="outside"):
            act([0, 1], [2, 30])
    assert (recorder.edges, recorder.leaving) == (before, None)
    same(watched)


def test_detach(watched, rng):
    pair, recorder = watched
    before = set(recorder.edges)
    pair.graph.detach(recorder)
    pair.insert(*random_batch(rng, 30, 300, "float32"))
    assert recorder.edges == before


def test_graphs_do_not_keep_observers_alive(new):
    pair = new([0], [1], num_vertices=3)
    recorder = Recorder(pair.graph, {(0, 1)})
    del recorder
    gc.collect()
    pair.insert([1], [2])
    pair.check()


def test_several(watched, rng):
    pair, first = watched
    second = Recorder(pair.graph, first.edges)
    pair.insert(*random_batch(rng, 30, 100, "float32"))
    assert first.edges == second.edges
    same(watched)


class Everything(fr.UpdateObserver):
    """Keeps the arcs that it is told of, as they come."""

    exact = False

    def __init__(self, graph):
        self.graph = graph
        self.arcs = []
        graph.attach(self)

    def edges_inserted(self, src, dst):
        src, dst = to_host(self.graph, src), to_host(self.graph, dst)
        self.arcs.append([(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u >= 0])

    edges_deleting = edges_deleted = edges_inserted


def test_who_is_not_exact_gets_batches_as_they_come(new):
    pair = new([0], [1], num_vertices=5)
    watcher = Everything(pair.graph)
    pair.insert([0, 2, 3, 2], [1, 2, 4, 1])
    both = {(0, 1), (1, 0), (3, 4), (4, 3), (2, 1), (1, 2)}  # the loop is gone, what was there is not
    assert set(watcher.arcs.pop()) == both
    pair.delete([3, 0], [4, 3])
    assert set(watcher.arcs.pop()) == set(watcher.arcs.pop()) == {(3, 4), (4, 3), (0, 3), (3, 0)}
    assert not watcher.arcs


def test_only_observers_are_attached(new):
    with pytest.raises(TypeError, match="observer"):
        new([0], [1], num_vertices=5).graph.attach(object())
