"""Insertions into graphs that store every record: a batch's records are linked to earlier ones of their edges.

The structure stores each edge once, with columns as with ``multi_edges="sum"``, and receives only the new edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseDynamicGraph, BaseGraph
from frontier.core.change import Change
from frontier.core.component import columns_moved
from frontier.core.sort import row_ids
from frontier.core.updates import run

from ..times import TIME
from .columns import COUNT
from .record_updates import Write, edge_arcs, notify, record_change, record_notifications
from .records import EDGE, FIRST, LAST, NEXT, PREVIOUS, RecordTable
from .results import RecordsResult
from .sums import Runs, add_held, edge_runs, run_bounds, run_of_each, summed_rows
from .updates import Rows


class Insertion(NamedTuple):
    """A resolved batch of records: each edge once, with its ends, its id in `edges`, and its future `columns`.

    `present` and `fresh` are the positions of existing and of new edges. `batch_ids` has the id of each record of the
    batch, -1 for dropped ones. `size` counts records. Positions and ids of records are int64.
    """

    src: Any
    dst: Any
    edges: Any
    columns: dict[str, Any]
    present: Any
    fresh: Any
    batch_ids: Any
    writes: list[Write]
    size: int


def insert_records(graph: BaseDynamicGraph, rows: Rows) -> RecordsResult:
    """Insert a batch of records."""
    data: Any = graph.payload.table
    plan = _planned(graph, rows, find=True)
    if not plan.size:
        return RecordsResult(record_ids=plan.batch_ids)
    kept = graph.xp.flatnonzero(plan.batch_ids >= 0)
    logged, log_ids = None, None
    if data.times is not None:
        times = rows.columns[TIME]
        logged = data.times.entry(times if kept.size == times.size else times[kept], data.capacity)
        log_ids = plan.batch_ids[kept].astype(graph.vertex_dtype)
    new, there = ((plan.src[places], plan.dst[places]) for places in (plan.fresh, plan.present))
    arcs = edge_arcs(graph, *new, plan.edges[plan.fresh])

    def commit(change: Change) -> None:
        _commit(data, plan)
        if data.times is not None:
            data.times.log(logged, log_ids, data.records.size)

    notifications = record_notifications(graph, plan.batch_ids[kept], (rows.arcs.src[kept], rows.arcs.dst[kept]))
    run(graph, record_change(graph, arcs, (plan.src, plan.dst), new, there, commit))
    notify(graph, "records_inserted", notifications)
    inserted, replaced = int(plan.fresh.size), int(plan.present.size)
    return RecordsResult(inserted, replaced, records_inserted=plan.size, record_ids=plan.batch_ids)


def build_records(graph: BaseGraph, rows: Rows) -> None:
    """Fill an empty graph."""
    plan = _planned(graph, rows, find=False)
    graph.store.load(edge_arcs(graph, plan.src, plan.dst, plan.edges))
    _commit(graph.payload.table, plan)


def _commit(data: Any, plan: Insertion) -> None:
    """Write a planned insertion. The structure has the edges."""
    records: RecordTable = data.records
    data.take(int(plan.fresh.size))
    data.write(plan.edges, plan.columns)
    records.take(plan.size)
    for ids, values in plan.writes:
        records.write(ids, values)
    if records.ends is not None:
        for values, ends in zip((plan.src, plan.dst), records.ends, strict=True):
            records.store(plan.edges, values, ends)


def _planned(graph: BaseGraph, rows: Rows, *, find: bool) -> Insertion:
    """Plan the insertion of a batch. `find` is False if the graph is empty."""
    data: Any = graph.payload.table
    xp, records, dtype = graph.xp, data.records, graph.vertex_dtype
    runs = edge_runs(graph, rows)
    size, batch_ids = int(runs.order.size), xp.full(len(rows.arcs), -1, np.int64)
    summed = summed_rows(graph, rows, runs)
    columns = summed.columns
    columns[COUNT] = runs.ends - runs.begins + 1
    src, dst = summed.arcs.src, summed.arcs.dst
    if not graph.directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    slots = graph.store.find(src, dst) if find and size else xp.full(src.size, -1, np.int64)
    present, fresh = xp.flatnonzero(slots >= 0), xp.flatnonzero(slots < 0)
    held = graph.store.weights[slots[present]] if present.size else xp.empty(0, dtype)
    _reserve(graph, size, int(fresh.size))
    add_held(graph, columns, present, held)
    edges = xp.empty(src.size, dtype)
    edges[present], edges[fresh] = held, data.next_ids(int(fresh.size))
    batch_ids[xp.flatnonzero(rows.arcs.src >= 0)] = records.next_ids(size)  # ids ascend as records were listed
    ids = batch_ids[runs.order].astype(dtype)
    columns[FIRST], columns[LAST] = ids[runs.begins], ids[runs.ends]
    values = {name: rows.columns[name][runs.order] for name in records.given}
    values[EDGE] = edges[run_of_each(xp, runs.begins, size)]
    values[NEXT], values[PREVIOUS] = _linked(xp, ids, runs.begins, runs.ends)
    writes = [Write(ids, values)]
    if present.size:
        times = values.get(TIME) if data.times is not None else None
        writes += _joined(graph, runs, present, held, ids, times, values, columns)
    return Insertion(src, dst, edges, columns, present, fresh, batch_ids, writes, size)


def _reserve(graph: BaseGraph, size: int, fresh: int) -> None:
    """Reserve capacity for `size` records, and `fresh` new edges."""
    data: Any = graph.payload.table
    data.records.reserve(size)
    try:
        data.reserve(fresh)
    finally:
        columns_moved(graph)
    data.records.reserve_ends(data.capacity)


def _linked(xp: Any, ids: Any, begins: Any, ends: Any) -> tuple[Any, Any]:
    """The links to the next and to the previous record, for lists that lie one after another."""
    following, preceding = xp.full(ids.size, -1, ids.dtype), xp.full(ids.size, -1, ids.dtype)
    following[:-1], preceding[1:] = ids[1:], ids[:-1]
    following[ends], preceding[begins] = -1, -1
    return following, preceding


def _joined(
    graph: BaseGraph, runs: Runs, present: Any, held: Any, ids: Any, times: Any, values: dict[str, Any],
    columns: dict[str, Any],
) -> list[Write]:  # fmt: skip
    """Join the lists of a batch with the lists of existing edges, and return the further writes.

    Lists that start before the last existing record are merged with the later records. `present` has the numbers of
    runs of existing edges, with the ids `held`. `ids`, `times` (or None) and `values` are of records in the order of
    `runs`, `columns` of edges. Links in both are changed.
    """
    data: Any = graph.payload.table
    xp, known = graph.xp, data.records.columns
    firsts, lasts = data.columns[FIRST][held], data.columns[LAST][held]
    columns[FIRST][present] = firsts
    begins = runs.begins[present]
    if times is None:
        values[PREVIOUS][begins] = lasts
        return [Write(lasts, {NEXT: ids[begins]})]
    is_late = known[TIME][lasts] > times[begins]
    on_time, late = xp.flatnonzero(~is_late), xp.flatnonzero(is_late)
    values[PREVIOUS][begins[on_time]] = lasts[on_time]
    writes = [Write(lasts[on_time], {NEXT: ids[begins[on_time]]})]
    if not late.size:
        return writes
    places = begins[late]
    befores, counts = lasts[late], xp.empty(late.size, np.int64)
    data.kernels.count_later(int(late.size), befores, known[PREVIOUS], known[TIME], times[places], counts)
    offsets, later = data.records.of(lasts[late], counts, PREVIOUS)
    later = later[::-1]  # oldest first
    of_later = row_ids(graph.device, offsets, np.dtype(np.int64))[::-1]
    offsets[0], offsets[1:] = 0, xp.cumsum(runs.ends[present[late]] - places + 1)
    of_news = row_ids(graph.device, offsets, np.dtype(np.int64))
    news = xp.arange(of_news.size) + (places - offsets[:-1])[of_news]  # the positions of the records to merge in
    merged, lists = xp.concatenate([later, ids[news]]), xp.concatenate([of_later, of_news])
    order = xp.argsort(xp.concatenate([known[TIME][later], times[news]]), kind="stable")  # of equal times, old first
    order = order[xp.argsort(lists[order], kind="stable")]
    merged, lists = merged[order], lists[order]
    heads, tails = run_bounds(graph.device, lists)
    following, preceding = _linked(xp, merged, heads, tails)
    preceding[heads] = befores
    columns[FIRST][present[late]] = xp.where(befores >= 0, columns[FIRST][present[late]], merged[heads])
    columns[LAST][present[late]] = merged[tails]
    return [*writes, Write(merged, {NEXT: following, PREVIOUS: preceding}), Write(befores, {NEXT: merged[heads]})]
