"""Batches with edge data on a GPU, and the edges that leave a window with them, in few launches and one
synchronization.

The general path (`edge_data.updates`, `windows.expiry`) determines which rows count before it inserts any. It
synchronizes for the bounds of their times, for new edges, and for edges that left the window. Here all rows are
inserted as if their edges were new. Kernels (pushes.cuh) find the existing ones afterwards, and communicate through
persistent arrays. The general path handles invalid batches, late rows and observers that see changes. It also deletes
the rest of the edges that leave after a jump of the clock.

With observers, the host synchronizes after edges are inserted and leaving ones are listed. It notifies observers,
queues the deletion, and notifies them again, while the GPU works.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseDynamicGraph
from frontier.core.batch import Arcs
from frontier.core.batch.raw import NOWHERE, is_contiguous, is_plain
from frontier.core.batch.slot_filter import new_filter
from frontier.core.component import columns_moved, is_followed
from frontier.core.locking import access_of, workspace_of
from frontier.core.observers import Notification
from frontier.core.results import UpdateObserver
from frontier.core.small_updates import ALIGNMENT, NotificationBuffer
from frontier.core.sort import END, TILE, tile_count
from frontier.runtime import Counters, fill_with, load_kernels
from frontier.runtime.launch.arguments import Field, Struct
from frontier.runtime.memory import elementwise, growable

from ..edge_data import WEIGHT_COLUMN
from ..times.arrivals import HALF, MASK, Bounds, Piece
from ..times.column import TIME
from ..times.logged import EvenTimes

MAX_RECORDS = 1 << 22
"""Rows of a batch, at most: memory for them persists."""
PIECES = 3  # of the log that are looked at
FEWEST = 4096  # rows for which memory is allocated, at least
TABLE_SHARE, LARGE_TABLE_SHARE = 8, 2
"""Entries of the table to a row: the longest run of full ones decides the time of a batch, whose rows may all
be of existing edges. Tables of up to `MAX_ENTRIES` have the larger share."""
MAX_ENTRIES = 1 << 21
PUSH = (
    "src", "dst", "weights", "times", "first_time", "has_clock", "clock", "free_ids", "free_count", "top", "ids",
    "logged", "new_src", "new_dst", "gone_src", "gone_dst",
)  # fmt: skip
RULES = (
    "wide", "directed", "num_vertices", "absent", "weight_width", "time_step", "timed", "earliest", "keep", "windowed",
    "reach", "lateness",
)  # fmt: skip
"""Fields that rarely change from batch to batch, behind the fields of `PUSH`."""
MOVING = "weights", "free_ids", "held", "src_of", "dst_of"
"""Arrays of the graph that growth replaces or lengthens."""
COLUMNS = 4  # that are written as rows are settled (pushes.cuh has the same number)
WRITES = ("count", *(f"{name}_{i}" for name in ("given", "held", "width") for i in range(COLUMNS)))
EXPIRY = tuple(f"{name}_{i}" for name in ("times", "first", "step", "ids", "ends") for i in range(PIECES))
DECLINED, DEFERRED, KNOWN, BAD, LOW, HIGH, UNORDERED, REPEATED, FRESH, FREED, TAKEN = range(11)
NEXT, FINISHED, ARRIVED, NUMBERS = TAKEN + PIECES, TAKEN + 2 * PIECES, TAKEN + 2 * PIECES + 1, TAKEN + 2 * PIECES + 2


class PlainBatch(NamedTuple):
    """A batch as kernels expect it: arrays of the device, of the graph's types.

    If `times` is None, row i has the time ``first_time + time_step * i``, and the step is 0 or 1. `columns` are weights
    and edge data without times. With `keep`, existing edges retain their values.
    """

    src: Any
    dst: Any
    times: Any
    first_time: int
    time_step: int
    columns: dict[str, Any]
    keep: bool


class Window(NamedTuple):
    """The bounds of a push: the window starts `reach` before the clock, and no row is late if `lateness` is None.

    Entries of the log from `expected` on are not expected to leave with this batch. If they do, they stay.
    """

    clock: int | None
    reach: int
    lateness: int | None
    expected: int


class Pushed(NamedTuple):
    """Counts of arcs that a batch changed, and `last`, its greatest time, undefined in a graph without times."""

    inserted: int
    found: int
    deleted: int
    last: int


def plain_records(
    graph: BaseDynamicGraph, src: Any, dst: Any, weights: Any, edge_data: dict[str, Any], *,
    first_time: int | None = None, time_step: int = 0, keep: bool = False,
) -> PlainBatch | None:  # fmt: skip
    """A user's batch, if kernels can read it without conversion, or None. Times are numbers from `first_time` on, or in
    `edge_data`."""
    data: Any = graph.payload.table
    if not graph.store.makes_update_plans or data is None or data.multi_edges != "last":
        return None
    array = graph.xp.ndarray
    if not is_plain(array, src, dst, weights, graph.weight_dtype) or not 0 < src.size <= MAX_RECORDS:
        return None
    if WEIGHT_COLUMN in edge_data:  # the general path reports the error
        return None
    given = edge_data if weights is None else {**edge_data, WEIGHT_COLUMN: weights}
    numbered = data.times is not None and first_time is not None
    dtypes, size = data.dtypes, src.size
    if len(given) + numbered != len(dtypes) or (numbered and TIME in given):
        return None
    for name, values in given.items():
        dtype = dtypes.get(name)
        if dtype is None or type(values) is not array or values.dtype != dtype:  # None would be float64 to NumPy
            return None
        if values.size != size or not is_contiguous(values):
            return None
    times = None
    if data.times is not None and not numbered:
        given = dict(given)
        times = given.pop(TIME)
    return PlainBatch(src, dst, times, first_time or 0, time_step, given, keep)


def push(graph: BaseDynamicGraph, records: PlainBatch, window: Window | None = None) -> Pushed | None:
    """Within an update, insert rows, delete edges that leave the window as expected, and notify observers.

    Returns None, with nothing changed, if the batch must go through the general path. MemoryError leaves the graph
    unchanged.
    """
    observers = graph._observers.live()
    if is_followed(graph) or any(observer.exact and observer.sees_changes for observer in observers):
        return None
    work = workspace_of(graph)
    if work.pushes is None:
        work.pushes = Pushes(graph)
    with access_of(graph).changing():
        return work.pushes.run(graph, records, window, observers)


class Pushes:
    """Arrays with which batches of one graph are pushed, and the plan that is bound to them."""

    def __init__(self, graph: BaseDynamicGraph):
        self.push, self.writes = Struct((*PUSH, *RULES)), Struct(WRITES)
        self.expiry, self.moving = Struct(EXPIRY), Struct(MOVING)
        self.numbers = Counters(graph.device, NUMBERS)
        self.copies = 1 if graph.directed else 2  # arcs of an edge
        self._kernels = load_kernels("frontier.features.times", graph.device, {"VID": graph.vertex_dtype})
        self._room = 0, 0  # rows, and entries of the log
        self._plan: PushPlan | None = None
        self._spare: tuple[Any, Any] | None = None  # the result of `_entries` for the next batch like the last
        self._rules: tuple[Any, ...] = ()  # the last `RULES` passed to `push`

    def run(
        self, graph: BaseDynamicGraph, records: PlainBatch, window: Window | None, observers: list[UpdateObserver]
    ) -> Pushed | None:  # fmt: skip
        """See `push`. Once edges are inserted nothing fails: the ids of leaving edges are free by then."""
        done = self._insert(graph, records, window, observers)
        if done is None:
            return None
        pushed, new, gone, entries = done
        memory, notify = self._plan.memory, graph._observers.notify  # type: ignore[union-attr]
        if observers:
            notify(
                "edges_inserted",
                self._notifications(observers, new, pushed.inserted, memory.arcs, int(records.src.size)),
            )
        if pushed.deleted:
            leaving = self._notifications(observers, gone, pushed.deleted, memory.gone, entries)
            notify("edges_deleting", leaving)
            self._delete(graph, entries, pushed.deleted)
            notify("edges_deleted", leaving)
        return pushed

    def _insert(
        self, graph: BaseDynamicGraph, records: PlainBatch, window: Window | None, observers: list[UpdateObserver]
    ) -> tuple[Pushed, NotificationBuffer | None, NotificationBuffer | None, int] | None:  # fmt: skip
        """Insert rows, and find edges that leave the window, which frees their ids.

        Returns the push with the number of arcs to delete, which `Memory.gone` lists. It also returns the notification
        buffers of inserted and of leaving edges (None without observers), and the number of inspected log entries.
        """
        data: Any = graph.payload.table
        count, times = int(records.src.size), data.times
        arrivals = None if times is None else times.arrivals
        most = count + count // 2 if window is not None and arrivals is not None else 0  # entries that are looked at
        self._make_room(graph, count, most)
        new = NotificationBuffer(graph, count, observers) if observers else None
        gone = NotificationBuffer(graph, most, observers) if most and observers else None
        plan = self._plan_for(graph)
        timed = arrivals is not None and records.times is not None  # whether times are logged as an array
        ids, logged = self._entries(graph, count, timed) if arrivals is not None else (plan.memory.ids[:count], None)
        self._describe(graph, records, window, ids, logged, new, gone)
        self.numbers.reset()
        plan.insert(graph, count)
        # From here on while the GPU works.
        log = arrivals.oldest(window.expected, most, PIECES) if most else []  # type: ignore[union-attr]
        taken: Sequence[int] = ()
        following: Sequence[int] = ()
        try:
            entries = self._describe_expiry(log)
            self._finish(plan, data, records, ids, entries)
            if arrivals is not None:
                with suppress(MemoryError):
                    self._spare = _entries(graph, count, timed)
            # Until the numbers are there, the user may not change the arrays that are read.
            numbers = self.numbers.poll() if len(records.columns) <= COLUMNS else self.numbers.synchronize()
            if numbers[DECLINED]:
                return None
            inserted, found = self._count(graph, records, ids, numbers)
            if arrivals is not None:
                even = EvenTimes(records.first_time, int(records.time_step), count)
                times.log((even if logged is None else logged, _bounds(numbers)), ids, graph.num_edges)
            deleted = 0
            if log and not numbers[DEFERRED]:
                data.give_back(numbers[FREED])
                taken, following = numbers[TAKEN:NEXT], numbers[NEXT:FINISHED]
                deleted = self.copies * numbers[FREED]
            return Pushed(inserted, found, deleted, (numbers[HIGH] & MASK) - HALF), new, gone, entries
        finally:
            if log:
                arrivals.leave(log, taken, following)

    def _delete(self, graph: BaseDynamicGraph, entries: int, arcs: int) -> None:
        """Queue the deletion of edges that left the window, among the given number of entries of the log."""
        updates = self._plan.updates  # type: ignore[union-attr]
        updates.erase(graph.store, self.copies * entries)
        updates.erased(graph.store, arcs)
        graph.store.keep_view()
        graph.store.commit(-arcs)

    def _notifications(
        self, observers: list[UpdateObserver], room: NotificationBuffer | None, arcs: int, given: Arcs, size: int
    ) -> list[Notification]:  # fmt: skip
        """Each observer with its edges, or with the arcs of `size` rows, or entries."""
        if room is None:
            return []
        notified_arcs, notified_edges = room.arrays(arcs // self.copies)
        if notified_arcs is not None:  # a copy, since the next batch reuses the memory
            size *= self.copies
            notified_arcs = tuple(copy[:size] for copy in notified_arcs)
            for copy, held in zip(notified_arcs, (given.src, given.dst), strict=True):
                elementwise.copy_to(copy, held[:size])
        return [(observer, notified_edges if observer.exact else notified_arcs) for observer in observers]

    def arrays(self) -> list[Any]:
        """All arrays."""
        spare = [array for array in self._spare or () if array is not None]
        return [*spare, *(() if self._plan is None else self._plan.memory.arrays())]

    def _make_room(self, graph: BaseDynamicGraph, count: int, most: int) -> None:
        """Reserve entries in all columns, and capacity in the list of free ids, and in the structure."""
        data: Any = graph.payload.table
        graph.store.reserve_for(self.copies * count)
        if data.top + max(count - data.free_count, 0) > data.capacity:
            try:
                data.reserve(count)
            finally:
                columns_moved(graph)
        data.reserve_free(count + most)
        times = data.times
        if times is not None and times.ends and times.ends[0].size < data.capacity:
            times.ends = tuple(growable.grow(graph.device, array, data.capacity) for array in times.ends)
        records, entries = self._room
        if count > records or most > entries:
            self._plan = None  # with the memory
            self._room = _room_for(count, records), _room_for(most, entries)

    def _entries(self, graph: BaseDynamicGraph, count: int, timed: bool) -> tuple[Any, Any]:
        """`_entries`, which may have been made already."""
        spare, self._spare = self._spare, None
        if spare is not None and spare[0].size == count and (spare[1] is not None) == timed:
            return spare
        return _entries(graph, count, timed)

    def _plan_for(self, graph: BaseDynamicGraph) -> PushPlan:
        """The plan, for the current arrays of the graph."""
        data: Any = graph.payload.table
        held, ends = (None, ()) if data.times is None else (data.columns[TIME], data.times.ends)
        arrays = graph.store.weights, data.free_ids, held, *(ends or (None, None))
        self.moving.set(*[0 if array is None else array.data.ptr for array in arrays])
        if self._plan is None:
            self._plan = PushPlan(graph, self, Memory(graph, *self._room))
        return self._plan

    def _describe(
        self, graph: BaseDynamicGraph, records: PlainBatch, window: Window | None, ids: Any, logged: Any,
        new: NotificationBuffer | None, gone: NotificationBuffer | None,
    ) -> None:  # fmt: skip
        data, absent, clock = graph.payload.table, graph.store.absent, None if window is None else window.clock
        times, weights = records.times, records.columns.get(WEIGHT_COLUMN)
        if weights is not None and weights.dtype.kind != "f":  # these cannot be NaN
            weights = None
        changing = (
            records.src.data.ptr, records.dst.data.ptr, 0 if weights is None else weights.data.ptr,
            0 if times is None else times.data.ptr, records.first_time, clock is not None, clock or 0,
            data.free_ids.data.ptr, data.free_count, data.top, ids.data.ptr, 0 if logged is None else logged.data.ptr,
            *(NOWHERE if new is None or new.edges is None else new.edges),
            *(NOWHERE if gone is None or gone.edges is None else gone.edges),
        )  # fmt: skip
        of_window: tuple[Any, ...] = (False, 0, 0)
        if window is not None:
            of_window = window.lateness is not None, window.reach, window.lateness or 0
        of_times = (False, False) if data.times is None else (True, data.times.earliest)
        rules = (
            records.src.itemsize == 8, graph.directed, graph.num_vertices, 0 if absent is None else absent.data.ptr,
            0 if weights is None else weights.itemsize, records.time_step, *of_times, records.keep, *of_window,
        )  # fmt: skip
        if rules == self._rules:
            self.push.set_first(*changing)
        else:
            self.push.set(*changing, *rules)
            self._rules = rules

    def _describe_expiry(self, log: list[Piece]) -> int:
        """Pass entries of the log to kernels that look for edges that left the window, and return the number of
        entries."""
        times, first, step, ids, ends = ([0] * PIECES for _ in range(5))
        end = 0
        for i, (chunk, size) in enumerate(log):
            end += size
            if isinstance(chunk.times, EvenTimes):
                first[i], step[i] = chunk.times.at(chunk.begin), chunk.times.step
            else:
                times[i] = chunk.times.data.ptr + chunk.begin * chunk.times.itemsize
            ids[i] = chunk.ids.data.ptr + chunk.begin * chunk.ids.itemsize
            ends[i:] = [end] * (PIECES - i)
        self.expiry.set(*times, *first, *step, *ids, *ends)
        return end

    def _finish(self, plan: PushPlan, data: Any, records: PlainBatch, ids: Any, entries: int) -> None:
        """Queue the steps after the insertion of arcs."""
        columns = records.columns
        if len(columns) <= COLUMNS:
            held = [data.columns[name] for name in columns]
            nothing = (0,) * (COLUMNS - len(held))
            self.writes.set(
                len(held), *[values.data.ptr for values in columns.values()], *nothing,
                *[column.data.ptr for column in held], *nothing, *[column.itemsize for column in held], *nothing,
            )  # fmt: skip
            self.numbers.arm()
            plan.finish(int(ids.size), entries)
        else:
            self.writes.put("count", 0)
            plan.finish(int(ids.size), entries)
            data.write(ids, columns)

    def _count(self, graph: BaseDynamicGraph, records: PlainBatch, ids: Any, numbers: list[int]) -> tuple[int, int]:
        """Count inserted arcs, after inserting deferred ones. Return the numbers of new and of existing arcs."""
        data, count = graph.payload.table, int(ids.size)
        plan: Any = self._plan
        sources = plan.memory.arcs.src[: self.copies * count]
        inserted, deferred = plan.updates.inserted(graph.store)
        known = numbers[KNOWN]
        if not deferred:
            graph.store.keep_view()
        else:
            inserted = plan.updates.resume(graph.store, self.copies * count)
            self._finish(self._plan_for(graph), data, records, ids, self._describe_expiry([]))
            known = self.numbers.synchronize()[KNOWN]
        data.take(count)  # type: ignore[union-attr]
        data.give_back(count - inserted // self.copies)  # type: ignore[union-attr]
        graph.store.commit(inserted)
        data.note_replaced(sources, inserted)  # type: ignore[union-attr]
        return inserted, 0 if records.keep else self.copies * known


class Memory:
    """Arrays for so many rows, and for so many entries of the log."""

    def __init__(self, graph: BaseDynamicGraph, records: int, entries: int):
        from frontier.runtime.compile.cuda import cooperative_blocks

        xp, copies, dtype = graph.xp, 1 if graph.directed else 2, graph.vertex_dtype
        share = TABLE_SHARE if TABLE_SHARE * records <= MAX_ENTRIES else LARGE_TABLE_SHARE
        self.table = fill_with(xp.empty(share * records, np.int64), END)
        self.filter = new_filter(graph.device)
        self.places, self.ids = xp.empty(records, np.int64), xp.empty(records, dtype)
        self.sums = xp.empty(2 * cooperative_blocks(), np.int64)
        src, dst, stored = (xp.empty(copies * records, dtype) for _ in range(3))
        self.slots = xp.empty(copies * records, np.int64)
        gone_src, gone_dst = (xp.empty(copies * entries, dtype) for _ in range(2))
        self.gone_ids = xp.empty(entries, dtype)
        self.arcs, self.gone = Arcs(src, dst, stored), Arcs(gone_src, gone_dst, None)

    def arrays(self) -> list[Any]:
        """All of them."""
        arcs, gone = self.arcs, self.gone
        mine = self.table, self.filter, self.places, self.ids, self.sums, self.slots, self.gone_ids
        return [*mine, arcs.src, arcs.dst, arcs.weights, gone.src, gone.dst]


class PushPlan:
    """The launches of a push, bound to arrays of a `Memory` and of `Pushes.moving`. `updates` is a
    `Store.make_update_plan`."""

    def __init__(self, graph: BaseDynamicGraph, pushes: Pushes, memory: Memory):
        from frontier.runtime.compile.cuda import cooperative_blocks

        self.memory = memory
        log, kernels, numbers = pushes.expiry, pushes._kernels, pushes.numbers
        arcs, gone, table = memory.arcs, memory.gone, memory.table
        weights, free_ids, held, src_of, dst_of = (Field(pushes.moving, name) for name in MOVING)
        self.updates = graph.store.make_update_plan(arcs, memory.slots, gone, numbers.array)
        self._check = kernels.check_records.bind(pushes.push, arcs.src, arcs.dst, arcs.weights, numbers.array)
        self._finish = kernels.finish_records.bind(
            pushes.push, pushes.writes, log, memory.slots, arcs.weights, weights, table, table.size, memory.filter,
            memory.places, memory.sums, free_ids, held, src_of, dst_of, gone.src, gone.dst, memory.gone_ids,
            numbers.array, numbers.published,
        )  # fmt: skip
        self._copies = pushes.copies
        self._most_blocks = cooperative_blocks()

    def insert(self, graph: BaseDynamicGraph, count: int) -> None:
        """Queue the insertion of so many rows' arcs."""
        self._check(count)
        self.updates.insert(graph.store, self._copies * count)

    def finish(self, count: int, entries: int) -> None:
        """Queue the kernels that settle the rows and find edges that left the window among entries of the log."""
        blocks = min(tile_count(max(count, entries)), self._most_blocks)
        self._finish(count, threads=TILE, blocks=blocks, cooperative=True)


def _room_for(count: int, held: int) -> int:
    return held if count <= held else max(FEWEST, 1 << (count - 1).bit_length())


def _entries(graph: BaseDynamicGraph, count: int, timed: bool) -> tuple[Any, Any]:
    """Arrays for the ids of rows and, if `timed`, for their times, which the log retains, in one allocation."""
    xp, dtype = graph.xp, graph.vertex_dtype
    if not timed:
        return xp.empty(count, dtype), None
    begin = -(-8 * count // ALIGNMENT) * ALIGNMENT
    memory = xp.cuda.alloc(begin + count * dtype.itemsize)
    return xp.ndarray((count,), dtype, memory + begin), xp.ndarray((count,), np.int64, memory)


def _bounds(numbers: list[int]) -> Bounds:
    return Bounds((~numbers[LOW] & MASK) - HALF, (numbers[HIGH] & MASK) - HALF, not numbers[UNORDERED])
