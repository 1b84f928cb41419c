"""Updates by small batches, for structures that apply them in one launch or a sequence of launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .batch.raw import Staging, is_small

if TYPE_CHECKING:
    from .base import BaseDynamicGraph


def insert_small(graph: BaseDynamicGraph, src: Any, dst: Any, weights: Any) -> tuple[int, int] | None:
    """Insert a batch, if it is small and the structure can; notify observers.

    Returns
    -------
    tuple of int, or None
        Arcs that were new, and that were there. None: nothing has changed, and the batch is to be inserted the general
        way, which also tells what is wrong with an invalid one.
    """
    given = _small_arrays(graph, src, dst, weights)
    if given is None:
        return None
    src, dst, weights = given
    if graph._in_edges is not None:
        graph._in_edges.writable(graph)  # as long as the graph is what it was
    observers = graph._live_observers()
    exact = loose = False
    for observer in observers:
        if not observer.exact:
            loose = True
        elif observer.sees_changes and graph.weight_dtype is not None:
            return None  # it is notified before the insertion, too
        else:
            exact = True
    buffer = NotificationBuffer(graph, src.size, loose, exact) if observers else None
    arcs, edges = (None, None) if buffer is None else (buffer.arcs, buffer.edges)
    with graph._access.changing():
        done = graph._insert_small(src, dst, weights, arcs, edges)
        if done is None:
            return None
        inserted, replaced, effective = done
        graph._num_arcs += inserted
        graph.version += 1
        if graph._in_edges is not None:
            graph._in_edges.insert_small(graph, src, dst, weights)
    if buffer is not None:
        _notify(graph, "edges_inserted", observers, buffer.arrays(effective))
    return inserted, replaced


def delete_small(graph: BaseDynamicGraph, src: Any, dst: Any) -> int | None:
    """Delete a batch, if it is small and the structure can; notify observers.

    Returns
    -------
    int or None
        Arcs that were deleted; None as for `insert_small`.
    """
    given = _small_arrays(graph, src, dst, None)
    if given is None:
        return None
    src, dst, _ = given
    if graph._in_edges is not None:
        graph._in_edges.writable(graph)
    observers = graph._live_observers()
    found = notified = None
    if observers:
        loose = not all(observer.exact for observer in observers)
        buffer = NotificationBuffer(graph, src.size, loose, True)
        found = graph._find_small(src, dst, buffer.arcs, buffer.edges)
        if found is None:
            return None
        notified = buffer.arrays(found)
        _notify(graph, "edges_deleting", observers, notified)
    with graph._access.changing():
        deleted = 0 if found == 0 else graph._delete_small(src, dst, found)
        if deleted is None and observers:  # they have been notified, so that the rest of the general way is taken here
            deleted = graph._delete(graph._prepare(src, dst, directed=graph.directed))
        if deleted is None:
            return None
        graph._num_arcs -= deleted
        graph.version += 1
        if graph._in_edges is not None:
            graph._in_edges.delete_small(graph, src, dst, found)
    if notified is not None:
        _notify(graph, "edges_deleted", observers, notified)
    return deleted


def _small_arrays(graph: BaseDynamicGraph, src: Any, dst: Any, weights: Any) -> Any:
    """A batch on the device, if it is small and the structure can take it as it is; otherwise None."""
    if not graph._takes_small_batches or graph._edge_data is not None:
        return None
    dtype = graph.weight_dtype
    if is_small(graph.xp.ndarray, src, dst, weights, dtype):
        return src, dst, weights
    if not is_small(np.ndarray, src, dst, weights, dtype):
        return None
    work = graph._access.workspace()
    if work.staging is None:
        work.staging = Staging(graph.device)
    return work.staging.copy(src, dst, weights)


class NotificationBuffer:
    """Memory for what observers are notified of: the arcs of the batch, and its effective edges.

    Two arrays are in one piece of memory, and are made when their size is known: an array takes the host longer than
    what a GPU does to it.

    Attributes
    ----------
    arcs, edges : pair of int, or None
        Addresses of the sources and the destinations; None if nobody is notified of them.
    """

    __slots__ = ("_arcs", "_count", "_dtype", "_edges", "_total", "_xp", "arcs", "edges")

    def __init__(self, graph: BaseDynamicGraph, count: int, loose: bool, exact: bool):
        self._xp, self._dtype = graph.xp, graph.vertex_dtype
        self._count = count
        self._total = count if graph.directed else 2 * count
        self._arcs, self.arcs = self._pair(self._total) if loose else (None, None)
        self._edges, self.edges = self._pair(count) if exact else (None, None)

    def arrays(self, edges: int) -> tuple[Any, Any]:
        """The arrays of arcs, and those of so many edges; None as above."""
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


def _notify(graph: BaseDynamicGraph, method: str, observers: list, notified: tuple[Any, Any]) -> None:
    arcs, edges = notified
    graph._observers.notify(method, [(observer, edges if observer.exact else arcs) for observer in observers])
