"""CPU kernels of packed memory arrays that look arcs up and write to their slots."""

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel, prefetch
from frontier.runtime.elements import AHEAD

from .cpu_view import find, place_of, slot_at
from .layout import EMPTY, FEW, FOUND, KEY_SHIFT, LEAF, LEAF_BITS, NEW, PLACE_SHIFT, TOUCHED


@jit(forceinline=True)
def _prefetch_leaf(view, v):
    """Prefetch the leaf where the neighbors of v begin, unless they likely extend beyond it."""
    first = view.offsets[v]
    if view.offsets[v + 1] - first <= LEAF:
        base = first >> LEAF_BITS << LEAF_BITS
        prefetch(view.neighbors, base)
        prefetch(view.neighbors, base + LEAF - 1)


@parallel_kernel(few=FEW)
def find_arcs(begin, end, view, src, dst, slots):
    for i in range(begin, end):
        if i + 2 * AHEAD < end:
            prefetch(view.offsets, max(src[i + 2 * AHEAD], 0))
        if i + AHEAD < end:
            _prefetch_leaf(view, max(src[i + AHEAD], 0))
        slots[i] = find(view, src[i], dst[i]) if src[i] >= 0 else -1


@parallel_kernel(few=FEW)
def _find_places(begin, end, view, keys, shift, places):
    for j in range(begin, end):
        places[j] = place_of(view, keys[j] >> shift, keys[j] & ((np.int64(1) << shift) - 1))


def locate(count, view, keys, shift, places, arriving, counters):
    """The place of each key, and the number of new keys that arrive at each leaf."""
    _find_places(count, view, keys, shift, places)
    _count_arrivals(count, places, arriving, counters)


@cpu_kernel
def _count_arrivals(count, places, arriving, counters):
    new = 0
    for j in range(count):
        if not places[j] & 1:
            arriving[places[j] >> PLACE_SHIFT] += np.uint32(1)
            new += 1
    counters[NEW] = new
    counters[FOUND] = count - new


@cpu_kernel
def commit(count, view, keys, shift, places, weights, origin, taken):
    """Give existing arcs their new weights, and count new ones in the degrees."""
    for j in range(count):
        if not places[j] & 1:
            view.row_degrees[keys[j] >> shift] += 1
        elif weights is not None:
            view.weights[slot_at(view, places[j])] = weights[origin[j]]


def erase(count, view, error_counts, src, dst, threshold, places, arriving, counters):
    """Clear the slots of arcs; nothing happens if there are `error_counts`.

    Leaves with fewer than `threshold` entries left become nonzero in `arriving`, and are listed, each once, as the
    first ``counters[TOUCHED]`` of `places`, which has two numbers per arc. Arcs are sorted first: a look-up then finds
    in the cache what its predecessor has read, which saves more time than sorting costs.
    """
    if error_counts is not None and error_counts.any():
        return
    keys = places[count:]
    np.left_shift(src, KEY_SHIFT, out=keys, dtype=np.int64)
    keys |= dst
    keys.sort()
    keys = keys[keys.searchsorted(0) :]  # without arcs that are to be ignored
    _find_places(keys.size, view, keys, KEY_SHIFT, places)
    _clear(keys.size, view, keys, places, threshold, np.empty(0, np.uint32) if arriving is None else arriving, counters)


@cpu_kernel
def _clear(count, view, keys, places, threshold, arriving, counters):
    touched = 0
    for j in range(count):
        place = places[j]
        slot = slot_at(view, place)
        if not place & 1 or view.neighbors[slot] == EMPTY:
            continue
        view.neighbors[slot] = EMPTY
        view.row_degrees[keys[j] >> KEY_SHIFT] -= 1
        counters[NEW] += 1
        p = slot >> LEAF_BITS
        view.counts[p] -= 1
        leaf = place >> PLACE_SHIFT
        if view.counts[p] < threshold and not arriving[leaf]:
            arriving[leaf] = 1
            places[touched] = leaf << PLACE_SHIFT
            touched += 1
    counters[TOUCHED] = touched
