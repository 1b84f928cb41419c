"""Deleting the edges that are too old."""

from __future__ import annotations

from typing import Any

from frontier.core.base import BaseDynamicGraph
from frontier.core.batch import Arcs
from frontier.core.results import UpdateResult
from frontier.core.sort import last_of_runs
from frontier.operators.extract import sorted_edges
from frontier.runtime.memory import growable

from ..edge_data import RecordsResult, delete_arcs, delete_rows
from ..edge_data.record_deletion import delete_records
from ..times.arrivals import Arrivals
from ..times.column import TIME, TimeColumn


def expire_edges(graph: BaseDynamicGraph, before: int) -> UpdateResult:
    """Delete the edges, or records in a graph that stores them, with times less than `before`. The log survives a
    failure."""
    taken = logged_arrivals(graph).take(before)
    keeps = graph.multi_edges == "all"
    if taken is None:
        return RecordsResult() if keeps else UpdateResult()
    try:
        result = (_delete_expired_records if keeps else _delete_expired)(graph, taken.ids(), before)
    except BaseException:
        taken.restore()
        raise
    taken.commit()
    return result


def logged_arrivals(graph: BaseDynamicGraph) -> Arrivals:
    """The log of a graph with times, which is made from its edges, or records, if there is none."""
    data: Any = graph.payload.table
    times: TimeColumn = data.times
    if times.arrivals is None and data.records is not None:
        arrivals = Arrivals(graph.device, times.kernels)
        ids = data.records.used_ids()
        arrivals.append(ids, data.records.columns[TIME][ids])
        times.start(arrivals)
        return arrivals
    if times.arrivals is None:
        arrivals = Arrivals(graph.device, times.kernels)
        src_of, dst_of = (growable.empty(graph.device, data.capacity, graph.vertex_dtype) for _ in range(2))
        if graph.num_edges:
            src, dst, ids = sorted_edges(graph)
            times.kernels.remember(int(ids.size), ids, src, dst, src_of, dst_of)
            arrivals.append(ids, data.columns[TIME][ids])
        times.start(arrivals, (src_of, dst_of))
        return arrivals
    return times.arrivals


def _delete_expired_records(graph: BaseDynamicGraph, ids: Any, before: int) -> UpdateResult:
    """Delete the records among `ids` that are still in the graph with a time less than `before`."""
    records: Any = graph.payload.table.records  # type: ignore[union-attr]
    ids = ids[graph.xp.flatnonzero(records.is_used(ids) & (records.columns[TIME][ids] < before))]
    ids.sort()  # an id that was used again may be there twice
    return delete_records(graph, ids[last_of_runs(graph.device, ids)])


def _delete_expired(graph: BaseDynamicGraph, ids: Any, before: int) -> UpdateResult:
    """Delete the edges among `ids` that are still in the graph with a time less than `before`."""
    data: Any = graph.payload.table
    xp, count = graph.xp, int(ids.size)
    both = graph.store.supports_insert_and_find and not graph.directed
    total = 2 * count if both else count
    src, dst = xp.empty(total, graph.vertex_dtype), xp.empty(total, graph.vertex_dtype)
    data.times.kernels.keep_expired(count, ids, *data.times.ends, data.columns[TIME], before, both, src, dst)
    arcs = Arcs(src, dst, None)
    return UpdateResult.of_arcs(
        graph.directed, 0, 0, (delete_arcs if graph.store.supports_insert_and_find else delete_rows)(graph, arcs)
    )
