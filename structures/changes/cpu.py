"""The CPU side: kernels, and functions that make them for a structure."""

from typing import Any

import numpy as np

from frontier.runtime import cpu_kernel

# Indices of the counters: arcs that change the graph, distinct sources of the batch, distinct arcs that change nothing.
# A structure's own follow (changes.cuh has the same).
CHANGES, GROUPS, OTHERS = 0, 1, 2
CHAIN = 5  # the first of three that chains report (SMALL of changes.cuh): a structure's own leave them out


def keep_changes(
    count, keys, bits, shift, order, slots, present, weights, sums, summed, group_vertex, group_start, change_group,
    change_dst, change_weights, change_slots, counters,
):  # fmt: skip
    """Gather, by source, the distinct keys that the graph has, if `present`, or else lacks, and count both kinds.

    `sums` and `change_group` are for the GPU.
    """
    index = np.empty(count, np.int64)
    _gather(count, keys, slots, shift, present, group_vertex, group_start, change_dst, index, counters)
    changes = int(counters[CHANGES])
    index = index[:changes]
    if change_weights is not None:
        change_weights[:changes] = weights[order[index]]
    if change_slots is not None:
        found = slots[index]
        change_slots[:changes] = found if present else ~found


@cpu_kernel
def _gather(count, keys, slots, shift, present, group_vertex, group_start, change_dst, change_index, counters):
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
    counters[CHANGES] = changes
    counters[GROUPS] = groups
    counters[OTHERS] = count - changes


def make_replace(slot_in_pool: Any) -> Any:
    """Make the kernel that gives existing arcs new weights. ``slot_in_pool(view, source, slot)`` finds their slots."""

    @cpu_kernel
    def replace_weights(count, view, keys, bits, shift, order, slots, weights, others):
        for i in range(count):
            if slots[i] >= 0:
                view.weights[slot_in_pool(view, keys[i] >> shift, slots[i])] = weights[order[i]]

    return replace_weights
