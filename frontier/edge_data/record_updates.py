"""Updates of graphs that keep every record: the records of a batch are linked to those of their edges, and unlinked.

The structure holds each edge once, as in any graph, and its columns say of an edge what they do with ``multi="sum"``.
All that an update will write is worked out before anything changes: what follows allocates nothing and cannot fail.

Records that are to be deleted may follow each other in the list of their edge. Each finds the first after it that stays
by pointer jumping, in as many rounds as the logarithm of the longest such run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..batch import Arcs
from ..sort import last_of_runs, row_ids, sort_pairs
from ..temporal import TIME
from .columns import COUNT, WEIGHT_COLUMN
from .ends import kept_ends
from .records import EDGE, FIRST, LAST, NEXT, PREVIOUS, Records
from .results import RecordsResult
from .sums import Runs, add_held, edge_runs, run_bounds, summed_rows, sums_of_runs, sums_without_runs
from .updates import Rows

if TYPE_CHECKING:
    from ..dynamic import DynamicGraph
    from ..graph import Graph


class Write(NamedTuple):
    """Values of records that are to be written: those of some columns, at some ids."""

    ids: Any
    values: dict[str, Any]


class Insertion(NamedTuple):
    """A batch of records, worked out.

    Attributes
    ----------
    src, dst : arrays
        The ends of the edges of the batch, each once.
    edges : array of the graph's vertex dtype
        Their ids.
    columns : dict of str to array
        What their columns will hold.
    present, fresh : arrays of int64
        The places of those that are there, and of those that are new.
    batch_ids : array of int64
        The id of each record of the batch; -1 for those that are dropped.
    writes : list of Write
    size : int
        Number of records.
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


# ---- insertion ------------------------------------------------------------------------------------------------------


def insert_records(graph: DynamicGraph, rows: Rows) -> RecordsResult:
    """Insert a batch of records."""
    data: Any = graph._edge_data
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

    def commit() -> None:
        if len(arcs):  # the structure has the others
            graph._insert_arcs(arcs, distinct=graph._tells_slots)
        _commit(data, plan)
        if data.times is not None:
            data.times.log(logged, log_ids, data.records.size)

    _notifying(graph, (plan.src, plan.dst), new, there)(commit)
    inserted, replaced = int(plan.fresh.size), int(plan.present.size)
    return RecordsResult(inserted, replaced, records_inserted=plan.size, record_ids=plan.batch_ids)


def build_records(graph: Graph, rows: Rows) -> None:
    """Fill an empty graph."""
    plan = _planned(graph, rows, find=False)
    graph._load(edge_arcs(graph, plan.src, plan.dst, plan.edges))
    _commit(graph._edge_data, plan)


def _commit(data: Any, plan: Insertion) -> None:
    """Write what was worked out; the structure has the edges."""
    records: Records = data.records
    data.take(int(plan.fresh.size))
    data.write(plan.edges, plan.columns)
    records.take(plan.size)
    for ids, values in plan.writes:
        records.write(ids, values)
    if records.ends is not None:
        for values, ends in zip((plan.src, plan.dst), records.ends, strict=True):
            records.store(plan.edges, values, ends)


def _planned(graph: Graph, rows: Rows, *, find: bool) -> Insertion:
    """Work out the insertion of a batch; `find` is False if the graph is empty."""
    data: Any = graph._edge_data
    xp, records, dtype = graph.xp, data.records, graph.vertex_dtype
    runs = edge_runs(graph, rows)
    size, batch_ids = int(runs.order.size), xp.full(len(rows.arcs), -1, np.int64)
    summed = summed_rows(graph, rows, runs)
    columns = summed.columns
    columns[COUNT] = runs.ends - runs.begins + 1
    src, dst = summed.arcs.src, summed.arcs.dst
    if not graph.directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    slots = graph._find(src, dst) if find and size else xp.full(src.size, -1, np.int64)
    present, fresh = xp.flatnonzero(slots >= 0), xp.flatnonzero(slots < 0)
    held = graph._weights[slots[present]] if present.size else xp.empty(0, dtype)
    _reserve(graph, size, int(fresh.size))
    add_held(graph, columns, present, held)
    edges = xp.empty(src.size, dtype)
    edges[present], edges[fresh] = held, data.next_ids(int(fresh.size))
    batch_ids[xp.flatnonzero(rows.arcs.src >= 0)] = records.next_ids(size)  # ids ascend as records were listed
    ids = batch_ids[runs.order].astype(dtype)
    columns[FIRST], columns[LAST] = ids[runs.begins], ids[runs.ends]
    values = {name: rows.columns[name][runs.order] for name in records.given}
    values[EDGE] = edges[_run_of_each(xp, runs)]
    values[NEXT], values[PREVIOUS] = _linked(xp, ids, runs.begins, runs.ends)
    writes = [Write(ids, values)]
    if present.size:
        times = values.get(TIME) if data.times is not None else None
        writes += _joined(graph, runs, present, held, ids, times, values, columns)
    return Insertion(src, dst, edges, columns, present, fresh, batch_ids, writes, size)


