"""`Table`: columns with an entry for each id, and which ids are free."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from frontier.runtime import Device, Kernels, load_kernels
from frontier.runtime.memory import growable

GROWTH_SHARE = 4  # arrays grow by one in so many of the entries that they have, at least


class Table:
    """Growable arrays by id, of edges or of their records.

    Ids below `capacity` have an entry in all columns, undefined for free ids. Ids below `top` are in use, or among the
    first `free_count` of `free_ids`, the latest of which is used first.
    """

    holds: ClassVar[str]
    """The objects that have entries."""

    def __init__(self, device: Device, id_dtype: np.dtype, dtypes: dict[str, np.dtype]):
        self.device = device
        self.id_dtype = id_dtype
        self.dtypes = dtypes
        xp = device.xp
        self.columns = {name: xp.empty(0, dtype) for name, dtype in dtypes.items()}
        self.capacity = self.top = self.free_count = 0
        self.free_ids = xp.empty(0, id_dtype)

    @functools.cached_property
    def kernels(self) -> Kernels:
        return load_kernels("frontier.features.edge_data", self.device, {"VID": self.id_dtype})

    @property
    def size(self) -> int:
        """Number of ids in use."""
        return self.top - self.free_count

    def used_ids(self) -> Any:
        """All ids in use, ascending, in an array of the graph's vertex dtype."""
        xp = self.device.xp
        used = xp.ones(self.top, bool)
        used[self.free_ids[: self.free_count]] = False
        return xp.flatnonzero(used).astype(self.id_dtype)

    def reserve(self, count: int) -> None:
        """Have entries for `count` more ids. Arrays may move. A MemoryError leaves all values intact."""
        wanted = self.top + max(count - self.free_count, 0)
        if wanted <= self.capacity:
            return
        most = int(np.iinfo(self.id_dtype).max)
        if wanted > most:
            raise MemoryError(f"{wanted} {self.holds} are more than {self.id_dtype} ids; use vertex_dtype='int64'")
        size = max(wanted, self.capacity + self.capacity // GROWTH_SHARE)
        if self.columns:
            widest = max(self.columns.values(), key=lambda column: column.itemsize)
            size = growable.ample_size(self.device, widest, size, GROWTH_SHARE)
        size = min(size, most)
        for name, column in self.columns.items():
            self.columns[name] = growable.grow(self.device, column, size)
        self.capacity = size

    def reserve_free(self, count: int) -> None:
        """Reserve capacity for `count` more free ids."""
        size = self.free_count + count
        if size > self.free_ids.size:
            size = growable.ample_size(self.device, self.free_ids, size, GROWTH_SHARE)
            self.free_ids = growable.grow(self.device, self.free_ids, size)

    def next_ids(self, count: int) -> Any:
        """The ids that `take` returns next, in a new array of the graph's vertex dtype."""
        xp = self.device.xp
        reused = min(count, self.free_count)
        freed = self.free_ids[self.free_count - reused : self.free_count][::-1]
        return xp.concatenate([freed, xp.arange(self.top, self.top + count - reused, dtype=self.id_dtype)])

    def take(self, count: int) -> None:
        """Mark the next `count` ids as used."""
        reused = min(count, self.free_count)
        self.free_count -= reused
        self.top += count - reused

    def give_back(self, count: int) -> None:
        """So many ids, written behind the free ones, are free now."""
        self.free_count += count

    def release(self, ids: Any) -> None:
        """Add these ids to the free ones, for which there is capacity (`reserve_free`). Allocates nothing."""
        self.free_ids[self.free_count : self.free_count + ids.size] = ids
        self.give_back(int(ids.size))

    def write(self, ids: Any, rows: Mapping[str, Any]) -> None:
        """Store values by their ids. Negative ids are skipped. Allocates nothing."""
        for name, values in rows.items():
            self.store(ids, values, self.columns[name])

    def store(self, ids: Any, values: Any, column: Any) -> None:
        """Store values in an array by their ids. Negative ids are skipped. Allocates nothing."""
        width = column.itemsize
        if not self.device.is_gpu:  # kernels have three value types, one for each width
            values, column = values.view(f"u{width}"), column.view(f"u{width}")
        self.kernels.write_column(int(ids.size), ids, values, column, width)

    def copy(self) -> Self:
        """An independent copy, without spare capacity."""
        twin = copy.copy(self)
        twin.columns = {name: column[: self.top].copy() for name, column in self.columns.items()}
        twin.free_ids = self.free_ids[: self.free_count].copy()
        twin.capacity = self.top
        return twin

    def used_bytes(self) -> int:
        """Bytes of the entries up to `top`, and of the free ids."""
        return self.top * sum(dtype.itemsize for dtype in self.dtypes.values()) + (
            self.free_count * self.id_dtype.itemsize
        )
