"""The host side of `Rows`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.invariants import in_order, require, require_integer, require_size
from frontier.core.sort import row_ids, sorted_unique_arcs
from frontier.graphs import DynamicGraph

from .cpu import View


class Rows(DynamicGraph):
    """Each vertex's neighbors in a row of a matrix, which is rebuilt when edges come and has gaps where some went."""

    name = "rows"
    package = "toy"
    finds_fast = False
    _view_type = View
    _arrays: ClassVar = {"neighbors": VERTEX, "weights": WEIGHT, "lengths": np.int64}
    _scalars = ("width",)

    def __init__(self, num_vertices: int = 0, **options: Any):
        super().__init__(num_vertices, **options)
        weights = None if self._stored_dtype is None else np.empty(0, self._stored_dtype)
        self._build(np.zeros(self._num_vertices + 1, np.int64), np.empty(0, self.vertex_dtype), weights)

    def _view_scalars(self) -> dict[str, int]:
        return {"width": self.width}

    def _degrees(self) -> Any:
        return self._lengths

    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        rows = row_ids(self.device, offsets, np.dtype(np.int64))
        self._lengths = np.diff(offsets)
        self.width = max(int(self._lengths.max(initial=0)), 1)
        slots = rows * self.width + np.arange(dst.size) - offsets[rows]
        self._neighbors = np.full(self._num_vertices * self.width, -1, self.vertex_dtype)
        self._neighbors[slots] = dst
        self._weights = None if weights is None else np.zeros(self._neighbors.size, weights.dtype)
        if weights is not None:
            self._weights[slots] = weights
        self._view = None

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        offsets, dst, weights = self._sorted_arcs()
        src = row_ids(self.device, offsets, self.vertex_dtype)
        new, slots = self._distinct(arcs.check())
        weights = None if weights is None else np.concatenate([weights, new.weights])
        both = Arcs(np.concatenate([src, new.src]), np.concatenate([dst, new.dst]), weights)
        self._build(*sorted_unique_arcs(self.device, both, self._num_vertices))
        inserted = int((slots < 0).sum())
        return inserted, slots.size - inserted

    def _delete(self, arcs: Arcs) -> int:
        _, slots = self._distinct(arcs.check())
        slots = slots[slots >= 0]
        self._neighbors[slots] = -1
        np.subtract.at(self._lengths, slots // self.width, 1)
        return slots.size

    def _extend(self, num_vertices: int) -> None:
        offsets, dst, weights = self._sorted_arcs()
        offsets = np.append(offsets, np.full(num_vertices - self._num_vertices, offsets[-1]))
        self._num_vertices = num_vertices
        self._build(offsets, dst, weights)

    def _check_arrays(self) -> tuple[Any, Any, Any]:
        n = self.num_vertices
        require_integer(self.width, "width", 1, 1 << 31)
        require_size(self._neighbors, n * self.width, "neighbors")
        require_size(self._weights, n * self.width, "weights")
        slots = np.flatnonzero(self._neighbors >= 0)
        src, dst = slots // self.width, self._neighbors[slots]
        require(np.array_equal(self._lengths, np.bincount(src, minlength=n)), "lengths are not those of the rows")
        require(in_order(src, dst), "the neighbors of a vertex do not ascend")
        return src, dst, slots
