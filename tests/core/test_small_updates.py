"""Small batches of arrays on the device, applied in one launch or in a chain of them: against the model."""

import numpy as np
import pytest
from model import edges_of, make
from small_batches import EACH, LooseRecorder, N, Recorder, batch_of

from frontier.core.component import component_of
from frontier.core.invariants import check_graph
from frontier.features.in_edges import InEdges
from frontier.runtime import Counters
from structures import SlabGraph
from structures.slab.cpu_slabs import EMPTY


def effective(model, src, dst, present):
    """The effective edges of a batch, in the order in which it lists them first."""
    found = {}
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        u, v = (u, v) if model.directed else (min(u, v), max(u, v))
        if u != v and (v in model.adjacency[u]) == present:
            found[u, v] = None
    return list(found)


def arcs_of(src, dst, directed):
    """The arcs of a batch in its order, loops as (-1, -1)."""
    pairs = [(u, v) if u != v else (-1, -1) for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
    return pairs if directed else [arc for u, v in pairs for arc in ((u, v), (v, u))]


@EACH
@pytest.mark.parametrize("place", ["device", "host"])
def test_random_batches(structure, device, directed, weight_dtype, place, rng):
    pair = make(structure, device, [], [], num_vertices=N, directed=directed, weight_dtype=weight_dtype)
    graph, model = pair.graph, pair.model
    if not graph.device.is_gpu and place == "host":
        pytest.skip("there is one place on the CPU")
    asarray = graph.xp.asarray if place == "device" else np.asarray
    for turn in range(15):
        size = int(rng.integers(1, 60))
        host, arrays = batch_of(rng, graph, size, N if turn % 2 else 6, "int64" if turn % 4 == 0 else "int32")
        arrays = arrays if place == "device" else host
        if turn % 3 == 2:
            assert graph.delete_edges(*arrays) == model.delete_edges(*host)
        elif weight_dtype is None or turn % 5 == 0:
            assert graph.insert_edges(*arrays) == model.insert_edges(*host)
        else:
            weights = rng.random(size).astype(weight_dtype)
            assert graph.insert_edges(*arrays, asarray(weights)) == model.insert_edges(*host, weights)
        assert (graph.num_edges, edges_of(graph)) == (len(model.edges()), model.edges())


@EACH
@pytest.mark.parametrize("kinds", [(Recorder,), (LooseRecorder,), (LooseRecorder, Recorder)],
                         ids=["exact", "loose", "both"])  # fmt: skip
def test_observers(structure, device, directed, kinds, rng):
    pair = make(structure, device, [], [], num_vertices=N, directed=directed)
    graph, model = pair.graph, pair.model
    observers = [kind(graph) for kind in kinds]
    for turn in range(12):
        host, arrays = batch_of(rng, graph, int(rng.integers(1, 60)), N if turn % 2 else 6)
        deleting = turn % 3 == 2
        told = {Recorder: effective(model, *host, present=deleting), LooseRecorder: arcs_of(*host, directed)}
        update = "delete_edges" if deleting else "insert_edges"
        assert getattr(graph, update)(*arrays) == getattr(model, update)(*host)
        for observer in observers:
            methods = ("deleting", "deleted") if deleting else ("inserted",)
            assert observer.seen == [(method, told[type(observer)]) for method in methods]
            observer.seen.clear()
    assert edges_of(graph) == model.edges()


@EACH
def test_invalid_batches_change_nothing(structure, device, rng):
    pair = make(structure, device, [0, 1, 2], [1, 2, 3], num_vertices=N, weight_dtype="float32")
    graph, model = pair.graph, pair.model
    graph.delete_vertices([9])
    model.delete_vertices([9])
    observer, asarray = Recorder(graph), graph.xp.asarray
    for src, dst, weights, message in (
        ([4, 5, 6], [5, N, 7], None, rf"dst\[1\] is {N}"),
        ([4, -1, 6], [5, 5, 7], None, r"src\[1\] is -1"),
        ([4, 5, 9], [5, 6, 7], None, r"src\[2\] is 9, a vertex that was deleted"),
        ([4, 5, 6], [5, 6, 7], [1, np.nan, 3], r"weights\[1\] is NaN"),
    ):
        arrays = [asarray(np.array(ids, np.int32)) for ids in (src, dst)]
        values = [] if weights is None else [asarray(np.array(weights, np.float32))]
        with pytest.raises(ValueError, match=message):
            graph.insert_edges(*arrays, *values)
        if weights is None:
            with pytest.raises(ValueError, match=message):
                graph.delete_edges(*arrays)
        assert edges_of(graph) == model.edges() and not [seen for seen in observer.seen if seen[0] != "deleting"]
        host, arrays = batch_of(rng, graph, 9, 8)
        assert graph.insert_edges(*arrays) == model.insert_edges(*host)
        assert edges_of(graph) == model.edges()
        observer.seen.clear()


@pytest.mark.parametrize("watched", [False, True])
def test_a_hub_that_outgrows_its_table(device, watched, rng):
    """Its chain gets longer than insertions walk: the batch uses the general path, and observers are notified once."""
    pair = make(SlabGraph, device, [], [], num_vertices=600, weight_dtype="float32")
    graph, model = pair.graph, pair.model
    observer = Recorder(graph) if watched else None
    for low in range(1, 600, 150):
        dst = np.r_[np.arange(low, low + 149), low].astype(np.int32)
        src, weights = np.zeros(150, np.int32), rng.random(150).astype(np.float32)
        told = effective(model, src, dst, present=False)
        arrays = [graph.xp.asarray(values) for values in (src, dst, weights)]
        assert graph.insert_edges(*arrays) == model.insert_edges(src, dst, weights)
        assert observer is None or observer.seen.pop() == ("inserted", told)
        assert edges_of(graph) == model.edges()


@pytest.mark.parametrize("spare", [0, 1, 3])
def test_a_pool_that_is_full(device, monkeypatch, spare, rng):
    """The pool runs out in the middle of the batch, which then is inserted nevertheless, as a whole."""
    pair = make(SlabGraph, device, [0, 1], [1, 2], num_vertices=N, weight_dtype="float32")
    graph, model = pair.graph, pair.model
    observer = Recorder(graph)
    graph.store._make_room(0, 40)
    with monkeypatch.context() as patch:
        patch.setattr(graph.store, "_reserve", lambda slabs: None)
        graph.store._take(graph.store._capacity - graph.store._used - spare)  # by no graph
        host, arrays = batch_of(rng, graph, 50, N)
        told = effective(model, *host, present=False)
        assert graph.insert_edges(*arrays) == model.insert_edges(*host)
    assert observer.seen == [("inserted", told)]
    assert edges_of(graph) == model.edges()


@EACH
def test_the_short_way(structure, device, monkeypatch, rng):
    """Most small batches avoid the general path, which they use when memory must be added."""
    n, general = 2000, []
    graph = structure.from_edges(*rng.integers(0, n, (2, 20_000)), num_vertices=n, device=device)
    if not graph.device.is_gpu:
        pytest.skip("batches of all sizes take one way on the CPU")
    batches = [graph.xp.asarray(rng.integers(0, n, (2, 8)).astype(np.int32)) for _ in range(30)]
    for src, dst in batches[:10]:
        graph.insert_edges(src, dst)
    prepare = structure.store_type.make_arcs
    monkeypatch.setattr(
        structure.store_type, "make_arcs", lambda *args, **options: general.append(1) or prepare(*args, **options)
    )
    Recorder(graph)
    for src, dst in batches[10:]:
        graph.insert_edges(src, dst)
        graph.delete_edges(src, dst)
        graph.insert_edges(src.get(), dst.get())
    assert len(general) < 30


@EACH
def test_a_stream_of_batches_of_all_sizes(structure, device, directed, weight_dtype, rng):
    """Hubs whose lists are long, lists that outgrow their blocks, and deletions that empty much of the graph."""
    n = 900
    pair = make(structure, device, [], [], num_vertices=n, directed=directed, weight_dtype=weight_dtype)
    graph, model = pair.graph, pair.model
    observer = Recorder(graph)
    for turn, size in enumerate((3, 1500, 40, 600, 2500, 1, 900, 3000, 200, 700)):
        src, dst = (n * rng.random((2, size)) ** 3).astype(np.int32)  # many of small ids
        deleting = turn in (3, 6, 7, 8)
        if deleting:  # mostly existing edges
            there = np.array([(u, v) for u, v, _ in model.edges()], np.int32)
            chosen = rng.integers(0, len(there), size)
            src, dst = np.ascontiguousarray(there[chosen].T)
        told = effective(model, src, dst, present=deleting)
        arrays = graph.xp.asarray(src), graph.xp.asarray(dst)
        if deleting:
            assert graph.delete_edges(*arrays) == model.delete_edges(src, dst)
            assert observer.seen == [("deleting", told), ("deleted", told)]
        elif weight_dtype is None:
            assert graph.insert_edges(*arrays) == model.insert_edges(src, dst)
        else:
            weights = (100 * rng.random(size)).astype(weight_dtype)
            assert graph.insert_edges(*arrays, graph.xp.asarray(weights)) == model.insert_edges(src, dst, weights)
        assert deleting or observer.seen == [("inserted", told)]
        observer.seen.clear()
        pair.check()
    graph.insert_vertices(200)  # ids may use one more bit
    model.insert_vertices(200)
    src, dst = rng.integers(0, n + 200, (2, 300)).astype(np.int32)
    assert graph.insert_edges(graph.xp.asarray(src), graph.xp.asarray(dst)) == model.insert_edges(src, dst)
    pair.check()


@EACH
def test_sorted_in_tiles(structure, device, directed, weight_dtype, rng, monkeypatch):
    """Batches of more arcs than are compared with each other. Invalid ones change nothing."""
    n = 3000
    pair = make(structure, device, [], [], num_vertices=n, directed=directed, weight_dtype=weight_dtype)
    graph, model = pair.graph, pair.model
    if graph.store.max_small_batch < 16_000:
        pytest.skip("it takes the general way")
    monkeypatch.setattr("structures.slab.tables.RELAXED_SHARE", 0)  # or it walks short chains in batches so large
    observer, general, make_arcs = Recorder(graph), [], structure.store_type.make_arcs
    monkeypatch.setattr(
        structure.store_type, "make_arcs", lambda *args, **options: general.append(1) or make_arcs(*args, **options)
    )
    for turn, size in enumerate((9_000, 10_000, 16_000, 9_000)):
        host, arrays = batch_of(rng, graph, size, 60 if turn == 2 else n)
        told = effective(model, *host, present=turn == 3)
        if turn == 3:
            assert graph.delete_edges(*arrays) == model.delete_edges(*host)
        else:
            weights = () if weight_dtype is None else (rng.random(size).astype(weight_dtype),)
            expected = model.insert_edges(*host, *weights)
            assert graph.insert_edges(*arrays, *map(graph.xp.asarray, weights)) == expected
        assert observer.seen[-1] == ("deleted" if turn == 3 else "inserted", told)
        arrays[0][-1] = n
        for update in (graph.insert_edges, graph.delete_edges):
            with pytest.raises(ValueError, match="src"):
                update(*arrays)
        pair.check()
    host, arrays = batch_of(rng, graph, 9_000, n)
    for _ in range(2):
        general.clear()
        assert graph.insert_edges(*arrays) == model.insert_edges(*host)
    assert not general  # the second time, no structure had to add memory


@pytest.mark.parametrize("watched", [False, True])
def test_batches_that_the_grid_finishes(device, directed, weight_dtype, watched, monkeypatch, rng):
    """More edges than one block looks at: hubs, loops, equal edges, chains too long, and a pool that is full."""
    monkeypatch.setattr("structures.slab.tables.RELAXED_SHARE", 0)
    n, size = 400, 4500
    pair = make(SlabGraph, device, [], [], num_vertices=n, directed=directed, weight_dtype=weight_dtype)
    graph, model = pair.graph, pair.model
    general, make_arcs = [], graph.store.make_arcs
    monkeypatch.setattr(
        graph.store, "make_arcs", lambda *args, **options: general.append(1) or make_arcs(*args, **options)
    )
    observer = Recorder(graph) if watched else None
    draws = {
        "random": lambda: rng.integers(0, n, (2, size)),
        "one edge": lambda: np.full((2, size), [[n - 1], [3]]),
        "loops": lambda: np.repeat(rng.integers(0, n, (1, size)), 2, axis=0),
        "a hub": lambda: np.stack([np.full(size, n - 2), rng.integers(0, n, size)]),
    }
    for turn, draw in enumerate(("random", "one edge", "loops", "a hub", "random", "a hub")):
        src, dst = draws[draw]().astype("int64" if turn % 2 else "int32")
        values = () if weight_dtype is None else ((100 * rng.random(size)).astype(weight_dtype),)
        arrays = [graph.xp.asarray(part) for part in (src, dst, *values)]
        for deleting in (False, True, False) if turn < 4 else (False,):
            told = effective(model, src, dst, present=deleting)
            general.clear()
            with monkeypatch.context() as patch:
                if turn == 4 and not deleting:
                    patch.setattr(graph.store, "_reserve", lambda slabs: None)
                    graph.store._take(graph.store._free_count + graph.store._capacity - graph.store._used)  # unused
                if deleting:
                    assert graph.delete_edges(*arrays[:2]) == model.delete_edges(src, dst)
                else:
                    assert graph.insert_edges(*arrays) == model.insert_edges(src, dst, *values)
            assert observer is None or observer.seen[-1] == ("deleted" if deleting else "inserted", told)
            if device == "gpu" and turn in (1, 2, 4):  # in other turns chains are too long at times
                assert bool(general) == (turn == 4)
        before = edges_of(graph)
        for spoilt in (*((2,) if values else ()), 1, 0):
            arrays[spoilt][-1 - turn] = np.nan if spoilt == 2 else n if turn % 2 else -1
            with pytest.raises(ValueError, match="weights" if spoilt == 2 else "dst" if spoilt else "src"):
                graph.insert_edges(*arrays)
        with pytest.raises(ValueError, match="src"):
            graph.delete_edges(*arrays[:2])
        assert edges_of(graph) == before == model.edges()
        if turn != 4:  # in turn 4 no list owns the taken slabs
            check_graph(graph)


def test_both_directions_take_batches_of_any_size(device, rng, monkeypatch):
    """Each has memory for small or for large batches, whichever comes first."""
    monkeypatch.setattr("structures.slab.tables.RELAXED_SHARE", 0)
    n = 100
    graph = SlabGraph(n, directed=True, device=device, weight_dtype="float32", in_edges=True)
    seen = {}
    for size in (9000, 4000, 9000, 9000):
        if size == 4000:  # the transpose is rebuilt, and processes a small batch first
            component_of(graph, InEdges).stale = True
        src, dst = rng.integers(0, n, (2, size)).astype(np.int32)
        weights = rng.random(size).astype(np.float32)
        graph.insert_edges(*map(graph.xp.asarray, (src, dst, weights)))
        seen.update(zip(zip(src.tolist(), dst.tolist(), strict=True), weights.tolist(), strict=True))
        assert edges_of(graph) == sorted((u, v, w) for (u, v), w in seen.items() if u != v)
        assert edges_of(graph.reverse) == sorted((v, u, w) for (u, v), w in seen.items() if u != v)
        for store in (graph.store, component_of(graph, InEdges).transpose):
            if device == "gpu" and (small := store._small_updates())._room:
                assert (small._memory[: 4 * small._room] == EMPTY).all(), "the table is not as it was"


def test_refused_batches_leave_little(device, rng):
    """Keys that are inserted and deleted again are flushed with a later insertion."""
    n = 2000
    graph = SlabGraph(n, device=device)
    for _ in range(8):
        src, dst = rng.integers(0, n, (2, 9000))
        dst[-1] = n
        with pytest.raises(ValueError, match="dst"):
            graph.insert_edges(graph.xp.asarray(src), graph.xp.asarray(dst))
    assert graph.num_edges == 0 and graph.statistics().tombstones < 3 * 2 * 9000
    graph.insert_edges([0], [1])
    assert graph.num_edges == 1 and graph.statistics().tombstones < 3 * 2 * 9000
    graph.insert_edges(graph.xp.arange(0, 1000), graph.xp.arange(1000, 2000))
    assert graph.statistics().tombstones == 0
    check_graph(graph)


def test_weights_for_a_graph_without_any_are_refused(device):
    """Also of float64, which NumPy considers the same type as None."""
    graph = SlabGraph(10, device=device)
    ends = graph.xp.asarray([0, 1]), graph.xp.asarray([1, 2])
    for kind in (np.float32, np.float64):
        for weights in (np.ones(2, kind), graph.xp.ones(2, kind)):
            with pytest.raises(ValueError, match="no"):
                graph.insert_edges(*ends, weights)
            with pytest.raises(ValueError, match="no"):
                graph.insert_edges(np.array([0, 1]), np.array([1, 2]), weights)
    assert graph.num_edges == 0


def arcs(graph):
    """Source, destination and weight of each arc."""
    found = [graph.device.to_host(part) for part in graph.to_coo() if part is not None]
    return sorted(zip(*(part.tolist() for part in found), strict=True))


def check_in_edges(graph):
    """They are the arcs of the graph, reversed."""
    assert sorted((v, u, *weight) for u, v, *weight in arcs(graph)) == arcs(graph.reverse)


@EACH
@pytest.mark.parametrize("watched", [False, True])
def test_in_edges_follow(structure, device, weight_dtype, watched, rng):
    """Also where hubs' lists outgrow their storage, of edges out and in, and one of the two uses the general path."""
    n = 700
    pair = make(structure, device, [], [], num_vertices=n, directed=True, weight_dtype=weight_dtype, in_edges=True)
    graph, model = pair.graph, pair.model
    observer = Recorder(graph) if watched else None
    for turn, size in enumerate((3, 400, 150, 150, 60, 150, 1, 1500, 300)):
        src, dst = rng.integers(0, n, (2, size)).astype(np.int32)
        if turn in (2, 3):
            src[:] = 5
        elif turn == 5:
            dst[:] = 6
        arrays = graph.xp.asarray(src), graph.xp.asarray(dst)
        if turn in (4, 8):
            there = np.array([(u, v) for u, v, _ in model.edges()], np.int32)
            src, dst = np.ascontiguousarray(there[rng.integers(0, len(there), size)].T)
            assert graph.delete_edges(graph.xp.asarray(src), graph.xp.asarray(dst)) == model.delete_edges(src, dst)
        elif weight_dtype is None:
            assert graph.insert_edges(*arrays) == model.insert_edges(src, dst)
        else:
            weights = (100 * rng.random(size)).astype(weight_dtype)
            assert graph.insert_edges(*arrays, graph.xp.asarray(weights)) == model.insert_edges(src, dst, weights)
        pair.check()
        check_in_edges(graph)
    assert observer is None or len(observer.seen) == 7 + 2 * 2


@EACH
@pytest.mark.parametrize("update", ["insert", "delete"])
def test_in_edges_without_memory_are_made_again(structure, device, monkeypatch, update, rng):
    graph = structure.from_edges(
        *rng.integers(0, 100, (2, 900)), num_vertices=100, directed=True, in_edges=True, device=device
    )
    if not graph.device.is_gpu:
        pytest.skip("batches of all sizes take one way on the CPU")
    transpose = component_of(graph, InEdges).current(graph)
    method = {"insert": "insert_small", "delete": "erase_small"}[update]

    def fail(*args):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(transpose, method, fail)
        src, dst = graph.xp.asarray(rng.integers(0, 100, (2, 5)).astype(np.int32))
        getattr(graph, f"{update}_edges")(src, dst)
    assert component_of(graph, InEdges).stale
    check_in_edges(graph)


def test_a_watched_deletion_waits_once(device, monkeypatch, rng):
    """Look-ups for observers also guide the deletion. Absent edges cost no deletion."""
    graph = SlabGraph(40, device=device)
    if not graph.device.is_gpu:
        pytest.skip("batches of all sizes take one way on the CPU")
    (src, dst), there = batch_of(rng, graph, 30, 40)
    graph.insert_edges(*there)
    recorder = Recorder(graph)
    waits, view = [], graph.view()
    poll = Counters.poll
    monkeypatch.setattr(Counters, "poll", lambda self: (waits.append(1), poll(self))[1])
    expected = len({(min(e), max(e)) for e in zip(src.tolist(), dst.tolist(), strict=True) if e[0] != e[1]})
    assert graph.delete_edges(*there).deleted == expected and len(waits) == 1
    assert graph.delete_edges(*there).deleted == 0 and len(waits) == 2
    assert [(method, len(edges)) for method, edges in recorder.seen] == [
        ("deleting", expected), ("deleted", expected), ("deleting", 0), ("deleted", 0),
    ]  # fmt: skip
    assert graph.num_edges == 0 and graph.view() is view
    assert graph.insert_edges(*there).inserted == expected
    check_graph(graph)
