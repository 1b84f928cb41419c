"""Updates of packed memory arrays on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.locking import workspace_of
from frontier.core.sort import running_sums, tile_count, tile_launch

from .layout import LARGE, LEAVES, STAGED, TILE_LEAVES, Batch, Capacity, Rebalance

WARP_WINDOW, BLOCK_WINDOW, LARGE_WINDOW = 2, 16, 128  # leaves of the smallest windows of each size (see layout.cuh)
WINDOWS_EACH = 32, 8, 1  # that a thread block processes at a time, by size
MAX_BLOCKS = 396  # that share the windows of a chain: at most three for each multiprocessor of a large GPU


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


def move_windows(store: Any, plan: Rebalance, arriving: Any, batch: Batch, numbers: list[int] | None = None) -> None:
    """Rebalance the windows of up to 64 leaves. A chain, whose host knows no numbers, uses the counters."""
    windows = (plan.leaves, plan.warps, plan.blocks)
    if numbers is None:
        counts, counters, blocks = [int(part.size) for part in windows], store._counters.array, MAX_BLOCKS
    else:
        counts, counters, blocks = numbers[LEAVES:LARGE], None, 1 << 16
    if batch.keys is None:  # deletions rebalance no single leaves
        counts[0] = 0
    blocks = min(sum(-(-count // each) for count, each in zip(counts, WINDOWS_EACH, strict=True)), blocks)
    store.kernels.move_windows(
        blocks, store._held_view(), *(part for pair in zip(windows, counts, strict=True) for part in pair),
        plan.tile_state, arriving, batch.size, *batch, counters, blocks=blocks,
    )  # fmt: skip


def move(store: Any, plan: Rebalance, numbers: list[int], batch: Batch, room: Capacity) -> None:
    view, kernels = store._held_view(), store.kernels
    arriving = workspace_of(store).scratch.get("arriving", 2 * store.leaves, np.uint32)
    move_windows(store, plan, arriving, batch, numbers)
    chunks = numbers[LARGE] & 0xFFFFFFFF
    if chunks:
        args = (view, plan.large, numbers[LARGE] >> 32, plan.tile_state, batch.size, *batch, *room)
        kernels.stage(chunks, *args, blocks=chunks)
        kernels.distribute(chunks, *args, blocks=chunks)
