"""CPU kernels that choose the windows of a packed memory array to rebalance."""

import numpy as np

from frontier.runtime import cpu_kernel, jit

from .cpu_view import leaf_at
from .layout import HEIGHT_BITS, INSERT, LEAF_BITS, LEAVES, MOVED, OVERFLOW, PLACE_SHIFT, REDUNDANT


@jit
def lower_bound(array, value):
    """The first position of an ascending array whose element is not below `value`."""
    low = 0
    high = array.size
    while low < high:
        middle = (low + high) >> 1
        if array[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


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
    largest windows, of any size, in order, and ``counters[LEAVES]`` their number. The arguments after it are for the
    GPU.
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
    # Larger windows come later: in reverse order each takes the leaves that no larger one has.
    for m in range(marks - 1, -1, -1):
        start = marked[m] >> HEIGHT_BITS
        end = min(start + (np.int64(1) << (marked[m] & 63)), view.leaves)
        k = lower_bound(leaves, start)
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
