"""Batches of device arrays that are not small: prepared in memory that stays, and applied by bound kernels."""

import numpy as np
import pytest
from model import edges_of, make
from small_batches import EACH, N, Recorder, batch_of

import frontier.core.batch
import frontier.core.small_updates
from frontier.core.batch import TransientArcs
from frontier.core.invariants import check_graph
from frontier.core.locking import workspace_of
from structures import SlabGraph
from structures.slab import batches


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    """No batch is small, some are large, and the slab graph resolves duplicates either way."""
    monkeypatch.setattr(frontier.core.small_updates, "is_small", lambda *batch: False)
    monkeypatch.setattr(frontier.core.batch, "MAX_PASSING", 50)
    monkeypatch.setattr(batches, "SMALL_TO_RESOLVE", 30)


class Keeper(Recorder):
    """Stores the arrays that it is notified of, and copies of their contents."""

    def _note(self, method, src, dst):
        held = [self._host(ids).tolist() for ids in (src, dst)]
        self.seen.append((method, (src, dst), held))

    def check(self):
        """No one has written to the arrays since."""
        for _, arrays, held in self.seen:
            assert [self._host(ids).tolist() for ids in arrays] == held


class LooseKeeper(Keeper):
    exact = False


def update(pair, rng, turn, size, below=N):
    """A random update of both. Returns its result."""
    graph, model = pair.graph, pair.model
    host, arrays = batch_of(rng, graph, size, below, "int64" if turn % 4 == 0 else "int32")
    if turn % 3 == 2:
        expected = model.delete_edges(*host)
        assert graph.delete_edges(*arrays) == expected
        return expected
    values = ()
    if graph.weight_dtype is not None and turn % 5:
        values = ((100 * rng.random(size)).astype(graph.weight_dtype),)
    options = {"on_existing": "keep"} if turn % 7 == 6 else {}
    expected = model.insert_edges(*host, *values, **options)
    assert graph.insert_edges(*arrays, *(graph.xp.asarray(w) for w in values), **options) == expected
    return expected


@EACH
def test_random_batches(structure, device, orientation, weight_dtype, rng):
    pair = make(structure, device, [], [], num_vertices=N, weight_dtype=weight_dtype, **orientation)
    for turn in range(16):
        update(pair, rng, turn, int(rng.integers(1, 80)), N if turn % 2 else 6)
        assert edges_of(pair.graph) == pair.model.edges()
        if turn == 8:
            pair.delete_vertices([3, 4])
            pair.insert_vertices([4])
            pair.insert_vertices([3])
    pair.check()


@EACH
@pytest.mark.parametrize("kinds", [(Keeper,), (LooseKeeper,), (LooseKeeper, Keeper)], ids=["exact", "loose", "both"])
def test_arrays_of_observers_are_theirs(structure, device, directed, kinds, rng):
    """Their contents are unchanged when the next batches come. Transient batches give the same notifications."""
    pair = make(structure, device, [], [], num_vertices=N, directed=directed)
    other = make(structure, device, [], [], num_vertices=N, directed=directed)
    keepers = [kind(pair.graph) for kind in kinds]
    loose = LooseKeeper(other.graph)  # then no batch of this graph is transient
    others = [kind(other.graph) for kind in kinds]
    for turn in range(12):
        state = rng.bit_generator.state
        size = 10 + 6 * turn
        update(pair, rng, turn, size)
        rng.bit_generator.state = state
        update(other, rng, turn, size)
    for keeper, twin in zip(keepers, others, strict=True):
        keeper.check()
        assert [(method, held) for method, _, held in keeper.seen] == [(method, held) for method, _, held in twin.seen]
    loose.check()
    pair.check()