def _reserve(graph: Graph, size: int, fresh: int) -> None:
    """Have room for so many records, and so many new edges."""
    data: Any = graph._edge_data
    data.records.reserve(size)
    try:
        data.reserve(fresh)
    finally:
        graph._columns_moved()
    data.records.reserve_ends(data.capacity)


def _run_of_each(xp: Any, runs: Runs) -> Any:
    """The number of the run that each place is in."""
    starts = xp.zeros(runs.order.size, np.int64)
    starts[runs.begins[1:]] = 1
    return xp.cumsum(starts)


def _linked(xp: Any, ids: Any, begins: Any, ends: Any) -> tuple[Any, Any]:
    """The links to the next and to the previous record, for lists that lie one after another."""
    following, preceding = xp.full(ids.size, -1, ids.dtype), xp.full(ids.size, -1, ids.dtype)
    following[:-1], preceding[1:] = ids[1:], ids[:-1]
    following[ends], preceding[begins] = -1, -1
    return following, preceding


def _joined(
    graph: Graph, runs: Runs, present: Any, held: Any, ids: Any, times: Any, values: dict[str, Any],
    columns: dict[str, Any],
) -> list[Write]:  # fmt: skip
    """Join the lists of a batch with those of the edges that are there; returns what else is to be written.

    Lists that begin before the last record that is there are merged with the records that are later.

    Parameters
    ----------
    present, held : arrays
        The numbers of runs whose edges are there, and the ids of these.
    ids, times : arrays
        Of records, in the order of `runs`; times is None where there are none.
    values, columns : dict of str to array
        Of records and of edges; the links in them are changed.
    """
    data: Any = graph._edge_data
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
    news = xp.arange(of_news.size) + (places - offsets[:-1])[of_news]  # the places of the records to be merged in
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


def _notifying(graph: DynamicGraph, listed: Any, new: Any, there: Any) -> Callable[[Callable[[], None]], None]:
    """What calls a function that changes edges, and notifies observers, who allocate memory at most.

    Parameters
    ----------
    listed, new, there : pairs of arrays
        The ends of edges, each once: of those that change, of the new ones among them, and of the others.
    """
    observers = graph._live_observers()
    if not all(observer.exact for observer in observers):
        arcs = edge_arcs(graph, *listed)
        listed = arcs.src, arcs.dst
    changes = [(observer, there) for observer in observers if observer.exact and observer.sees_changes]
    inserted = [(observer, new if observer.exact else listed) for observer in observers]

    def call(change: Callable[[], None]) -> None:
        graph._observers.tell("edges_changing", changes)
        with graph._access.changing():
            change()
            graph.version += 1
        graph._observers.tell("edges_inserted", inserted)
        graph._observers.tell("edges_changed", changes)

    return call


def edge_arcs(graph: Graph, src: Any, dst: Any, ids: Any = None) -> Arcs:
    """The arcs of edges, each of which is listed once, with their ids as weights."""
    if graph.directed:
        return Arcs(src, dst, ids)
    both = graph.xp.concatenate([src, dst]), graph.xp.concatenate([dst, src])
    return Arcs(*both, None if ids is None else graph.xp.concatenate([ids, ids]))


# ---- deletion -------------------------------------------------------------------------------------------------------


