"""`TimeColumn`: what the times of a graph's edges mean, and which record of an edge counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import Counters, Device, Kernels, load_kernels
from ..values import one_of
from .arrivals import Arrivals, Bounds, time_bounds
from .times import UNITS, as_times

TIME = "time"
KEEP_TIMES = ("latest", "first")
LOG_SLACK = 1 << 16
"""Entries that the log may hold beyond two for each edge before it is dropped, and made again from the column."""


class TimeColumn:
    """The rules for the column of times of one graph, and the log by which its edges expire.

    Attributes
    ----------
    unit : {"ns", "us", "ms", "s"}
    keep : {"latest", "first"}
        Which record of an edge counts.
    arrivals : Arrivals or None
        None until edges expire for the first time, and after a copy: it is made from the column then.
    """

    dtype = np.dtype(np.int64)

    def __init__(self, device: Device, id_dtype: np.dtype, unit: Any, keep: Any):
        self.device = device
        self.unit = one_of("ns" if unit == "int64" else unit, "time", UNITS)
        self.keep = one_of(keep, "keep_time", KEEP_TIMES)
        self.arrivals: Arrivals | None = None
        self._id_dtype = id_dtype
        self._known: tuple[Any, Bounds] | None = None  # the last times whose bounds were asked for

    def copy(self) -> TimeColumn:
        """The rules, without the log."""
        return TimeColumn(self.device, self._id_dtype, self.unit, self.keep)

    @property
    def earliest(self) -> bool:
        """Whether the first record of an edge counts."""
        return self.keep == "first"

    @property
    def kernels(self) -> Kernels:
        """The kernels for ids of this type."""
        return load_kernels("frontier.temporal", self.device, {"VID": self._id_dtype})

    def values(self, given: Any) -> Any:
        """A user's times as an array of the column's type."""
        return as_times(self.device, given, TIME, self.unit)

    def outdated(self, held: Any, times: Any) -> Any:
        """Which of some records count less than what their edges have: an array of bool."""
        return held <= times if self.earliest else held > times

    # ---- the log ----------------------------------------------------------------------------------------------------

    def bounds(self, times: Any, counters: Counters) -> Bounds:
        """The bounds of times that are to be inserted next, so that they need not be found again."""
        found = time_bounds(self.kernels, counters, times)
        self._known = times, found
        return found

    def entry(self, src: Any, dst: Any, times: Any) -> tuple[Any, ...] | None:
        """What to log of records that are about to be inserted; None while there is no log.

        The times are copied, as they may be a user's array; the ends are not.
        """
        known, self._known = self._known, None
        if self.arrivals is None:
            return None
        return src, dst, times.copy(), known[1] if known is not None and known[0] is times else None

    def log(self, entry: tuple[Any, ...] | None, num_edges: int) -> None:
        """Log records that were inserted, into a graph that has so many edges now."""
        if self.arrivals is not None and entry is not None:
            self.arrivals.append(*entry)
            if self.arrivals.size > 2 * num_edges + LOG_SLACK:
                self.arrivals = None

    def reserved_bytes(self) -> int:
        """Of the log."""
        return 0 if self.arrivals is None else self.arrivals.nbytes
