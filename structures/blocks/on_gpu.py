"""Changes to lists in no order on the GPU. `on_cpu` has the same functions, and says what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import id_bits, running_sums, sorted_keys, tile_count, tile_launch
from frontier.operators.match import match_keys

if TYPE_CHECKING:
    from frontier.core.store import Store
    from structures.changes import Changes


def append_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    counters = None if changes.vertex is None else store._counters.array  # a graph that is built has a group for each
    store.kernels.append(
        count, store.make_view(), changes.vertex, changes.start, changes.group, changes.dst, changes.weights, counters
    )


def remove_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    view, device, kernels, scratch = store.make_view(), store.device, store.kernels, workspace_of(store).scratch.get
    slots, tiles, launch = changes.slots, tile_count(count), tile_launch(count)
    tails, movers = scratch("tails", count, np.int64), scratch("movers", count, np.int64)
    survivors, holes = scratch("survivor_sums", tiles, np.int64), scratch("hole_sums", tiles, np.int64)
    counters = store._counters.array
    kernels.mark(count, view, slots, counters)
    kernels.find_survivors(
        count, view, changes.vertex, changes.start, changes.group, tails, survivors, counters, **launch
    )  # fmt: skip
    kernels.find_holes(
        count, view, slots, tails, *running_sums(device, kernels, survivors), movers, holes, counters, **launch
    )  # fmt: skip
    kernels.fill_holes(count, view, slots, *running_sums(device, kernels, holes), movers, counters, **launch)


def find_long(store: Store, src: Any, dst: Any, slots: Any, pending: int) -> None:
    count, kernels, xp = int(src.size), store.kernels, store.xp
    long_src, long_dst = xp.empty(pending, src.dtype), xp.empty(pending, dst.dtype)
    kernels.list_long(count, src, dst, slots, workspace_of(store).counters.array, long_src, long_dst)
    keys = sorted_keys(store, Arcs(long_src, long_dst, None)).keys
    found = xp.empty(pending, np.int64)
    match_keys(store, keys, found)
    kernels.take_found(count, src, dst, id_bits(store.num_vertices), pending, keys, found, slots)
