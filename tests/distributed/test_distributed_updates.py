"""Updates and queries of distributed graphs, against a model and one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import fails, host, memory_is_tight
from model import Model, random_batch

import frontier as fr
from algorithms import DynamicTriangleCount, connected_components
from frontier.core.batch.raw import MAX_EDGES
from frontier.distributed import DistributedGraph, PartLostError, ThreadEngine
from structures import SlabGraph


def assert_same(graph, model):
    """The edges, weights, degrees and counts of a model."""
    src, dst, weights = graph.to_coo()
    edges = model.edges()
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == [edge[:2] for edge in edges]
    if model.weight_dtype is not None:
        assert weights.tolist() == [edge[2] for edge in edges]
    assert graph.num_edges == len(edges) and graph.num_vertices == model.num_vertices
    assert graph.degrees().tolist() == [len(row) for row in model.adjacency]


@pytest.mark.parametrize("directed", [False, True])
def test_updates(engine, directed):
    rng = np.random.default_rng(7)
    graph = DistributedGraph(SlabGraph, 40, directed=directed, weight_dtype="int32", engine=engine)
    model = Model(40, directed=directed, weight_dtype="int32")
    for step in range(8):
        src, dst = (rng.integers(0, 40, 150) for _ in range(2))
        weights = rng.integers(-3, 9, 150).astype(np.int32)
        how = ("replace", "keep", "add")[step % 3]
        assert graph.insert_edges(src, dst, weights, on_existing=how) == model.insert_edges(
            src, dst, weights, on_existing=how
        )
        assert_same(graph, model)
        assert graph.delete_edges(src[:60], dst[::-1][:60]) == model.delete_edges(src[:60], dst[::-1][:60])
        assert_same(graph, model)


@pytest.mark.parametrize("directed", [False, True])
def test_a_single_part(device, directed):
    """It owns all arcs, so nothing is sorted or sent."""
    with ThreadEngine(1, device) as engine:
        test_updates(engine, directed)
        options = {"directed": directed, "edge_data": {"amount": "float64"}, "in_edges": directed}
        graph = DistributedGraph(SlabGraph, 40, engine=engine, **options)
        one = SlabGraph(40, device=device, **options)
        rng = np.random.default_rng(7)
        for _ in range(3):
            src, dst = (rng.integers(0, 40, 150) for _ in range(2))
            amounts = rng.random(150)
            for each in (graph, one):
                each.insert_edges(src, dst, amount=amounts)
                each.delete_edges(src[:60], dst[::-1][:60])
            kept = host(one.has_edges(src, dst))
            found = (each.edge_values("amount", src[kept], dst[kept]) for each in (graph, one))
            assert np.array_equal(*map(host, found))
        with pytest.raises(ValueError, match="dst\\[0\\] is 77"):
            graph.insert_edges([0], [77], amount=[1.0])
        assert graph.num_edges == one.num_edges


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
@pytest.mark.parametrize("directed", [False, True])
def test_large_batches(engine, structure, directed, weight_dtype):
    """With duplicates, self-loops and existing edges. The last of duplicates counts."""
    if weight_dtype is not None and not structure.can_store_weights:
        pytest.skip("it stores no weights")
    rng = np.random.default_rng(3)
    n, size = 3000, 4 * MAX_EDGES
    options = {"directed": directed, "weight_dtype": weight_dtype}
    graph = DistributedGraph(structure, n, engine=engine, **options)
    one = structure(n, device=engine.hosts[0].comm.device, **options)
    for _ in range(2):
        src, dst = rng.integers(0, n, (2, size)) // rng.integers(1, 40, (2, size))
        weights = None if weight_dtype is None else rng.integers(1, 99, size).astype(weight_dtype)
        assert graph.insert_edges(src, dst, weights) == one.insert_edges(src, dst, weights)
        assert graph.delete_edges(src[: 3 * MAX_EDGES], dst[: 3 * MAX_EDGES]) == one.delete_edges(
            src[: 3 * MAX_EDGES], dst[: 3 * MAX_EDGES]
        )
    for found, expected in zip(graph.to_coo(), one.to_coo(), strict=True):
        assert (found is None) == (expected is None)
        assert found is None or np.array_equal(host(found), host(expected))


def test_batches_smaller_than_the_number_of_parts(engine):
    graph = DistributedGraph(SlabGraph, 5, engine=engine)
    assert graph.insert_edges([], []).inserted == 0
    assert graph.insert_edges([3], [1]).inserted == 1
    assert graph.insert_edges([1, 2, 2], [3, 2, 4]).inserted == 1
    assert graph.neighbors(2).tolist() == [4] and graph.neighbors(0).tolist() == []
    assert graph.has_edges([3, 1, 0], [1, 3, 2]).tolist() == [True, True, False]
    assert graph.has_edges([], []).size == 0


def test_vertices_come_and_go(engine):
    graph = DistributedGraph(SlabGraph, 6, engine=engine)
    graph.insert_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    assert graph.insert_vertices(3).tolist() == [6, 7, 8]
    graph.insert_edges([8, 7], [0, 2])
    assert graph.delete_vertices([2, 8]).deleted == 4
    assert graph.num_edges == 3 and graph.has_vertices([2, 3]).tolist() == [False, True]
    with pytest.raises(ValueError, match=r"dst\[1\] is 2, a vertex that was deleted"):
        graph.insert_edges([0, 1, 3, 4], [3, 2, 4, 5])
    assert graph.insert_vertices(1).tolist() == [2]
    assert graph.insert_edges([2], [0]).inserted == 1
    assert connected_components(graph).count == 8 - graph.num_edges


def test_weights_are_found(engine):
    graph = DistributedGraph(SlabGraph, 9, weight_dtype="int32", engine=engine)
    src, dst = np.arange(8), np.arange(1, 9)
    graph.insert_edges(src, dst, src * 10)
    assert graph.edge_weights(dst[::-1], src[::-1]).tolist() == (src * 10)[::-1].tolist()
    with pytest.raises(ValueError, match=r"edge 3 of the list, 0 - 5, is not in the graph \(1 such edges\)"):
        graph.edge_weights([0, 1, 2, 0], [1, 2, 3, 5])


BAD = {
    "range": ([0, 1, 2, 3, 4, 99, 2], [1] * 7, None, ValueError),
    "negative": ([0, 1, 2], [1, 2, -1], None, ValueError),
    "weights": ([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.5], TypeError),
    "lengths": ([0, 1], [1], None, ValueError),
    "floats": ([0.5], [1], None, TypeError),
    "dimensions": ([[0]], [1], None, ValueError),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_batches_say_what_they_say_on_one_device(engine, device, case):
    src, dst, weights, kind = BAD[case]
    one = SlabGraph(6, weight_dtype="int32", device=device)
    graph = DistributedGraph(SlabGraph, 6, weight_dtype="int32", engine=engine)
    graph.insert_edges([0, 1], [1, 2])
    with pytest.raises(kind) as expected:
        one.insert_edges(src, dst, weights)
    with pytest.raises(kind) as found:
        graph.insert_edges(src, dst, weights)
    assert str(found.value) == str(expected.value)
    assert graph.num_edges == 2 and graph.to_coo()[0].tolist() == [0, 1]
    assert graph.insert_edges([3], [4]).inserted == 1


@pytest.mark.parametrize("how", ["replace", "add", "delete"])
def test_a_batch_that_fails_on_one_part_changes_none(engine, how, monkeypatch):
    rng = np.random.default_rng(3)
    graph = DistributedGraph(SlabGraph, 30, weight_dtype="int32", engine=engine)
    src, dst = random_batch(rng, 30, 100)[:2]
    graph.insert_edges(src, dst, np.arange(100, dtype=np.int32))
    before = [array.tolist() for array in graph.to_coo()]
    method = "erase" if how == "delete" else "insert"
    more = random_batch(rng, 30, 200)[:2]
    fails(monkeypatch, engine.hosts[-1].objects[graph._key].local, method)
    memory_is_tight(monkeypatch)
    with pytest.raises(MemoryError, match="for the test"):
        if how == "delete":
            graph.delete_edges(src, dst)
        else:
            graph.insert_edges(*more, np.full(200, 5, np.int32), on_existing=how)
    monkeypatch.undo()
    assert [array.tolist() for array in graph.to_coo()] == before
    assert graph.num_edges == len(before[0])
    assert graph.delete_edges(src, dst).deleted == len(before[0])


def test_a_part_that_fails_with_memory_left_ends_the_graph(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    graph.insert_edges([5], [6])
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        fails(patch, engine.hosts[0].objects[graph._key].local, "insert")
        graph.insert_edges(np.arange(29), np.arange(1, 30))
    with pytest.raises(PartLostError, match="load the graph"):
        graph.insert_edges([0], [1])


def test_a_first_batch_that_fails_on_one_part_leaves_all_empty(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    first, original = engine.hosts[0].objects[graph._key].local, SlabGraph.store_type.build

    def fail(self, *arrays):
        original(self, *arrays)
        if self is first.store:
            raise MemoryError("no memory left, for the test")

    memory_is_tight(monkeypatch)
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        patch.setattr(SlabGraph.store_type, "build", fail)
        graph.insert_edges(np.arange(29), np.arange(1, 30))
    assert graph.num_edges == 0 and not graph.degrees().any()
    assert graph.insert_edges(np.arange(29), np.arange(1, 30)).inserted == 29


def test_sums_that_overflow_on_one_part_change_none(engine):
    graph = DistributedGraph(SlabGraph, 30, weight_dtype="int32", directed=True, engine=engine)
    graph.insert_edges(np.arange(29), np.arange(1, 30), np.full(29, 7))
    graph.insert_edges([4], [5], [2**31 - 1])
    before = [array.tolist() for array in graph.to_coo()]
    with pytest.raises(ValueError, match="in int32"):
        graph.insert_edges(np.arange(29), np.arange(1, 30), np.ones(29, np.int32), on_existing="add")
    assert [array.tolist() for array in graph.to_coo()] == before


def test_sums_of_infinities_of_both_signs_change_none(engine):
    graph = DistributedGraph(SlabGraph, 30, weight_dtype="float32", engine=engine)
    graph.insert_edges(np.arange(29), np.arange(1, 30), np.full(29, np.inf, np.float32))
    before = [array.tolist() for array in graph.to_coo()]
    for attached in (None, DynamicTriangleCount(graph)):
        with pytest.raises(ValueError, match="NaN, of infinities"):
            graph.insert_edges([3, 4, 9], [4, 5, 7], [1, -np.inf, 2], on_existing="add")
        assert [array.tolist() for array in graph.to_coo()] == before, attached


def test_parts_that_cannot_agree_are_not_used_again(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    fails(monkeypatch, engine.hosts[0].objects[graph._key].local, "extend")
    with pytest.raises(MemoryError):
        graph.insert_vertices(5)
    monkeypatch.undo()
    with pytest.raises(PartLostError, match="load the graph"):
        graph.insert_edges([0], [1])


@pytest.mark.parametrize("option", ["cpu", "gpu", None])
def test_the_engine_has_the_device(option):
    with ThreadEngine(2) as engine:
        with pytest.raises(TypeError, match="device: the engine of a distributed graph has the devices"):
            DistributedGraph(SlabGraph, 4, device=option, engine=engine)
        assert DistributedGraph(SlabGraph, 4, engine=engine).num_vertices == 4


def test_vertices_for_names(engine):
    """As on one device: a vertex for each name, and deleted ones again under other names."""
    names, graph = fr.VertexNames(), DistributedGraph(SlabGraph, 1, engine=engine)
    ids = names.ids(["ada", "bob", "cy"])
    names.grow(graph)
    assert graph.num_vertices == 3
    graph.delete_vertices(ids[1:2])
    names.forget(ids[1:2])
    names.grow(graph)
    assert graph.has_vertices(ids).tolist() == [True, False, True]
    assert names.ids(["dan"]).tolist() == [1]
    names.grow(graph)
    assert graph.has_vertices(ids).all()


def test_a_failure_that_changes_no_part_leaves_the_graph_usable(monkeypatch):
    """The partition that owns the source has no memory, and the other ones have nothing to do."""
    with ThreadEngine(2) as engine:
        graph = DistributedGraph(SlabGraph, 40, directed=True, engine=engine)
        graph.insert_edges([0, 1, 2], [3, 4, 5])
        source = int(engine.hosts[0].objects[graph._key].partition.owned[0])
        monkeypatch.setattr(SlabGraph.store_type, "insert", raise_memory_error)
        with pytest.raises(MemoryError, match="no memory"):
            graph.insert_edges([source], [39])
        monkeypatch.undo()
        assert graph.num_edges == 3 and graph.insert_edges([source], [39]).inserted == 1


def raise_memory_error(*_):
    raise MemoryError("no memory")
