"""Deleting the edges that are too old."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..batch import Arcs
from ..edge_data import delete_arcs, delete_rows
from .arrivals import Arrivals
from .column import TIME, TimeColumn

if TYPE_CHECKING:
    from ..dynamic import DynamicGraph


def expire_edges(graph: DynamicGraph, before: int) -> int:
    """Delete the edges whose time is less than `before`; returns how many arcs were deleted.

    If that fails, the log is as it was.
    """
    arrivals = logged_arrivals(graph)
    taken = arrivals.take(before)
    if taken is None:
        return 0
    try:
        deleted = _delete_expired(graph, *taken.ends(), before)
    except BaseException:
        taken.restore()
        raise
    taken.commit()
    return deleted


def logged_arrivals(graph: DynamicGraph) -> Arrivals:
    """The log of a graph with times, which is made from its edges if there is none."""
    times: TimeColumn = graph._edge_data.times  # type: ignore[union-attr, assignment]
    if times.arrivals is None:
        arrivals = Arrivals(graph.device, times.kernels)
        if graph.num_edges:
            src, dst, ids = graph._sorted_edges()
            arrivals.append(src, dst, graph._edge_data.columns[TIME][ids])  # type: ignore[union-attr]
        times.arrivals = arrivals
    return times.arrivals


def _delete_expired(graph: DynamicGraph, src: Any, dst: Any, before: int) -> int:
    """Delete the edges of records that are still in the graph with a time less than `before`."""
    data: Any = graph._edge_data
    xp, count = graph.xp, int(src.size)
    both = graph._tells_slots and not graph.directed
    total = 2 * count if both else count
    out_src, out_dst = xp.empty(total, graph.vertex_dtype), xp.empty(total, graph.vertex_dtype)
    slots = graph._find(src, dst)
    data.times.kernels.keep_expired(
        count, src, dst, slots, graph._weights, data.columns[TIME], before, both, out_src, out_dst
    )  # fmt: skip
    arcs = Arcs(out_src, out_dst, None)
    return delete_arcs(graph, arcs) if graph._tells_slots else delete_rows(graph, arcs)
