"""CPU side of packed memory arrays: the view, the neighbor iterator and the kernels."""

from typing import Any, NamedTuple

import numpy as np

from frontier.core.sort import END
from frontier.runtime import cpu_kernel, jit, parallel_kernel, prefetch
from frontier.runtime.elements import AHEAD
from structures.lists import lower_bound, next_run

from .layout import (
    COLUMN_MASK,
    EMPTY,
    FEW,
    FOUND,
    GUARD,
    HEIGHT_BITS,
    INSERT,
    KEY_SHIFT,
    LEAF,
    LEAF_BITS,
    LEAVES,
    MOVED,
    NEW,
    OVERFLOW,
    PLACE_SHIFT,
    REDUNDANT,
    TOUCHED,
)

__all__ = [
    "SORTED", "View", "commit", "degree", "erase", "export_rows", "fill", "find", "find_arcs", "leaf_at", "locate",
    "move", "next_run", "order_counts", "order_of", "place_of", "plan", "rebalance", "segment", "segments", "slot_at",
]  # fmt: skip

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


@jit
def _last_leaf(view, low, high, key):
    """The last leaf, in order, of ``low .. high`` whose separator is at most the key, as the first one's is.

    Searches the tree in which leaf i is higher the more trailing zeros it has, from the lowest common ancestor down.
    All searches visit the same few leaves first, which the leveled layout stores together.
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
    """The entry of ``places`` for the arc u -> v, existing or not."""
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
    """The positions, plus one, of v among a row's slots of a leaf, or 0, and of the last neighbor below v.

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


@jit(forceinline=True)
def _prefetch_leaf(view, v):
    """Prefetch the first leaf of v's neighbors, unless they likely extend beyond it."""
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
    """The entry of ``places`` for each key, and the number of new keys that arrive at each leaf."""
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
def commit(count, view, keys, shift, places, weights, origin, counters):
    """Give existing arcs their new weights, and count new ones in the degrees."""
    for j in range(count):
        if not places[j] & 1:
            view.row_degrees[keys[j] >> shift] += 1
        elif weights is not None:
            view.weights[slot_at(view, places[j])] = weights[origin[j]]


def erase(count, view, error_counts, src, dst, threshold, places, arriving, counters):
    """Clear the slots of arcs, unless `error_counts` has errors.

    Leaves with fewer than `threshold` entries left become nonzero in `arriving`, and are the first
    ``counters[TOUCHED]`` of `places`, each once. `places` has two numbers per arc. Arcs are sorted first, so a look-up
    finds in the cache the data that its predecessor has read: this saves more time than sorting costs.
    """
    if error_counts is not None and error_counts.any():
        return
    keys = places[count:]
    np.left_shift(src, KEY_SHIFT, out=keys, dtype=np.int64)
    keys |= dst
    keys.sort()
    keys = keys[keys.searchsorted(0) :]  # without ignored arcs
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


@jit
def _entries(view, arriving, mode, start, end):
    """The entries of the leaves from `start` to `end`, in order, with arrivals."""
    total = np.int64(0)
    for i in range(start, min(end, view.leaves)):
        total += view.counts[leaf_at(view, i)]
        if mode == INSERT:
            total += arriving[i]
    return total


@cpu_kernel
def plan(
    count, view, mode, density, step, places, arriving, leaf_windows, warp_windows, block_windows, large, tile_state,
    tile_sums, tile_marks, counters,
):  # fmt: skip
    """Choose the windows to rebalance: for each changed leaf the smallest one whose density is within its threshold.

    Works level by level from the leaves, as the paper does: windows whose density is out of bounds pass their leaves on
    to their parents. Leaves that the parent of a window moves as well count as redundant. ``leaf_windows`` receives the
    largest windows, in order, and ``counters[LEAVES]`` their number. The arguments after it are for the GPU.
    """
    nodes = np.empty(count, np.int64)
    numbers = np.empty(count, np.int64)
    marked = np.empty(count, np.int64)
    pending = 0
    for j in range(count):
        i = places[j] >> PLACE_SHIFT
        if arriving[i] and (pending == 0 or nodes[pending - 1] != i):
            nodes[pending] = i
            numbers[pending] = _entries(view, arriving, mode, i, i + 1)
            pending += 1
    changed = pending
    leaves = np.empty(changed, np.int64)
    owners = np.empty(changed, np.int64)
    for k in range(changed):
        leaves[k] = nodes[k]
        owners[k] = -1
    marks = 0
    height = 0
    while pending:
        size = np.int64(1) << height
        limit = density + step * height
        kept = 0
        for k in range(pending):
            node = nodes[k]
            start = node << height
            capacity = (min(start + size, view.leaves) - start) << LEAF_BITS
            fits = numbers[k] <= limit * capacity if mode == INSERT else numbers[k] >= limit * capacity
            if fits:
                if mode == INSERT or height:
                    marked[marks] = (start << HEIGHT_BITS) | height
                    marks += 1
            else:
                nodes[kept] = node
                numbers[kept] = numbers[k]
                kept += 1
        if kept and size >= view.leaves:
            counters[OVERFLOW] = 1
            break
        pending = 0
        k = 0
        while k < kept:
            node = nodes[k]
            number = numbers[k]
            k += 1
            if k < kept and nodes[k] == node ^ 1:
                number += numbers[k]
                k += 1
            else:
                number += _entries(view, arriving, mode, (node ^ 1) << height, ((node ^ 1) + 1) << height)
            nodes[pending] = node >> 1
            numbers[pending] = number
            pending += 1
        height += 1
    # Larger windows come later: in reverse order each gets the leaves that no larger one has.
    for m in range(marks - 1, -1, -1):
        start = marked[m] >> HEIGHT_BITS
        end = min(start + (np.int64(1) << (marked[m] & 63)), view.leaves)
        k = lower_bound(leaves, 0, leaves.size, start)
        if owners[k] >= 0:
            counters[REDUNDANT] += end - start
            continue
        counters[MOVED] += end - start
        while k < changed and leaves[k] < end:
            owners[k] = m
            k += 1
    total = 0
    for k in range(changed):
        if owners[k] >= 0 and (k == 0 or owners[k] != owners[k - 1]):
            leaf_windows[total] = marked[owners[k]]
            total += 1
    counters[LEAVES] = total
    for i in leaves:
        arriving[i] = 0


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
    low = lower_bound(places, 0, places.size, start << PLACE_SHIFT)
    high = lower_bound(places, low, places.size, end << PLACE_SHIFT)
    rebalance(view, start, end - start, keys, shift, places, weights, origin, low, high)


