"""The host side of CSR."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core import sort
from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.invariants import enumerate_rows, in_order, require, require_size
from frontier.core.store import Store
from frontier.runtime.memory import elementwise

from .cpu import View


class CSRStore(Store):
    """Sorted neighbor lists, stored back to back and rebuilt by every update. See `structures.csr.CSR`."""

    name = "csr"
    package = "structures.csr"
    view_type = View
    arrays: ClassVar = {"offsets": np.int64, "neighbors": VERTEX, "weights": WEIGHT}

    def __init__(self, num_vertices: int, **base: Any):
        super().__init__(num_vertices, **base)
        self.offsets = self.xp.zeros(self.num_vertices + 1, np.int64)
        self.neighbors = self.xp.empty(0, self.vertex_dtype)
        self.weights = None if self.stored_dtype is None else self.xp.empty(0, self.stored_dtype)

    def check(self) -> tuple[Any, Any, Any]:
        """See `Store.check`. `structures.csr.CSR` lists the invariants."""
        xp, offsets, indices = self.xp, self.offsets, self.neighbors
        require_size(offsets, self.num_vertices + 1, "offsets")
        require_size(self.weights, indices.size, "weights")
        ends = int(offsets[0]) == 0 and int(offsets[-1]) == indices.size
        require(ends, "offsets do not begin at 0 and end at the arcs")
        require((offsets[1:] >= offsets[:-1]).all(), "offsets descend")
        _, src, _ = enumerate_rows(self.device, xp.diff(offsets))
        require(in_order(src, indices), "the neighbors of a vertex do not ascend")
        return src, indices, xp.arange(indices.size)

    def view_scalars(self) -> dict[str, int]:
        return {"num_vertices": self.num_vertices}

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        self.offsets, self.neighbors, self.weights = offsets, dst, weights
        self._view = None

    def degrees(self) -> Any:
        return self.xp.diff(self.offsets)

    def degrees_of(self, vertices: Any) -> Any:
        return self.offsets[1:][vertices] - self.offsets[vertices]

    def sorted_arcs(self) -> tuple[Any, Any, Any]:
        return self.offsets.copy(), self.neighbors.copy(), None if self.weights is None else self.weights.copy()

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        keys, weights = sort.unique_arcs(self.device, arcs, self.num_vertices)
        if self.device.is_gpu:
            return self._insert_by_sorting(keys, weights)
        return self._merge(keys, weights, self.neighbors.size + keys.size, inserting=True)

    def erase(self, arcs: Arcs) -> int:
        keys, _ = sort.unique_arcs(self.device, arcs, self.num_vertices)
        if self.device.is_gpu:
            return self._delete_by_slots(keys)
        return self._merge(keys, None, self.neighbors.size, inserting=False)[1]

    def _merge(self, keys: Any, weights: Any, size: int, inserting: bool) -> tuple[int, int]:
        """Rebuild by merging sorted distinct keys into all rows."""
        offsets = np.empty_like(self.offsets)
        indices = np.empty(size, self.vertex_dtype)
        merged = None if self.weights is None else np.empty(size, self.stored_dtype)
        tally = np.zeros(2, np.int64)
        self.kernels.merge_rows(
            self.num_vertices, self.offsets, self.neighbors, self.weights, keys, weights,
            sort.id_bits(self.num_vertices), inserting, offsets, indices, merged, tally,
        )  # fmt: skip
        total = offsets[-1]
        fit = [
            None if array is None else array[:total].copy() if total < size else array for array in (indices, merged)
        ]
        self.build(offsets, *fit)
        return int(tally[0]), int(tally[1])

    def _insert_by_sorting(self, keys: Any, weights: Any) -> tuple[int, int]:
        """Rebuild by sorting old and new arcs together."""
        old = sort.arc_keys(self.device, sort.row_ids(self.device, self.offsets, self.vertex_dtype), self.neighbors,
                       self.num_vertices)  # fmt: skip
        both = elementwise.joined(self.device, old, keys)
        if self.weights is None:
            both.sort()
            both = elementwise.take(self.device, both, sort.last_of_runs(self.device, both))
            merged = None
        else:
            both, order = sort.sort_pairs(self.device, both, key_bits=2 * sort.id_bits(self.num_vertices))
            last = sort.last_of_runs(self.device, both)
            both = elementwise.take(self.device, both, last)
            merged = elementwise.joined(self.device, self.weights, weights)
            merged = elementwise.take(self.device, merged, elementwise.take(self.device, order, last))
        inserted = int(both.size - old.size)
        _, dst = sort.split_keys(self.device, both, self.num_vertices, self.vertex_dtype)
        self.build(sort.row_offsets(self.device, both, self.num_vertices), dst, merged)
        return inserted, int(keys.size) - inserted

    def _delete_by_slots(self, keys: Any) -> int:
        """Rebuild without the slots of existing arcs."""
        slots = self.find(*sort.split_keys(self.device, keys, self.num_vertices, self.vertex_dtype))
        slots = elementwise.take(self.device, slots, sort.places_of_ids(self.device, slots))  # which ascend, as keys do
        size, deleted = int(self.neighbors.size), int(slots.size)
        neighbors = self.xp.empty(size - deleted, self.vertex_dtype)
        weights = None if self.weights is None else self.xp.empty(size - deleted, self.stored_dtype)
        offsets = self.xp.empty_like(self.offsets)
        self.kernels.leave_out(size, self.view(), deleted, slots, neighbors, weights)
        self.kernels.move_rows(int(offsets.size), self.offsets, deleted, slots, offsets)
        self.build(offsets, neighbors, weights)
        return deleted

    def extend(self, num_vertices: int) -> None:
        tail = self.xp.full(num_vertices - self.num_vertices, self.num_arcs, np.int64)
        self.offsets = self.xp.concatenate([self.offsets, tail])
        self._view = None
