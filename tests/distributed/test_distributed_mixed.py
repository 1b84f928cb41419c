"""Mixed batches of distributed graphs: the answers equal the answers of one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import fails, host, memory_is_tight, pair_of
from graphs import KINDS

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from frontier.distributed import DistributedGraph
from structures import Hornet, SlabGraph


def random_batch(rng, graph, size, n):
    """Operations on few pairs, so some edges are inserted, deleted and inserted again."""
    batch = {"ops": rng.choice([0, 0, 0, 1, 1, 2, 3, 4, 5], size), "src": rng.integers(0, n, size)}
    batch["dst"] = rng.integers(0, n, size)
    if graph.is_weighted:
        batch["weights"] = rng.integers(1, 99, size)
    return batch | {name: rng.integers(1, 99, size) for name in ("time", "value") if name in (graph.edge_data or ())}


def assert_same(found, expected):
    for name, value in vars(expected).items():
        assert np.array_equal(host(getattr(found, name)), host(value)), name
        if hasattr(value, "dtype"):
            assert getattr(found, name).dtype == value.dtype


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_random_batches(engine, kind, directed):
    rng = np.random.default_rng(1)
    options = KINDS[kind] | ({"directed": True, "in_edges": True} if directed else {})
    graph, one = pair_of(engine, 7, **options)
    for size in (0, 1, 2, 60, 200, 40, 40):
        batch = random_batch(rng, one, size, 7)
        assert_same(graph.apply(**batch), one.apply(**batch))
        assert (graph.num_edges, graph.degrees().tolist()) == (one.num_edges, host(one.degrees()).tolist())
        assert graph.in_degrees().tolist() == host(one.in_degrees()).tolist()
    ends = [host(each) for each in one.to_coo()[:2]]
    assert [each.tolist() for each in graph.to_coo()[:2]] == [each.tolist() for each in ends]
    for name in one.edge_data or ():
        values = host(one.edge_data[name][one.edge_ids(*ends)])
        assert graph.edge_values(name, *ends).tolist() == values.tolist()
        if not directed:  # the entry at the other end is the same
            assert graph.edge_values(name, *ends[::-1]).tolist() == values.tolist()


def test_larger_batches(engine):
    rng = np.random.default_rng(2)
    graph, one = pair_of(engine, 300, Hornet, weight_dtype="int32")
    for each in (graph, one):
        each.insert_edges(*np.random.default_rng(3).integers(0, 300, (2, 900)), np.arange(900))
    for _ in range(3):
        batch = random_batch(rng, one, 2000, 300)
        assert_same(graph.apply(**batch), one.apply(**batch))


def test_observers_see_the_net_effect(engine):
    rng = np.random.default_rng(4)
    graph, one = pair_of(engine, 20)
    with DynamicTriangleCount(graph) as triangles:
        for size in (50, 150, 30):
            batch = random_batch(rng, one, size, 20)
            assert_same(graph.apply(**batch), one.apply(**batch))
            assert triangles.total == triangle_count(one).total


def list_own(part):
    """Each partition lists its own operations, the last one without edge data."""
    last = part.comm.rank == part.comm.size - 1
    if last:
        return host(part.apply([fr.Operation.NEIGHBORS, fr.Operation.DELETE], [1, 2], [0, 1]).neighbors).tolist()
    return part.apply([fr.Operation.INSERT] * 2, [1, 1], [2, 3], value=[5, part.comm.rank]).inserted


def test_operations_of_the_parts(engine):
    graph, _ = pair_of(engine, 5, edge_data={"value": "int32"})
    found = engine.run_alike(lambda worker, key: list_own(worker.objects[key]), graph._key)
    assert found == [2] * (engine.size - 1) + [[2, 3]]
    assert graph.edge_values("value", [1], [3]).tolist() == [engine.size - 2]
    assert graph.run(lambda part: part.num_edges) == 1


def test_bad_input_changes_nothing(engine):
    graph, one = pair_of(engine, 6, weight_dtype="float32", edge_data={"value": "int32"})
    for each in (graph, one):
        each.insert_edges([0], [1], [2], value=[3])
    good = {"ops": [0, 1, 0, 2], "src": [1, 0, 3, 4], "dst": [2, 1, 4, 5], "weights": [1] * 4, "value": [1] * 4}
    for bad in (
        {"ops": [0, 6, 0, 0]}, {"ops": [-1, 0, 0, 0]}, {"ops": [0.5] * 4}, {"ops": [0]}, {"weights": [1]},
        {"dst": [2, 1, 4, 6]}, {"src": [2, 1, 4, 6]}, {"weights": [1, 1, np.nan, 1]}, {"value": None},
        {"other": [1] * 4}, {"value": [1, 2, 0.5, 3]}, {"dst": [2.5, 1, 1, 1]},
    ):  # fmt: skip
        errors = []
        for each in (graph, one):
            with pytest.raises((TypeError, ValueError)) as error:
                each.apply(**(good | bad))
            errors.append((error.type, str(error.value)))
        assert errors[0] == errors[1]
        assert graph.num_edges == 1
    batch = {"ops": [4, 3, 5], "src": [0, 0, 1], "dst": [99, 1, -4], "weights": [np.nan] * 3}  # have no meaning here
    assert_same(graph.apply(**batch), one.apply(**batch))
    plain, summed = (
        DistributedGraph(SlabGraph, 4, engine=engine, **o) for o in ({}, {"time_unit": "s", "multi_edges": "sum"})
    )
    with pytest.raises(TypeError, match="no edge data"):
        plain.apply([0], [0], [1], value=[1])
    with pytest.raises(ValueError, match="has none"):
        plain.apply([0], [0], [1], [1.0])
    with pytest.raises(ValueError, match="not for multi_edges='sum'"):
        summed.apply([0], [0], [1], time=[1])


def test_a_batch_that_fails_on_one_part_changes_none(engine, monkeypatch):
    graph, one = pair_of(engine, 30, weight_dtype="int32")
    src, dst = np.random.default_rng(3).integers(0, 30, (2, 100))
    for each in (graph, one):
        each.insert_edges(src, dst, np.arange(100))
    before = [array.tolist() for array in graph.to_coo()]
    batch = random_batch(np.random.default_rng(5), one, 200, 30)
    fails(monkeypatch, engine.hosts[-1].objects[graph._key].local, "insert")
    memory_is_tight(monkeypatch)
    with pytest.raises(MemoryError, match="for the test"):
        graph.apply(**batch)
    monkeypatch.undo()
    assert [array.tolist() for array in graph.to_coo()] == before
    assert_same(graph.apply(**batch), one.apply(**batch))