@parallel_kernel(few=FEW)
def move(begin, end, view, windows, keys, shift, places, weights, origin):
    for w in range(begin, end):
        _move_window(view, windows[w], keys, shift, places, weights, origin)


@jit
def _fill_leaf(view, i, entries, vertices, rows, offsets, indices, weights):
    """Put a share of CSR arrays into the i-th leaf."""
    low = (entries * i + view.leaves - 1) // view.leaves
    high = (entries * (i + 1) + view.leaves - 1) // view.leaves
    # The first row whose guard is not before the first entry: guard r has the rank offsets[r] + r.
    row = np.int64(0)
    end = rows + 1
    while row < end:
        middle = (row + end) >> 1
        if offsets[min(middle, vertices)] + middle < low:
            row = middle + 1
        else:
            end = middle
    p = leaf_at(view, i)
    base = p << LEAF_BITS
    first = np.int64(END)
    if low < entries:
        first = row << KEY_SHIFT
        if row > rows or offsets[min(row, vertices)] + row > low:
            first = ((row - 1) << KEY_SHIFT) | (np.int64(indices[low - row]) + 1)
    for rank in range(low, high):
        slot = base + rank - low
        begin = offsets[min(row, vertices)]
        if row <= rows and begin + row == rank:
            view.neighbors[slot] = GUARD
            view.offsets[row] = slot
            if row < rows:
                view.row_degrees[row] = offsets[min(row + 1, vertices)] - begin
            row += 1
        else:
            view.neighbors[slot] = indices[rank - row]
            if weights is not None:
                view.weights[slot] = weights[rank - row]
    for slot in range(base + high - low, base + LEAF):
        view.neighbors[slot] = EMPTY
    view.counts[p] = high - low
    view.separators[p] = first if i else 0


@parallel_kernel(few=FEW)
def fill(begin, end, view, entries, vertices, rows, offsets, indices, weights):
    """Spread CSR arrays of `vertices` rows evenly over all leaves, with `entries` arcs and guards."""
    for i in range(begin, end):
        _fill_leaf(view, i, entries, vertices, rows, offsets, indices, weights)


@jit
def _export_leaf(view, i, ends, vertices, offsets, indices, weights):
    p = leaf_at(view, i)
    separator = view.separators[p]
    row = (separator >> KEY_SHIFT) - (1 if separator & COLUMN_MASK == 0 else 0)
    rank = ends[i] - view.counts[p]
    for slot in range(p << LEAF_BITS, (p + 1) << LEAF_BITS):
        neighbor = view.neighbors[slot]
        if neighbor == EMPTY:
            continue
        if neighbor == GUARD:
            row += 1
            if row <= vertices:
                offsets[row] = rank - row
        else:
            indices[rank - row - 1] = neighbor
            if weights is not None:
                weights[rank - row - 1] = view.weights[slot]
        rank += 1


@parallel_kernel(few=FEW)
def export_rows(begin, end, view, ends, vertices, offsets, indices, weights):
    """All arcs as CSR. ``ends[i]`` is the number of entries in the leaves up to the i-th in order."""
    for i in range(begin, end):
        _export_leaf(view, i, ends, vertices, offsets, indices, weights)


@parallel_kernel(few=FEW)
def order_counts(begin, end, view, counts):
    for i in range(begin, end):
        counts[i] = view.counts[leaf_at(view, i)]
