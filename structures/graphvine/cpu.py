"""CPU side of GraphVine: the view, the neighbor iterator and the kernels.

``records[v]``, the edge sentinel of the paper, is ``(root, last, degree, straight)``. These are the first and last
block of v's list, its degree, and the number of consecutive blocks at its start. All are 0 without neighbors.
"""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel
from structures.blocks.cpu import (  # noqa: F401
    BLOCKS,
    count_changes,
    keep_changes,
    make_append,
    make_find_short,
    make_remove,
    replace_weights,
)
from structures.lists import next_run  # noqa: F401

SORTED = False

# The columns of `records` (``struct Record`` of view.cuh).
ROOT, LAST, DEGREE, STRAIGHT = range(4)


class View(NamedTuple):
    """Block b has the slots from ``b << bits`` on. Below it are ``children[b]``, the left block and the right one."""

    records: Any
    children: Any
    neighbors: Any
    weights: Any
    bits: Any


@jit(forceinline=True)
def _blocks_for(degree, bits):
    return (np.int64(degree) + (np.int64(1) << bits) - 1) >> bits


@jit
def _block_of(children, root, straight, i):
    """The number of block i of a list. The bits of ``i + 1`` after the first are its path from the root."""
    if i < straight:
        return root + i
    node = i + 1
    below = 0
    while node >> below > straight:  # ancestors among the straight blocks need no walk
        below += 1
    block = root + (node >> below) - 1
    while below > 0:
        below -= 1
        block = np.int64(children[block, (node >> below) & 1])
    return block


@jit(forceinline=True)
def degree(view, v):
    return np.int64(view.records[v, DEGREE])


@jit(forceinline=True)
def segments(view, v):
    """All straight blocks together, then each further block."""
    size = view.records[v, DEGREE]
    return np.int64(0) if size == 0 else 1 + _blocks_for(size, view.bits) - view.records[v, STRAIGHT]


@jit(forceinline=True)
def segment(view, v, i):
    straight = np.int64(view.records[v, STRAIGHT])
    root = np.int64(view.records[v, ROOT])
    size = np.int64(view.records[v, DEGREE])
    if i == 0:
        low = root << view.bits
        return np.int64(0), low, low + min(size, straight << view.bits)
    i += straight - 1
    low = _block_of(view.children, root, straight, i) << view.bits
    return np.int64(0), low, low + min(size - (i << view.bits), np.int64(1) << view.bits)


@jit
def slot_of(view, v, p):
    root, straight = np.int64(view.records[v, ROOT]), np.int64(view.records[v, STRAIGHT])
    block = _block_of(view.children, root, straight, p >> view.bits)
    return (block << view.bits) | (p & ((np.int64(1) << view.bits) - 1))


@jit
def find(view, u, v):
    for i in range(segments(view, u)):
        _run, low, high = segment(view, u, i)
        for slot in range(low, high):
            if view.neighbors[slot] == v:
                return slot
    return np.int64(-1)


find_short = make_find_short(degree, find)
append_lists = make_append(degree, slot_of)
remove_lists = make_remove(degree, slot_of)


@cpu_kernel
def plan(count, records, bits, group_vertex, group_start, sign, sums, counters):
    """Count the blocks that lists allocate (`sign` 1) or free (-1). ``sums[g]`` counts the groups before g."""
    blocks = np.int64(0)
    for g in range(count):
        old = np.int64(records[group_vertex[g], DEGREE])
        new = old + sign * (group_start[g + 1] - group_start[g])
        sums[g] = blocks
        blocks += abs(_blocks_for(new, bits) - _blocks_for(old, bits))
    counters[BLOCKS] = blocks


@parallel_kernel
def link_blocks(
    begin, end, records, children, bits, group_vertex, group_start, sums, summed, queue, queue_size, front, counters
):  # fmt: skip
    """Allocate blocks from the queue, attach them to the trees, and set the new records."""
    for g in range(begin, end):
        v = group_vertex[g]
        root, last = np.int64(records[v, ROOT]), np.int64(records[v, LAST])
        old = np.int64(records[v, DEGREE])
        straight = np.int64(records[v, STRAIGHT])
        new = old + group_start[g + 1] - group_start[g]
        old_blocks = _blocks_for(old, bits)
        new_blocks = _blocks_for(new, bits)
        for i in range(old_blocks, new_blocks):
            block = np.int64(queue[(front + sums[g] + i - old_blocks) % queue_size])
            if i == 0:
                root = block
                straight = np.int64(1)
            else:
                above = _block_of(children, root, straight, ((i + 1) >> 1) - 1)
                children[above, (i + 1) & 1] = block
                if straight == i and block == last + 1:
                    straight += 1
            last = block
        records[v, ROOT] = root
        records[v, LAST] = last
        records[v, DEGREE] = new
        records[v, STRAIGHT] = straight


@parallel_kernel
def return_blocks(
    begin, end, records, children, bits, group_vertex, group_start, sums, summed, queue, queue_size, front, counters
):  # fmt: skip
    """Return the blocks after the ends of lists to the queue, from index `front` on, and set the records."""
    for g in range(begin, end):
        v = group_vertex[g]
        root, straight = np.int64(records[v, ROOT]), np.int64(records[v, STRAIGHT])
        old = np.int64(records[v, DEGREE])
        new = old - (group_start[g + 1] - group_start[g])
        old_blocks = _blocks_for(old, bits)
        new_blocks = _blocks_for(new, bits)
        for i in range(new_blocks, old_blocks):
            queue[(front + sums[g] + i - new_blocks) % queue_size] = _block_of(children, root, straight, i)
        if new_blocks == 0:
            records[v] = 0
        else:
            if new_blocks < old_blocks:
                records[v, LAST] = _block_of(children, root, straight, new_blocks - 1)
            records[v, DEGREE] = new
            records[v, STRAIGHT] = min(straight, new_blocks)
