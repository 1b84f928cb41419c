"""Deletions from graphs that store every record: records are unlinked from the lists of their edges.

Consecutive records of a list may be deleted. Each finds the first later one that stays by pointer jumping, in
logarithmically many rounds of the longest run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseDynamicGraph, BaseGraph
from frontier.core.batch import Arcs
from frontier.core.change import DELETE, Change
from frontier.core.sort import last_of_runs, sort_pairs
from frontier.core.updates import run

from .columns import COUNT, WEIGHT_COLUMN
from .ends import kept_ends
from .record_updates import Write, edge_arcs, notify, record_change, record_notifications
from .records import EDGE, FIRST, LAST, NEXT, PREVIOUS
from .results import RecordsResult
from .sums import run_bounds, run_of_each, sums_of_runs, sums_without_runs


def delete_edges_and_records(graph: BaseDynamicGraph, arcs: Arcs) -> RecordsResult:
    """Delete edges, of which some may be listed several times or absent, with all their records."""
    data: Any = graph.payload.table
    xp = graph.xp
    arcs = arcs.check()
    if not len(arcs) or not data.size:
        return RecordsResult()
    slots = graph.store.find(arcs.src, arcs.dst)
    found = xp.flatnonzero(slots >= 0)
    edges, order = sort_pairs(graph.device, graph.store.weights[slots[found]].astype(np.int64))
    last = last_of_runs(graph.device, edges)
    edges, found = edges[last].astype(graph.vertex_dtype), found[order[last]]
    if not edges.size:
        return RecordsResult()
    src, dst = arcs.src[found], arcs.dst[found]
    _, gone = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    data.records.reserve_free(int(gone.size))
    return _remover(graph, src, dst, edges, gone)()


def delete_records(graph: BaseDynamicGraph, ids: Any) -> RecordsResult:
    """Delete some records, of which none is listed twice, and the edges of which no record is left."""
    data: Any = graph.payload.table
    xp, records = graph.xp, data.records
    if not ids.size:
        return RecordsResult()
    records.reserve_free(int(ids.size))
    src, dst = kept_ends(graph)
    edges, order = sort_pairs(graph.device, records.columns[EDGE][ids].astype(np.int64))
    ids = ids[order]
    begins, ends = run_bounds(graph.device, edges)
    edges = edges[ends].astype(graph.vertex_dtype)
    left = data.columns[COUNT][edges] - (ends - begins + 1)
    goes = left == 0
    remains = ~goes[run_of_each(xp, begins, int(ids.size))]
    gone, changed = xp.flatnonzero(goes), xp.flatnonzero(~goes)
    remove = change = None
    if changed.size:
        change = _changer(graph, src, dst, edges[changed], left[changed], ids[xp.flatnonzero(remains)])
    if gone.size:
        at = edges[gone]
        remove = _remover(graph, src[at], dst[at], at, ids[xp.flatnonzero(~remains)])
    result = RecordsResult() if remove is None else remove()  # first, as the structure may run out of memory
    if change is not None:
        change()
    return RecordsResult(deleted=result.deleted, records_deleted=int(ids.size))


def _remover(graph: BaseDynamicGraph, src: Any, dst: Any, edges: Any, gone: Any) -> Callable[[], RecordsResult]:
    """Return a function that deletes edges, each listed once, with all records, and has capacity for their ids."""
    data: Any = graph.payload.table
    xp, records = graph.xp, data.records
    data.reserve_free(int(edges.size))
    arcs, none = edge_arcs(graph, src, dst), xp.full(gone.size, -1, graph.vertex_dtype)
    notifications = record_notifications(graph, gone)

    def commit(change: Change) -> None:
        data.release(edges)
        records.write(gone, {EDGE: none})
        records.release(gone)

    def remove() -> RecordsResult:
        notify(graph, "records_deleting", notifications)
        deleted = run(graph, Change(DELETE, arcs, commit=commit)).changed
        notify(graph, "records_deleted", notifications)
        copies = 1 if graph.directed else 2
        return RecordsResult(deleted=deleted // copies, records_deleted=int(gone.size))

    return remove


def _changer(graph: BaseDynamicGraph, src: Any, dst: Any, edges: Any, left: Any, gone: Any) -> Callable[[], None]:
    """Return a function that deletes records, listed edge by edge, of edges of which `left` records stay.

    It has space for their ids, and allocates only for observers, which see edges that change.
    """
    data: Any = graph.payload.table
    xp, records = graph.xp, data.records
    firsts, lasts = data.columns[FIRST][edges], data.columns[LAST][edges]
    sorted_gone, numbers = sort_pairs(graph.device, gone.astype(np.int64))
    writes = _unlinked(graph, edges, firsts, lasts, gone, sorted_gone, numbers)
    counting = firsts if data.times is not None and data.times.earliest else lasts
    columns = {name: records.columns[name][counting] for name in data.takes}
    columns |= {COUNT: left, FIRST: firsts, LAST: lasts}
    if data.weights is not None:
        columns[WEIGHT_COLUMN] = _sums_left(graph, edges, gone, sorted_gone)
    none = xp.full(gone.size, -1, graph.vertex_dtype)
    ends = src[edges], dst[edges]
    notifications = record_notifications(graph, gone)

    def commit(change: Change) -> None:
        data.write(edges, columns)
        for ids, values in writes:
            records.write(ids, values)
        records.write(gone, {EDGE: none})
        records.release(gone)

    nothing = src[:0], dst[:0]
    writing = record_change(graph, Arcs(*nothing, None), ends, nothing, ends, commit)

    def call() -> None:
        notify(graph, "records_deleting", notifications)
        run(graph, writing)
        notify(graph, "records_deleted", notifications)

    return call


def _unlinked(
    graph: BaseGraph, edges: Any, firsts: Any, lasts: Any, gone: Any, sorted_gone: Any, numbers: Any
) -> list[Write]:  # fmt: skip
    """The remaining links when records leave the lists of their edges, none of which becomes empty.

    `edges` ascend. `firsts` and `lasts`, the ends of their lists, are changed. `numbers` are the positions in `gone` of
    the ids in `sorted_gone`.
    """
    xp, columns = graph.xp, graph.payload.table.records.columns  # type: ignore[union-attr]
    places = xp.empty(gone.size, np.int64)  # the position in `gone` of each record's next one, or -1 if that stays
    following, preceding = columns[NEXT][gone], columns[PREVIOUS][gone]
    found = _places_in(xp, sorted_gone, following)
    places[:] = xp.where(found >= 0, numbers[xp.maximum(found, 0)], -1)
    open_ones = xp.flatnonzero(places >= 0)
    while open_ones.size:
        ahead = places[open_ones]
        following[open_ones], places[open_ones] = following[ahead], places[ahead]
        open_ones = open_ones[xp.flatnonzero(places[open_ones] >= 0)]
    heads = xp.flatnonzero(_places_in(xp, sorted_gone, preceding) < 0)  # the first of each run of such records
    left, right = preceding[heads], following[heads]
    lists = xp.searchsorted(edges, columns[EDGE][gone[heads]])
    at_begin, at_end = xp.flatnonzero(left < 0), xp.flatnonzero(right < 0)
    firsts[lists[at_begin]] = right[at_begin]
    lasts[lists[at_end]] = left[at_end]
    return [Write(left, {NEXT: right}), Write(right, {PREVIOUS: left})]


def _places_in(xp: Any, ascending: Any, ids: Any) -> Any:
    """The position of each id in an array that is not empty, or -1."""
    places = xp.minimum(xp.searchsorted(ascending, ids), ascending.size - 1)
    return xp.where(ascending[places] == ids, places, -1)


def _sums_left(graph: BaseGraph, edges: Any, gone: Any, sorted_gone: Any) -> Any:
    """The sums of the weights of the remaining records of edges. Floats are summed again, so no error accumulates."""
    data: Any = graph.payload.table
    xp = graph.xp
    if data.weights.dtype.kind == "i":
        bounds = run_bounds(graph.device, data.records.columns[EDGE][gone])
        weights = data.records.columns[WEIGHT_COLUMN][gone]
        return sums_without_runs(xp, data.weights[edges], weights, *bounds, WEIGHT_COLUMN, data.multi_edges)
    offsets, ids = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    stay = xp.flatnonzero(_places_in(xp, sorted_gone, ids) < 0)
    lists = xp.searchsorted(offsets, stay, side="right")
    weights = data.records.columns[WEIGHT_COLUMN][ids[stay]]
    return sums_of_runs(xp, weights, *run_bounds(graph.device, lists), WEIGHT_COLUMN, data.multi_edges)
