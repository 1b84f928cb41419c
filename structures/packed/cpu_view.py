"""The CPU view of packed memory arrays: the neighbor iterator, and the look-up of an arc's place."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import jit

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


@jit(forceinline=True)
def leaf_at(view, i):
    """The physical number of the i-th leaf in order."""
    if view.levels < 0:
        return i
    n = view.leaves + i
    return n // (2 * (n & -n))


@jit(forceinline=True)
def order_of(view, p):
    """The number in order of the physical leaf p."""
    if view.levels < 0 or p == 0:
        return p
    x = 0
    while (p >> x) > 0:
        x += 1
    return (2 * (p - (1 << (x - 1))) + 1) << (view.levels - x)


@jit(forceinline=True)
def degree(view, v):
    return view.row_degrees[v]


@jit(forceinline=True)
def segments(view, v):
    first = view.offsets[v]
    last = view.offsets[v + 1]
    if view.levels < 0:
        return 1 if last - first > 1 else 0
    return order_of(view, last >> LEAF_BITS) - order_of(view, first >> LEAF_BITS) + 1


@jit(forceinline=True)
def segment(view, v, i):
    first = view.offsets[v]
    last = view.offsets[v + 1]
    if view.levels < 0:
        return 0, first + 1, last
    p = leaf_at(view, order_of(view, first >> LEAF_BITS) + i)
    low = first + 1 if p == first >> LEAF_BITS else p << LEAF_BITS
    high = last if p == last >> LEAF_BITS else (p + 1) << LEAF_BITS
    return 0, low, high


@jit(forceinline=True)
def next_run(view, run):
    return -1, 0, 0


@jit
def _last_leaf(view, low, high, key):
    """The last leaf, in order, of ``low .. high`` whose separator is at most the key; the first one's is.

    Searches the tree in which leaf i is higher the more trailing zeros it has, from the lowest common ancestor of the
    leaves down. So all searches visit the same few leaves first, which the leveled layout stores together.
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


@jit
def place_of(view, u, v):
    """The place of the arc u -> v, existing or not."""
    first = view.offsets[u]
    last = view.offsets[u + 1]
    low = order_of(view, first >> LEAF_BITS)
    high = order_of(view, last >> LEAF_BITS)
    key = (np.int64(u) << KEY_SHIFT) | (np.int64(v) + 1)
    low = _last_leaf(view, low, high, key)
    p = leaf_at(view, low)
    base = p << LEAF_BITS
    begin = first + 1 - base if p == first >> LEAF_BITS else np.int64(0)
    end = last - base if p == last >> LEAF_BITS else np.int64(LEAF)
    found, position = _search_leaf(view.neighbors[base : base + LEAF], np.int32(begin), np.int32(end), v)
    if found:
        return (low << PLACE_SHIFT) | ((found - 1) << 1) | 1
    return (low << PLACE_SHIFT) | (max(begin, np.int64(position)) << 1)


@jit(forceinline=True)
def _search_leaf(words, begin, end, v):
    """The positions, plus one, of v among a row's slots ``begin .. end - 1`` of a leaf, or 0, and of the last neighbor
    below v.

    All slots are compared, as vectors: a search that stops at v has a branch for each slot, one of them mispredicted.
    """
    key = words.dtype.type(v)
    found = np.int32(0)
    position = np.int32(0)
    for i in range(LEAF):
        word = words[i]
        inside = (i >= begin) & (i < end)
        found = np.int32(i + 1) if inside & (word == key) else found
        position = np.int32(i + 1) if inside & (word >= 0) & (word < key) else position
    return np.int64(found), position


@jit(forceinline=True)
def slot_at(view, place):
    return (leaf_at(view, place >> PLACE_SHIFT) << LEAF_BITS) + ((place >> 1) & 63)


@jit
def find(view, u, v):
    place = place_of(view, u, v)
    return slot_at(view, place) if place & 1 else np.int64(-1)
