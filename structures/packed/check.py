"""Check the arrays of a packed memory array."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.invariants import count_at, require, require_integer, require_size

from .layout import EMPTY, GUARD, KEY_SHIFT, LEAF

MOST = 2**62  # of numbers that only statistics depend on


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`. The module `structures.packed.array` lists the invariants."""
    xp, rows = store.xp, store._rows
    leaves = _check_sizes(store)
    order = _leaves_in_order(store, leaves)
    neighbors = store.neighbors.reshape(leaves, LEAF)[order].reshape(-1)
    at = xp.flatnonzero(neighbors != EMPTY)  # of entries, in order
    entries = neighbors[at].astype(np.int64)
    require(((entries >= 0) | (entries == GUARD)).all(), "pool contains a number that is no neighbor")
    require((count_at(xp, at // LEAF, leaves) == store.counts[order]).all(), "counts are not those of the entries")
    guards = entries == GUARD
    row = xp.cumsum(guards, dtype=np.int64) - 1
    slots = order[at // LEAF] * LEAF + at % LEAF
    require(bool(entries.size) and int(row[0]) == 0 and bool(guards[-1]), "an arc is outside all rows")
    places = slots[xp.flatnonzero(guards)]
    require(places.size == rows + 1 and (places == store.offsets).all(), "offsets are not the slots of the guards")
    keys = (row << KEY_SHIFT) | xp.where(guards, 0, entries + 1)
    require((keys[1:] > keys[:-1]).all(), "the neighbors of a vertex do not ascend")
    _check_separators(store, store.separators[order], at // LEAF, keys)
    arcs = xp.flatnonzero(~guards)
    src = row[arcs]
    require((count_at(xp, src, rows) == store.row_degrees).all(), "a degree is not the number of neighbors")
    require((src < store.num_vertices).all(), "a row behind the last vertex has neighbors")
    return src, entries[arcs], slots[arcs]


def _check_sizes(store: Any) -> int:
    leaves, rows = store.leaves, store._rows
    require(store.num_vertices <= rows <= store._most_vertices, f"{rows} rows are not enough, or too many")
    require(leaves >= 1 and store._leaves_fit(leaves), f"there cannot be {leaves} leaves")
    require_size(store.neighbors, leaves * LEAF, "neighbors")
    require_size(store.weights, leaves * LEAF, "weights")
    require_size(store.separators, leaves, "separators")
    require_size(store.offsets, rows + 1, "offsets")
    store._check_options()
    for name in store._tallies:
        require_integer(getattr(store, name), name, 0, MOST)
    return leaves


def _leaves_in_order(store: Any, leaves: int) -> Any:
    xp = store.xp
    if store.levels < 0:
        return xp.arange(leaves)
    nodes = xp.arange(leaves, 2 * leaves)
    return nodes // (2 * (nodes & -nodes))


def _check_separators(store: Any, separators: Any, leaf: Any, keys: Any) -> None:
    """Each entry is in the last leaf, in order, whose separator is not greater than its key."""
    require(int(separators[0]) == 0 and (separators[1:] >= separators[:-1]).all(), "separators do not ascend from 0")
    require((separators[leaf] <= keys).all(), "an entry is before the separator of its leaf")
    inside = store.xp.flatnonzero(leaf < separators.size - 1)
    require((keys[inside] < separators[leaf[inside] + 1]).all(), "an entry is behind the separator of the next leaf")
