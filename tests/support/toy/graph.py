"""The host side of `Rows`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.invariants import in_order, require, require_integer, require_size
from frontier.core.sort import row_ids, sorted_unique_arcs
from frontier.core.store import Store
from frontier.graphs import DynamicGraph
from frontier.operators.extract import sorted_arcs

from .cpu import View


class RowsStore(Store):
    """Each vertex's neighbors in a row of a matrix, which is rebuilt when edges come and has gaps where some went."""

    name = "rows"
    package = "toy"
    finds_fast = False
    view_type = View
    arrays: ClassVar = {"neighbors": VERTEX, "weights": WEIGHT, "lengths": np.int64}
    scalars = ("width",)

    def __init__(self, num_vertices: int, **base: Any):
        super().__init__(num_vertices, **base)
        weights = None if self.stored_dtype is None else np.empty(0, self.stored_dtype)
        self.build(np.zeros(self.num_vertices + 1, np.int64), np.empty(0, self.vertex_dtype), weights)

    def view_scalars(self) -> dict[str, int]:
        return {"width": self.width}

    def degrees(self) -> Any:
        return self.lengths

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        rows = row_ids(self.device, offsets, np.dtype(np.int64))
        self.lengths = np.diff(offsets)
        self.width = max(int(self.lengths.max(initial=0)), 1)
        slots = rows * self.width + np.arange(dst.size) - offsets[rows]
        self.neighbors = np.full(self.num_vertices * self.width, -1, self.vertex_dtype)
        self.neighbors[slots] = dst
        self.weights = None if weights is None else np.zeros(self.neighbors.size, weights.dtype)
        if weights is not None:
            self.weights[slots] = weights
        self._view = None

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        offsets, dst, weights = sorted_arcs(self)
        src = row_ids(self.device, offsets, self.vertex_dtype)
        new, slots = self.distinct(arcs.check())
        weights = None if weights is None else np.concatenate([weights, new.weights])
        both = Arcs(np.concatenate([src, new.src]), np.concatenate([dst, new.dst]), weights)
        self.build(*sorted_unique_arcs(self.device, both, self.num_vertices))
        inserted = int((slots < 0).sum())
        return inserted, slots.size - inserted

    def erase(self, arcs: Arcs) -> int:
        _, slots = self.distinct(arcs.check())
        slots = slots[slots >= 0]
        self.neighbors[slots] = -1
        np.subtract.at(self.lengths, slots // self.width, 1)
        return slots.size

    def extend(self, num_vertices: int) -> None:
        offsets, dst, weights = sorted_arcs(self)
        offsets = np.append(offsets, np.full(num_vertices - self.num_vertices, offsets[-1]))
        self.num_vertices = num_vertices
        self.build(offsets, dst, weights)

    def check(self) -> tuple[Any, Any, Any]:
        n = self.num_vertices
        require_integer(self.width, "width", 1, 1 << 31)
        require_size(self.neighbors, n * self.width, "neighbors")
        require_size(self.weights, n * self.width, "weights")
        slots = np.flatnonzero(self.neighbors >= 0)
        src, dst = slots // self.width, self.neighbors[slots]
        require(np.array_equal(self.lengths, np.bincount(src, minlength=n)), "lengths are not those of the rows")
        require(in_order(src, dst), "the neighbors of a vertex do not ascend")
        return src, dst, slots


class Rows(DynamicGraph):
    """`RowsStore` as users see it."""

    store_type = RowsStore
