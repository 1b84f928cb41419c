"""CPU kernels that rebalance windows of a packed memory array."""

import numpy as np

from frontier.core.sort import END
from frontier.runtime import jit, parallel_kernel

from .cpu_plan import lower_bound
from .cpu_view import leaf_at
from .layout import COLUMN_MASK, EMPTY, FEW, GUARD, HEIGHT_BITS, KEY_SHIFT, LEAF, LEAF_BITS, PLACE_SHIFT


@jit
def spread(view, start, leaves, number, keys, weights):
    """Spread sorted entries evenly over a window."""
    end = start + leaves
    after = view.separators[leaf_at(view, end)] if end < view.leaves else np.int64(END)
    for j in range(leaves):
        low = (number * j + leaves - 1) // leaves
        high = (number * (j + 1) + leaves - 1) // leaves
        p = leaf_at(view, start + j)
        base = p << LEAF_BITS
        for r in range(low, high):
            slot = base + r - low
            column = keys[r] & COLUMN_MASK
            if column:
                view.neighbors[slot] = column - 1
                if weights is not None:
                    view.weights[slot] = weights[r]
            else:
                view.neighbors[slot] = GUARD
                view.offsets[keys[r] >> KEY_SHIFT] = slot
        for slot in range(base + high - low, base + LEAF):
            view.neighbors[slot] = EMPTY
        view.counts[p] = high - low
        if j:
            view.separators[p] = keys[low] if low < number else after


@jit(_nrt=True)
def _room_for(number, weights):
    if weights is None:
        return None
    return np.empty(number, weights.dtype)


@jit(_nrt=True)
def rebalance(view, start, leaves, keys, shift, places, batch_weights, origin, low, high):
    """Merge the new keys among ``low .. high - 1`` into a window, and spread its entries evenly."""
    number = np.int64(0)
    for i in range(start, start + leaves):
        number += view.counts[leaf_at(view, i)]
    for j in range(low, high):
        number += 1 - (places[j] & 1)
    merged = np.empty(number, np.int64)
    weights = _room_for(number, batch_weights)
    mask = (np.int64(1) << shift) - 1
    out = 0
    j = low
    for i in range(start, start + leaves):
        p = leaf_at(view, i)
        separator = view.separators[p]
        row = (separator >> KEY_SHIFT) - (1 if separator & COLUMN_MASK == 0 else 0)
        for position in range(LEAF + 1):
            # A new key goes before the entry at its position.
            while j < high and places[j] <= (i << PLACE_SHIFT) | (position << 1):
                if not places[j] & 1:
                    merged[out] = ((keys[j] >> shift) << KEY_SHIFT) | ((keys[j] & mask) + 1)
                    if batch_weights is not None:
                        weights[out] = batch_weights[origin[j]]
                    out += 1
                j += 1
            if position == LEAF:
                break
            slot = (p << LEAF_BITS) + position
            neighbor = np.int64(view.neighbors[slot])
            if neighbor == EMPTY:
                continue
            if neighbor == GUARD:
                row += 1
            merged[out] = (row << KEY_SHIFT) | (0 if neighbor == GUARD else neighbor + 1)
            if batch_weights is not None:
                weights[out] = view.weights[slot]
            out += 1
    spread(view, start, leaves, number, merged, weights)


@jit(_nrt=True)
def _move_window(view, window, keys, shift, places, weights, origin):
    start = window >> HEIGHT_BITS
    end = min(start + (np.int64(1) << (window & 63)), view.leaves)
    low = lower_bound(places, start << PLACE_SHIFT)
    high = lower_bound(places, end << PLACE_SHIFT)
    rebalance(view, start, end - start, keys, shift, places, weights, origin, low, high)


@parallel_kernel(few=FEW)
def move(begin, end, view, windows, keys, shift, places, weights, origin):
    for w in range(begin, end):
        _move_window(view, windows[w], keys, shift, places, weights, origin)
