"""Updates of Hornet on the GPU, where thread blocks share large lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch.raw import MAX_ARCS
from frontier.core.locking import workspace_of
from structures.changes import Changes

from .cpu import LARGE, STAGED

LARGE_LIST = 256  # lists with more edges to move are shared among thread blocks (layout.cuh has the same number)
SMALL_LISTS = MAX_ARCS  # minimal size of a table of large lists: it stays valid for chains as graphs grow
CHAIN_ROOM = 1 << 18, 1 << 23  # edges that a chain may move through the staging area: half the graph, within these
CHAIN_BLOCKS = 264  # thread blocks if the host does not know how many have work: two for each multiprocessor


def table_of_large(store: Any, changes: Changes) -> Any:
    """Scratch memory for a table of large lists: three numbers for each."""
    total = store.num_arcs + (0 if changes.dst is None else int(changes.dst.size))
    return workspace_of(store).scratch.get(
        "large_lists", 3 * min(changes.bound, max(total // LARGE_LIST + 1, SMALL_LISTS)), np.int64
    )


def room_to_stage(store: Any, numbers: list[int]) -> tuple[Any, Any]:
    """Memory for large lists that change in their blocks."""
    return _staging_area(store, numbers[STAGED])


def _staging_area(store: Any, size: int) -> tuple[Any, Any]:
    """Scratch memory for so many neighbors, and weights."""
    scratch = workspace_of(store).scratch.get
    weights = None if store.weights is None else scratch("staged_weights", size, store.stored_dtype)
    return scratch("staged", size, store.vertex_dtype), weights


def move(
    store: Any, changes: Changes, groups: int, plan: tuple[Any, ...], large: Any, staged: Any, numbers: list[int]
) -> None:
    """Move the lists of so many groups as planned, insert or remove changes, and write their records.

    `plan` is (mode, moves, fresh).
    """
    chunks, stages = numbers[LARGE] & 0xFFFFFFFF, ("stage", "scatter") if numbers[STAGED] else ("scatter",)
    large_lists = (large, numbers[LARGE] >> 32, *staged)
    _move(store, changes, groups, plan, large_lists, stages if chunks else (), chunks, chunks)


def move_unplanned(store: Any, changes: Changes, mode: int, moves: Any, large: Any) -> None:
    """`move` for a chain, in which the host knows no numbers. It also allocates the new blocks."""
    fresh = workspace_of(store).scratch.get("fresh", changes.bound, np.int64)
    low, high = CHAIN_ROOM
    room = min(max(store.num_arcs // 2, low), high)
    store.kernels.decide(1, room, store._counters.array, threads=64, blocks=1)
    store._take_blocks(fresh)
    if changes.replace is not None:
        changes.replace()
    large_lists = (large, -1, *_staging_area(store, room))
    _move(store, changes, changes.bound, (mode, moves, fresh), large_lists, ("stage", "scatter"), 1, CHAIN_BLOCKS)


def _move(
    store: Any, changes: Changes, groups: int, plan: tuple[Any, ...], large: tuple[Any, ...], stages: tuple[str, ...],
    chunks: int, blocks: int,
) -> None:  # fmt: skip
    """Launch `stages` for large lists, then the kernels for other lists and records. `plan` is (mode, moves, fresh)."""
    kernels, counters = store.kernels, store._counters.array
    groups_of = (changes.vertex, changes.start)
    arrays = (store.records, store.neighbors, store.weights)
    lists = (*arrays, *groups_of, changes.slots, changes.dst, changes.weights, *plan, counters)
    for stage in stages:
        getattr(kernels, stage)(chunks, *lists, *large, threads=256, blocks=blocks)
    kernels.apply(groups, *lists, tile=8)
    kernels.commit(
        groups, store.records, *groups_of, *plan, counters, store.unit_bits, store.free_bits, store.free_counts
    )  # fmt: skip
