"""CPU side of Hornet: the view, the neighbor iterator and the kernels.

``records[v]`` is ``(start, degree << 6 | class)``: the first slot of v's block (-1 for none), the number of neighbors,
and the class k of the block, whose capacity is 2**k. Neighbors are in ascending order from there on.
"""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel, prefetch
from frontier.runtime.elements import AHEAD
from structures.changes.cpu import keep_changes, make_replace  # noqa: F401
from structures.lists import find_between, lower_bound, next_run, segments  # noqa: F401

SORTED = True

# The columns of `records` (``struct Record`` of view.cuh).
START, META = range(2)
CLASS_BITS = 6
CLASS_MASK = 63
# The mode of a kernel over groups of arcs that share a source.
INSERT, DELETE, TIDY = 0, 1, 2
# The move of a vertex's block: one of these, or `class << RANK_BITS | rank`, the rank-th new block of its class.
STAY, DROP = -1, -2
RANK_BITS = 40
# Indices in the counters, behind the ones of `structures.changes`: numbers of large lists and their chunks, and of
# edges to stage. Then, by class, numbers of blocks requested, returned, and free.
LARGE, STAGED = 3, 4
CLASSES = 40
REQUESTS = 8
RETURNED = REQUESTS + CLASSES
FREE = RETURNED + CLASSES
COUNTERS = FREE + CLASSES


class View(NamedTuple):
    """The neighbors of v are in slots ``start .. start + degree - 1`` of its record."""

    records: Any
    neighbors: Any
    weights: Any


@jit(forceinline=True)
def degree(view, v):
    return view.records[v, META] >> CLASS_BITS


@jit(forceinline=True)
def segment(view, v, i):
    start = view.records[v, START]
    return 0, start, start + (view.records[v, META] >> CLASS_BITS)


@jit
def find(view, u, v):
    start = view.records[u, START]
    return find_between(view.neighbors, start, start + (view.records[u, META] >> CLASS_BITS), v)


@jit(forceinline=True)
def _prefetch_middle(records, neighbors, v):
    """Prefetch the neighbor of v that a binary search visits first."""
    prefetch(neighbors, max(records[v, START], 0) + (records[v, META] >> (CLASS_BITS + 1)))


@parallel_kernel
def find_arcs(begin, end, view, src, dst, slots):
    for i in range(begin, end):
        if i + 2 * AHEAD < end:
            prefetch(view.records, (max(src[i + 2 * AHEAD], 0), START))
        if i + AHEAD < end:
            _prefetch_middle(view.records, view.neighbors, max(src[i + AHEAD], 0))
        slots[i] = find(view, src[i], dst[i]) if src[i] >= 0 else -1


@jit(forceinline=True)
def _class_of(degree):
    """The smallest k with 2**k >= degree."""
    k = 0
    while (np.int64(1) << k) < degree:
        k += 1
    return k


@parallel_kernel
def locate(begin, end, records, neighbors, keys, bits, shift, present, slots, sums, counters):
    """Look up sorted distinct keys: the position p of each arc in its source's list, or ``~p`` if it would go there."""
    mask = (np.int64(1) << shift) - 1
    previous = np.int64(-1)
    start = stop = low = np.int64(0)
    for i in range(begin, end):
        if i + 2 * AHEAD < end:
            prefetch(records, (keys[i + 2 * AHEAD] >> shift, START))
        if i + AHEAD < end:
            _prefetch_middle(records, neighbors, keys[i + AHEAD] >> shift)
        v = keys[i] >> shift
        dst = keys[i] & mask
        if v != previous:
            previous = v
            start = records[v, START]
            stop = start + (records[v, META] >> CLASS_BITS)
            low = start
        low = lower_bound(neighbors, low, stop, dst)
        slots[i] = low - start if low < stop and neighbors[low] == dst else ~(low - start)


@jit
def _slot_in_pool(view, source, slot):
    return view.records[source, START] + slot


replace_weights = make_replace(_slot_in_pool)


def count_free(count, directory, class_first, free_counts, prefix, counters):
    """Sum up the free blocks before each of `count` block-arrays of the directory, and of each class."""
    np.cumsum(free_counts[directory], out=prefix[1:])
    counters[FREE : FREE + CLASSES] = np.diff(prefix[class_first])


def open_arrays(count, each, units, classes, words, counts, free_bits, free_counts):
    """Make all blocks of new block-arrays free."""
    free_bits.reshape(-1, each)[units] = words[classes]
    free_counts[units] = counts[classes]


@cpu_kernel
def plan(count, records, group_vertex, group_start, mode, unit_bits, leaving, moves, counters, delta_pos, large):
    """Choose the blocks that move, all ``leaving`` ones among them, and count the blocks of each class to allocate or
    free."""
    for g in range(count):
        v = group_vertex[g]
        changes = group_start[g + 1] - group_start[g]
        start = records[v, START]
        meta = records[v, META]
        old = meta >> CLASS_BITS
        new = old - changes if mode == DELETE else old + changes
        k = meta & CLASS_MASK
        capacity = np.int64(1) << k if start >= 0 else 0
        move = STAY
        if new == 0:
            if start >= 0:
                move = DROP
        elif mode == TIDY:
            if 2 * new <= capacity or leaving[start >> unit_bits]:
                move = _class_of(new)
        elif new > capacity or (mode == DELETE and changes and 4 * new <= capacity):
            move = _class_of(new)
        if move != STAY and start >= 0:
            counters[RETURNED + k] += 1
        if move >= 0:
            rank = counters[REQUESTS + move]
            counters[REQUESTS + move] = rank + 1
            move = (move << RANK_BITS) | rank
        moves[g] = move


