"""The latest neighbors of vertices: what temporal graph networks sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..access import reads
from ..arguments import edge_times, integer, vertex_ids
from ..operators.extract import extract_neighbors
from ..operators.sample_temporal_neighbors import sample_temporal_neighbors, time_limits
from ..sort import row_ids

if TYPE_CHECKING:
    from ..graph import Graph

FEW = 64
"""More neighbors of each vertex are found by sorting all of them."""


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
    That of `sample_temporal_neighbors`. For more than 64 neighbors of each, all k neighbors of the vertices are sorted:
    O(k log k) work.
    """
    xp = graph.xp
    if integer(count, "count", 1) <= FEW:
        return sample_temporal_neighbors(graph, vertices, count, before=before, method="latest")[:3]
    column = edge_times(graph)
    vertices = vertex_ids(graph, vertices, "vertices")
    limits = time_limits(graph, before, vertices)
    offsets, ids, edges = extract_neighbors(graph, vertices)
    rows = row_ids(graph.device, offsets, np.dtype(np.int64))
    times = column[edges]
    if before is not None:
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
