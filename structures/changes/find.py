"""The host side: the changes of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import SortedKeys, running_sums, sorted_keys, tile_count, tile_launch

from .cpu import GROUPS, OTHERS

if TYPE_CHECKING:
    from frontier.core.store import Store
    from frontier.runtime import Counters


class Changes(NamedTuple):
    """The arcs of a batch that change the graph, grouped by source.

    Change i is one of group g for ``start[g] <= i < start[g + 1]``. Groups are the batch's distinct sources, in
    ascending order; some may have no changes. Arrays are scratch memory: they hold until the next update.

    Attributes
    ----------
    bound : int
        No fewer than there are groups. Their number, and that of the changes, are in the counters (GROUPS, CHANGES).
    vertex : array of vertex ids, shape (bound,), or None
        Source of each group. None on the GPU if group g is that of vertex g, for all vertices.
    start : array of int64, shape (bound + 1,)
    dst : array of vertex ids
    weights : array or None
        Of the arcs to insert.
    slots : array or None
        What the look-up said of each change (see `find_changes`).
    group : array of int32, or None
        Group of each change; not of ordered lists, and only on the GPU.
    replace : callable or None
        Queues the new weights of arcs that were in the graph already, before anything moves.
    looked_up : array or None
        What the look-up said of each key.
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


LookUp = Callable[[SortedKeys, bool, Any, Any], None]
"""``look_up(keys, present, slots, sums)`` queues kernels that write where each key's arc is to `slots`, and how many
keys of each tile change the graph and begin a group to `sums` (see changes.cuh)."""


def find_changes(
    store: Store, arcs: Arcs, counters: Counters, look_up: LookUp, *, inserting: bool, ordered: bool
) -> Changes:
    """What a batch changes: arcs to insert that are not in the graph, or arcs to delete that are.

    Parameters
    ----------
    counters : Counters
        Set to zero before; CHANGES, GROUPS and OTHERS (distinct arcs that change nothing) are counted there.
    look_up : callable
        See `LookUp`.
    ordered : bool
        Whether lists are in order. Then `slots` are of the vertex dtype, and say at which position p of its source's
        list an arc is, or ``~p`` if it would go there. Otherwise they are int64, the slot of an arc or -1.

    Notes
    -----
    A sort of the batch, and the look-up. The batch need not have been checked; on the CPU it is checked here, where
    that needs no synchronization.
    """
    weights = arcs.weights if inserting else None
    batch = sorted_keys(store, arcs, origin=weights is not None)
    return changes_of_keys(store, batch, weights, counters, look_up, inserting=inserting, ordered=ordered)


def changes_of_keys(
    store: Store, batch: SortedKeys, weights: Any, counters: Counters, look_up: LookUp, *, inserting: bool,
    ordered: bool,
) -> Changes:  # fmt: skip
    """`find_changes` of a batch that is sorted already; `weights` are those of its arcs, to be inserted."""
    device, scratch, kernels = store.device, workspace_of(store).scratch.get, store.kernels
    weighted = weights is not None
    keys, bits, shift, order = batch
    size, slot_dtype = int(keys.size), store.vertex_dtype if ordered else np.int64
    slots = scratch("key_slots", size, slot_dtype)
    sums = scratch("change_sums", tile_count(size), np.int64)
    look_up(batch, not inserting, slots, sums)
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
    return Changes(
        bound, vertex, start, dst, change_weights, change_slots, group, replace if weighted else None, slots
    )  # fmt: skip
