"""Updates of packed memory arrays on the GPU. `on_cpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.locking import workspace_of
from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.runtime import fill_with

from .layout import BLOCKS, DELETE, LARGE, LEAVES, STAGED, TILE_LEAVES, WARPS, Batch, Capacity, Rebalance

WARP_WINDOW, BLOCK_WINDOW, LARGE_WINDOW = 2, 16, 128  # leaves of the smallest windows of each size (see layout.cuh)
MAX_BLOCKS = 528  # that share the windows of a chain: four for each multiprocessor of a large GPU


def no_arrivals(store: Any) -> Any:
    """Two zeros for each leaf."""
    arriving = workspace_of(store).scratch.get("arriving", 2 * store.leaves, np.uint32)
    fill_with(arriving, 0)
    return arriving


def sums_of(store: Any, counts: Any = None, places: Any = None) -> Any:
    """Running sums of counts, or of the new arcs of a batch, as its places define them."""
    xp, kernels = store.xp, store.kernels
    size = int((places if counts is None else counts).size)
    wide = counts is not None and counts.dtype == np.int64
    values = (None if wide else counts, counts if wide else None, places)
    sums, out = xp.empty(tile_count(size), np.int64), xp.empty(size, np.int64)
    kernels.sum_tiles(size, *values, sums, **tile_launch(size))
    kernels.sum_up(size, *values, *running_sums(store.device, kernels, sums), out, **tile_launch(size))
    return out


def room_to_plan(store: Any, size: int) -> Rebalance:
    """Scratch memory for a plan in which at most `size` leaves change."""
    leaves, scratch = store.leaves, workspace_of(store).scratch.get
    tiles = -(-leaves // TILE_LEAVES)
    return Rebalance(
        scratch("leaf_windows", min(size, leaves), np.int64),
        scratch("warp_windows", min(size, leaves // WARP_WINDOW + 1), np.int64),
        scratch("block_windows", min(size, leaves // BLOCK_WINDOW + 1), np.int64),
        scratch("large_windows", 3 * min(size, leaves // LARGE_WINDOW + 2 + tiles), np.int64),
        scratch("tile_state", 2 * tiles, np.int32),
        scratch("tile_sums", tiles + 1, np.int64),
        scratch("tile_marks", 4 * tiles, np.int8),
    )


def room_to_move(store: Any, numbers: list[int], batch: Batch) -> Capacity:
    """Scratch memory for the large windows of a plan, and their sums."""
    if not numbers[LARGE]:
        return Capacity()
    scratch, staged = workspace_of(store).scratch.get, numbers[STAGED]
    return Capacity(
        store._ends(),
        None if batch.keys is None else sums_of(store, places=batch.places),
        scratch("staged_keys", staged, np.int64),
        None if store.stored_dtype is None else scratch("staged_weights", staged, store.stored_dtype),
    )


def no_batch(store: Any) -> Batch:
    return Batch()


def plan_tidying(store: Any, size: int, places: Any, arriving: Any) -> Rebalance | None:
    """Queue the plan of a deletion whose arcs have been cleared."""
    return store._plan(DELETE, size, places, arriving)


def move_windows(store: Any, plan: Rebalance, arriving: Any, batch: Batch, numbers: list[int] | None = None) -> None:
    """Rebalance the windows of up to 64 leaves; a chain, whose host knows no numbers, takes those in the counters."""
    view, kernels, counters = store._held_view(), store.kernels, store._counters.array
    for rebalance, kind, windows, tile in (
        (kernels.move_leaves, LEAVES, plan.leaves, 8),
        (kernels.move_warps, WARPS, plan.warps, 32),
        (kernels.move_blocks, BLOCKS, plan.blocks, None),
    ):
        if kind == LEAVES and batch.keys is None:  # deletions rebalance no single leaves
            continue
        count, counted = (int(windows.size), counters[kind:]) if numbers is None else (numbers[kind], None)
        launch = {"blocks": count if numbers else min(count, MAX_BLOCKS)} if tile is None else {"tile": tile}
        if count:
            rebalance(count, view, windows, plan.tile_state, arriving, batch.size, *batch, counted, **launch)


def move(store: Any, plan: Rebalance, numbers: list[int], batch: Batch, room: Capacity) -> None:
    view, kernels = store._held_view(), store.kernels
    arriving = workspace_of(store).scratch.get("arriving", 2 * store.leaves, np.uint32)
    move_windows(store, plan, arriving, batch, numbers)
    chunks = numbers[LARGE] & 0xFFFFFFFF
    if chunks:
        args = (view, plan.large, numbers[LARGE] >> 32, plan.tile_state, batch.size, *batch, *room)
        kernels.stage(chunks, *args, blocks=chunks)
        kernels.distribute(chunks, *args, blocks=chunks)