def delete_edges(graph: DynamicGraph, arcs: Arcs) -> RecordsResult:
    """Delete edges, of which some may be listed several times or absent, with all their records."""
    data: Any = graph._edge_data
    xp = graph.xp
    arcs = arcs.check()
    if not len(arcs) or not data.size:
        return RecordsResult()
    slots = graph._find(arcs.src, arcs.dst)
    found = xp.flatnonzero(slots >= 0)
    edges, order = sort_pairs(graph.device, graph._weights[slots[found]].astype(np.int64))
    last = last_of_runs(graph.device, edges)
    edges, found = edges[last].astype(graph.vertex_dtype), found[order[last]]
    if not edges.size:
        return RecordsResult()
    src, dst = arcs.src[found], arcs.dst[found]
    _, gone = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    data.records.reserve_free(int(gone.size))
    return _remover(graph, src, dst, edges, gone)()


def delete_records(graph: DynamicGraph, ids: Any) -> RecordsResult:
    """Delete some records, of which none is listed twice, and the edges of which no record is left."""
    data: Any = graph._edge_data
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
    remains = ~goes[_run_of_each(xp, Runs(ids, begins, ends))]
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


def _remover(graph: DynamicGraph, src: Any, dst: Any, edges: Any, gone: Any) -> Callable[[], RecordsResult]:
    """What deletes edges, each listed once, with all their records, for whose ids there is room."""
    data: Any = graph._edge_data
    xp, records = graph.xp, data.records
    data.reserve_free(int(edges.size))
    arcs, none = edge_arcs(graph, src, dst), xp.full(gone.size, -1, graph.vertex_dtype)

    def commit(deleted: int) -> None:
        data.release(edges)
        records.write(gone, {EDGE: none})
        records.release(gone)

    def remove() -> RecordsResult:
        deleted = graph._delete_observed(arcs, commit)
        copies = 1 if graph.directed else 2
        return RecordsResult(deleted=deleted // copies, records_deleted=int(gone.size))

    return remove


def _changer(graph: DynamicGraph, src: Any, dst: Any, edges: Any, left: Any, gone: Any) -> Callable[[], None]:
    """What deletes records, listed edge by edge, of edges that keep others, which are `left` so many.

    There is room for their ids. It allocates nothing but what observers do, who see a batch that changes edges and
    inserts none.
    """
    data: Any = graph._edge_data
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
    notify = _notifying(graph, ends, (src[:0], dst[:0]), ends)

    def change() -> None:
        data.write(edges, columns)
        for ids, values in writes:
            records.write(ids, values)
        records.write(gone, {EDGE: none})
        records.release(gone)

    return partial(notify, change)


def _unlinked(
    graph: Graph, edges: Any, firsts: Any, lasts: Any, gone: Any, sorted_gone: Any, numbers: Any
) -> list[Write]:  # fmt: skip
    """The links that remain when records are taken out of the lists of their edges.

    Parameters
    ----------
    edges : array
        Ascending; each keeps a record.
    firsts, lasts : arrays
        The ends of their lists, which are changed.
    gone : array
        Ids of the records.
    sorted_gone, numbers : arrays
        The same in ascending order, and their places in `gone`.
    """
    xp, columns = graph.xp, graph._edge_data.records.columns  # type: ignore[union-attr]
    places = xp.empty(gone.size, np.int64)  # of each record's next one in `gone`; -1 if that stays
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
    """The place of each id in an array that is not empty, or -1."""
    places = xp.minimum(xp.searchsorted(ascending, ids), ascending.size - 1)
    return xp.where(ascending[places] == ids, places, -1)


def _sums_left(graph: Graph, edges: Any, gone: Any, sorted_gone: Any) -> Any:
    """The sums of the weights of the records that edges keep; of floats summed again, so that no error adds up."""
    data: Any = graph._edge_data
    xp = graph.xp
    if data.weights.dtype.kind == "i":
        bounds = run_bounds(graph.device, data.records.columns[EDGE][gone])
        weights = data.records.columns[WEIGHT_COLUMN][gone]
        return sums_without_runs(xp, data.weights[edges], weights, *bounds, WEIGHT_COLUMN, data.multi)
    offsets, ids = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    stay = xp.flatnonzero(_places_in(xp, sorted_gone, ids) < 0)
    lists = xp.searchsorted(offsets, stay, side="right")
    weights = data.records.columns[WEIGHT_COLUMN][ids[stay]]
    return sums_of_runs(xp, weights, *run_bounds(graph.device, lists), WEIGHT_COLUMN, data.multi)
