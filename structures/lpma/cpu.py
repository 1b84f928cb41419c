"""CPU side of LPMA: packed memory arrays, the top-down search for windows, and appended levels."""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from frontier.core.sort import END
from frontier.runtime import cpu_kernel, jit, parallel_kernel
from structures.packed.cpu import *  # noqa: F403  (kernels, by name)
from structures.packed.cpu import leaf_at, order_of, slot_at
from structures.packed.layout import HEIGHT_BITS, LEAF_BITS, LEAVES, MOVED, OVERFLOW, PLACE_SHIFT

# Indices of the counters.
SPENT = 12  # arcs whose weight falls to 0 or below
NEVER_INSERTED = 13  # new arcs that would start so
BAD_SUMS = 14  # sums that do not fit in the weights' type, or are NaN


def _no_sum(a: Any, b: Any) -> bool:
    """Whether a sum of integers overflows, which is found without adding them, or one of floats is NaN."""
    raise NotImplementedError


@overload(_no_sum, inline="always")
def _no_sum_on_cpu(a, b):
    if isinstance(a, types.Float):
        return lambda a, b: np.isnan(a + b)
    half = 2 ** (a.bitwidth - 2)
    return lambda a, b: not -half <= (a >> 1) + (b >> 1) + (a & b & 1) < half


@cpu_kernel
def add_weights(count, view, keys, shift, places, weights, origin, src, dst, counters):
    """Add the weights of existing arcs to the weights of a batch. List arcs to delete in `src` (else -1) and `dst`."""
    mask = (np.int64(1) << shift) - 1
    for j in range(count):
        k = origin[j]
        present = places[j] & 1
        if present:
            held = view.weights[slot_at(view, places[j])]
            if _no_sum(weights[k], held):
                counters[BAD_SUMS] += 1
            weights[k] += held
        goes = not weights[k] > 0
        src[j] = keys[j] >> shift if goes else -1
        dst[j] = keys[j] & mask
        if goes:
            counters[SPENT if present else NEVER_INSERTED] += 1


@jit
def _make_empty(view, p, shift):
    following = ((order_of(view, p) >> shift) + 1) << shift
    view.separators[p] = view.separators[leaf_at(view, following)] if following < view.leaves else END
    view.counts[p] = 0


@parallel_kernel(few=1024)
def append_leaves(begin, end, view, old_levels):
    """Make the appended leaves empty: each gets the separator of the next old leaf, so no search chooses it."""
    first = np.int64(1) << old_levels
    for k in range(begin, end):
        _make_empty(view, first + k, view.levels - old_levels)


@cpu_kernel
def plan_top_down(
    count, view, mode, density, step, places, arriving, leaf_windows, warp_windows, block_windows, large, tile_state,
    tile_sums, tile_marks, counters,
):  # fmt: skip
    """`plan` for insertions, from the root down (the paper's Algorithm 2).

    A window whose halves have capacity for their new keys is left to them. Otherwise it is rebalanced itself. So each
    leaf moves once, and no move is redundant, but the sums of all windows must be known.
    """
    leaves = view.leaves
    before = np.empty(leaves + 1, np.int64)  # entries before each leaf in order, including new ones
    touched = np.zeros(leaves + 1, np.int64)  # leaves before it that new keys come to
    for j in range(count):
        if not places[j] & 1:
            touched[(places[j] >> PLACE_SHIFT) + 1] = 1
    top = view.levels
    before[0] = 0
    before[1] = view.counts[0]
    for level in range(1, top + 1):  # faster than to ask for each leaf where it is
        first = np.int64(1) << (level - 1)
        stride = np.int64(1) << (top - level)
        for number in range(first):
            before[(2 * number + 1) * stride + 1] = view.counts[first + number]
    for i in range(leaves):
        before[i + 1] += before[i] + arriving[i]
        touched[i + 1] += touched[i]
    if before[leaves] > (density + step * top) * (leaves << LEAF_BITS):
        counters[OVERFLOW] = 1
    else:
        stack = np.empty(64, np.int64)
        stack[0] = top
        held = 1
        total = 0
        while held:
            held -= 1
            start, height = stack[held] >> HEIGHT_BITS, stack[held] & ((1 << HEIGHT_BITS) - 1)
            size = np.int64(1) << height
            if touched[start + size] == touched[start]:
                continue
            half = size >> 1
            room = (density + step * (height - 1)) * (half << LEAF_BITS)
            middle = start + half
            if height == 0 or before[middle] - before[start] > room or before[start + size] - before[middle] > room:
                leaf_windows[total] = (start << HEIGHT_BITS) | height
                total += 1
                counters[MOVED] += size
            else:
                stack[held] = (middle << HEIGHT_BITS) | (height - 1)
                stack[held + 1] = (start << HEIGHT_BITS) | (height - 1)
                held += 2
        counters[LEAVES] = total
    for j in range(count):
        arriving[places[j] >> PLACE_SHIFT] = 0
