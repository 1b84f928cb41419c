"""``copy.copy``, ``copy.deepcopy`` and ``pickle``: graphs, frontiers, results, and what cannot be copied."""

import copy
import dataclasses
import pickle
from contextlib import suppress

import numpy as np
import pytest
from model import Pair, assert_same, make, random_batch

import algorithms
import frontier as fr
from frontier.runtime import Device
from structures import CSR, SlabGraph


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}


@pytest.fixture(params=list(WAYS))
def copied(request):
    """Each way to copy."""
    return WAYS[request.param]


class Labelled(SlabGraph):
    """A user's own kind of graph, which is in no registry."""


def test_a_copied_graph_goes_its_own_way(new, rng, copied, weight_dtype):
    pair = new(*random_batch(rng, 40, 300, weight_dtype), num_vertices=40)
    pair.delete_vertices([3, 17])
    twin = Pair(copied(pair.graph), pair.model.twin())
    assert type(twin.graph) is type(pair.graph)
    assert twin.graph.device is pair.graph.device
    twin.check()
    for one in (twin, pair):
        present = np.array(one.model.present)
        src, dst, weights = random_batch(rng, present.size, 200, weight_dtype)
        one.insert(present[src], present[dst], weights)
        one.delete(present[src[:50]], present[dst[:50]])
        one.insert_vertices(30)
        twin.check()
        pair.check()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_all_protocols(protocol, device):
    pair = make(CSR, device, [0, 1], [1, 2], num_vertices=4)
    assert_same(pickle.loads(pickle.dumps(pair.graph, protocol)), pair.model)


def test_memory_that_cannot_be_written_to(structure, device):
    """Buffers beside the pickle may be such."""
    pair = make(structure, device, [0, 1], [1, 2], num_vertices=4)
    buffers = []
    data = pickle.dumps(pair.graph, protocol=5, buffer_callback=buffers.append)
    twin = Pair(pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers]), pair.model)
    twin.insert([2, 0], [3, 3])
    twin.check()


def test_a_pickle_holds_no_array_of_the_graph(structure):
    """They are written when `__reduce__` has returned. An update from another thread must not change them then."""
    graph = make(structure, "cpu", [0, 1], [1, 2], num_vertices=4).graph
    arrays = graph.__reduce__()[1][2]
    assert arrays
    assert not any(np.may_share_memory(array, getattr(graph.store, name)) for name, array in arrays.items())


@pytest.mark.slow
def test_options_and_vertex_dtype(structure, device, copied):
    pair = make(structure, device, [0, 1], [1, 2], num_vertices=5, vertex_dtype="int64", directed=True)
    twin = copied(pair.graph)
    assert twin.vertex_dtype == np.int64
    assert twin.version == pair.graph.version
    assert {name: getattr(twin.store, name) for name in twin.store.scalars} == {
        name: getattr(pair.graph.store, name) for name in twin.store.scalars
    }
    assert_same(twin, pair.model)


def test_a_class_of_a_user(device, copied):
    graph = Labelled.from_edges([0, 1], [1, 2], device=device)
    twin = copied(graph)
    assert type(twin) is Labelled
    assert twin.num_edges == 2


def test_a_graph_that_is_held_twice_is_copied_once(device, copied):
    graph = CSR.from_edges([0], [1], device=device)
    if copied is copy.copy:
        return
    one, other = copied([graph, graph])
    assert one is other
    assert one is not graph


class Counting(fr.UpdateObserver):
    """An observer that counts."""

    seen = 0

    def edges_inserted(self, src, dst):
        self.seen += 1


def test_copies_have_no_observers(new, copied):
    pair = new([0], [1], num_vertices=4)
    observer = Counting()
    pair.graph.attach(observer)
    copied(pair.graph).insert_edges([1], [2])
    assert observer.seen == 0
    pair.graph.insert_edges([1], [2])
    assert observer.seen == 1


INCREMENTAL = {known.incremental.__name__: known for known in algorithms.analytics().values() if known.incremental}


@pytest.mark.parametrize("name", ["Counting", "DynamicConnectedComponents", "DynamicTriangleCount"])
def test_what_follows_a_graph_cannot_be_copied(device, copied, name):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 0], device=device)
    follower = Counting() if name == "Counting" else INCREMENTAL[name].maintain(graph, source=0)
    graph.attach(follower)
    with pytest.raises(TypeError, match=f"{name} .* make another {name} for the copy of the graph"):
        copied(follower)


@pytest.mark.parametrize("name", INCREMENTAL)
def test_no_incremental_analytic_says_otherwise(name):
    assert INCREMENTAL[name].incremental.__reduce__ is fr.UpdateObserver.__reduce__


def test_frontiers(device, copied):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device=device)
    frontier = fr.Frontier(graph, [2, 0])
    twin = copied(frontier)
    assert sorted(twin.vertices.tolist()) == [0, 2]
    assert len(twin) == 2
    assert (twin.graph is graph) == (copied is copy.copy)
    with suppress(ValueError):  # on a CPU it is read-only
        twin.vertices[:] = 3
    assert sorted(frontier.vertices.tolist()) == [0, 2]
    assert sorted(fr.advance(graph, frontier, always).vertices.tolist()) == [1, 3]


def test_a_frontier_and_its_graph_stay_together(device):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device=device)
    for way in (copy.deepcopy, pickled):
        twin, frontier = way((graph, fr.Frontier(graph, [1])))
        assert frontier.graph is twin


def always(src, dst, edge, weight):
    return True


@pytest.mark.parametrize("name", [name for name, known in algorithms.analytics().items() if known.static])
def test_results(device, copied, name):
    graph = CSR.from_edges([0, 1, 2, 3], [1, 2, 0, 2], num_vertices=6, device=device)
    known = algorithms.find_analytic(name)
    result = known.compute(graph, **known.settings(graph, k=3))
    twin = copied(result)
    assert type(twin) is type(result)
    for field in dataclasses.fields(result):
        mine, others = getattr(result, field.name), getattr(twin, field.name)
        assert type(mine) is type(others), field.name
        if getattr(mine, "ndim", 0):
            assert mine.dtype == others.dtype
            assert graph.device.to_host(mine).tolist() == graph.device.to_host(others).tolist()
        else:
            assert mine == others
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(twin, dataclasses.fields(result)[0].name, None)


def test_a_pickle_from_a_gpu_goes_where_it_can():
    """Onto the GPU if one exists, otherwise onto the CPU."""
    device = pickled(Device("gpu", np))
    assert device.kind == ("gpu" if fr.gpu_available() else "cpu")
    assert pickled(Device("cpu", np)).kind == "cpu"


def test_devices_are_not_copied(device):
    place = CSR(2, device=device).device
    assert all(way(place) is place for way in WAYS.values())
