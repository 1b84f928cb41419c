"""`Partition`: the vertices of a graph by the partitions that own them."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device

from . import owners
from .base import BasePartition
from .owners_on_gpu import ByOwner, takes

CHUNK = 2**22  # ids that are hashed at a time, with some 30 bytes of memory each
FEW = 4  # on a CPU, up to 4 partitions are sorted by a pass for each: two cost a seventh of the time of a sort


class Partition(BasePartition):
    """The owners of all vertices, known to every partition.

    `together` is the length of the runs of vertices with one owner, as a power of two (`owners`). The array `owners`,
    of uint8 or int32, has the partition of each vertex.
    """

    def __init__(self, device: Device, num_parts: int, rank: int):
        self.device = device
        self.num_parts = num_parts
        self.rank = rank
        self.together = owners.TOGETHER
        self.owners: Any = device.xp.empty(0, np.uint8 if num_parts < 255 else np.int32)
        self._order: Any = None
        self._others: Any = None
        self._counts: list[int] = []

    def extend(self, num_vertices: int) -> None:
        """Add vertices up to a number. Existing ones stay on their partitions."""
        xp, known = self.device.xp, int(self.owners.size)
        if num_vertices <= known:
            return
        found = xp.empty(num_vertices, self.owners.dtype)
        found[:known] = self.owners
        for start in range(known, num_vertices, CHUNK):
            stop = min(start + CHUNK, num_vertices)
            found[start:stop] = self.owners_of(xp.arange(start, stop, dtype=np.uint64), xp)
        self.owners = found
        self._order = self._others = None

    def owners_of(self, ids: Any, xp: Any = np) -> Any:
        """Return the partitions of vertices (uint64, arrays of `xp`), which need not exist."""
        return owners.owners_of(xp, ids, self.num_parts, self.together)

    @property
    def order(self) -> Any:
        """All vertices by partition, ascending in each partition."""
        if self._order is None:
            self._order, self._counts = self._sorted(self.owners)
        return self._order

    @property
    def counts(self) -> list[int]:
        """Number of vertices of each partition."""
        return self._counts if self.order is not None else []

    @property
    def owned(self) -> Any:
        """The vertices of this partition, ascending."""
        return self.order[self.own_piece(self.counts)]

    @property
    def others(self) -> Any:
        """The vertices of other partitions, by partition."""
        if self._others is None:
            self._others = self.without_own(self.order, self.counts)
        return self._others

    def pieces_of_first(self, size: int) -> tuple[Any, Any, list[int]]:
        """Return this partition's among the first `size` vertices, the vertices of other partitions by partition, and
        each partition's count."""
        if size == self.owners.size:
            return self.owned, self.others, self.counts
        order, counts = self._sorted(self.owners[:size])
        return order[self.own_piece(counts)], self.without_own(order, counts), counts

    def of_first(self, size: int) -> tuple[Any, list[int]]:
        """Return `order` and `counts` of the first `size` vertices."""
        return (self.order, self.counts) if size == self.owners.size else self._sorted(self.owners[:size])

    def by_owner(self, ids: Any) -> tuple[Any, list[int]]:
        """Return the order in which vertices are sorted by owner (stable), and the count of each partition."""
        if self.num_parts == 1:
            return slice(None), [int(ids.size)]
        if takes(self.device, self.num_parts, ids.dtype):
            return self._order_of(ids)
        return self._sorted(self.owners[ids])

    def _order_of(self, ids: Any) -> tuple[Any, list[int]]:
        found = ByOwner(self, self.device.xp.ascontiguousarray(ids))
        row = found.count()
        order = found.sort(order=True)[-1]
        counts = self.device.to_host(row)[: self.num_parts].tolist()
        return order[: sum(counts)], counts

    def sort_by_owner(self, ids: Any) -> tuple[Any, Any]:
        """Return vertices sorted by owner, and the count of each partition (int64) on the device, without a host
        synchronization."""
        if self.num_parts == 1:
            return ids, self.device.xp.asarray(np.asarray([ids.size], np.int64))
        if takes(self.device, self.num_parts, ids.dtype):
            found = ByOwner(self, self.device.xp.ascontiguousarray(ids))
            row = found.count()
            return found.sort()[0], row[: self.num_parts]
        order, ends = self._sorted_on_device(self.owners[ids])
        return ids[order], self.device.xp.diff(ends).astype(np.int64)

    def _sorted(self, owners: Any) -> tuple[Any, list[int]]:
        """Return the stable order that sorts partitions, and the count of each."""
        if not self.device.is_gpu and self.num_parts <= FEW:
            positions, counts = [], []
            for part in range(self.num_parts):
                positions.append(np.flatnonzero(owners == part))
                counts.append(int(positions[-1].size))
            return np.concatenate(positions), counts
        order, ends = self._sorted_on_device(owners)
        return order, np.diff(self.device.to_host(ends)).tolist()

    def _sorted_on_device(self, owners: Any) -> tuple[Any, Any]:
        """Return the stable order that sorts partitions, and each partition's first position in it, with the end."""
        xp = self.device.xp
        order = xp.argsort(owners, kind="stable")
        return order, xp.searchsorted(owners[order], xp.arange(self.num_parts + 1, dtype=owners.dtype))

    def is_mine(self, ids: Any) -> Any:
        return self.owners[ids] == self.rank
