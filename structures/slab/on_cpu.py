"""Planning of tables on the CPU, by NumPy. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.runtime import fill_with

from .cpu import ALL
from .cpu_slabs import BASE, BUCKETS, COUNTERS, DEFERRED, DEGREE, EMPTY, FOUND, PENDING, TOMBSTONES
from .layout import DUPLICATE_ENTRIES, SMALL_TO_RESOLVE, Crowding, Layout

SMALL_ARCS = 1 << 15  # fewer are worked on as they come
DUPLICATES = "duplicates", 3 * DUPLICATE_ENTRIES, np.int64, EMPTY
"""The table of few duplicates, as it is between batches, and the list of its entries behind it."""
PART, MAX_PARTS = 1 << 10, 1 << 8  # arcs of a part, on average, unless there would be too many parts


def insert(store: Any, arcs: Arcs, *, resolving: bool) -> tuple[Any, list[int]]:
    """Insert a batch, after a check, a large one part by part (`cpu`). Returns the slots of its arcs, and the counters.

    With `resolving`, existing arcs get their new weights and are counted, unless some are deferred or too many exist.
    """
    arcs.check()
    count, kernels, scratch = arcs.size, store.kernels, workspace_of(store).scratch
    slots = scratch.get("slots", count, np.int64)
    if count >= SMALL_ARCS:
        _insert_parts(store, arcs, slots, resolving)
        return slots, store._counters.array.tolist()
    few = count <= SMALL_TO_RESOLVE
    store.reserve_for(count)
    table = recorded = None
    if resolving:
        table = scratch.get(*DUPLICATES)
        recorded = table[2 * DUPLICATE_ENTRIES :]
    duplicates = slots, table, DUPLICATE_ENTRIES if resolving else 0, recorded
    pool, weights = store._pool(), store.weights
    store._counters.reset()
    kernels.insert(
        count, pool, weights, None, ALL, arcs.src, arcs.dst, arcs.weights, store._chain_limit(count), *duplicates,
        few and resolving,
    )  # fmt: skip
    if resolving and not few:
        kernels.resolve_duplicates(count, pool, weights, arcs.weights, *duplicates, True)
    return slots, store._counters.array.tolist()


def clear_duplicates(store: Any) -> None:
    """Clear the table after an insertion that could not resolve it."""
    fill_with(workspace_of(store).scratch.get(*DUPLICATES), EMPTY)


def resolve(store: Any, arcs: Arcs, slots: Any, found: int) -> bool:
    """Nothing: `SlabStore._resolve` has a separate table for the rest of an insertion."""
    return False


def _insert_parts(store: Any, arcs: Arcs, slots: Any, resolving: bool) -> None:
    count = len(arcs)
    starts, order, tallies = _partition(store, arcs)
    parts = int(starts.size) - 1
    tickets = starts * store._slabs_for(count) // count + np.arange(parts + 1)
    table = workspace_of(store).scratch.get("found", 2 * count, np.int32) if resolving else None
    store._reserve(int(tickets[-1]))
    store._counters.reset()
    pool, kernels = store._pool(), store.kernels
    kernels.insert_parts(
        parts, pool, store.weights, starts, order, tickets, tallies, table, arcs.src, arcs.dst, arcs.weights,
        store._chain_limit(count), slots,
    )  # fmt: skip
    kernels.sum_up(parts, pool, tickets, tallies)
    counts = store._counters.array
    if resolving and store.weights is not None and counts[FOUND] and not counts[DEFERRED]:
        kernels.replace_parts(parts, starts, order, store.weights, arcs.weights, slots)


def erase(store: Any, arcs: Arcs, slots: Any) -> None:
    """Delete a batch, after a check. `slots`, if given, become the slots of deleted arcs, and -1 for the rest."""
    arcs.check()
    if len(arcs) < SMALL_ARCS:
        store._counters.reset()
        store.kernels.erase(len(arcs), store._pool(), None, arcs.src, arcs.dst, None, slots)
    else:
        _erase_parts(store, arcs, slots)


def _erase_parts(store: Any, arcs: Arcs, slots: Any) -> None:
    starts, order, tallies = _partition(store, arcs)
    parts = int(starts.size) - 1
    store._counters.reset()
    store.kernels.erase_parts(parts, store._pool(), starts, order, tallies, arcs.src, arcs.dst, slots)
    store._counters.array[:] = tallies.sum(axis=0)


def _partition(store: Any, arcs: Arcs) -> tuple[Any, Any, Any]:
    """A batch divided into parts: their starts, the positions of their arcs, and their counters."""
    count = len(arcs)
    parts = min(count // PART, MAX_PARTS)
    starts, order = np.empty(parts + 1, np.int64), workspace_of(store).scratch.get("order", count, np.int32)
    store.kernels.partition(count, arcs.src, starts, order)
    return starts, order, np.zeros((parts, COUNTERS), np.int64)


def deferred_arcs(store: Any, arcs: Arcs, slots: Any, count: int) -> Any:
    """The positions of the `count` arcs that an insertion deferred."""
    return np.flatnonzero(slots == PENDING).astype(np.int32)


def crowding(store: Any, arcs: Arcs, positions: Any, moved: Any) -> Crowding:
    """The tables that the arcs at these positions overcrowd. Their vertices are marked in `moved`."""
    ids, coming = np.unique(arcs.src[positions], return_counts=True)
    records = store.records[ids].astype(np.int64)
    buckets, live, dead = records[:, BUCKETS], records[:, DEGREE], records[:, TOMBSTONES]
    fill = store.slab_words - 1
    crowded = live + dead + coming > 2 * store.load_factor * fill * buckets
    moved[ids[crowded]] = True
    bound = np.where(crowded, (live + coming) // fill, np.minimum(coming, buckets + coming // fill))
    return Crowding(ids[crowded], coming[crowded], int(bound.sum()))


def lay_out(store: Any, ids: Any) -> Layout:
    """The tables of these vertices (None: of all) as rows, and their chains as a list."""
    records = store.records[: store.num_vertices] if ids is None else store.records[ids]
    offsets, chain_offsets = np.zeros((2, records.shape[0] + 1), np.int64)
    np.cumsum(records[:, DEGREE], dtype=np.int64, out=offsets[1:])
    np.cumsum(np.where(records[:, BASE] >= 0, records[:, BUCKETS], 0), dtype=np.int64, out=chain_offsets[1:])
    tombstones = int(records[:, TOMBSTONES].sum(dtype=np.int64))
    return Layout(records, offsets, int(offsets[-1]), chain_offsets, int(chain_offsets[-1]), tombstones)


def plan_records(store: Any, offsets: Any, coming: Any, keys_each: float, first: int) -> tuple[Any, int, int]:
    """Records of tables for these rows and `coming` more keys, with base slabs from `first` on.

    Also returns the numbers of base slabs, and of rows without a table.
    """
    degrees = np.diff(offsets)
    buckets = np.ceil((degrees if coming is None else degrees + coming) / keys_each).astype(np.int64)
    ends = np.cumsum(buckets)
    rows, total = int(ends.size), int(ends[-1]) if ends.size else 0
    records = np.zeros((rows, 4), np.int32)
    with np.errstate(over="ignore"):  # too many slabs are refused by the caller
        records[:, BASE] = np.where(buckets > 0, first + ends - buckets, -1)
    records[:, BUCKETS] = np.maximum(buckets, 1)
    records[:, DEGREE] = degrees
    return records, total, rows - int(np.count_nonzero(buckets))


def count_overflow(store: Any, fill: Any) -> int:
    """The overflow slabs of buckets with so many keys each."""
    return int((np.maximum(fill - 1, 0) // (store.slab_words - 1)).sum(dtype=np.int64))


def store_records(store: Any, ids: Any, records: Any) -> None:
    """Set the records of these vertices. None sets the records of vertices without slabs."""
    store.records[ids] = store._empty_records(int(ids.size)) if records is None else records


def with_tombstones(store: Any) -> Any:
    """The vertices whose tables have tombstones."""
    return np.flatnonzero(store.records[: store.num_vertices, TOMBSTONES] > 0)
