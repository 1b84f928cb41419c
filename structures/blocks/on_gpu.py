"""Changes to lists in no order on the GPU. `on_cpu` has the same functions, and says what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import id_bits, running_sums, sorted_keys, tile_count, tile_launch
from frontier.operators.match import match_keys

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph
    from structures.changes import Changes


def append_changes(graph: BaseGraph, changes: Changes, groups: int, count: int) -> None:
    counters = None if changes.vertex is None else graph._counters.array  # a graph that is built has a group for each
    graph._kernels.append(
        count, graph._make_view(), changes.vertex, changes.start, changes.group, changes.dst, changes.weights, counters
    )


def remove_changes(graph: BaseGraph, changes: Changes, groups: int, count: int) -> None:
    view, device, kernels, scratch = graph._make_view(), graph.device, graph._kernels, workspace_of(graph).scratch.get
    slots, tiles, launch = changes.slots, tile_count(count), tile_launch(count)
    tails, movers = scratch("tails", count, np.int64), scratch("movers", count, np.int64)
    survivors, holes = scratch("survivor_sums", tiles, np.int64), scratch("hole_sums", tiles, np.int64)
    counters = graph._counters.array
    kernels.mark(count, view, slots, counters)
    kernels.find_survivors(
        count, view, changes.vertex, changes.start, changes.group, tails, survivors, counters, **launch
    )  # fmt: skip
    kernels.find_holes(
        count, view, slots, tails, *running_sums(device, kernels, survivors), movers, holes, counters, **launch
    )  # fmt: skip
    kernels.fill_holes(count, view, slots, *running_sums(device, kernels, holes), movers, counters, **launch)


def find_long(graph: BaseGraph, src: Any, dst: Any, slots: Any, pending: int) -> None:
    count, kernels, xp = int(src.size), graph._kernels, graph.xp
    long_src, long_dst = xp.empty(pending, src.dtype), xp.empty(pending, dst.dtype)
    kernels.list_long(count, src, dst, slots, workspace_of(graph).counters.array, long_src, long_dst)
    keys = sorted_keys(graph, Arcs(long_src, long_dst, None)).keys
    found = xp.empty(pending, np.int64)
    match_keys(graph, keys, found)
    kernels.take_found(count, src, dst, id_bits(graph.num_vertices), pending, keys, found, slots)
