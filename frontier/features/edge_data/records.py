"""`RecordTable`: every record of every edge, under its own id, in a graph with ``multi_edges="all"``.

The records of an edge are a doubly linked list in the order of time, then of insertion. The columns ``"first"`` and
``"last"`` of the edge are the ids of its ends, ``"next"`` and ``"previous"`` of a record its neighbors. -1 is none. So
functors can walk the records of an edge from either end. Files contain the ids of all records, edge by edge, and no
links: links made from these are always valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frontier.core.invariants import count_at, require, require_size, within
from frontier.core.sort import row_ids
from frontier.runtime import Device
from frontier.runtime.memory import growable

from .table import Table

EDGE, NEXT, PREVIOUS = "edge", "next", "previous"  # columns of records
FIRST, LAST = "first", "last"  # columns of edges
LINKED = (EDGE, NEXT, PREVIOUS)


class RecordTable(Table):
    """The columns of a graph's records, by id. The columns `given` are users': weights, times, and further data.

    `ends` has the ends of each edge by id, undefined for free ids. None after a copy, until needed (`kept_ends`).
    """

    holds = "records"

    def __init__(self, device: Device, id_dtype: np.dtype, dtypes: Mapping[str, np.dtype]):
        super().__init__(device, id_dtype, {**dtypes, **dict.fromkeys(LINKED, id_dtype)})
        self.given = tuple(dtypes)
        empty = device.xp.empty
        self.ends: tuple[Any, Any] | None = (empty(0, id_dtype), empty(0, id_dtype))

    def of(self, firsts: Any, counts: Any, links: str = NEXT) -> tuple[Any, Any]:
        """The records in some lists, as the offsets of each list (int64) and ids. A list is walked by one thread.

        Each list starts at ``firsts[i]`` (or -1) and has at least ``counts[i]`` (int64) records along the `links`,
        ``"next"`` or ``"previous"``. Work is proportional to the records.
        """
        xp = self.device.xp
        offsets = xp.zeros(firsts.size + 1, np.int64)
        xp.cumsum(counts, out=offsets[1:])
        ids = xp.empty(int(offsets[-1]), self.id_dtype)
        self.kernels.walk_lists(int(firsts.size), firsts, self.columns[links], offsets, ids)
        return offsets, ids

    def is_used(self, ids: Any) -> Any:
        """Which of some numbers are ids of records: an array of bool."""
        inside = (ids >= 0) & (ids < self.top)
        return inside & (self.columns[EDGE][self.device.xp.where(inside, ids, 0)] >= 0) if self.top else inside

    # ---- the ends of edges ------------------------------------------------------------------------------------------

    def reserve_ends(self, capacity: int) -> None:
        """Reserve capacity for the ends of `capacity` edges."""
        if self.ends is not None:
            src, dst = (growable.grow(self.device, array, capacity) for array in self.ends)
            self.ends = src, dst

    # ---- as part of a graph -----------------------------------------------------------------------------------------

    def copy(self) -> RecordTable:
        """An independent copy, without spare capacity."""
        twin = super().copy()
        twin.ends = None
        return twin

    def arrays(self, firsts: Any, counts: Any) -> dict[str, Any]:
        """The arrays to store in files. The records of each edge start at `firsts`, and their numbers are `counts`."""
        columns = {f"record.{name}": self.columns[name][: self.top] for name in self.given}
        return columns | {"record_ids": self.of(firsts, counts)[1], "record_free_ids": self.free_ids[: self.free_count]}

    def array_types(self) -> dict[str, np.dtype]:
        """The dtype of each of `arrays`."""
        columns = {f"record.{name}": self.dtypes[name] for name in self.given}
        return columns | {"record_ids": self.id_dtype, "record_free_ids": self.id_dtype}

    def set_arrays(self, arrays: Mapping[str, Any]) -> None:
        """Restore the result of `arrays` of another. Call `link` afterwards."""
        xp = self.device.xp
        self.free_ids, self._order = xp.asarray(arrays["record_free_ids"]), xp.asarray(arrays["record_ids"])
        self.free_count = int(self.free_ids.size)
        self.top = self.capacity = self.free_count + int(self._order.size)
        self.columns = {name: xp.asarray(arrays[f"record.{name}"]) for name in self.given}
        self.ends = None

    def check(self, counts: Any, time: str | None) -> None:
        """Raise ValueError unless `set_arrays` was given as many records as edges have, each once."""
        xp, order, free = self.device.xp, self._order, self.free_ids
        for name, column in self.columns.items():
            require_size(column, self.top, f"record.{name}")
        require(within(counts - 1, order.size).all(), "an edge has no records, or more than there are")
        require(int(counts.sum()) == order.size, f"there are {order.size} records, but edges have {int(counts.sum())}")
        require(within(order, self.top).all() and within(free, self.top).all(), "an id of a record is out of range")
        used = count_at(xp, order, self.top) + count_at(xp, free, self.top)
        require((used == 1).all(), "an id is that of two records, or that of none and not free")
        if time is not None:
            times, begins = self.columns[time][order], xp.zeros(order.size + 1, bool)
            begins[xp.cumsum(counts)] = True
            require((begins[1:-1] | (times[1:] >= times[:-1])).all(), "the records of an edge are not in order of time")
        if "weight" in self.given and self.columns["weight"].dtype.kind == "f":
            require(not xp.isnan(self.columns["weight"][order]).any(), "a weight of a record is NaN")

    def link(self, edges: Any, counts: Any, top: int) -> tuple[Any, Any]:
        """Make the links, after `set_arrays`. Return the first and the last record of each edge, by id below `top`."""
        xp, order, dtype = self.device.xp, self._order, self.id_dtype
        offsets = xp.zeros(edges.size + 1, np.int64)
        xp.cumsum(counts, out=offsets[1:])
        for name in LINKED:
            self.columns[name] = xp.full(self.top, -1, dtype)
        self.columns[EDGE][order] = edges[row_ids(self.device, offsets, np.dtype(np.int64))]
        self.columns[NEXT][order[:-1]] = order[1:]
        self.columns[PREVIOUS][order[1:]] = order[:-1]
        first, last = (xp.full(top, -1, dtype) for _ in range(2))
        first[edges], last[edges] = order[offsets[:-1]], order[offsets[1:] - 1]
        self.columns[PREVIOUS][first[edges]] = -1
        self.columns[NEXT][last[edges]] = -1
        del self._order
        return first, last

    def reserved_bytes(self) -> dict[str, int]:
        """Bytes of each array."""
        sizes = {f"record.{name}": int(column.nbytes) for name, column in self.columns.items()}
        ends = 0 if self.ends is None else sum(int(array.nbytes) for array in self.ends)
        return sizes | {"record_free_ids": int(self.free_ids.nbytes), "ends": ends}

    def used_bytes(self) -> int:
        """Bytes of the entries up to `top`, of the free ids, and of the ends of edges."""
        return super().used_bytes() + (0 if self.ends is None else sum(int(array.nbytes) for array in self.ends))

    def plain_bytes(self) -> int:
        """Bytes of the users' values of all records, in arrays without gaps."""
        return self.size * sum(self.dtypes[name].itemsize for name in self.given)
