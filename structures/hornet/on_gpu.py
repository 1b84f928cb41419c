"""Updates of Hornet: what the GPU does its own way. `on_cpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.locking import workspace_of
from structures.changes import Changes
from structures.small_batches import MAX_ARCS

from .cpu import LARGE, STAGED

LARGE_LIST = 256  # lists with more edges to move are shared among thread blocks (layout.cuh has the same number)
SMALL_LISTS = MAX_ARCS  # a table of large lists always holds as many: those of a chain stay as graphs grow
CHAIN_ROOM = 1 << 18, 1 << 23  # edges that a chain may move through the staging area: half the graph, within these
CHAIN_BLOCKS = 264  # thread blocks that share them: two for each multiprocessor of a large GPU


def changes_of_all(store: Any, offsets: Any, dst: Any, weights: Any) -> Changes:
    """All vertices as groups, whose lists, if empty, these arcs are to fill; no changes if `offsets` is None."""
    return Changes(store.num_vertices, None, offsets, dst, weights)


def no_units_leaving(store: Any) -> Any:
    """No units whose lists are to move in any case."""
    return None


def open_arrays(store: Any, units: Any, classes: Any) -> None:
    """Make all blocks free of block-arrays of these classes, which begin at these units."""
    words, each = store._all_free, store.words_per_unit
    store.kernels.open_arrays(
        int(units.size) * each, each, units, classes, *words, store.free_bits, store.free_counts
    )  # fmt: skip


def room_for_large(store: Any, changes: Changes) -> Any:
    """A table of large lists: three numbers for each."""
    total = store.num_arcs + (0 if changes.dst is None else int(changes.dst.size))
    return workspace_of(store).scratch.get(
        "large", 3 * min(changes.bound, max(total // LARGE_LIST + 1, SMALL_LISTS)), np.int64
    )


def room_to_stage(store: Any, numbers: list[int]) -> Any:
    """The neighbors, and the weights, of large lists that change where they are."""
    staged = workspace_of(store).scratch.get("staged", numbers[STAGED], store.vertex_dtype)
    if store.weights is None:
        return staged, None
    return staged, workspace_of(store).scratch.get("staged_weights", numbers[STAGED], store.stored_dtype)


def move(
    store: Any, changes: Changes, groups: int, mode: int, moves: Any, large: Any, staged: Any, fresh: Any,
    numbers: list[int],
) -> None:  # fmt: skip
    """Move the lists of so many groups as planned, put changes in or take them out, and write their records."""
    kernels, counters = store.kernels, store._counters.array
    lists = (
        store.records, store.neighbors, store.weights, changes.vertex, changes.start, changes.slots, changes.dst,
        changes.weights, mode, moves, fresh, counters,
    )  # fmt: skip
    chunks = numbers[LARGE] & 0xFFFFFFFF
    if chunks:
        room = (large, numbers[LARGE] >> 32, *staged)
        if numbers[STAGED]:
            kernels.stage(chunks, *lists, *room, threads=256, blocks=chunks)
        kernels.scatter(chunks, *lists, *room, threads=256, blocks=chunks)
    kernels.apply(groups, *lists, tile=8)
    kernels.commit(
        groups, store.records, changes.vertex, changes.start, mode, moves, fresh, counters, store.unit_bits,
        store.free_bits, store.free_counts,
    )  # fmt: skip


def move_unplanned(store: Any, changes: Changes, mode: int, moves: Any, large: Any) -> None:
    """`move` for a chain, in which the host knows no numbers; takes the new blocks, too."""
    kernels, counters, scratch = store.kernels, store._counters.array, workspace_of(store).scratch.get
    bound = changes.bound
    fresh = scratch("fresh", bound, np.int64)
    entries, units, class_first, prefix = store._directory[:4]
    low, high = CHAIN_ROOM
    room = min(max(store.num_arcs // 2, low), high)
    kernels.decide(1, room, counters, threads=64, blocks=1)
    if entries:
        kernels.take_blocks(
            entries, units, class_first, prefix, store.array_classes, store.free_counts, store.free_bits,
            store.unit_bits, counters, fresh, threads=1024, blocks=entries,
        )  # fmt: skip
    if changes.replace is not None:
        changes.replace()
    lists = (
        store.records, store.neighbors, store.weights, changes.vertex, changes.start, changes.slots, changes.dst,
        changes.weights, mode, moves, fresh, counters,
    )  # fmt: skip
    staged = scratch("staged", room, store.vertex_dtype)
    staged_weights = None if store.weights is None else scratch("staged_weights", room, store.stored_dtype)
    for kernel in (kernels.stage, kernels.scatter):
        kernel(1, *lists, large, -1, staged, staged_weights, threads=256, blocks=CHAIN_BLOCKS)
    kernels.apply(bound, *lists, tile=8)
    kernels.commit(
        bound, store.records, changes.vertex, changes.start, mode, moves, fresh, counters, store.unit_bits,
        store.free_bits, store.free_counts,
    )  # fmt: skip
