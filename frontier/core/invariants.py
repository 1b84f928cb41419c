"""Checks of a graph's arrays: the invariants that kernels rely on, and never check.

A kernel that follows a bad index reads or writes anywhere. So a file's arrays are checked once, before any kernel reads
them: each structure checks its own (`Store.check`), and this module the rest. The checks are array operations, on the
graph's device, in O(V + E) memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device

from .base import BaseGraph
from .sort import arc_keys, id_bits, row_ids, sort_pairs


def check_graph(graph: BaseGraph) -> None:
    """Raise ValueError with the fault unless the graph's arrays and numbers make up a simple graph.

    O(V + E) memory. One sort of all arcs unless they are in order, and another one in undirected graphs.
    """
    xp, n = graph.xp, graph.num_vertices
    store = graph.store
    absent = store.absent
    if absent is not None:
        require(absent.size == n, f"{absent.size} vertices are marked as deleted or not, of {n}")
        require((absent.view(np.uint8) <= 1).all(), "a mark of a deleted vertex is neither true nor false")
    src, dst, slots = store.check()
    require(int(dst.size) == graph.num_arcs, f"num_arcs is {graph.num_arcs}, but there are {int(dst.size)} arcs")
    require(within(dst, n).all(), "a neighbor is no vertex")
    require((src != dst).all(), "a vertex is its own neighbor")
    if absent is not None:
        require(not (absent[src] | absent[dst]).any(), "a deleted vertex has an edge")
    stored = None if store.stored_dtype is None else store.weights[slots]
    for component in graph._components:
        component.check(graph, stored)
    weights = graph.payload.weights_of(stored)
    if weights is not None and weights.dtype.kind == "f":
        require(not xp.isnan(weights).any(), "a weight is NaN")
    if not in_order(src, dst):
        order = _order(graph.device, src, dst, n)
        src, dst = src[order], dst[order]
        stored = None if stored is None else stored[order]
        require(in_order(src, dst), "an edge is listed twice")
    if not graph.directed:
        # The k-th arc in order of (src, dst) is the reverse of the k-th arc in order of (dst, src).
        _, reverse = sort_pairs(graph.device, dst.astype(np.int64))
        require((dst[reverse] == src).all() and (src[reverse] == dst).all(), "an edge has one direction only")
        if stored is not None:
            problem = "an edge has two weights" if graph.payload.table is None else "an edge has two ids"
            require((stored[reverse] == stored).all(), problem)


def in_order(src: Any, dst: Any) -> bool:
    """Whether arcs ascend by source and then destination, each listed once."""
    return bool(((src[1:] > src[:-1]) | ((src[1:] == src[:-1]) & (dst[1:] > dst[:-1]))).all())


def _order(device: Device, src: Any, dst: Any, num_vertices: int) -> Any:
    if 2 * id_bits(num_vertices) <= 63:
        return sort_pairs(device, arc_keys(device, src, dst, num_vertices))[1]
    by_dst = sort_pairs(device, dst.astype(np.int64))[1]
    return by_dst[sort_pairs(device, src[by_dst].astype(np.int64))[1]]


# ---- for structures -------------------------------------------------------------------------------------------------


def require(condition: Any, problem: str) -> None:
    """Raise ValueError with `problem` unless `condition` is true."""
    if not bool(condition):
        raise ValueError(problem)


def require_integer(value: Any, name: str, low: int, high: int) -> None:
    """Raise ValueError unless `value` is an integer from `low` to `high`."""
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value <= high
    require(fits, f"{name} is {value!r}, no integer from {low} to {high}")


def require_size(array: Any, size: int, name: str) -> None:
    """Raise ValueError unless an array, if there is one, has so many rows."""
    if array is not None:
        require(array.shape[0] == size, f"{name} has the length {array.shape[0]}, not {size}")


def within(values: Any, end: int) -> Any:
    return (values >= 0) & (values < end)


def count_at(xp: Any, places: Any, size: int) -> Any:
    """Return the number of occurrences of each of ``0 .. size - 1`` in `places`, all of which are in that range."""
    return xp.bincount(places, minlength=size) if places.size else xp.zeros(size, np.int64)


def cover(xp: Any, starts: Any, lengths: Any, size: int) -> Any:
    """Return for each of ``0 .. size - 1`` the number of ranges that cover it. All ranges end at `size` or before."""
    return xp.cumsum(count_at(xp, starts, size + 1) - count_at(xp, starts + lengths, size + 1))[:size]


def enumerate_rows(device: Device, lengths: Any) -> tuple[Any, Any, Any]:
    """Consecutive rows of these lengths: offsets of rows, and each entry's row and position, as int64."""
    xp = device.xp
    offsets = xp.zeros(lengths.size + 1, np.int64)
    xp.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    rows = row_ids(device, offsets, np.dtype(np.int64))
    return offsets, rows, xp.arange(rows.size) - offsets[rows]
