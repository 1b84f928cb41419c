"""Small batches, which some structures apply in one launch or a sequence of launches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import BaseDynamicGraph
from .batch.raw import MAX_EDGES, Staging, is_small
from .locking import workspace_of
from .observers import Notification
from .results import UpdateObserver


def small_arrays(graph: BaseDynamicGraph, src: Any, dst: Any, weights: Any) -> tuple[Any, Any, Any] | None:
    """A batch on the device, if it is small and the structure can read it without conversion, otherwise None."""
    limit = graph.store.max_small_batch
    if not limit:
        return None
    dtype = graph.weight_dtype
    if is_small(graph.xp.ndarray, src, dst, weights, dtype, limit):
        return src, dst, weights
    if not is_small(np.ndarray, src, dst, weights, dtype, min(limit, MAX_EDGES)):
        return None
    work = workspace_of(graph)
    if work.staging is None:
        work.staging = Staging(graph.device)
    return work.staging.copy(src, dst, weights)


class NotificationBuffer:
    """Memory for notifications: `arcs` of the batch, and its effective `edges`, as pairs of addresses, or None.

    Both arrays of a pair share one allocation and are made once their size is known. Making an array costs the host
    more time than a GPU needs to fill it.
    """

    __slots__ = ("_arcs", "_count", "_dtype", "_edges", "_observers", "_total", "_xp", "arcs", "edges")

    def __init__(self, graph: BaseDynamicGraph, count: int, observers: list[UpdateObserver], *, exact: bool = False):
        unfiltered = False
        for observer in observers:
            if observer.exact:
                exact = True
            else:
                unfiltered = True
        self._observers = observers
        self._xp, self._dtype = graph.xp, graph.vertex_dtype
        self._count = count
        self._total = count if graph.directed else 2 * count
        self._arcs, self.arcs = self._pair(self._total) if unfiltered else (None, None)
        self._edges, self.edges = self._pair(count) if exact else (None, None)

    def notifications(self, edges: int) -> list[Notification]:
        """Each observer with the arrays of arcs, or, if it is exact, with the arrays of `edges` effective edges."""
        arcs, found = self.arrays(edges)
        return [(observer, found if observer.exact else arcs) for observer in self._observers]

    def arrays(self, edges: int) -> tuple[Any, Any]:
        """The arrays of arcs, and the arrays of `edges` effective edges. None as above."""
        return self._arrays(self._arcs, self._total), self._arrays(self._edges, edges)

    def _pair(self, size: int) -> tuple[Any, tuple[int, int]]:
        size *= self._dtype.itemsize
        size = -(-size // ALIGNMENT) * ALIGNMENT
        memory = self._xp.cuda.alloc(2 * size)
        return (memory, memory + size), (memory.ptr, memory.ptr + size)

    def _arrays(self, pair: Any, size: int) -> Any:
        if pair is None:
            return None
        make, shape, dtype = self._xp.ndarray, (size,), self._dtype
        return make(shape, dtype, pair[0]), make(shape, dtype, pair[1])


ALIGNMENT = 256  # of arrays, in bytes, as CuPy has it
