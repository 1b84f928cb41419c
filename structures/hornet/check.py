"""Check the arrays of a Hornet."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.invariants import cover, enumerate_rows, in_order, require, require_integer, require_size, within

from .cpu import CLASS_BITS, CLASS_MASK, CLASSES, META, START

MOST = 2**62  # of numbers that only statistics and the time of the next tidying depend on


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`. `HornetStore` and `BlockArrays` list the invariants."""
    require_integer(store.unit_bits, "unit_bits", *store._unit_bits_range)
    for name in ("_block_edges", "_moved_blocks", "_changed_since_tidy"):
        require_integer(getattr(store, name), name, 0, MOST)
    units = int(store.array_classes.size)
    require_size(store.neighbors, units << store.unit_bits, "neighbors")
    require_size(store.weights, int(store.neighbors.size), "weights")
    require_size(store.free_counts, units, "free_counts")
    require_size(store.free_bits, units * store.words_per_unit, "free_bits")
    _check_block_arrays(store, units)
    start, degree = _check_records(store)
    _, rows, places = enumerate_rows(store.device, degree)
    slots = start[rows] + places
    dst = store.neighbors[slots]
    require(in_order(rows, dst), "the neighbors of a vertex do not ascend")
    return rows, dst, slots


def _check_block_arrays(store: Any, units: int) -> None:
    """Check that block-arrays do not overlap, and that their bit trees match their blocks."""
    xp, classes = store.xp, store.array_classes
    require(((classes >= -2) & (classes < CLASSES)).all(), "array_classes contains an unknown class")
    heads = xp.flatnonzero(classes >= 0)
    k = classes[heads].astype(np.int64)
    size = xp.left_shift(np.int64(1), xp.maximum(k - store.unit_bits, 0))
    require((heads + size <= units).all(), "a block-array ends behind the pool")
    require((cover(xp, heads + 1, size - 1, units) == (classes == -2)).all(), "array_classes overlap or have gaps")
    if not heads.size:
        return
    words = store.free_bits.reshape(units, store.words_per_unit)[heads]
    all_words, _ = store._all_free
    require((words & ~all_words[k] == 0).all(), "free_bits names a block that does not exist")
    free = xp.unpackbits(words.view(np.uint8)).reshape(heads.size, -1).sum(axis=1)
    require((free == store.free_counts[heads]).all(), "free_counts is not that of free_bits")


def _check_records(store: Any) -> tuple[Any, Any]:
    """Check that each list has its own block, which is not free. Return the starts and lengths of lists."""
    xp, records, n, unit_bits = store.xp, store.records, store.num_vertices, store.unit_bits
    require(records.shape[0] >= n, f"records are fewer than the {n} vertices")
    has_block = records[:, START] >= 0
    without = (records[:, START] == -1) & (records[:, META] == 0)
    require((has_block | without).all(), "a vertex has edges, but no block")
    require(not has_block[n:].any(), "a record behind the last vertex has a block")
    owners = xp.flatnonzero(has_block)
    start, meta = records[owners, START], records[owners, META]
    k, degree = meta & CLASS_MASK, meta >> CLASS_BITS
    require((within(start, store.neighbors.size) & (k < CLASSES)).all(), "a block is outside the pool")
    capacity = xp.left_shift(np.int64(1), k)
    require(((degree > 0) & (degree <= capacity)).all(), "a degree is not that of a list in its block")
    unit = start >> unit_bits
    offset = start - (unit << unit_bits)
    aligned = (store.array_classes[unit] == k) & (offset & (capacity - 1) == 0)
    require(aligned.all(), "a block is not of the class of its block-array")
    ordered = xp.sort(start)
    require((ordered[1:] > ordered[:-1]).all(), "two vertices have the same block")
    bit = offset >> k
    word = store.free_bits[unit * store.words_per_unit + (bit >> 5)].astype(np.int64)
    require(((word >> (bit & 31)) & 1 == 0).all(), "the block of a vertex is free, too")
    require(int(capacity.sum()) == store._block_edges, "_block_edges is not the room in all blocks")
    return records[:n, START], records[:n, META] >> CLASS_BITS
