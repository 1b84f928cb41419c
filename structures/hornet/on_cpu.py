"""Updates of Hornet: what the CPU does its own way. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime import threads_for
from structures.changes import Changes

if TYPE_CHECKING:
    from .base import BaseHornet

CHUNKS_PER_THREAD = 4  # pieces into which a batch's lists are distributed, for each thread
FEW = 1024  # lists and changes: fewer are worked on by one thread


def changes_of_all(graph: BaseHornet, offsets: Any, dst: Any, weights: Any) -> Changes:
    """All vertices as groups, whose lists, if empty, these arcs are to fill; no changes if `offsets` is None.

    All arrays are there, so that Numba need not compile the kernels again for absent ones.
    """
    n = graph._num_vertices
    if offsets is None:
        offsets, dst = np.zeros(n + 1, np.int64), np.empty(0, graph.vertex_dtype)
        weights = None if graph._stored_dtype is None else np.empty(0, graph._stored_dtype)
    ids, positions = np.arange(n, dtype=graph.vertex_dtype), np.zeros(dst.size, graph.vertex_dtype)
    return Changes(n, ids, offsets, dst, weights, positions)


def no_units_leaving(graph: BaseHornet) -> Any:
    """No units whose lists are to move in any case."""
    return np.empty(0, bool)


def open_arrays(graph: BaseHornet, units: Any, classes: Any) -> None:
    """Make all blocks free of block-arrays of these classes, which begin at these units."""
    words, counts = graph._all_free
    graph._free_bits.reshape(-1, graph.words_per_unit)[units] = words[classes]
    graph._free_counts[units] = counts[classes]


def room_for_large(graph: BaseHornet, changes: Changes) -> Any:
    """A table of large lists: none here."""
    return None


def room_to_stage(graph: BaseHornet, numbers: list[int]) -> Any:
    """What large lists are staged in: nothing here."""
    return None


def move(
    graph: BaseHornet, changes: Changes, groups: int, mode: int, moves: Any, large: Any, staged: Any, fresh: Any,
    numbers: list[int],
) -> None:  # fmt: skip
    """Move the lists of so many groups as planned, put changes in or take them out, and write their records."""
    kernels, weights = graph._kernels, changes.weights
    if weights is None and graph._weights is not None:  # a deletion; spares Numba another compilation
        weights = graph._weights[:0]
    kernels.return_blocks(
        groups, graph._records, changes.vertex, moves, graph.unit_bits, graph._free_bits, graph._free_counts
    )
    threads = threads_for(groups + changes.dst.size, FEW)
    chunks = 1 if threads == 1 else CHUNKS_PER_THREAD * threads
    kernels.apply_lists(
        chunks, chunks, groups, graph._records, graph._neighbors, graph._weights, changes.vertex, changes.start,
        changes.slots, changes.dst, weights, mode, moves, fresh, graph._counters.array,
    )  # fmt: skip
