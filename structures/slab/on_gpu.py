"""Planning of tables on the GPU, by kernels of tables.cuh. `on_cpu` has the same functions.

CuPy would compile kernels of the same array expressions one by one, when a batch first makes a table grow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.sort import running_sums, tile_count, tile_launch

from .layout import Crowding, Layout

# Indices of the kernels' reports in `graph._tally` (``enum`` of tables.cuh).
DISTINCT, CROWDED, BOUND = range(3)
KEYS, CHAINS, DEAD = range(3)
SLABS, WITHOUT = range(2)
OVERFLOW = LISTED = 0
TALLY = 3


def insert(store: Any, arcs: Arcs, *, resolving: bool) -> tuple[Any, list[int]]:
    """See `on_cpu.insert`. Kernels check the batch, and an invalid one changes nothing."""
    slots = store.scratch.get("slots", arcs.size, np.int64)
    store._batch_launches().insert(store, arcs, slots, resolving=resolving)
    counts = store._counters.synchronize()
    arcs.check(waited=True)
    return slots, counts


def clear_duplicates(store: Any) -> None:
    store._batch_launches().clear()


def resolve(store: Any, arcs: Arcs, slots: Any, found: int) -> bool:
    """Resolve the duplicates of such a batch, unless `found` are too many for the table. The counters count them."""
    return store._batch_launches().resolve(store, arcs, slots, found)


def erase(store: Any, arcs: Arcs, slots: Any) -> None:
    """Delete a batch, which kernels check. See `on_cpu.erase`."""
    store._batch_launches().erase(store, arcs, slots)


def deferred_arcs(store: Any, arcs: Arcs, slots: Any, count: int) -> Any:
    positions = store.xp.empty(count, np.int64)
    store._tally.reset()
    store.kernels.list_deferred(len(arcs), slots, positions, store._tally.array)
    return positions


def crowding(store: Any, arcs: Arcs, positions: Any, moved: Any) -> Crowding:
    xp, tally = store.xp, store._tally
    size = int(positions.size)
    coming = xp.zeros(store.num_vertices, np.int32)
    ids, crowded, keys = xp.empty(size, np.int64), xp.empty(size, np.int64), xp.empty(size, np.int32)
    tally.reset()
    store.kernels.count_coming(size, positions, arcs.src, coming, ids, tally.array)
    most = 2 * store.load_factor * (store.slab_words - 1)
    store.kernels.find_crowded(size, ids, coming, store.records, most, moved, crowded, keys, tally.array)
    counts = tally.read()
    return Crowding(crowded[: counts[CROWDED]], keys[: counts[CROWDED]], counts[BOUND])


def lay_out(store: Any, ids: Any) -> Layout:
    xp, kernels, tally = store.xp, store.kernels, store._tally
    rows = store.num_vertices if ids is None else int(ids.size)
    key_sums, chain_sums = xp.empty(tile_count(rows), np.int64), xp.empty(tile_count(rows), np.int64)
    records = xp.empty((rows, 4), np.int32)
    offsets, chain_offsets = xp.zeros(rows + 1, np.int64), xp.zeros(rows + 1, np.int64)
    tally.reset()
    kernels.measure_tables(rows, ids, store.records, key_sums, chain_sums, **tile_launch(rows))
    _, summed = running_sums(store.device, kernels, key_sums)
    running_sums(store.device, kernels, chain_sums)
    kernels.lay_out_tables(
        rows, ids, store.records, key_sums, chain_sums, summed, records, offsets, chain_offsets, tally.array,
        **tile_launch(rows),
    )  # fmt: skip
    counts = tally.read()
    return Layout(records, offsets, counts[KEYS], chain_offsets, counts[CHAINS], counts[DEAD])


def plan_records(store: Any, offsets: Any, coming: Any, keys_each: float, first: int) -> tuple[Any, int, int]:
    xp, kernels, tally = store.xp, store.kernels, store._tally
    rows = int(offsets.size) - 1
    sums, records = xp.empty(tile_count(rows), np.int64), xp.empty((rows, 4), np.int32)
    tally.reset()
    kernels.measure_plan(rows, offsets, coming, keys_each, sums, **tile_launch(rows))
    _, summed = running_sums(store.device, kernels, sums)
    kernels.plan_tables(
        rows, offsets, coming, keys_each, sums, summed, first, records, tally.array, **tile_launch(rows)
    )  # fmt: skip
    counts = tally.read()
    return records, counts[SLABS], counts[WITHOUT]


def count_overflow(store: Any, fill: Any) -> int:
    store._tally.reset()
    store.kernels.count_overflow(int(fill.size), fill, store._tally.array)
    return store._tally.read()[OVERFLOW]


def store_records(store: Any, ids: Any, records: Any) -> None:
    store.kernels.store_records(int(ids.size), ids, records, store.records)


def with_tombstones(store: Any) -> Any:
    ids = store.xp.empty(store.num_vertices, np.int64)
    store._tally.reset()
    store.kernels.list_with_tombstones(store.num_vertices, store.records, ids, store._tally.array)
    return ids[: store._tally.read()[LISTED]]
