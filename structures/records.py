"""A table with a record for each vertex, with spare capacity for new vertices."""

from __future__ import annotations

from typing import Any

from frontier.core.store import Store
from frontier.runtime.memory import growable


class VertexRecords(Store):
    """A store whose array `records` has one row for each vertex, and spare rows."""

    records: Any

    def _empty_records(self, count: int) -> Any:
        """Records of vertices without neighbors: zeros by default."""
        dtype, columns = self.arrays["records"]
        return self.device.xp.zeros((count, columns), dtype)

    def _record_capacity(self, num_vertices: int) -> int:
        """The rows of a table that replaces one that is too small."""
        capacity = int(self.records.shape[0])
        return max(num_vertices, capacity + capacity // 2)

    def extend(self, num_vertices: int) -> None:
        capacity = int(self.records.shape[0])
        if num_vertices > capacity:
            size, columns = self._record_capacity(num_vertices), self.records.shape[1]
            fresh = self._empty_records(size - capacity)
            records = growable.grow(self.device, self.records.reshape(-1), size * columns).reshape(-1, columns)
            records[capacity:] = fresh
            self.records = records
            self._view = None
