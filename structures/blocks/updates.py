"""The host side of lists in no order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import SortedKeys, row_ids, tile_launch
from frontier.operators.match import match_keys
from structures.changes import Changes
from structures.changes import changes_of_keys as changes_of_sorted
from structures.changes import find_changes as changes_of_batch
from structures.changes.find import LookUp

from . import on_cpu, on_gpu
from .cpu import PENDING

if TYPE_CHECKING:
    from frontier.core.store import Store
    from frontier.runtime import Counters

SHORT_LIST = 256  # neighbors that one thread looks through


def find_changes(store: Store, arcs: Arcs, counters: Counters, *, inserting: bool) -> Changes:
    """What a batch changes (`structures.changes.find_changes`); the list of each of its sources is walked once."""
    return changes_of_batch(store, arcs, counters, _look_up(store, counters), inserting=inserting, ordered=False)


def changes_of_keys(store: Store, keys: SortedKeys, weights: Any, counters: Counters, *, inserting: bool) -> Changes:
    """`find_changes` of a batch that is sorted already."""
    look_up = _look_up(store, counters)
    return changes_of_sorted(store, keys, weights, counters, look_up, inserting=inserting, ordered=False)


def _look_up(store: Store, counters: Counters) -> LookUp:
    def look_up(batch: SortedKeys, present: bool, slots: Any, sums: Any) -> None:
        match_keys(store, batch.keys, slots, batch.bits)
        store.kernels.count_changes(
            int(slots.size), batch.keys, batch.bits, batch.shift, slots, present, sums, counters.array,
            **tile_launch(int(slots.size)),
        )  # fmt: skip

    return look_up


def changes_of_all(store: Store, offsets: Any, dst: Any, weights: Any) -> Changes:
    """CSR arrays as changes that fill empty lists: a group for each vertex."""
    vertex = group = None
    if store.device.is_gpu:
        group = row_ids(store.device, offsets, np.dtype(np.int32))
    else:
        vertex = np.arange(store.num_vertices, dtype=store.vertex_dtype)
    return Changes(store.num_vertices, vertex, offsets, dst, weights, group=group)


def _host(store: Store) -> Any:
    """The functions that differ by device."""
    return on_gpu if store.device.is_gpu else on_cpu


def append_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """See `on_cpu.append_changes`."""
    _host(store).append_changes(store, changes, groups, count)


def remove_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """See `on_cpu.remove_changes`."""
    _host(store).remove_changes(store, changes, groups, count)


def find_arcs(store: Store, src: Any, dst: Any) -> Any:
    """The slots (int64) of arcs, -1 where there is none or the source is negative.

    Short lists are looked through at once, each arc by itself. Arcs of long ones are then sorted, so that each list is
    walked once for all of them; the host synchronizes to know whether there are any.
    """
    slots = store.xp.empty(src.size, np.int64)
    counters = workspace_of(store).counters  # not those of updates: several threads may look arcs up at once
    counters.reset()
    store.kernels.find_short(int(src.size), store.view(), src, dst, SHORT_LIST, slots, counters.array)
    pending = counters.read()[PENDING]
    if pending:
        _host(store).find_long(store, src, dst, slots, pending)
    return slots