@EACH
def test_invalid_batches_change_nothing(structure, device, rng):
    pair = make(structure, device, [0, 1, 2], [1, 2, 3], num_vertices=N, weight_dtype="float32")
    graph, model = pair.graph, pair.model
    pair.delete_vertices([9])
    asarray = graph.xp.asarray
    for dtype in ("int32", "int64"):
        for src, dst, weights, message in (
            ([4, 5, 6], [5, N, 7], None, rf"dst\[1\] is {N}"),
            ([4, -1, 6], [5, 5, 7], None, r"src\[1\] is -1"),
            ([4, 5, 9], [5, 6, 7], None, r"src\[2\] is 9, a vertex that was deleted"),
            ([4, 5, 6], [5, 6, 7], [1, np.nan, 3], r"weights\[1\] is NaN"),
            ([4] * 60 + [-5], [5] * 61, None, r"src\[60\] is -5"),
        ):
            arrays = [asarray(np.array(ids, dtype)) for ids in (src, dst)]
            values = [] if weights is None else [asarray(np.array(weights, np.float32))]
            with pytest.raises(ValueError, match=message):
                graph.insert_edges(*arrays, *values)
            if weights is None:
                with pytest.raises(ValueError, match=message):
                    graph.delete_edges(*arrays)
            assert edges_of(graph) == model.edges()
            host, arrays = batch_of(rng, graph, 9, 8, dtype)
            assert graph.insert_edges(*arrays) == model.insert_edges(*host)
            assert edges_of(graph) == model.edges()
    pair.check()


def test_arrays_that_do_not_fit_are_refused(device):
    graph = SlabGraph(10, device=device)
    one, two = graph.xp.asarray([1]), graph.xp.asarray([2, 3])
    with pytest.raises(ValueError, match="same length"):
        graph.insert_edges(one, two)
    with pytest.raises(ValueError, match="one-dimensional"):
        graph.insert_edges(two.reshape(1, 2), two)
    with pytest.raises(TypeError, match="integer"):
        graph.delete_edges(two * 0.5, two)
    with pytest.raises(ValueError, match="no"):
        graph.insert_edges(two, two, graph.xp.ones(2))
    strided = graph.xp.asarray(np.arange(8, dtype=np.int32))[::2]
    assert graph.insert_edges(strided, graph.xp.asarray(np.arange(1, 5, dtype=np.int32))).inserted == 3
    assert graph.insert_edges(one.astype(np.int32), two[:1].astype(np.int64)).inserted == 1  # of two types
    assert [edge[:2] for edge in edges_of(graph)] == [(0, 1), (1, 2), (3, 4), (4, 6)]
    check_graph(graph)


def test_nobody_cuts_arrays_of_a_batch(device, weight_dtype, monkeypatch, rng):
    """Kernels of a slab graph use addresses. The memory belongs to the previous batch."""
    graph = SlabGraph(200, device=device, weight_dtype=weight_dtype)
    if not graph.device.is_gpu:
        pytest.skip("on the CPU each batch has arrays of its own")
    monkeypatch.setattr(frontier.core.batch, "MAX_PASSING", 1 << 18)
    graph.store._make_room(0, 4000)
    made = [batch_of(rng, graph, 120, 200)[1] for _ in range(6)]
    graph.insert_edges(*made[0])
    room, refused = workspace_of(graph).arc_maker._room, property(lambda self: pytest.fail("was cut"))
    for name in ("src", "dst", "weights"):
        monkeypatch.setattr(TransientArcs, name, refused)
    for arrays in made[1:]:
        graph.insert_edges(*arrays)
        graph.delete_edges(*made[0])
    assert workspace_of(graph).arc_maker._room is room
    monkeypatch.undo()
    check_graph(graph)


