"""The host side of CSR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.options import BuildOptions, GraphOptions
from frontier.core.sort import (
    arc_keys,
    id_bits,
    last_of_runs,
    places_of_ids,
    row_ids,
    row_offsets,
    sort_pairs,
    split_keys,
    unique_arcs,
)
from frontier.runtime import Device
from frontier.runtime.memory import elementwise

from .base import BaseCSR
from .check import check_arrays
from .cpu import View


class CSR(BaseCSR):
    """Compressed sparse row: sorted neighbor lists, stored back to back and rebuilt by every update.

    Nothing is smaller or faster to walk; any update rebuilds it whole, in O(V + E). It is what static copies are
    made of, and the baseline that dynamic structures must beat: the update does no more than a rebuild must, it merges
    the sorted batch into the rows (CPU) or sorts old and new arcs together (GPU).

    Its arrays are the graph: they are not to be written to, and an update replaces them.

    Attributes
    ----------
    offsets : array of int64, shape (num_vertices + 1,)
        Ascending from 0 to the number of arcs: the neighbors of v are at ``offsets[v] .. offsets[v + 1] - 1``.
    indices : array of `vertex_dtype`, shape (num_arcs,)
        Those of each vertex ascend, each once.
    weights : array of `weight_dtype`, shape (num_arcs,), or None
    """

    name = "csr"
    package = "structures.csr"
    _view_type = View
    _arrays: ClassVar = {"offsets": np.int64, "neighbors": VERTEX, "weights": WEIGHT}

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[BuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, **options)
        self._offsets = self.xp.zeros(self._num_vertices + 1, np.int64)
        self._neighbors = self.xp.empty(0, self.vertex_dtype)
        self._weights = None if self._stored_dtype is None else self.xp.empty(0, self._stored_dtype)

    @classmethod
    def from_csr(
        cls, offsets: Any, indices: Any, weights: Any = None, *, directed: bool = False,
        device: str | Device = "auto", absent: Any = None, in_edges: bool = False,
    ) -> Self:  # fmt: skip
        """A graph over CSR arrays of its device, which are kept, not copied.

        The rows must be sorted, without duplicates or self-loops, and symmetric unless `directed`; this is not checked.
        (A file of a graph that is otherwise cannot be loaded.)
        """
        graph = cls(
            int(offsets.size) - 1, directed=directed, device=device, vertex_dtype=indices.dtype,
            weight_dtype=None if weights is None else weights.dtype, in_edges=in_edges,
        )  # fmt: skip
        graph._build(offsets, indices, weights)
        graph._commit(int(indices.size))
        graph._absent = None if absent is None else absent.copy()
        for component in graph._components:
            component.built(graph)
        return graph

    @property
    def offsets(self) -> Any:
        """Where the neighbors of each vertex begin; SciPy's ``indptr``."""
        return self._offsets

    @property
    def indices(self) -> Any:
        """The neighbors' ids."""
        return self._neighbors

    @property
    def weights(self) -> Any:
        """The weights of the arcs, or None."""
        return self.payload.weights_of(self._weights)

    _check_arrays = check_arrays

    def _view_scalars(self) -> dict[str, int]:
        return {"num_vertices": self._num_vertices}

    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        self._offsets, self._neighbors, self._weights = offsets, dst, weights
        self._view = None

    def _degrees(self) -> Any:
        return self.xp.diff(self._offsets)

    def _degrees_of(self, vertices: Any) -> Any:
        return self._offsets[1:][vertices] - self._offsets[vertices]

    def _sorted_arcs(self) -> tuple[Any, Any, Any]:
        return self._offsets.copy(), self._neighbors.copy(), None if self._weights is None else self._weights.copy()

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        keys, weights = unique_arcs(self.device, arcs, self._num_vertices)
        if self.device.is_gpu:
            return self._insert_by_sorting(keys, weights)
        size = self._neighbors.size + keys.size
        return self._merge(keys, weights, size, inserting=True)

    def _delete(self, arcs: Arcs) -> int:
        keys, _ = unique_arcs(self.device, arcs, self._num_vertices)
        if self.device.is_gpu:
            return self._delete_by_slots(keys)
        return self._merge(keys, None, self._neighbors.size, inserting=False)[1]

    def _merge(self, keys: Any, weights: Any, size: int, inserting: bool) -> tuple[int, int]:
        """Rebuild by merging sorted distinct keys into all rows."""
        offsets = np.empty_like(self._offsets)
        indices = np.empty(size, self.vertex_dtype)
        merged = None if self._weights is None else np.empty(size, self._stored_dtype)
        tally = np.zeros(2, np.int64)
        self._kernels.merge_rows(
            self._num_vertices, self._offsets, self._neighbors, self._weights, keys, weights,
            id_bits(self._num_vertices), inserting, offsets, indices, merged, tally,
        )  # fmt: skip
        total = offsets[-1]
        self._build(offsets, indices[:total].copy() if total < size else indices,
                    None if merged is None else merged[:total].copy() if total < size else merged)  # fmt: skip
        return int(tally[0]), int(tally[1])

    def _insert_by_sorting(self, keys: Any, weights: Any) -> tuple[int, int]:
        """Rebuild from old and new arcs, sorted together."""
        old = arc_keys(self.device, row_ids(self.device, self._offsets, self.vertex_dtype), self._neighbors,
                       self._num_vertices)  # fmt: skip
        both = elementwise.joined(self.device, old, keys)
        if self._weights is None:
            both.sort()
            both = elementwise.take(self.device, both, last_of_runs(self.device, both))
            merged = None
        else:
            both, order = sort_pairs(self.device, both, key_bits=2 * id_bits(self._num_vertices))
            last = last_of_runs(self.device, both)
            both = elementwise.take(self.device, both, last)
            merged = elementwise.joined(self.device, self._weights, weights)
            merged = elementwise.take(self.device, merged, elementwise.take(self.device, order, last))
        inserted = int(both.size - old.size)
        _, dst = split_keys(self.device, both, self._num_vertices, self.vertex_dtype)
        self._build(row_offsets(self.device, both, self._num_vertices), dst, merged)
        return inserted, int(keys.size) - inserted

    def _delete_by_slots(self, keys: Any) -> int:
        """Rebuild without the slots of the arcs that are there."""
        slots = self._find(*split_keys(self.device, keys, self._num_vertices, self.vertex_dtype))
        slots = elementwise.take(self.device, slots, places_of_ids(self.device, slots))  # which ascend, as keys do
        size, deleted = int(self._neighbors.size), int(slots.size)
        neighbors = self.xp.empty(size - deleted, self.vertex_dtype)
        weights = None if self._weights is None else self.xp.empty(size - deleted, self._stored_dtype)
        offsets = self.xp.empty_like(self._offsets)
        self._kernels.leave_out(size, self.view(), deleted, slots, neighbors, weights)
        self._kernels.move_rows(int(offsets.size), self._offsets, deleted, slots, offsets)
        self._build(offsets, neighbors, weights)
        return deleted

    def _extend(self, num_vertices: int) -> None:
        tail = self.xp.full(num_vertices - self._num_vertices, self._num_arcs, np.int64)
        self._offsets = self.xp.concatenate([self._offsets, tail])
        self._view = None
