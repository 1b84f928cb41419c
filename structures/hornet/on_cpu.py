"""Updates of Hornet on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import threads_for
from structures.changes import Changes

CHUNKS_PER_THREAD = 4  # pieces into which a batch's lists are distributed, for each thread
FEW = 1024  # lists and changes: fewer are worked on by one thread


def changes_of_all(store: Any, offsets: Any, dst: Any, weights: Any) -> Changes:
    """All vertices as groups, with these arcs for their empty lists, or no changes if `offsets` is None.

    All arrays exist, since Numba would compile the kernels again for absent ones.
    """
    n = store.num_vertices
    if offsets is None:
        offsets, dst = np.zeros(n + 1, np.int64), np.empty(0, store.vertex_dtype)
        weights = None if store.stored_dtype is None else np.empty(0, store.stored_dtype)
    ids, positions = np.arange(n, dtype=store.vertex_dtype), np.zeros(dst.size, store.vertex_dtype)
    return Changes(n, ids, offsets, dst, weights, positions)


def open_arrays(store: Any, units: Any, classes: Any) -> None:
    """Make all blocks of new block-arrays free."""
    words, counts = store._all_free
    store.free_bits.reshape(-1, store.words_per_unit)[units] = words[classes]
    store.free_counts[units] = counts[classes]


def move(store: Any, changes: Changes, groups: int, mode: int, moves: Any, fresh: Any) -> None:
    """Move the lists of so many groups as planned, insert or remove changes, and write their records."""
    kernels, weights = store.kernels, changes.weights
    if weights is None and store.weights is not None:  # a deletion; spares Numba another compilation
        weights = store.weights[:0]
    kernels.return_blocks(
        groups, store.records, changes.vertex, moves, store.unit_bits, store.free_bits, store.free_counts
    )
    threads = threads_for(groups + changes.dst.size, FEW)
    chunks = 1 if threads == 1 else CHUNKS_PER_THREAD * threads
    kernels.apply_lists(
        chunks, chunks, groups, store.records, store.neighbors, store.weights, changes.vertex, changes.start,
        changes.slots, changes.dst, weights, mode, moves, fresh, store._counters.array,
    )  # fmt: skip
