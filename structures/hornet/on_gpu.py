"""Updates of Hornet: what the GPU does its own way. `on_cpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structures.changes import Changes

from .cpu import LARGE, STAGED

if TYPE_CHECKING:
    from .graph import Hornet

LARGE_LIST = 256  # lists with more edges to move are shared among thread blocks (layout.cuh has the same number)


def changes_of_all(graph: Hornet, offsets: Any, dst: Any, weights: Any) -> Changes:
    """All vertices as groups, whose lists, if empty, these arcs are to fill; no changes if `offsets` is None."""
    return Changes(graph._num_vertices, None, offsets, dst, weights)


def no_units_leaving(graph: Hornet) -> Any:
    """No units whose lists are to move in any case."""
    return None


def open_arrays(graph: Hornet, units: Any, classes: Any) -> None:
    """Make all blocks free of block-arrays of these classes, which begin at these units."""
    words, each = graph._all_free, graph.words_per_unit
    graph._kernels.open_arrays(
        int(units.size) * each, each, units, classes, *words, graph._free_bits, graph._free_counts
    )  # fmt: skip


def room_for_large(graph: Hornet, changes: Changes) -> Any:
    """A table of large lists: three numbers for each."""
    total = graph._num_arcs + (0 if changes.dst is None else int(changes.dst.size))
    return graph._scratch.get("large", 3 * min(changes.bound, total // LARGE_LIST + 1), np.int64)


def room_to_stage(graph: Hornet, numbers: list[int]) -> Any:
    """The neighbors, and the weights, of large lists that change where they are."""
    staged = graph._scratch.get("staged", numbers[STAGED], graph.vertex_dtype)
    if graph._weights is None:
        return staged, None
    return staged, graph._scratch.get("staged_weights", numbers[STAGED], graph._stored_dtype)


def move(
    graph: Hornet, changes: Changes, groups: int, mode: int, moves: Any, large: Any, staged: Any, fresh: Any,
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
