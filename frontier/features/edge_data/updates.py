"""Updates of graphs with edge data: ids for the edges of a batch, the arcs that carry them, and the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from frontier.core.added_weights import add_weights
from frontier.core.base import BaseDynamicGraph, BaseGraph
from frontier.core.batch import Arcs
from frontier.core.change import DELETE, INSERT, Change
from frontier.core.component import columns_moved
from frontier.core.locking import workspace_of
from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.core.updates import run
from frontier.runtime.arrays import same_length

from ..times import TIME
from .columns import COUNT, WEIGHT_COLUMN
from .cpu import FREE


class Rows(NamedTuple):
    """The rows of a batch: an arc for each, as in a directed graph, and columns, with weights if there are any."""

    arcs: Arcs
    columns: dict[str, Any]


class Last(NamedTuple):
    """The rows of a batch that count: the last of each edge, or the one that its time selects. Int64 scratch memory.

    `slots` has the slot of each row's edge, -1 if absent. `places` has the entries in `table` of rows that count,
    which must be reset to FREE, and -1 for all further rows. `sums` are the `running_sums` of rows whose edges
    are, or are not, present.
    """

    slots: Any
    places: Any
    table: Any
    sums: tuple[Any, bool]


def make_rows(
    graph: BaseGraph, src: Any, dst: Any, weights: Any, data: Mapping[str, Any], function: str = "insert_edges"
) -> Rows:  # fmt: skip
    """A user's batch, whose values are not checked yet (`Arcs.check`)."""
    columns = graph.payload.table.rows(data, function)  # type: ignore[union-attr]
    arcs = graph.store.make_arcs(src, dst, weights, directed=True, weighted=True)
    if graph.multi_edges == "sum":  # a row counts once unless it has a count
        columns.setdefault(COUNT, graph.xp.ones(len(arcs), np.int64))
        if columns[COUNT].size and int(columns[COUNT].min()) < 1:
            raise ValueError("count must contain numbers of records, of at least 1")
    same_length(src=arcs.src, **columns)
    return Rows(arcs, with_weights(arcs, columns))


