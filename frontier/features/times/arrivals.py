"""`Arrivals`: a log of insertions by time, which finds records before a given time without scanning all.

An entry has a record's time and the id of its edge. Times are stored in a compact form if possible (`logged`). Entries
lie in *chunks*, as they were inserted, and a heap orders the chunks by first time. A first chunk of the heap that ends
before the given time is removed whole. Any other is sorted, once, and its first part is removed. So a stream in the
order of time is never sorted, and another costs a sort of each chunk. Small chunks of similar size are merged.

An entry means that an edge was inserted with a time. Since then the edge may have been deleted or inserted again, or
its id reused: the columns decide when the entry is removed. But each edge has an entry with its present time.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, zip_longest
from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import Counters, Device, Kernels
from frontier.runtime.memory.elementwise import copy_of

from .logged import EvenTimes, OffsetTimes, after, as_array, compact, joined, split

FEW = 4096  # entries. Smaller chunks are merged
MANY = 1 << 18  # entries. Fewer removed entries stay in the arrays of their chunk
LOOKED_AT = 4  # chunks that are inspected before one is split
COUNTERS = 4  # of `time_bounds`
MASK, HALF = 2**64 - 1, 2**63
COMPACT = EvenTimes, OffsetTimes


class Split(NamedTuple):
    """A search that was queued for the entries of a chunk before some time. It publishes its token when it is done."""

    times: Any
    begin: int
    before: int
    token: int


class Piece(NamedTuple):
    """The first `size` entries of a chunk, in order, that were not removed."""

    chunk: Chunk
    size: int


class Bounds(NamedTuple):
    """Bounds of some times."""

    first: int
    last: int
    ordered: bool


def time_bounds(kernels: Kernels, counters: Counters, times: Any) -> Bounds:
    """The least and the greatest of some times, and whether they ascend, after a host synchronization."""
    counters.reset()
    kernels.time_bounds(int(times.size), times, counters.array, counters.published)
    low, high, unordered = counters.synchronize()[:3]
    return Bounds((~low & MASK) - HALF, (high & MASK) - HALF, not unordered)


@dataclass
class Chunk:
    """Entries that were inserted together.

    Entries before `begin` were removed. `first` and `last` bound the remaining times, which ascend if `ordered`.
    `times` is an array of int64, or in a form of `logged`. A chunk is `alive` until it is merged.
    """

    times: Any
    ids: Any
    first: int
    last: int
    ordered: bool
    begin: int = 0
    alive: bool = True

    @property
    def size(self) -> int:
        return int(self.ids.size) - self.begin

    @property
    def nbytes(self) -> int:
        return int(self.times.nbytes + self.ids.nbytes)

    def trim(self) -> None:
        """Free the memory of removed entries, if they are many and the greater part, and memory to do so is
        available."""
        if not self.begin > MANY or not 2 * self.begin > self.ids.size > self.begin:
            return
        with suppress(MemoryError):
            self.times, self.ids = after(self.times, self.begin), copy_of(self.ids[self.begin :])
            self.begin = 0


class Taken:
    """Entries that `Arrivals.take` has found. They leave the log with `commit`, and are back in it after `restore`."""

    def __init__(self, arrivals: Arrivals, chunks: list[tuple[Chunk, int, int]]):
        self._arrivals = arrivals
        self._chunks = chunks

    def ids(self) -> Any:
        """The ids of all entries, some of them several times."""
        parts = [chunk.ids[chunk.begin : end] for chunk, end, _ in self._chunks]
        return parts[0] if len(parts) == 1 else self._arrivals.device.xp.concatenate(parts)

    def commit(self) -> None:
        """Remove the entries from the log."""
        for chunk, end, first in self._chunks:
            self._arrivals.size -= end - chunk.begin
            chunk.begin, chunk.first = end, first
            chunk.trim()
        self.restore()

    def restore(self) -> None:
        """Leave the entries, but those removed, in the log."""
        for chunk, *_ in self._chunks:
            self._arrivals.enter(chunk)


class Arrivals:
    """The log of one graph, of `size` entries."""

    def __init__(self, device: Device, kernels: Kernels):
        self.device = device
        self.size = 0
        self._kernels = kernels
        self._counters = Counters(device, COUNTERS)
        self._splits = Counters(device, 3)  # the position of a split, the time there, and the token of its search
        self._split: Split | None = None  # the last search
        self._pending: list[tuple[Any, Any]] = []  # times and ids of which the host knows no bounds
        self._heap: list[tuple[int, int, Chunk]] = []
        self._small: dict[int, Chunk] = {}  # chunks of few entries, by the bits of their number
        self._number = count()  # breaks ties in the heap, which must not compare chunks

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        pending = sum(int(array.nbytes) for entry in self._pending for array in entry)
        return pending + sum(chunk.nbytes for _, _, chunk in self._heap if chunk.alive)

    def append(self, ids: Any, times: Any, bounds: Bounds | None = None) -> None:
        """Add entries, whose arrays are retained, without a host synchronization. `bounds` are of their times, if
        known. EvenTimes have bounds."""
        if not ids.size:
            return
        self.size += int(ids.size)
        if bounds is None:
            self._pending.append((times, ids))
        else:
            self._add(self._chunk(times, ids, bounds))

    def take(self, before: int) -> Taken | None:
        """The entries with times less than `before`, or None.

        Work is proportional to these and to entries added since the last call. An unordered chunk is sorted once, if
        only a part of it is removed.
        """
        self._settle()
        chunks: list[tuple[Chunk, int, int]] = []  # with the end of the removed entries, and the first time that stays
        popped: list[Chunk] = []
        try:
            while self._heap and self._heap[0][0] < before:
                chunk = heapq.heappop(self._heap)[2]
                if not chunk.alive:
                    continue
                popped.append(chunk)
                if chunk.last < before:
                    chunks.append((chunk, int(chunk.ids.size), chunk.last))
                    continue
                self._sort(chunk)
                end, first = self._split_of(chunk, before)
                chunks.append((chunk, end, first))
        except BaseException:
            for chunk in popped:
                self.enter(chunk)
            raise
        return Taken(self, chunks) if chunks else None

    def expect(self, before: int) -> None:
        """Start the searches that `take` will need, without synchronizing."""
        for first, _, chunk in heapq.nsmallest(LOOKED_AT, self._heap):
            if first >= before:
                break
            if chunk.alive and chunk.ordered and chunk.last >= before:
                if not isinstance(chunk.times, COMPACT):
                    self._search(chunk, before)
                break

    def oldest(self, before: int, entries: int, pieces: int) -> list[Piece]:
        """The first entries that `take` would return, in ordered chunks, removed from the log until `leave` is
        called."""
        found: list[Piece] = []
        while self._heap and len(found) < pieces and entries > 0 and self._heap[0][0] < before:
            chunk = self._heap[0][2]
            if chunk.alive and not chunk.ordered:
                break
            heapq.heappop(self._heap)
            if chunk.alive:
                found.append(Piece(chunk, min(chunk.size, entries)))
                entries -= chunk.size
        return found

    def leave(self, pieces: list[Piece], taken: Sequence[int] = (), following: Sequence[int] = ()) -> None:
        """Put back the result of `oldest`, without the first `taken` entries of each piece (by default none).
        `following` has the time of the next entry of each piece with entries left."""
        for piece, gone, time in zip_longest(pieces, taken[: len(pieces)], following[: len(pieces)], fillvalue=0):
            chunk = piece.chunk
            if gone:
                self.size -= gone
                chunk.begin += gone
                if gone < piece.size:
                    chunk.first = time
                chunk.trim()
            self.enter(chunk)

    def may_begin_before(self, time: int) -> bool:
        """Whether there may be entries with earlier times."""
        return bool(self._pending) or (bool(self._heap) and self._heap[0][0] < time)

    def _split_of(self, chunk: Chunk, before: int) -> tuple[int, int]:
        """The position of the first entry of an ordered chunk that is not before some time, and the time of that
        entry."""
        if isinstance(chunk.times, COMPACT):
            return split(chunk.times, chunk.begin, before)
        last = self._split
        if last is None or last[1:3] != (chunk.begin, before) or last.times is not chunk.times:
            last = self._search(chunk, before)
        found = self._splits
        end, first, _ = found.peek() if found.peek()[2] == last.token else found.synchronize()  # the token comes last
        return end, first

    def _search(self, chunk: Chunk, before: int) -> Split:
        token = 1 if self._split is None else self._split.token + 1
        self._split = search = Split(chunk.times, chunk.begin, before, token)
        size = int(chunk.times.size)
        self._kernels.find_split(1, chunk.times, chunk.begin, size, before, token, self._splits.published)
        return search

    def enter(self, chunk: Chunk) -> None:
        """Have a chunk be found by its first time."""
        if chunk.size and chunk.alive:
            heapq.heappush(self._heap, (chunk.first, next(self._number), chunk))

    def _settle(self) -> None:
        """Make a chunk of the added entries, with one host synchronization."""
        if not self._pending:
            return
        xp = self.device.xp
        parts = self._pending
        arrays = parts[0] if len(parts) == 1 else [xp.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        times, ids = arrays
        chunk = self._chunk(times, ids, time_bounds(self._kernels, self._counters, times))
        self._pending = []
        self._add(chunk)

    def _chunk(self, times: Any, ids: Any, bounds: Bounds) -> Chunk:
        if ids.size > FEW and not isinstance(times, EvenTimes):  # small chunks are merged first
            times = compact(self.device, times, bounds.first, bounds.last)
        return Chunk(times, ids, *bounds)

    def _add(self, chunk: Chunk) -> None:
        while chunk.size <= FEW:
            bits = chunk.size.bit_length()
            other = self._small.pop(bits, None)
            if other is None or other.size.bit_length() != bits or not other.alive:
                self._small[bits] = chunk
                break
            try:
                chunk = self._merged(other, chunk)
            except MemoryError:  # `other` is entered already
                break
        self.enter(chunk)

    def _merged(self, one: Chunk, two: Chunk) -> Chunk:
        xp = self.device.xp
        times: Any = joined(one.times, one.begin, two.times, two.begin)
        if times is None:
            times = xp.concatenate([as_array(self.device, chunk.times, chunk.begin) for chunk in (one, two)])
        ids = xp.concatenate([one.ids[one.begin :], two.ids[two.begin :]])
        ordered = one.ordered and two.ordered and one.last <= two.first
        both = self._chunk(times, ids, Bounds(min(one.first, two.first), max(one.last, two.last), ordered))
        for merged in (one, two):  # after all steps that may fail, during which the heap still names them
            merged.times = merged.ids = xp.empty(0, np.int64)
            merged.begin, merged.alive = 0, False
        return both

    def _sort(self, chunk: Chunk) -> None:
        if not chunk.ordered:
            times = as_array(self.device, chunk.times, chunk.begin)
            order = self.device.xp.argsort(times, kind="stable")
            ids = chunk.ids[chunk.begin :][order]
            chunk.times, chunk.ids = compact(self.device, times[order], chunk.first, chunk.last), ids
            chunk.begin, chunk.ordered = 0, True
