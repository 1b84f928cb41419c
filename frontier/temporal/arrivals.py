"""`Arrivals`: which records were inserted when, kept so that those before some time are found without the others.

A record is an entry of three numbers: its time and its two ends. Entries lie in *chunks*, as they were inserted, and a
heap orders the chunks by the first time of each. What is before some time is then in the first chunks of the heap. Of
these, one that ends before that time is taken as it is; another is sorted, once, and the part before that time is
taken. So a stream in the order of time is never sorted, and one that is not costs a sort of each chunk. Chunks of a few
entries are merged with others of their size, so that there are not many.

An entry says that an edge was inserted with a time, not that it has that time now, or is there at all: it may have been
deleted, or inserted again. That is for the graph to say when the entry is taken. What holds is that each edge has an
entry with the time that it has now.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ..runtime import Counters, Device, Kernels

FEW = 4096  # entries; smaller chunks are merged
COUNTERS = 3  # what `time_bounds` reads
MASK, HALF = 2**64 - 1, 2**63


class Bounds(NamedTuple):
    """Of some times."""

    first: int
    last: int
    ordered: bool


def time_bounds(kernels: Kernels, counters: Counters, times: Any) -> Bounds:
    """The least and the greatest of some times, and whether they ascend, after a host synchronization."""
    counters.reset()
    kernels.time_bounds(int(times.size), times, counters.array)
    low, high, unordered = counters.read()[:3]
    return Bounds((~low & MASK) - HALF, (high & MASK) - HALF, not unordered)


@dataclass
class Chunk:
    """Entries that were inserted together.

    Attributes
    ----------
    times, src, dst : arrays
    first, last : int
        The least and the greatest of the times from `begin` on.
    ordered : bool
        Whether the times ascend.
    begin : int
        Entries before it were taken.
    alive : bool
        Whether it was not merged with another one.
    """

    times: Any
    src: Any
    dst: Any
    first: int
    last: int
    ordered: bool
    begin: int = 0
    alive: bool = True

    @property
    def size(self) -> int:
        return int(self.times.size) - self.begin

    @property
    def nbytes(self) -> int:
        return int(self.times.nbytes + self.src.nbytes + self.dst.nbytes)

    def trim(self) -> None:
        """Free the memory of entries that were taken, if they are the greater part."""
        if 2 * self.begin > self.times.size:
            self.times, self.src, self.dst = (a[self.begin :].copy() for a in (self.times, self.src, self.dst))
            self.begin = 0


class Taken:
    """Entries that `Arrivals.take` has found; they leave the log with `commit`, and are back in it after `restore`."""

    def __init__(self, arrivals: Arrivals, chunks: list[tuple[Chunk, int, int]]):
        self._arrivals = arrivals
        self._chunks = chunks

    def ends(self) -> tuple[Any, Any]:
        """The ends of all entries, as two arrays."""
        xp = self._arrivals.device.xp
        parts = [(chunk.src[chunk.begin : end], chunk.dst[chunk.begin : end]) for chunk, end, _ in self._chunks]
        if len(parts) == 1:
            return parts[0]
        return xp.concatenate([src for src, _ in parts]), xp.concatenate([dst for _, dst in parts])

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
    """The log of one graph.

    Parameters
    ----------
    device : Device
    kernels : Kernels
        Those of this folder.

    Attributes
    ----------
    size : int
        Number of entries.
    """

    def __init__(self, device: Device, kernels: Kernels):
        self.device = device
        self.size = 0
        self._kernels = kernels
        self._counters = Counters(device, COUNTERS)
        self._pending: list[tuple[Any, Any, Any]] = []  # times, src, dst of which the host knows no bounds
        self._heap: list[tuple[int, int, Chunk]] = []
        self._small: dict[int, Chunk] = {}  # chunks of few entries, by the bits of their number
        self._number = count()  # so that chunks themselves are never compared

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        pending = sum(int(array.nbytes) for entry in self._pending for array in entry)
        return pending + sum(chunk.nbytes for _, _, chunk in self._heap if chunk.alive)

    @property
    def last(self) -> int | None:
        """The greatest time of all entries; None if there are none."""
        self._settle()
        return max((chunk.last for _, _, chunk in self._heap if chunk.alive), default=None)

    def append(self, src: Any, dst: Any, times: Any, bounds: Bounds | None = None) -> None:
        """Add entries, whose arrays are kept. Does not wait for the device.

        Parameters
        ----------
        bounds : Bounds, optional
            Of the times, if the host knows.
        """
        if not times.size:
            return
        self.size += int(times.size)
        if bounds is None:
            self._pending.append((times, src, dst))
        else:
            self._add(Chunk(times, src, dst, *bounds))

    def take(self, before: int) -> Taken | None:
        """The entries with times less than `before`; None if there are none.

        Notes
        -----
        Work in proportion to their number and to that of the entries added since the last call; and a sort of each
        chunk that is not in order, the first time that only a part of it is taken.
        """
        self._settle()
        chunks: list[tuple[Chunk, int, int]] = []  # with the end of what is taken, and the first time that stays
        popped: list[Chunk] = []
        try:
            while self._heap and self._heap[0][0] < before:
                chunk = heapq.heappop(self._heap)[2]
                if not chunk.alive:
                    continue
                popped.append(chunk)
                if chunk.last < before:
                    chunks.append((chunk, int(chunk.times.size), chunk.last))
                    continue
                self._sort(chunk)
                self._counters.reset()
                self._kernels.find_split(
                    1, chunk.times, chunk.begin, int(chunk.times.size), before, self._counters.array
                )
                end, first, _ = self._counters.read()
                chunks.append((chunk, end, first))
        except BaseException:
            for chunk in popped:
                self.enter(chunk)
            raise
        return Taken(self, chunks) if chunks else None

    def enter(self, chunk: Chunk) -> None:
        """Have a chunk be found by its first time."""
        if chunk.size and chunk.alive:
            heapq.heappush(self._heap, (chunk.first, next(self._number), chunk))

    def _settle(self) -> None:
        """Make a chunk of what was added, after the single host synchronization that takes."""
        if not self._pending:
            return
        xp = self.device.xp
        parts = self._pending
        arrays = parts[0] if len(parts) == 1 else [xp.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        times, src, dst = arrays
        bounds = time_bounds(self._kernels, self._counters, times)
        self._pending = []
        self._add(Chunk(times, src, dst, *bounds))

    def _add(self, chunk: Chunk) -> None:
        while chunk.size <= FEW:
            bits = chunk.size.bit_length()
            other = self._small.pop(bits, None)
            if other is None or other.size.bit_length() != bits or not other.alive:
                self._small[bits] = chunk
                break
            chunk = self._merged(other, chunk)
        self.enter(chunk)

    def _merged(self, one: Chunk, two: Chunk) -> Chunk:
        xp = self.device.xp
        times, src, dst = (
            xp.concatenate([getattr(chunk, name)[chunk.begin :] for chunk in (one, two)])
            for name in ("times", "src", "dst")
        )
        ordered = one.ordered and two.ordered and one.last <= two.first
        both = Chunk(times, src, dst, min(one.first, two.first), max(one.last, two.last), ordered)
        for merged in (one, two):  # after all that may fail; the heap still names them
            merged.times = merged.src = merged.dst = xp.empty(0, np.int64)
            merged.begin, merged.alive = 0, False
        return both

    def _sort(self, chunk: Chunk) -> None:
        if not chunk.ordered:
            order = self.device.xp.argsort(chunk.times[chunk.begin :], kind="stable") + chunk.begin
            arrays = chunk.times[order], chunk.src[order], chunk.dst[order]
            chunk.times, chunk.src, chunk.dst = arrays
            chunk.begin, chunk.ordered = 0, True
