"""The CPU side: kernels, or functions that make them for a structure's view."""

from typing import Any

import numpy as np

from frontier.runtime import cpu_kernel, parallel_kernel

EMPTY, TOMBSTONE = -1, -2


@cpu_kernel
def gather_changes(count, keys, slots, shift, present, group_vertex, group_start, change_dst, change_index, counters):
    """Gather the keys that change the graph, grouped by source: those found in it, if `present`, or those not found.

    ``change_index`` receives their positions among the keys. Counts changes, groups and other keys.
    """
    mask = (np.int64(1) << shift) - 1
    groups = 0
    changes = 0
    previous = np.int64(-1)
    for i in range(count):
        source = keys[i] >> shift
        if source != previous:
            previous = source
            group_vertex[groups] = source
            group_start[groups] = changes
            groups += 1
        if (slots[i] >= 0) == present:
            change_dst[changes] = keys[i] & mask
            change_index[changes] = i
            changes += 1
    group_start[groups] = changes
    counters[0] = changes
    counters[1] = groups
    counters[2] = count - changes


def make_find_short(degree: Any, find: Any) -> Any:
    """The slots of arcs whose lists are short; ``-2`` for arcs of other lists."""

    @cpu_kernel
    def find_short(count, view, src, dst, limit, slots, counters):
        for i in range(count):
            u = src[i]
            if u < 0:
                slots[i] = -1
            elif degree(view, u) > limit:
                slots[i] = -2
                counters[3] = 1
            else:
                slots[i] = find(view, u, dst[i])

    return find_short


def make_append(degree: Any, slot_of: Any) -> Any:
    """New arcs, written to the end of their lists, which have their new degrees."""

    @parallel_kernel(few=None)
    def append_lists(begin, end, chunks, groups, view, weights, group_vertex, group_start, change_dst, change_weights):
        # Lists are dealt out in turn, since those of hubs often come one after another.
        for chunk in range(begin, end):
            for group in range(chunk, groups, chunks):
                v = group_vertex[group]
                stop = group_start[group + 1]
                for i in range(group_start[group], stop):
                    slot = slot_of(view, v, degree(view, v) - (stop - i))
                    view.neighbors[slot] = change_dst[i]
                    if weights is not None:
                        weights[slot] = change_weights[i]

    return append_lists


def make_remove(degree: Any, slot_of: Any) -> Any:
    """Arcs taken out of their lists, which still have their old degrees; the last of a list fill the holes."""

    @parallel_kernel(few=None)
    def remove_lists(begin, end, chunks, groups, view, weights, group_vertex, group_start, change_slots):
        neighbors = view.neighbors
        for chunk in range(begin, end):
            for group in range(chunk, groups, chunks):
                v = group_vertex[group]
                hole = group_start[group]
                stop = group_start[group + 1]
                size = degree(view, v)
                for i in range(hole, stop):
                    neighbors[change_slots[i]] = TOMBSTONE
                for p in range(size - (stop - hole), size):  # what is deleted from the end leaves no hole
                    slot = slot_of(view, v, p)
                    if neighbors[slot] == TOMBSTONE:
                        neighbors[slot] = EMPTY
                for p in range(size - (stop - group_start[group]), size):
                    slot = slot_of(view, v, p)
                    if neighbors[slot] == EMPTY:
                        continue
                    while neighbors[change_slots[hole]] != TOMBSTONE:
                        hole += 1
                    neighbors[change_slots[hole]] = neighbors[slot]
                    if weights is not None:
                        weights[change_slots[hole]] = weights[slot]

    return remove_lists
