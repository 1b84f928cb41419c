"""CPU kernels of unordered lists, or functions that make them for a structure's view."""

from typing import Any

from frontier.runtime import jit, parallel_kernel
from structures.changes.cpu import keep_changes, make_replace

__all__ = [
    "BLOCKS", "PENDING", "count_changes", "keep_changes", "make_append", "make_find_short", "make_remove",
    "replace_weights",
]  # fmt: skip

EMPTY, TOMBSTONE = -1, -2
PENDING = 3  # index in the counters, behind the ones of `structures.changes`: 0 without arcs of long lists
BLOCKS = 4  # index in the counters: blocks to allocate from the pool, or to free


def count_changes(count, keys, bits, shift, slots, present, sums, counters):
    """Nothing: `keep_changes` counts."""


@jit
def _slot_itself(view, source, slot):
    return slot


replace_weights = make_replace(_slot_itself)


def make_find_short(degree: Any, find: Any) -> Any:
    """Make the kernel that finds the slots of arcs of short lists, or -2 for arcs of long ones."""

    @parallel_kernel
    def find_short(begin, end, view, src, dst, limit, slots, counters):
        for i in range(begin, end):
            u = src[i]
            if u < 0:
                slots[i] = -1
            elif degree(view, u) > limit:
                slots[i] = -2
                counters[PENDING] = 1
            else:
                slots[i] = find(view, u, dst[i])

    return find_short


def make_append(degree: Any, slot_of: Any) -> Any:
    """Make the kernel that writes new arcs to the ends of their lists, which have their new degrees."""

    @parallel_kernel(few=None)
    def append_lists(begin, end, chunks, groups, view, weights, group_vertex, group_start, change_dst, change_weights):
        # Lists are distributed in turn, since lists of hubs are often adjacent.
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
    """Make the kernel that removes arcs from lists, which have their old degrees. Last neighbors fill the holes."""

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
                for p in range(size - (stop - hole), size):  # deletions from the end leave no hole
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