def with_weights(arcs: Arcs, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of the rows of arcs, with the weights of these if there are any."""
    return dict(columns) if arcs.weights is None else {WEIGHT_COLUMN: arcs.weights, **columns}


def insert_rows(graph: BaseDynamicGraph, rows: Rows, *, keep: bool = False, timed: bool = True) -> tuple[int, int]:
    """Insert rows, and return the number of new arcs, and of existing ones that are replaced.

    With `keep`, existing edges retain their values. With `timed` and times, they do if their time counts.
    """
    if not len(rows.arcs):
        return 0, 0
    data: Any = graph.payload.table
    copies = 1 if graph.directed else 2
    distinct = graph.store.supports_insert_and_find
    if distinct:
        data.reserve_free(len(rows.arcs))
    arcs, ids, found_before = _identified(graph, rows, find=not distinct, keep=keep)
    times, columns = data.times, dict(rows.columns)
    given = None if times is None else columns.pop(TIME)
    logged = None if times is None else times.entry(given, data.capacity, filled=False)

    def commit(change: Change) -> None:
        inserted, found, slots = change.changed, change.found, change.slots
        if slots is None:
            data.take(inserted // copies)
        else:
            data.take((inserted + found) // copies)
            if found:
                _settle(graph, ids, slots, found // copies, keep)
        if times is not None:
            known = {"slots": found_before} if slots is None else {"slots": slots, "step": copies, "tagged": True}
            drops = bool(found) and timed and not keep
            src, dst = rows.arcs.src, rows.arcs.dst
            times.store(ids, src, dst, given, data.columns[TIME], logged, **known, drops=drops)
        data.write(ids, columns)
        if times is not None:
            times.log(logged, ids, graph.num_edges)
            data.note_replaced(rows.arcs.src, inserted // copies, rows.columns)

    done = run(graph, Change(INSERT, arcs, finds=distinct, replaces=not keep, commit=commit))
    return done.changed, 0 if keep else done.found


def build_rows(graph: BaseGraph, rows: Rows) -> None:
    """Fill an empty graph."""
    data: Any = graph.payload.table
    arcs, ids, _ = _identified(graph, rows, find=False, keep=False)
    graph.store.load(arcs)
    data.take(graph.num_edges)
    data.write(ids, rows.columns)
    data.note_replaced(rows.arcs.src, graph.num_edges, rows.columns)


def _settle(graph: BaseGraph, ids: Any, slots: Any, found: int, keep: bool) -> None:
    """Give rows whose edges were found, by slots of arcs, the edges' ids, and free the ids meant for them."""
    data: Any = graph.payload.table
    count = int(ids.size)
    sums = workspace_of(graph).scratch.get("record_sums", tile_count(count), np.int64)
    launch = tile_launch(count)
    data.kernels.count_found(count, graph.directed, slots, sums, **launch)
    data.kernels.settle_ids(
        count, graph.directed, slots, graph.store.weights, *running_sums(graph.device, data.kernels, sums), keep,
        data.free_ids, data.free_count, data.sources, ids, **launch,
    )  # fmt: skip
    data.give_back(found)


def delete_rows(graph: BaseDynamicGraph, arcs: Arcs, notifications: Any = None) -> int:
    """Delete the edges of rows, and return the number of deleted arcs. For `notifications` see `Change`."""
    data: Any = graph.payload.table
    xp, count = graph.xp, len(arcs)
    data.reserve_free(count)
    total = count if graph.directed else 2 * count
    src, dst = xp.empty(total, graph.vertex_dtype), xp.empty(total, graph.vertex_dtype)
    last = _last_of_each(graph, Rows(arcs, {}), find=True, present=True)
    data.kernels.list_ids(
        count, arcs.src, arcs.dst, last.slots, graph.store.weights, last.places, *last.sums, last.table, data.free_ids,
        data.free_count, graph.directed, src, dst, **tile_launch(count),
    )  # fmt: skip

    def commit(change: Change) -> None:
        freed = change.changed if graph.directed else change.changed // 2
        if data.sources.size:
            data.kernels.free_listed(freed, data.free_ids, data.free_count, data.sources)
        data.give_back(freed)

    change = Change(DELETE, _with_checks(arcs, src, dst), notifications=notifications, commit=commit)
    return run(graph, change).changed


def delete_arcs(graph: BaseDynamicGraph, arcs: Arcs, notifications: Any = None) -> int:
    """Delete arcs, both directions of undirected edges, of a structure that finds them. Return how many existed."""
    data: Any = graph.payload.table
    count = len(arcs)
    data.reserve_free(count)
    sums = workspace_of(graph).scratch.get("record_sums", tile_count(count), np.int64)

    def commit(change: Change) -> None:
        deleted, ids = change.changed, change.slots
        if not deleted:
            return
        launch = tile_launch(count)
        data.kernels.count_deleted(count, arcs.src, arcs.dst, graph.directed, ids, sums, **launch)
        data.kernels.free_deleted(
            count, arcs.src, arcs.dst, graph.directed, ids, *running_sums(graph.device, data.kernels, sums),
            data.free_ids, data.free_count, data.sources, **launch,
        )  # fmt: skip
        data.give_back(deleted if graph.directed else deleted // 2)

    return run(graph, Change(DELETE, arcs, finds=True, notifications=notifications, commit=commit)).changed


def appended_rows(graph: BaseGraph, rows: Rows) -> tuple[Rows, Arcs]:
    """One row, with its new values, for each edge of a batch whose sum with the weight in the graph is positive.
    The arcs of edges that leave the graph are returned separately."""
    data: Any = graph.payload.table
    xp = graph.xp
    arcs = rows.arcs.check()
    last = _last_of_each(graph, rows, find=True, present=False)
    try:
        chosen = xp.flatnonzero(last.places >= 0)
    finally:
        last.table.fill(FREE)
    slots = last.slots[chosen]
    src, dst = arcs.src[chosen], arcs.dst[chosen]
    columns = {name: values[chosen] for name, values in rows.columns.items()}
    weights = columns[WEIGHT_COLUMN]
    present = xp.flatnonzero(slots >= 0)
    held_ids = graph.store.weights[slots[present]]
    weights[present] = add_weights(graph, weights[present], data.weights[held_ids], copies=1)
    if data.times is not None:  # edges whose own time counts retain it, and all but their weight
        outdated = xp.flatnonzero(data.times.outdated(data.columns[TIME][held_ids], columns[TIME][present]))
        for name in data.names:
            columns[name][present[outdated]] = data.columns[name][held_ids[outdated]]
    stay = xp.flatnonzero(weights > 0)
    gone = xp.flatnonzero(~(weights > 0) & (slots >= 0))
    staying = Rows(Arcs(src[stay], dst[stay], None), {name: values[stay] for name, values in columns.items()})
    return staying, Arcs(src[gone], dst[gone], None)


def _identified(graph: BaseGraph, rows: Rows, *, find: bool, keep: bool) -> tuple[Arcs, Any, Any]:
    """The arcs of rows that count, with their edges' ids as weights, each row's id or -1, and slots, if looked up.

    The ids of new edges are the ones that `EdgeData.take` returns next.
    """
    data: Any = graph.payload.table
    records = rows.arcs
    xp, count = graph.xp, len(records)
    try:
        data.reserve(count)
    finally:
        columns_moved(graph)
    total = count if graph.directed else 2 * count
    src, dst, stored = (xp.empty(total, graph.vertex_dtype) for _ in range(3))
    ids = xp.empty(count, graph.vertex_dtype)
    last = _last_of_each(graph, rows, find=find, present=False)
    data.kernels.assign_ids(
        count, records.src, records.dst, last.slots, graph.store.weights, last.places, *last.sums, last.table, keep,
        data.free_ids, data.free_count, data.top, graph.directed, src, dst, stored, ids, **tile_launch(count),
    )  # fmt: skip
    return _with_checks(records, src, dst, stored), ids, last.slots


def _last_of_each(graph: BaseGraph, rows: Rows, *, find: bool, present: bool) -> Last:
    """The row of each edge that counts: the last, or the one selected by times.

    The next call must reset the table to FREE, before any allocation. Without `find`, for an empty graph or a structure
    that finds slots, no edge counts as present. `sums` count present edges if `present`, else absent ones.
    """
    records, data, scratch = rows.arcs, graph.payload.table, workspace_of(graph).scratch.get
    count, kernels = len(records), data.kernels  # type: ignore[union-attr]
    times, earliest = data.counting_times(rows.columns)  # type: ignore[union-attr]
    places = scratch("record_places", count, np.int64)
    sums = scratch("record_sums", tile_count(count), np.int64)
    entries = 1 << (2 * max(count, 1) - 1).bit_length()
    table = scratch("record_table", entries, np.int64, fill=FREE)
    slots = graph.store.find(records.src, records.dst) if find else scratch("no_slots", count, np.int64, fill=-1)
    kernels.claim_last(count, records.src, records.dst, graph.directed, times, earliest, table, entries, places)
    kernels.keep_last(count, places, table, slots, present, sums, **tile_launch(count))
    return Last(slots, places, table, running_sums(graph.device, kernels, sums))


def _with_checks(records: Arcs, src: Any, dst: Any, stored: Any = None) -> Arcs:
    """Arcs that are checked when the rows are from which they were made."""

    def check(waited: bool) -> None:
        records.check(waited=waited)

    return Arcs(src, dst, stored, check, records.error_counts)
