"""Updates of Hornet: what the GPU does its own way. `on_cpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch.raw import MAX_EDGES
from frontier.core.locking import workspace_of
from structures.changes import Changes

from .cpu import LARGE, STAGED

if TYPE_CHECKING:
    from .base import BaseHornet

LARGE_LIST = 256  # lists with more edges to move are shared among thread blocks (layout.cuh has the same number)
SMALL_LISTS = 2 * MAX_EDGES  # a table of large lists always holds as many: those of a chain stay as graphs grow
CHAIN_ROOM = 1 << 18, 1 << 23  # edges that a chain may move through the staging area: half the graph, within these
CHAIN_BLOCKS = 264  # thread blocks that share them: two for each multiprocessor of a large GPU


def changes_of_all(graph: BaseHornet, offsets: Any, dst: Any, weights: Any) -> Changes:
    """All vertices as groups, whose lists, if empty, these arcs are to fill; no changes if `offsets` is None."""
    return Changes(graph._num_vertices, None, offsets, dst, weights)


def no_units_leaving(graph: BaseHornet) -> Any:
    """No units whose lists are to move in any case."""
    return None


def open_arrays(graph: BaseHornet, units: Any, classes: Any) -> None:
    """Make all blocks free of block-arrays of these classes, which begin at these units."""
    words, each = graph._all_free, graph.words_per_unit
    graph._kernels.open_arrays(
        int(units.size) * each, each, units, classes, *words, graph._free_bits, graph._free_counts
    )  # fmt: skip


def room_for_large(graph: BaseHornet, changes: Changes) -> Any:
    """A table of large lists: three numbers for each."""
    total = graph._num_arcs + (0 if changes.dst is None else int(changes.dst.size))
    return workspace_of(graph).scratch.get(
        "large", 3 * min(changes.bound, max(total // LARGE_LIST + 1, SMALL_LISTS)), np.int64
    )


def room_to_stage(graph: BaseHornet, numbers: list[int]) -> Any:
    """The neighbors, and the weights, of large lists that change where they are."""
    staged = workspace_of(graph).scratch.get("staged", numbers[STAGED], graph.vertex_dtype)
    if graph._weights is None:
        return staged, None
    return staged, workspace_of(graph).scratch.get("staged_weights", numbers[STAGED], graph._stored_dtype)


def move(
    graph: BaseHornet, changes: Changes, groups: int, mode: int, moves: Any, large: Any, staged: Any, fresh: Any,
    numbers: list[int],
) -> None:  # fmt: skip
    """Move the lists of so many groups as planned, put changes in or take them out, and write their records."""
    kernels, counters = graph._kernels, graph._counters.array
    lists = (
        graph._records, graph._neighbors, graph._weights, changes.vertex, changes.start, changes.slots, changes.dst,
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
        groups, graph._records, changes.vertex, changes.start, mode, moves, fresh, counters, graph.unit_bits,
        graph._free_bits, graph._free_counts,
    )  # fmt: skip


def move_unplanned(graph: BaseHornet, changes: Changes, mode: int, moves: Any, large: Any) -> None:
    """`move` for a chain, in which the host knows no numbers; takes the new blocks, too."""
    kernels, counters, scratch = graph._kernels, graph._counters.array, workspace_of(graph).scratch.get
    bound = changes.bound
    fresh = scratch("fresh", bound, np.int64)
    entries, units, class_first, prefix = graph._directory[:4]
    low, high = CHAIN_ROOM
    room = min(max(graph._num_arcs // 2, low), high)
    kernels.decide(1, room, counters, threads=64, blocks=1)
    if entries:
        kernels.take_blocks(
            entries, units, class_first, prefix, graph._array_classes, graph._free_counts, graph._free_bits,
            graph.unit_bits, counters, fresh, threads=256, blocks=entries,
        )  # fmt: skip
    if changes.replace is not None:
        changes.replace()
    lists = (
        graph._records, graph._neighbors, graph._weights, changes.vertex, changes.start, changes.slots, changes.dst,
        changes.weights, mode, moves, fresh, counters,
    )  # fmt: skip
    staged = scratch("staged", room, graph.vertex_dtype)
    staged_weights = None if graph._weights is None else scratch("staged_weights", room, graph._stored_dtype)
    for kernel in (kernels.stage, kernels.scatter):
        kernel(1, *lists, large, -1, staged, staged_weights, threads=256, blocks=CHAIN_BLOCKS)
    kernels.apply(bound, *lists, tile=8)
    kernels.commit(
        bound, graph._records, changes.vertex, changes.start, mode, moves, fresh, counters, graph.unit_bits,
        graph._free_bits, graph._free_counts,
    )  # fmt: skip
