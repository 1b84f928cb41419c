"""`TimeColumn`: the meaning of the times of a graph's edges, and the choice of the row that counts."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import Counters, Device, Kernels, load_kernels
from frontier.runtime.memory import growable
from frontier.runtime.values import one_of

from .arrivals import COUNTERS, Arrivals, Bounds, time_bounds
from .logged import EvenTimes
from .units import UNITS, as_times

TIME = "time"
KEEP_TIMES = ("latest", "first")
LOG_SLACK = 1 << 16
"""Entries of the log beyond two for each edge, or record, from which it is dropped, and made again from the column."""


class Known(NamedTuple):
    """Times that are being inserted, their bounds, and their compact form if they are evenly spaced."""

    times: Any
    bounds: Bounds
    even: EvenTimes | None


class TimeColumn:
    """The rules for the column of times of one graph, and the log by which its edges expire.

    `keep` determines which row counts, the ``"latest"`` or the ``"first"``. `arrivals` is made from the column at
    the first expiry. None before, and after a copy. With a log of edges, `ends` has the two ends of each, by id, the
    first -1 for ids of deleted edges. It is empty if records are logged.
    """

    dtype = np.dtype(np.int64)

    def __init__(self, device: Device, id_dtype: np.dtype, unit: Any, keep: Any):
        self.device = device
        self.unit = one_of("ns" if unit == "int64" else unit, "time_unit", UNITS)
        self.keep = one_of(keep, "keep_time", KEEP_TIMES)
        self.arrivals: Arrivals | None = None
        self.ends: tuple[Any, ...] = ()
        self._id_dtype = id_dtype
        self._known: Known | None = None
        self._nothing, self._no_ends = device.xp.empty(0, self.dtype), device.xp.empty(0, id_dtype)

    def copy(self) -> TimeColumn:
        """The rules, without the log."""
        return TimeColumn(self.device, self._id_dtype, self.unit, self.keep)

    @property
    def earliest(self) -> bool:
        """Whether the first row of an edge counts."""
        return self.keep == "first"

    @functools.cached_property
    def kernels(self) -> Kernels:
        """The kernels for ids of this type."""
        return load_kernels("frontier.features.times", self.device, {"VID": self._id_dtype})

    def values(self, given: Any) -> Any:
        """A user's times as an array of the column's type."""
        return as_times(self.device, given, TIME, self.unit)

    def outdated(self, held: Any, times: Any) -> Any:
        """Mask of the rows that count less than the times of their edges."""
        return held <= times if self.earliest else held > times

    # ---- the log ----------------------------------------------------------------------------------------------------

    def start(self, arrivals: Arrivals, ends: tuple[Any, ...] = ()) -> None:
        """Log from now on."""
        self.arrivals, self.ends = arrivals, ends

    def stop(self) -> None:
        """Drop the log."""
        self.arrivals, self.ends = None, ()

    def bounds(self, times: Any, counters: Counters | None = None) -> Bounds:
        """The bounds of some times."""
        return time_bounds(self.kernels, counters or Counters(self.device, COUNTERS), times)

    @contextmanager
    def knowing(self, times: Any, bounds: Bounds | None, even: EvenTimes | None = None) -> Iterator[None]:
        """A block that inserts these times. If their bounds are known they need not be found again, and times known to
        be `even` are logged as such."""
        self._known = None if bounds is None else Known(times, bounds, even)
        try:
            yield
        finally:  # also after an error: the user may overwrite the array
            self._known = None

    def entry(self, times: Any, capacity: int, *, filled: bool = True) -> tuple[Any, Bounds | None] | None:
        """The log entry of rows that will be inserted, into columns of this many entries, or None without a log.

        Times are copied, as the array may be a user's, or `filled` in by `store`, unless they are known to be even.
        """
        if self.arrivals is None:
            return None
        self.ends = tuple(growable.grow(self.device, array, capacity) for array in self.ends)
        known = self._known if self._known is not None and self._known.times is times else None
        if known is not None and known.even is not None:
            return known.even, known.bounds
        logged = times.copy() if filled else self.device.xp.empty(times.size, self.dtype)
        return logged, None if known is None else known.bounds

    def store(
        self, ids: Any, src: Any, dst: Any, times: Any, held: Any, entry: tuple[Any, Bounds | None] | None, slots: Any,
        *, step: int = 1, tagged: bool = False, drops: bool = False,
    ) -> None:  # fmt: skip
        """Store the times of rows by the ids of their edges, and the ends of these. Allocates nothing.

        `ids` is -1 for rows that do not count, and becomes -1 for rows that `drops` rejects. `held` is the
        column. For the rest see the kernel.
        """
        logged = self._nothing if entry is None or isinstance(entry[0], EvenTimes) else entry[0]
        ends = self.ends or (self._no_ends, self._no_ends)
        self.kernels.store_times(
            int(ids.size), src, dst, slots, step, tagged, drops, times, held, self.earliest, ids, *ends, logged
        )

    def log(self, entry: tuple[Any, Bounds | None] | None, ids: Any, size: int) -> None:
        """Log insertions by ids, of which `size` are in use. Negative ones have changed nothing."""
        if self.arrivals is None or entry is None:
            return
        try:
            self.arrivals.append(ids, *entry)
        except MemoryError:  # the rows are in the graph, from which the log can be made again
            self.stop()
            return
        if self.arrivals.size > 2 * size + LOG_SLACK:
            self.stop()

    @property
    def sources(self) -> Any:
        """The first of `ends`, or an empty array."""
        return self.ends[0] if self.ends else self._no_ends

    def used_bytes(self, top: int) -> int:
        """The used memory of the log, with the ends of edges up to an id."""
        return 0 if self.arrivals is None else self.arrivals.nbytes + sum(top * array.itemsize for array in self.ends)

    def reserved_bytes(self) -> int:
        """The reserved memory of the log."""
        return 0 if self.arrivals is None else self.arrivals.nbytes + sum(int(array.nbytes) for array in self.ends)