@cpu_kernel
def take_blocks(
    count, directory, class_first, prefix, array_classes, free_counts, free_bits, unit_bits, counters, fresh
):  # fmt: skip
    """Allocate the requested blocks in the order of the directory. ``fresh`` receives their first slots, by class."""
    words_per_unit = max((1 << unit_bits) // 32, 1)
    out = 0
    for k in range(CLASSES):
        wanted = counters[REQUESTS + k]
        entry = class_first[k]
        while wanted > 0 and entry < class_first[k + 1]:
            unit = np.int64(directory[entry])
            entry += 1
            left = min(np.int64(free_counts[unit]), wanted)
            free_counts[unit] -= left
            wanted -= left
            word = unit * words_per_unit
            first = unit << unit_bits
            while left > 0:
                bits = free_bits[word]
                slot = first
                while bits != 0 and left > 0:
                    while bits & np.uint32(1) == 0:
                        bits = bits >> np.uint32(1)
                        slot += np.int64(1) << k
                    fresh[out] = slot
                    out += 1
                    left -= 1
                    free_bits[word] &= ~(np.uint32(1) << np.uint32((slot - first) >> k))
                    bits = bits >> np.uint32(1)
                    slot += np.int64(1) << k
                word += 1
                first += np.int64(32) << k


@jit(forceinline=True)
def _copy(array, start, target, positions):
    for p in positions:
        array[target + p] = array[start + p]


@jit
def apply_list(
    records, neighbors, weights, v, low, high, delta_pos, delta_dst, delta_weights, mode, move, fresh, class_first
):  # fmt: skip
    """Insert the changes ``low .. high - 1`` into v's list, or remove them, and move it to another block if planned."""
    if low == high and move == STAY:
        return
    start = records[v, START]
    old = records[v, META] >> CLASS_BITS
    k = records[v, META] & CLASS_MASK
    target = start
    new_class = k
    if move >= 0:
        new_class = move >> RANK_BITS
        target = fresh[class_first[new_class] + (move & ((np.int64(1) << RANK_BITS) - 1))]
    if mode == DELETE:
        new = old - (high - low)
        if move != DROP:
            first = np.int64(0) if move >= 0 else np.int64(delta_pos[low])
            for j in range(low, high + 1):
                last = np.int64(delta_pos[j]) if j < high else old
                shift = target - (j - low)
                _copy(neighbors, start, shift, range(first, last))
                if weights is not None:
                    _copy(weights, start, shift, range(first, last))
                first = last + 1
    else:
        new = old + (high - low)
        last = old
        for j in range(high - 1, low - 1, -1):
            first = np.int64(delta_pos[j])
            shift = target + (j - low) + 1
            _copy(neighbors, start, shift, range(last - 1, first - 1, -1))
            neighbors[shift + first - 1] = delta_dst[j]
            if weights is not None:
                _copy(weights, start, shift, range(last - 1, first - 1, -1))
                weights[shift + first - 1] = delta_weights[j]
            last = first
        if move >= 0:
            _copy(neighbors, start, target, range(last))
            if weights is not None:
                _copy(weights, start, target, range(last))
    records[v, START] = -1 if move == DROP else target
    records[v, META] = 0 if move == DROP else (new << CLASS_BITS) | new_class


@cpu_kernel
def return_blocks(count, records, group_vertex, moves, unit_bits, free_bits, free_counts):
    """Free the blocks that lists are about to leave."""
    words_per_unit = max((1 << unit_bits) // 32, 1)
    for g in range(count):
        v = np.int64(group_vertex[g])
        start = records[v, START]
        if moves[g] != STAY and start >= 0:
            unit = start >> unit_bits
            bit = (start - (unit << unit_bits)) >> (records[v, META] & CLASS_MASK)
            free_bits[unit * words_per_unit + (bit >> 5)] |= np.uint32(1) << np.uint32(bit & 31)
            free_counts[unit] += 1


@parallel_kernel(few=None)
def apply_lists(
    begin, end, chunks, groups, records, neighbors, weights, group_vertex, group_start, delta_pos, delta_dst,
    delta_weights, mode, moves, fresh, counters,
):  # fmt: skip
    """Carry out a plan: move the lists, and insert or remove changes."""
    class_first = np.zeros(CLASSES, np.int64)
    for k in range(1, CLASSES):
        class_first[k] = class_first[k - 1] + counters[REQUESTS + k - 1]
    # Lists are distributed in turn, since lists of hubs are often adjacent.
    for chunk in range(begin, end):
        for g in range(chunk, groups, chunks):
            apply_list(
                records, neighbors, weights, np.int64(group_vertex[g]), np.int64(group_start[g]),
                np.int64(group_start[g + 1]), delta_pos, delta_dst, delta_weights, mode, moves[g], fresh, class_first,
            )  # fmt: skip
