"""The host side of a batch's changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.sort import SortedKeys, running_sums, sorted_keys, tile_count, tile_launch
from frontier.runtime import threads_for

from .cpu import GROUPS, OTHERS

CHUNKS_PER_THREAD = 4  # pieces into which a CPU distributes lists, for each thread
SMALL_CHANGES = 1024  # lists and changes: fewer are worked on by one thread


class Changes(NamedTuple):
    """The arcs of a batch that change the graph, grouped by source, in scratch memory that the next update reuses.

    Change i belongs to group g for ``start[g] <= i < start[g + 1]``. Groups are the batch's distinct sources,
    ascending. Some may have no changes. At most `bound` groups exist. GROUPS and CHANGES of the counters have the exact
    numbers. `vertex` has the source of each group. It is None on the GPU if group g belongs to vertex g. `slots` and
    `looked_up` result from the look-up for changes and for all keys. `group` (int32) has the group of each change, on
    the GPU and for unordered lists only. `replace` queues the new weights of existing arcs, before anything moves.
    """

    bound: int
    vertex: Any
    start: Any
    dst: Any
    weights: Any = None
    slots: Any = None
    group: Any = None
    replace: Callable[[], None] | None = None
    looked_up: Any = None


def find_changes(store: Any, arcs: Arcs, *, inserting: bool) -> Changes:
    """Find the changes of a batch: arcs to insert that are not in the graph, or arcs to delete that are.

    CHANGES, GROUPS and OTHERS (distinct arcs that change nothing) are counted in the store's counters, which must be
    zero. Its method ``_look_up(keys, present, slots, sums)`` queues kernels. They write the slot of each key's arc to
    `slots`, and the counts of changes and groups in each tile of keys to `sums` (see changes.cuh). If it is `_ordered`,
    slots have the vertex dtype and are the position p of an arc in its source's list, or ``~p`` if it would go there.
    Otherwise they are int64, the slot of an arc or -1.

    The batch need not have been checked. On the CPU it is checked here, since that needs no synchronization.
    """
    weights = arcs.weights if inserting else None
    return changes_of_keys(store, sorted_keys(store, arcs, origin=weights is not None), weights, inserting=inserting)


def changes_of_keys(store: Any, batch: SortedKeys, weights: Any, *, inserting: bool) -> Changes:
    """`find_changes` of a sorted batch. `weights` are the weights of arcs to insert."""
    device, scratch, kernels, counters = store.device, store.scratch.get, store.kernels, store._counters
    weighted, ordered = weights is not None, store._ordered
    keys, bits, shift, order, _ = batch
    size, slot_dtype = int(keys.size), store.vertex_dtype if ordered else np.int64
    slots = scratch("key_slots", size, slot_dtype)
    sums = scratch("change_sums", tile_count(size), np.int64)
    store._look_up(batch, not inserting, slots, sums)
    vertex, start = scratch("group_vertex", size, store.vertex_dtype), scratch("group_start", size + 1, np.int64)
    dst = scratch("change_dst", size, store.vertex_dtype)
    group = None if ordered or not device.is_gpu else scratch("change_group", size, np.int32)
    change_weights = scratch("change_weights", size, store.stored_dtype) if weighted else None
    change_slots = scratch("change_slots", size, slot_dtype) if ordered or not inserting else None
    kernels.keep_changes(
        size, keys, bits, shift, order, slots, not inserting, weights, *running_sums(device, kernels, sums), vertex,
        start, group, dst, change_weights, change_slots, counters.array, **tile_launch(size),
    )  # fmt: skip

    def replace() -> None:
        others = counters.array[OTHERS : OTHERS + 1]
        kernels.replace_weights(size, store.view(), keys, bits, shift, order, slots, weights, others)

    bound = size if device.is_gpu else int(counters.array[GROUPS])
    return Changes(bound, vertex, start, dst, change_weights, change_slots, group, replace if weighted else None, slots)


def chunks_for(changes: int) -> int:
    """The pieces into which a CPU distributes the lists of so many changes."""
    threads = threads_for(changes, SMALL_CHANGES)
    return 1 if threads == 1 else CHUNKS_PER_THREAD * threads
