"""Snapshots and copies of distributed graphs, against one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from distributed_cases import fails, host, memory_is_tight

from algorithms import DynamicTriangleCount, bfs, connected_components, pagerank, triangle_count
from frontier.core.component import Component, add_component
from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.features.snapshots.log import make_step
from structures import Hornet, SlabGraph

N = 40
KINDS = {
    "plain": (SlabGraph, {}),
    "weights": (Hornet, {"weight_dtype": "int32", "directed": True, "in_edges": True}),
    "data": (SlabGraph, {"edge_data": {"value": "int32"}, "time_unit": "s"}),
}


def pair_of(engine, structure=SlabGraph, n=N, **options):
    """A distributed graph, and on one device."""
    device = engine.hosts[0].comm.device
    return DistributedGraph(structure, n, engine=engine, **options), structure(n, device=device, **options)


def update(graphs, rng, size=60):
    """Insert into all of them, and delete."""
    one = graphs[-1]
    src, dst = rng.integers(0, N, (2, size))
    data = {name: rng.integers(1, 99, size) for name in ("time", "value") if name in (one.edge_data or ())}
    weights = rng.integers(1, 9, size) if one.is_weighted else None
    gone = [host(each)[:20] for each in one.to_coo()[:2]]
    done = {(g.insert_edges(src, dst, weights, **data), g.delete_edges(*gone)) for g in graphs}
    assert len(done) == 1


def contents(graph):
    """All that may be asked of a graph."""
    src, dst, weights = (None if each is None else host(each).tolist() for each in graph.to_coo())
    values = []
    if graph.edge_data is not None and src:
        value = graph.edge_values if graph.in_parts else lambda name, u, v: graph.edge_data[name][graph.edge_ids(u, v)]
        values = [host(value(name, src, dst)).tolist() for name in ("value", "time")]
    found = [src, dst, weights, values, graph.num_edges, graph.num_vertices, host(graph.degrees()).tolist()]
    found += [host(graph.in_degrees()).tolist(), host(bfs(graph, 1).distance).tolist()]
    found.append(host(connected_components(graph).labels).tolist())
    return found if graph.directed else [*found, triangle_count(graph).total]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_snapshots_stay_as_they_were(engine, kind):
    rng = np.random.default_rng(1)
    structure, options = KINDS[kind]
    graphs = pair_of(engine, structure, **options)
    kept = []
    for step in range(6):
        shown, expected = graphs[0].snapshot(), contents(graphs[1].copy())
        assert shown.num_edges == graphs[1].num_edges and shown.read_only
        if step % 2:
            assert contents(shown) == expected
        kept.append((shown, expected))  # the first ones, of an empty graph among them, are read after updates
        update(graphs, rng)
        if step == 3:
            for graph in graphs:
                graph.delete_vertices([2, 30])
                graph.insert_vertices([2, 30, N + 5])
    for shown, expected in kept[::-1]:
        assert contents(shown) == expected
    assert contents(graphs[0]) == contents(graphs[1])
    ranks = [pagerank(graph.snapshot()).pagerank for graph in graphs]
    assert np.allclose(*map(host, ranks), rtol=1e-4, atol=1e-9)


def test_a_snapshot_is_one_object_until_the_next_update(engine):
    graph, _ = pair_of(engine)
    graph.insert_edges([0, 1], [1, 2])
    first = graph.snapshot()
    assert graph.snapshot() is first and first.snapshot() is first and repr(first).startswith("<snapshot of Distri")
    first.degrees()
    assert graph.memory_usage().reserved > first.memory_usage().reserved  # the copies are of the graph
    for edge in ([3], [4]), ([4], [5]), ([6], [7]):  # some partitions do not change
        graph.insert_edges(*edge)
        assert graph.snapshot() is not first
    assert first.num_edges == 2 == first.degrees().sum() / 2
    held = sum(len(worker.objects) for worker in engine.hosts)
    del first
    gc.collect()
    graph.degrees()
    assert sum(len(worker.objects) for worker in engine.hosts) <= held - engine.size


def test_snapshots_are_read_only(engine):
    graph, one = pair_of(engine, directed=True, in_edges=True)
    graph.insert_edges([0, 1], [1, 2])
    shown = graph.snapshot()
    for change in (
        lambda g: g.insert_edges([0], [1]), lambda g: g.delete_edges([0], [1]), lambda g: g.insert_vertices(3),
        lambda g: g.delete_vertices([1]), lambda g: g.apply([0], [0], [1]),
    ):  # fmt: skip
        errors = []
        for each in (shown, one.snapshot()):
            with pytest.raises(TypeError) as error:
                change(each)
            errors.append(str(error.value))
        assert errors[0] == errors[1]
    assert shown.num_edges == 2
    undirected, _ = pair_of(engine)
    with pytest.raises(TypeError, match="a snapshot is read-only"):
        DynamicTriangleCount(undirected.snapshot())
    with DynamicTriangleCount(undirected) as triangles:  # which follows the graph
        undirected.insert_edges([0, 1, 2], [1, 2, 0])
        assert triangles.total == 1 == triangle_count(undirected.snapshot()).total


def degrees_back(part):
    shown = part.reverse.snapshot()
    part.insert_edges([5], [6])
    return host(shown.degrees()).tolist(), shown.num_edges, host(part.reverse.degrees()).tolist()


def test_snapshots_of_parts(engine):
    """Snapshots that a function makes on the workers."""
    graph, _ = pair_of(engine, n=7, directed=True, in_edges=True)
    graph.insert_edges([0, 1, 4], [1, 2, 2])
    found = graph.run(degrees_back)
    assert found == ([0, 1, 2, 0, 0, 0, 0], 3, [0, 1, 2, 0, 0, 0, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_copies(engine, kind, tmp_path):
    rng = np.random.default_rng(3)
    structure, options = KINDS[kind]
    graphs = pair_of(engine, structure, **options)
    update(graphs, rng)
    twins = [graph.snapshot().copy() for graph in graphs]
    graphs[0].snapshot().save(tmp_path)
    expected = contents(graphs[1])
    update(graphs, rng)
    assert contents(twins[0]) == expected == contents(DistributedGraph.load(tmp_path, engine=engine))
    update(twins, rng)
    assert contents(twins[0]) == contents(twins[1]) != expected
    assert contents(graphs[0]) == contents(graphs[1])


def test_a_snapshot_that_one_part_cannot_copy_can_be_read_later(engine, monkeypatch):
    graph, one = pair_of(engine)
    update((graph, one), np.random.default_rng(4))
    shown = graph.snapshot()
    last, original = engine.hosts[-1].objects[graph._key].local, SlabGraph.copy

    def fail(self):
        if self is last:
            raise MemoryError("no memory left, for the test")
        return original(self)

    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        patch.setattr(SlabGraph, "copy", fail)
        shown.degrees()
    assert contents(shown) == contents(one) == contents(graph)


def test_a_batch_that_is_undone_is_not_shown(engine, monkeypatch):
    graph, one = pair_of(engine)
    update((graph, one), np.random.default_rng(5))
    before = graph.snapshot()
    memory_is_tight(monkeypatch)
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        fails(patch, engine.hosts[-1].objects[graph._key].local, "insert")
        graph.insert_edges(np.arange(N - 1), np.arange(1, N))
    assert contents(before) == contents(one) == contents(graph.snapshot())
    update((graph, one), np.random.default_rng(6))
    assert contents(graph.snapshot()) == contents(one)


def test_reading_while_another_thread_updates(engine):
    """Every snapshot is of a state between two batches, each of which adds a triangle."""
    graph, _ = pair_of(engine, n=90)
    errors = []

    def stream():
        try:
            for first in range(0, 90, 3):
                ids = first + np.arange(3)
                graph.insert_edges(ids, np.roll(ids, 1))
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=stream)
    thread.start()
    while thread.is_alive():
        shown = graph.snapshot()
        assert triangle_count(shown).total * 3 == shown.num_edges == shown.degrees().sum() / 2
    thread.join()
    assert not errors and graph.snapshot().num_edges == 90


class Calls(Component):
    """Notes the updates of a graph."""

    def __init__(self):
        self.made = []

    def end(self, graph, call, *, changed):
        self.made.append(call)


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_updates_of_local_graphs_can_be_repeated_on_copies(weight_dtype):
    with ThreadEngine(2) as engine:
        graph = DistributedGraph(SlabGraph, N, weight_dtype=weight_dtype, engine=engine)
        graph.insert_edges(np.arange(N - 1), np.arange(1, N))
        local, calls = engine.hosts[0].objects[graph._key].local, Calls()
        twin = local.copy()
        add_component(local, calls)
        graph.insert_edges(np.arange(N - 2), np.arange(2, N))
        graph.delete_edges(np.arange(20), np.arange(1, 21))
        for call in calls.made:
            make_step(local, call).repeat(twin)
        for found, expected in zip(twin.to_coo(), local.to_coo(), strict=True):
            np.testing.assert_array_equal(found, expected)
