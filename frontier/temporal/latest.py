"""The latest neighbors of vertices: what temporal graph networks sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..access import reads
from ..arguments import check_graph, integer, vertex_ids
from ..arrays import same_length
from ..operators.extract import extract_neighbors
from ..sort import row_ids
from .column import TIME
from .times import as_time, as_times

if TYPE_CHECKING:
    from ..graph import Graph


@reads
def latest_neighbors(graph: Graph, vertices: Any, count: int, *, before: Any = None) -> tuple[Any, Any, Any]:
    """Of each of a list of vertices, the neighbors whose edges have the greatest times, up to `count`.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives the latest predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only edges with lesser times count: one time for all vertices, or one for each. By default all edges do.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The neighbors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of `vertex_dtype`, shape (offsets[-1],)
        The latest first; of equal times, the smaller id.
    times : array of int64, shape (offsets[-1],)

    Raises
    ------
    TypeError, ValueError
        Naming the argument and what is wrong with it; or the graph has no times.

    Notes
    -----
    Sorts all neighbors of the vertices: O(k log k) work, for k of them.
    """
    check_graph(graph)
    if graph.time_unit is None:
        raise ValueError("graph must have times; make it with time=")
    integer(count, "count", 1)
    xp = graph.xp
    vertices = vertex_ids(graph, vertices, "vertices")
    limits = _limits(graph, before, vertices)
    offsets, ids, edges = extract_neighbors(graph, vertices)
    rows = row_ids(graph.device, offsets, np.dtype(np.int64))
    times = graph.edge_data[TIME][edges]  # type: ignore[index]
    if limits is not None:
        inside = xp.flatnonzero(times < limits[rows])
        rows, ids, times = rows[inside], ids[inside], times[inside]
    order = xp.argsort(ids, kind="stable")
    order = order[xp.argsort(~times[order], kind="stable")]  # ~ reverses the order of all times
    order = order[xp.argsort(rows[order], kind="stable")]
    rows, ids, times = rows[order], ids[order], times[order]
    begin = xp.searchsorted(rows, xp.arange(vertices.size + 1))
    chosen = xp.flatnonzero(xp.arange(rows.size) - begin[rows] < count)
    ends = xp.minimum(xp.diff(begin), count)
    return xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(ends)]), ids[chosen], times[chosen]


def _limits(graph: Graph, before: Any, vertices: Any) -> Any:
    """The time for each vertex before which edges count; None if all do."""
    unit: Any = graph.time_unit
    if before is None:
        return None
    if getattr(before, "ndim", None) == 0 or not hasattr(before, "__len__"):
        return graph.xp.full(vertices.size, as_time(before, "before", unit), np.int64)
    limits = as_times(graph.device, before, "before", unit)
    same_length(vertices=vertices, before=limits)
    return limits
