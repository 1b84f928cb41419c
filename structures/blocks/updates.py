"""The host side of unordered lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import (
    SortedKeys,
    arc_keys,
    id_bits,
    row_ids,
    running_sums,
    sorted_keys,
    tile_count,
    tile_launch,
)
from frontier.operators.match import match_keys
from frontier.runtime import threads_for
from structures.changes import Changes
from structures.changes import changes_of_keys as changes_of_sorted
from structures.changes import find_changes as changes_of_batch
from structures.changes.find import LookUp

from .cpu import PENDING

if TYPE_CHECKING:
    from frontier.core.store import Store
    from frontier.runtime import Counters

SHORT_LIST = 256  # neighbors that one thread searches
CHUNKS_PER_THREAD = 4  # pieces into which a CPU distributes lists, for each thread
SMALL_CHANGES = 1024  # fewer than these are made by one thread


def find_changes(store: Store, arcs: Arcs, counters: Counters, *, inserting: bool) -> Changes:
    """The changes of a batch (`structures.changes.find_changes`). The list of each of its sources is walked once."""
    return changes_of_batch(store, arcs, counters, _look_up(store, counters), inserting=inserting, ordered=False)


def changes_of_keys(store: Store, keys: SortedKeys, weights: Any, counters: Counters, *, inserting: bool) -> Changes:
    """`find_changes` of a sorted batch."""
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


def append_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """Write `count` changes of so many groups to the end of their lists, which have their new degrees already.

    Allocates no memory.
    """
    view, lists = store.make_view(), (changes.vertex, changes.start)
    if store.device.is_gpu:
        counters = None if changes.vertex is None else store._counters.array  # a new graph has a group for each vertex
        store.kernels.append(count, view, *lists, changes.group, changes.dst, changes.weights, counters)
    else:
        chunks = _chunks_for(count)
        store.kernels.append_lists(chunks, chunks, groups, view, view.weights, *lists, changes.dst, changes.weights)


def remove_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """Remove `count` changes of so many groups from their lists, which still have their old degrees.

    A list of n neighbors that loses d has the rest at positions 0 .. n - d - 1 afterwards: neighbors behind fill the
    holes before. Memory is exhausted, if it is, before anything has changed.
    """
    view, slots = store.make_view(), changes.slots
    if not store.device.is_gpu:
        chunks = _chunks_for(count)
        store.kernels.remove_lists(chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, slots)
        return
    device, kernels, scratch, counters = store.device, store.kernels, workspace_of(store).scratch.get, store._counters
    tiles, launch = tile_count(count), tile_launch(count)
    tails, movers = scratch("tails", count, np.int64), scratch("movers", count, np.int64)
    survivors, holes = scratch("survivor_sums", tiles, np.int64), scratch("hole_sums", tiles, np.int64)
    counted = counters.array
    kernels.mark(count, view, slots, counted)
    kernels.find_survivors(
        count, view, changes.vertex, changes.start, changes.group, tails, survivors, counted, **launch
    )  # fmt: skip
    sums = running_sums(device, kernels, survivors)
    kernels.find_holes(count, view, slots, tails, *sums, movers, holes, counted, **launch)
    kernels.fill_holes(count, view, slots, *running_sums(device, kernels, holes), movers, counted, **launch)


def _chunks_for(changes: int) -> int:
    """Pieces into which a CPU distributes lists, for so many changes to them."""
    threads = threads_for(changes, SMALL_CHANGES)
    return 1 if threads == 1 else CHUNKS_PER_THREAD * threads


def find_arcs(store: Store, src: Any, dst: Any) -> Any:
    """The slots (int64) of arcs; -1 for absent ones and negative sources.

    Each arc of a short list is looked up separately. Arcs of long lists are then sorted, so that each list is walked
    once for all of them. The host synchronizes to learn whether there are any.
    """
    slots = store.xp.empty(src.size, np.int64)
    counters = workspace_of(store).counters  # not those of updates: several threads may look arcs up at once
    counters.reset()
    store.kernels.find_short(int(src.size), store.view(), src, dst, SHORT_LIST, slots, counters.array)
    pending = counters.read()[PENDING]
    if pending:
        _find_long(store, src, dst, slots, pending)
    return slots


def _find_long(store: Store, src: Any, dst: Any, slots: Any, pending: int) -> None:
    """Find the slots of the arcs whose slot is -2. Their number is `pending` on a GPU."""
    xp, on_gpu = store.xp, store.device.is_gpu
    if on_gpu:
        long_src, long_dst = xp.empty(pending, src.dtype), xp.empty(pending, dst.dtype)
        counters = workspace_of(store).counters.array
        store.kernels.list_long(int(src.size), src, dst, slots, counters, long_src, long_dst)
    else:
        left = np.flatnonzero(slots == -2)
        long_src, long_dst = src[left], dst[left]
    keys = sorted_keys(store, Arcs(long_src, long_dst, None)).keys
    found = xp.empty(keys.size, np.int64)
    match_keys(store, keys, found)
    if on_gpu:
        bits = id_bits(store.num_vertices)
        store.kernels.take_found(int(src.size), src, dst, bits, pending, keys, found, slots)
    else:  # keys are distinct
        slots[left] = found[np.searchsorted(keys, arc_keys(store.device, long_src, long_dst, store.num_vertices))]
