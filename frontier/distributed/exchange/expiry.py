"""Deletion of expired edges, on all partitions or on none.

Each partition logs the records of its arcs. The log of one partition decides: the owner of the edge's source, or in
undirected graphs of its smaller end. The other direction is deleted with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.core.results import UpdateResult
from frontier.features.times import TIME
from frontier.features.windows.expiry import logged_arrivals

from .agreement import attempt, raise_first
from .routing import route
from .updates import Deletion, run

if TYPE_CHECKING:
    from ..base import BasePart


def expire_edges(graph: BasePart, before: int) -> UpdateResult:
    """Delete the edges whose time is less than `before`. If that fails, the logs are unchanged."""
    taken: Any = None
    comm = graph.comm

    def find() -> Any:
        nonlocal taken
        taken = logged_arrivals(graph.local).take(before)
        return _expired(graph, taken, before)

    try:
        found, error = attempt(find)
        table = comm.gather_counts([0 if found is None else int(found[0].size), error is not None])
        if table[:, 1].any():
            raise_first(graph, error)
        done = run(graph, Deletion(route(graph, *found))) if table[:, 0].any() else UpdateResult()
    except BaseException:
        if taken is not None:
            taken.restore()
        raise
    if taken is not None:
        taken.commit()
    return done


def latest_time(graph: BasePart) -> int | None:
    """The greatest time of the edges of all partitions, or None if there are none."""
    last, error = attempt(lambda: graph.local.payload.table.latest_time())
    table = graph.comm.gather_counts([error is not None, last is not None, last or 0])
    if table[:, 0].any():
        raise_first(graph, error)
    known = table[table[:, 1] > 0, 2]
    return int(known.max()) if known.size else None


def _expired(graph: BasePart, taken: Any, before: int) -> tuple[Any, Any]:
    """The edges of log entries whose current time is less than `before`, some of them several times."""
    local, xp = graph.local, graph.xp
    if taken is None:
        return xp.empty(0, graph.vertex_dtype), xp.empty(0, graph.vertex_dtype)
    data, ids = local.payload.table, taken.ids()
    src, dst = xp.empty(ids.size, graph.vertex_dtype), xp.empty(ids.size, graph.vertex_dtype)
    data.times.kernels.keep_expired(int(ids.size), ids, *data.times.ends, data.columns[TIME], before, False, src, dst)
    keep = xp.flatnonzero(src >= 0 if graph.directed else (src >= 0) & (src < dst))
    return src[keep], dst[keep]