@pytest.mark.parametrize("entries", [4, 1 << 13])
@pytest.mark.parametrize("most", [50, 1 << 18])
def test_hubs_and_many_duplicates(device, weight_dtype, monkeypatch, entries, most, rng):
    """Arcs are deferred, and tables of duplicates too small: the batch is applied as a whole nevertheless."""
    monkeypatch.setattr(batches, "ENTRIES", entries)
    monkeypatch.setattr(batches, "MAX_ENTRIES", entries)
    monkeypatch.setattr(frontier.core.batch, "MAX_PASSING", most)
    pair = make(SlabGraph, device, [], [], num_vertices=700, weight_dtype=weight_dtype)
    graph, model = pair.graph, pair.model
    for low in range(1, 700, 140):
        dst = np.r_[np.arange(low, low + 139), np.arange(low, low + 40), np.arange(1, 20)].astype(np.int32)
        src = np.zeros(dst.size, np.int32)
        values = () if weight_dtype is None else ((50 * rng.random(dst.size)).astype(weight_dtype),)
        arrays = [graph.xp.asarray(part) for part in (src, dst, *values)]
        assert graph.insert_edges(*arrays) == model.insert_edges(src, dst, *values)
        assert edges_of(graph) == model.edges()
        assert graph.delete_edges(*arrays[:2]) == model.delete_edges(src, dst)
        assert graph.insert_edges(*arrays) == model.insert_edges(src, dst, *values)
    pair.check()


@EACH
def test_memory_moves_between_batches(structure, device, directed, weight_dtype, monkeypatch, rng):
    """Pools grow, vertices are inserted, storage is rearranged: kernels are bound to the current arrays."""
    monkeypatch.setattr(frontier.core.batch, "MAX_PASSING", 1 << 18)
    n = 120
    pair = make(structure, device, [], [], num_vertices=n, directed=directed, weight_dtype=weight_dtype)
    for turn in range(14):
        update(pair, rng, turn, 20 << (turn // 3), pair.model.num_vertices)
        if turn in (3, 8):
            pair.insert_vertices(300)
        elif turn == 5:
            pair.graph.compact()
        elif turn == 7:
            pair.graph = pair.graph.copy()
        elif turn == 10:
            pair.delete_vertices(np.arange(10, 60))
            pair.insert_vertices(50)
        assert edges_of(pair.graph) == pair.model.edges()
    pair.check()


@pytest.mark.parametrize("spare", [0, 2])
def test_a_pool_that_is_full(device, monkeypatch, spare, rng):
    """The pool runs out in the middle of the batch, and again without any memory, which leaves the graph unchanged."""
    monkeypatch.setattr(frontier.core.batch, "MAX_PASSING", 1 << 18)
    pair = make(SlabGraph, device, [0, 1], [1, 2], num_vertices=N, weight_dtype="float32")
    graph, model = pair.graph, pair.model
    graph.store._make_room(0, 40)

    def fail(*args):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(graph.store, "_reserve", lambda slabs: None)
        graph.store._take(graph.store._capacity - graph.store._used - spare)  # by no graph
        host, arrays = batch_of(rng, graph, 120, N)
        with patch.context() as without:
            without.setattr(graph.store, "_make_room", fail)
            with pytest.raises(MemoryError):
                graph.insert_edges(*arrays)
        assert edges_of(graph) == model.edges()
        assert graph.insert_edges(*arrays) == model.insert_edges(*host)
    assert edges_of(graph) == model.edges()


@EACH
def test_streams_take_turns(structure, device, rng):
    """Each has separate memory for batches, and the graph is one."""
    pair = make(structure, device, [], [], num_vertices=N, weight_dtype="float32")
    if not pair.graph.device.is_gpu:
        pytest.skip("there are no streams on the CPU")
    streams = [pair.graph.xp.cuda.Stream(non_blocking=True) for _ in range(2)]
    for turn in range(12):
        with streams[turn % 2]:
            update(pair, rng, turn, 40)
    pair.check()


@EACH
def test_snapshots_stay(structure, device, rng):
    pair = make(structure, device, *rng.integers(0, N, (2, 60)), num_vertices=N)
    held = []
    for turn in range(10):
        held.append((pair.graph.snapshot(), pair.model.edges()))
        if turn % 3 == 0:
            held[-1][0].num_edges  # noqa: B018  (which reads it)
        update(pair, rng, turn, 45)
    for snapshot, edges in held:
        assert edges_of(snapshot) == edges
    pair.check()
