"""Check the arrays of a GraphVine."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.invariants import count_at, enumerate_rows, require, require_integer, require_size, within

from .cpu import DEGREE, LAST, ROOT, STRAIGHT


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`. The class lists the invariants."""
    xp, n, records = store.xp, store.num_vertices, store.records
    blocks = _check_numbers(store)
    require(records.shape[0] >= max(n, 1), f"records are fewer than the {n} vertices")
    degree = records[:, DEGREE].astype(np.int64)
    require((degree >= 0).all(), "a degree is negative")
    without = degree == 0
    require((records[without] == 0).all(), "the record of a vertex without neighbors is not all zero")
    require(without[n:].all(), "a record behind the last vertex has neighbors")
    owners = xp.flatnonzero(~without)
    if store._bits is None:
        require(not owners.size and not blocks, "there are blocks, but their size is unknown")
        none = xp.empty(0, np.int64)
        return none, none, none
    bits = store._bits
    degree = degree[owners]
    size = (degree + (1 << bits) - 1) >> bits
    require(int(size.sum()) <= blocks, "lists have more blocks than there are")
    block, first = _blocks_of(store, owners, size, blocks)
    taken = count_at(xp, block, blocks)
    require((taken <= 1).all(), "two lists have the same block")
    require((block[first[1:] - 1] == records[owners, LAST]).all(), "the last block of a list is another")
    free = store.queue[(store._front + xp.arange(store._free)) % max(blocks, 1)].astype(np.int64)
    require(within(free, blocks).all(), "queue names a block that does not exist")
    require((taken + count_at(xp, free, blocks) <= 1).all(), "a block is free twice, or free and in use")
    _, rows, places = enumerate_rows(store.device, degree)
    slots = (block[first[rows] + (places >> bits)] << bits) + (places & ((1 << bits) - 1))
    return owners[rows], store.neighbors[slots], slots


def _check_numbers(store: Any) -> int:
    blocks, bits = int(store.queue.size), store._bits
    if bits is not None:
        require_integer(bits, "_bits", *store._bits_range)
    require_integer(store._free, "_free", 0, blocks)
    require_integer(store._front, "_front", 0, max(blocks - 1, 0))
    require_size(store.children, blocks, "children")
    require_size(store.neighbors, blocks << (bits or 0), "neighbors")
    require_size(store.weights, int(store.neighbors.size), "weights")
    return blocks


def _blocks_of(store: Any, owners: Any, size: Any, blocks: int) -> tuple[Any, Any]:
    """The blocks of lists of these sizes, one list after another, and the first index of each."""
    xp = store.xp
    root, straight = (store.records[owners, column].astype(np.int64) for column in (ROOT, STRAIGHT))
    require(((straight >= 1) & (straight <= size)).all(), "a list has fewer blocks than follow each other")
    require(((root >= 0) & (root + straight <= blocks)).all(), "a list begins outside the pool")
    first, rows, places = enumerate_rows(store.device, size)
    found = xp.where(places < straight[rows], root[rows] + places, -1)
    # All further blocks, level by level: each is below one of the level before.
    longest = int(size.max()) if size.size else 0
    for level in range(1, longest.bit_length()):
        low = (1 << level) - 1
        here = xp.flatnonzero((places >= low) & (places <= 2 * low) & (found < 0))
        node = places[here] + 1
        above = found[first[rows[here]] + (node >> 1) - 1]
        below = store.children[above, node & 1].astype(np.int64)
        require(within(below, blocks).all(), "a link leads to a block that does not exist")
        found[here] = below
    return found, first
