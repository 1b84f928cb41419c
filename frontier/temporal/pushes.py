"""Batches with edge data on a GPU, and what leaves a window with them, in a dozen launches and one wait.

The general way of such a batch (`edge_data.updates`, `temporal.expiry`) waits to know the bounds of its times, which
edges are new, and which have left the window; and its kernels take the host longer to launch than the GPU to run. Here
kernels (pushes.cuh) tell each other, in arrays that stay, and the host hears of it at the end. What they cannot do goes
the general way: an invalid batch, late records, observers that see changes, and the rest of what leaves after a jump of
the clock.

Of an observed graph, the host waits until edges are inserted, and those that leave are listed: then it knows all. It
notifies observers, queues the deletion, and notifies them again, while the GPU works.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..access import updates
from ..batch import Arcs
from ..batch.small import is_contiguous, is_plain
from ..observers import Told, observed
from ..runtime import Counters, elementwise, fill_with, growable, load_kernels
from ..runtime.parameters import Field, Struct
from ..small_updates import ALIGNMENT, Room
from ..snapshots import remembered
from ..sort import END, tile_count, tile_launch
from ..updates import UpdateObserver
from .arrivals import HALF, MASK, Bounds, Piece
from .column import TIME

if TYPE_CHECKING:
    from ..dynamic import DynamicGraph

MOST_RECORDS = 1 << 18
"""Of a batch; beyond, the general way takes hardly longer."""
PIECES = 3  # of the log that are looked at
FEWEST = 4096  # records that there is memory for at least
TABLE_SHARE = 8  # entries of the table to a record: the longest run of full ones is what a batch waits for
PUSH = (
    "src", "dst", "wide", "directed", "num_vertices", "absent", "times", "first_time", "time_step", "timed", "earliest",
    "keep", "windowed", "has_clock", "clock", "reach", "lateness", "free_ids", "free_count", "top", "ids", "logged",
    "new_src", "new_dst", "gone_src", "gone_dst",
)  # fmt: skip
MOVING = "weights", "free_ids", "held", "src_of", "dst_of"
"""Arrays of the graph that are others, or longer, once they have grown."""
EXPIRY = tuple(f"{name}_{i}" for name in ("times", "ids", "ends") for i in range(PIECES))
BAD, LOW, HIGH, UNORDERED, KEPT, KNOWN, DEFERRED, FREED, DECLINED, TAKEN = range(10)
NEXT, NUMBERS = TAKEN + PIECES, TAKEN + 2 * PIECES


class Records(NamedTuple):
    """A batch as kernels take it: arrays of the device, of the graph's types.

    Attributes
    ----------
    times : array or None
        None: record i has the time ``first_time + time_step * i``.
    columns : dict of str to array
        Those other than the times.
    keep : bool
        Whether edges that are there keep their values.
    """

    src: Any
    dst: Any
    times: Any
    first_time: int
    time_step: int
    columns: dict[str, Any]
    keep: bool


class Window(NamedTuple):
    """What may be late, and what leaves.

    Attributes
    ----------
    clock : int or None
    reach : int
        The window begins so much before the clock.
    lateness : int or None
        None if no record can be late.
    expected : int
        Entries of the log from here on are not expected to leave with this batch; those that do are left.
    """

    clock: int | None
    reach: int
    lateness: int | None
    expected: int


class Pushed(NamedTuple):
    """What a batch did, in arcs, but for `last`, its greatest time, which says nothing in a graph without times."""

    inserted: int
    found: int
    deleted: int
    last: int


def plain_records(
    graph: DynamicGraph, src: Any, dst: Any, edge_data: dict[str, Any], *, first_time: int | None = None,
    time_step: int = 0, keep: bool = False,
) -> Records | None:  # fmt: skip
    """A user's batch, if kernels can take it as it is; otherwise None.

    Parameters
    ----------
    first_time : int, optional
        If records are numbered; otherwise `edge_data` has their times.
    """
    data: Any = graph._edge_data
    if not graph._binds_updates or data is None or data.multi != "last" or data.weights is not None:
        return None
    array = graph.xp.ndarray
    if not is_plain(array, src, dst, None, None) or not 0 < src.size <= MOST_RECORDS:
        return None
    size = src.size
    columns = dict(edge_data)
    if data.times is not None and first_time is not None:
        columns[TIME] = None
    if columns.keys() != data.dtypes.keys():
        return None
    times = columns.pop(TIME, None)
    if times is None and data.times is not None and first_time is None:
        return None
    given = columns if times is None else columns | {TIME: times}
    for name, values in given.items():
        if type(values) is not array or values.dtype != data.dtypes[name] or values.size != size:
            return None
        if not is_contiguous(values):
            return None
    return Records(src, dst, times, first_time or 0, time_step, columns, keep)


@updates
@remembered
@observed
def push_records(graph: DynamicGraph, records: Records, window: Window | None = None) -> Pushed | None:
    """Insert records, and delete what has left the window by then, if that was expected; notify observers.

    Returns None if nothing has changed, and the batch is to go the general way.

    Raises
    ------
    MemoryError
        The device's memory is exhausted. The graph is unchanged.
    """
    observers = graph._live_observers()
    if graph._in_edges is not None or any(observer.exact and observer.sees_changes for observer in observers):
        return None
    work = graph._access.workspace()
    if work.pushes is None:
        work.pushes = Pushes(graph)
    with graph._access.changing():
        return work.pushes.run(graph, records, window, observers)


class Pushes:
    """What batches of one graph are pushed with: arrays, and kernels that are bound to them."""

    def __init__(self, graph: DynamicGraph):
        self.push, self.expiry, self.moving = Struct(PUSH), Struct(EXPIRY), Struct(MOVING)
        self.numbers = Counters(graph.device, NUMBERS)
        self.copies = 1 if graph.directed else 2  # arcs of an edge
        self._kernels = load_kernels("frontier.temporal", graph.device, {"VID": graph.vertex_dtype})
        self._room = 0
        self._bound: Bound | None = None

    def run(
        self, graph: DynamicGraph, records: Records, window: Window | None, observers: list[UpdateObserver]
    ) -> Pushed | None:  # fmt: skip
        """See `push_records`. Once edges are inserted nothing fails: ids of those that leave are free by then."""
        exact = any(observer.exact for observer in observers)
        loose = not all(observer.exact for observer in observers)
        done = self._insert(graph, records, window, loose, exact)
        if done is None:
            return None
        pushed, new, gone, entries = done
        memory, tell = self._bound.memory, graph._observers.tell  # type: ignore[union-attr]
        tell("edges_inserted", self._told(observers, new, pushed.inserted, memory.arcs, int(records.src.size)))
        if pushed.deleted:
            leaving = self._told(observers, gone, pushed.deleted, memory.gone, entries)
            tell("edges_deleting", leaving)
            self._delete(graph, entries, pushed.deleted)
            tell("edges_deleted", leaving)
        return pushed

    def _insert(
        self, graph: DynamicGraph, records: Records, window: Window | None, loose: bool, exact: bool
    ) -> tuple[Pushed, Room, Room, int] | None:  # fmt: skip
        """Insert records, and find what has left the window, the ids of which are free then.

        Returns
        -------
        pushed : Pushed
            Also says how many arcs are to be deleted.
        new, gone : Room
            For the edges that were inserted, and those that are to be deleted: for the arcs as they are in `Memory` if
            `loose`, and with the edges if `exact`.
        entries : int
            Of the log that were looked at: `Memory.gone` has the arcs to be deleted in their order.
        """
        data: Any = graph._edge_data
        count, times, copies = int(records.src.size), data.times, self.copies
        arrivals = None if times is None else times.arrivals
        most = count + count // 2 if window is not None and arrivals is not None else 0  # entries that are looked at
        self._make_room(graph, count, most)
        new, gone = (Room(graph, size, loose and size > 0, exact and size > 0) for size in (count, most))
        ids, logged = _entries(graph, count, arrivals is not None)
        bound = self._bind(graph)
        self._describe(graph, records, window, ids, logged, new, gone)
        self.numbers.reset()
        bound.insert(graph, count)
        self._store(bound, data, records, ids)
        # From here on while the GPU works.
        log = arrivals.oldest(window.expected, most, PIECES) if most else []  # type: ignore[union-attr]
        taken: Sequence[int] = ()
        following: Sequence[int] = ()
        try:
            entries = self._queue_expiry(bound, log) if log else 0
            bound.tell()
            numbers = self.numbers.collect()
            counts = bound.updates.inserted(graph)
            if numbers[DECLINED]:
                return None
            inserted, found = self._count(graph, records, ids, numbers, counts)
            if logged is not None:
                times.log((logged, _bounds(numbers)), ids, graph.num_edges)
            deleted = 0
            if log and not numbers[DEFERRED]:
                data.give_back(numbers[FREED])
                taken, following = numbers[TAKEN:NEXT], numbers[NEXT:]
                deleted = copies * numbers[FREED]
            return Pushed(inserted, found, deleted, (numbers[HIGH] & MASK) - HALF), new, gone, entries
        finally:
            if log:
                arrivals.leave(log, taken, following)

    def _delete(self, graph: DynamicGraph, entries: int, arcs: int) -> None:
        """Queue the deletion of what has left the window, among so many entries of the log."""
        updates = self._bind(graph).updates
        updates.erase(graph, self.copies * entries)
        updates.erased(graph, arcs)
        graph._keep_view()
        graph._num_arcs -= arcs
        graph.version += 1

    def _told(self, observers: list[UpdateObserver], room: Room, arcs: int, given: Arcs, size: int) -> list[Told]:
        """Each observer with the edges that it is to be notified of, or the arcs of so many records, or entries."""
        if not observers:
            return []
        arcs_told, edges_told = room.told(arcs // self.copies)
        if arcs_told is not None:  # a copy, since the memory is that of the next batch, too
            size *= self.copies
            arcs_told = tuple(copy[:size] for copy in arcs_told)
            for copy, held in zip(arcs_told, (given.src, given.dst), strict=True):
                elementwise.copy_to(copy, held[:size])
        return [(observer, edges_told if observer.exact else arcs_told) for observer in observers]

    def arrays(self) -> list[Any]:
        """All that is held."""
        return [] if self._bound is None else self._bound.memory.arrays()

    def _make_room(self, graph: DynamicGraph, count: int, most: int) -> None:
        """Have entries in all columns, and room in the list of free ids, and in the structure."""
        data: Any = graph._edge_data
        graph._reserve_for(count if graph.directed else 2 * count)
        if data.top + max(count - data.free_count, 0) > data.capacity:
            try:
                data.reserve(count)
            finally:
                graph._columns_moved()
        data.reserve_free(count + most)
        times = data.times
        if times is not None and times.ends and times.ends[0].size < data.capacity:
            times.ends = tuple(growable.grow(graph.device, array, data.capacity) for array in times.ends)
        if count > self._room:
            self._bound = None  # with the memory
            self._room = max(FEWEST, 1 << (count - 1).bit_length())

    def _bind(self, graph: DynamicGraph) -> Bound:
        """Kernels, which take the arrays of the graph that there are now."""
        data: Any = graph._edge_data
        held = None if data.times is None else data.columns[TIME]
        ends = () if data.times is None else data.times.ends
        arrays = (graph._weights, data.free_ids, held, *(ends or (None, None)))
        self.moving.set(*(0 if array is None else array.data.ptr for array in arrays))
        if self._bound is None:
            self._bound = Bound(graph, self, Memory(graph, self._room))
        return self._bound

    def _describe(
        self, graph: DynamicGraph, records: Records, window: Window | None, ids: Any, logged: Any, new: Room, gone: Room
    ) -> None:  # fmt: skip
        data: Any = graph._edge_data
        absent, times = graph._absent, data.times
        timed, earliest = times is not None, times is not None and times.earliest
        clock = reach = lateness = windowed = has_clock = 0
        if window is not None:
            windowed, has_clock = window.lateness is not None, window.clock is not None
            clock, reach, lateness = window.clock or 0, window.reach, window.lateness or 0
        self.push.set(
            records.src.data.ptr, records.dst.data.ptr, records.src.itemsize == 8, graph.directed, graph._num_vertices,
            0 if absent is None else absent.data.ptr, 0 if records.times is None else records.times.data.ptr,
            records.first_time, records.time_step, timed, earliest, records.keep, windowed, has_clock, clock, reach,
            lateness, data.free_ids.data.ptr, data.free_count, data.top, ids.data.ptr,
            0 if logged is None else logged.data.ptr, *(new.edges or (0, 0)), *(gone.edges or (0, 0)),
        )  # fmt: skip

    @staticmethod
    def _store(bound: Bound, data: Any, records: Records, ids: Any) -> None:
        """Queue what follows the insertion of arcs."""
        bound.settle(int(ids.size))
        data.write(ids, records.columns)

    def _queue_expiry(self, bound: Bound, log: list[Piece]) -> int:
        """Queue the search for what has left the window among entries of the log; returns their number."""
        times, ids, ends, end = [0] * PIECES, [0] * PIECES, [0] * PIECES, 0
        for i, (chunk, size) in enumerate(log):
            end += size
            times[i] = chunk.times.data.ptr + chunk.begin * chunk.times.itemsize
            ids[i] = chunk.ids.data.ptr + chunk.begin * chunk.ids.itemsize
            ends[i] = end
        self.expiry.set(*times, *ids, *ends)
        bound.expire(end)
        return end

    def _count(
        self, graph: DynamicGraph, records: Records, ids: Any, numbers: list[int], counts: tuple[int, int, int]
    ) -> tuple[int, int]:  # fmt: skip
        """Take note of what was inserted, after the rest of it if arcs were deferred; how many arcs were new, and were
        there."""
        data: Any = graph._edge_data
        inserted, found, deferred = counts
        if not deferred:
            graph._keep_view()
            data.take(numbers[KEPT])
            data.give_back(numbers[KNOWN])
        else:
            count = int(ids.size)
            inserted, found = self._bind(graph).resume(graph, count)
            data.take(numbers[KEPT])
            self.push.put("free_count", data.free_count)
            bound = self._bind(graph)
            self._store(bound, data, records, ids)
            bound.tell()
            data.give_back(self.numbers.collect()[KNOWN])
        graph._num_arcs += inserted
        graph.version += 1
        return inserted, found


class Memory:
    """Arrays for so many records, and twice as many entries of the log."""

    def __init__(self, graph: DynamicGraph, room: int):
        xp, arcs = graph.xp, room if graph.directed else 2 * room
        self.table = fill_with(xp.empty(TABLE_SHARE * room, np.int64), END)
        self.places, self.sums = xp.empty(room, np.int64), xp.empty(tile_count(2 * room), np.int64)
        src, dst, stored = (xp.empty(arcs, graph.vertex_dtype) for _ in range(3))
        gone_src, gone_dst = (xp.empty(2 * arcs, graph.vertex_dtype) for _ in range(2))
        self.arcs, self.gone = Arcs(src, dst, stored), Arcs(gone_src, gone_dst, None)
        self.slots = xp.empty(arcs, np.int64)
        self.gone_ids = xp.empty(2 * room, graph.vertex_dtype)

    def arrays(self) -> list[Any]:
        """All of them."""
        arcs, gone = self.arcs, self.gone
        mine = self.table, self.places, self.sums, self.slots, self.gone_ids
        return [*mine, arcs.src, arcs.dst, arcs.weights, gone.src, gone.dst]


class Bound:
    """Launches of kernels that are bound to arrays: to those of a `Memory`, and to what `Pushes.moving` names.

    Attributes
    ----------
    updates : object
        What the structure has bound (`DynamicGraph._bind_updates`).
    """

    def __init__(self, graph: DynamicGraph, pushes: Pushes, memory: Memory):
        self.memory = memory
        push, log, kernels, numbers = pushes.push, pushes.expiry, pushes._kernels, pushes.numbers
        arcs, gone, table, directed = memory.arcs, memory.gone, memory.table, graph.directed
        weights, free_ids, held, src_of, dst_of = (Field(pushes.moving, name) for name in MOVING)
        found = numbers.array
        self.updates = graph._bind_updates(arcs, memory.slots, gone)
        self._claim = kernels.claim_records.bind(push, table, table.size, memory.places, found)
        self._keep = kernels.keep_records.bind(memory.places, table, memory.sums)
        self._number = kernels.number_records.bind(
            push, memory.places, memory.sums, table, arcs.src, arcs.dst, arcs.weights, found
        )
        self._outcomes = kernels.count_outcomes.bind(directed, memory.slots, memory.sums, found)
        self._settle = kernels.settle_records.bind(
            push, memory.slots, weights, memory.sums, free_ids, held, src_of, dst_of, found
        )
        self._take = kernels.take_expired.bind(
            push, log, held, src_of, dst_of, gone.src, gone.dst, memory.gone_ids, memory.sums, found
        )
        self._free = kernels.free_expired.bind(
            push, gone.src, gone.dst, memory.gone_ids, memory.sums, free_ids, found
        )
        self._tell = kernels.tell_host.bind(found, numbers.published)
        self._copies = pushes.copies

    def insert(self, graph: DynamicGraph, count: int) -> None:
        """Queue the insertion of so many records' arcs."""
        launch = tile_launch(count)
        self._claim(count)
        self._keep(count, **launch)
        self._number(count, **launch)
        self.updates.insert(graph, self._copies * count)

    def resume(self, graph: DynamicGraph, count: int) -> tuple[int, int]:
        """Insert the arcs of so many records that were deferred; how many of all were new, and were there."""
        return self.updates.resume(graph, self._copies * count)

    def settle(self, count: int) -> None:
        """Queue what gives records of edges that were there the ids of these."""
        launch = tile_launch(count)
        self._outcomes(count, **launch)
        self._settle(count, **launch)

    def expire(self, count: int) -> None:
        """Queue the search for what has left the window, among so many entries of the log; its ids are freed."""
        launch = tile_launch(count)
        self._take(count, **launch)
        self._free(count, **launch)

    def tell(self) -> None:
        """Queue the report to the host."""
        self._tell(NUMBERS, blocks=1)


def _entries(graph: DynamicGraph, count: int, logs: bool) -> tuple[Any, Any]:
    """Arrays for the ids of records, and for their times if these are logged; otherwise None.

    Both stay in the log as long as the records: they are in one piece of memory, for one allocation instead of two.
    """
    xp, dtype = graph.xp, graph.vertex_dtype
    if not logs:
        return xp.empty(count, dtype), None
    begin = -(-8 * count // ALIGNMENT) * ALIGNMENT
    memory = xp.cuda.alloc(begin + count * dtype.itemsize)
    return xp.ndarray((count,), dtype, memory + begin), xp.ndarray((count,), np.int64, memory)


def _bounds(numbers: list[int]) -> Bounds:
    return Bounds((~numbers[LOW] & MASK) - HALF, (numbers[HIGH] & MASK) - HALF, not numbers[UNORDERED])
