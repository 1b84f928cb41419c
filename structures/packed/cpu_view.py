"""The view of packed memory arrays on the CPU: the neighbor iterator, and the look-up of an arc's place."""

from typing import Any, NamedTuple

import numba
import numpy as np

from .layout import KEY_SHIFT, LEAF, LEAF_BITS, PLACE_SHIFT

SORTED = True


class View(NamedTuple):
    """The neighbors of v are in the slots between its guard and the next, in order of leaves."""

    neighbors: Any
    weights: Any
    offsets: Any
    row_degrees: Any
    separators: Any
    counts: Any
    leaves: Any
    levels: Any


@numba.njit(inline="always")
def leaf_at(view, i):
    """Physical number of the leaf that is the i-th in order."""
    if view.levels < 0:
        return i
    n = view.leaves + i
    return n // (2 * (n & -n))


@numba.njit(inline="always")
def order_of(view, p):
    """Number in order of the physical leaf p."""
    if view.levels < 0 or p == 0:
        return p
    x = 0
    while (p >> x) > 0:
        x += 1
    return (2 * (p - (1 << (x - 1))) + 1) << (view.levels - x)


@numba.njit(inline="always")
def degree(view, v):
    return view.row_degrees[v]


@numba.njit(inline="always")
def segments(view, v):
    first = view.offsets[v]
    last = view.offsets[v + 1]
    if view.levels < 0:
        return 1 if last - first > 1 else 0
    return order_of(view, last >> LEAF_BITS) - order_of(view, first >> LEAF_BITS) + 1


@numba.njit(inline="always")
def segment(view, v, i):
    first = view.offsets[v]
    last = view.offsets[v + 1]
    if view.levels < 0:
        return 0, first + 1, last
    p = leaf_at(view, order_of(view, first >> LEAF_BITS) + i)
    low = first + 1 if p == first >> LEAF_BITS else p << LEAF_BITS
    high = last if p == last >> LEAF_BITS else (p + 1) << LEAF_BITS
    return 0, low, high


@numba.njit(inline="always")
def next_run(view, run):
    return -1, 0, 0


@numba.njit
def _last_leaf(view, low, high, key):
    """The last leaf, in order, of ``low .. high`` whose separator is not greater than the key; the first one's is not.

    Searches the tree in which leaf i stands the higher the more trailing zeros it has, from the lowest common ancestor
    of the leaves down: so all searches look at the same few leaves first, which in levels lie together.
    """
    step = np.int64(1)
    while step <= (low ^ high) >> 1:
        step <<= 1
    i = high & -step
    best = low
    while step and low < high:
        right = i <= low or (i <= high and view.separators[leaf_at(view, i)] <= key)
        if right and i > best:
            best = i
        step >>= 1
        i += step if right else -step
    return best


@numba.njit
def place_of(view, u, v):
    """The place of the arc u -> v: where it is, or where it would go."""
    first = view.offsets[u]
    last = view.offsets[u + 1]
    low = order_of(view, first >> LEAF_BITS)
    high = order_of(view, last >> LEAF_BITS)
    key = (np.int64(u) << KEY_SHIFT) | (np.int64(v) + 1)
    low = _last_leaf(view, low, high, key)
    p = leaf_at(view, low)
    base = p << LEAF_BITS
    slot = first + 1 if p == first >> LEAF_BITS else base
    end = last if p == last >> LEAF_BITS else base + LEAF
    position = slot - base
    while slot < end:
        neighbor = view.neighbors[slot]
        if neighbor >= v:
            if neighbor == v:
                return (low << PLACE_SHIFT) | ((slot - base) << 1) | 1
            break
        slot += 1
        if neighbor >= 0:
            position = slot - base
    return (low << PLACE_SHIFT) | (position << 1)


@numba.njit(inline="always")
def slot_at(view, place):
    """The slot that a place tells."""
    return (leaf_at(view, place >> PLACE_SHIFT) << LEAF_BITS) + ((place >> 1) & 63)


@numba.njit
def find(view, u, v):
    place = place_of(view, u, v)
    return slot_at(view, place) if place & 1 else np.int64(-1)
