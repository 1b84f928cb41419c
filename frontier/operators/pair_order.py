"""Pairs in the order in which a GPU intersects them.

Look-ups of many pairs, in the given order, go to lists all over the graph, more than fit into a cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.runtime.launch.recorder import recorder

from .dispatch.gpu_balance import Pieces

LARGE_PAIRS = 1 << 15
"""Fewer pairs cost more to sort than the order saves, in graphs with lists of `LARGE_LISTS` or more: 65,536 edges of an
R-MAT graph with 48 million took an H100 1.95 ms instead of 2.35, and a million 25.5 instead of 34.7."""
LARGE_LISTS = 1 << 30
"""Bytes. A cache fits more of smaller graphs, which need four times as many pairs."""
GROUPS = 1 << 12  # pair_order.cuh has the same number


def in_order(graph: BaseGraph, count: int) -> bool:
    """Whether `count` pairs are worth sorting. Never in a capture, where most pairs may be padding."""
    many = LARGE_PAIRS if graph.store.neighbors.nbytes >= LARGE_LISTS else 4 * LARGE_PAIRS
    return many <= count < 2**32 and graph.finds_fast and recorder.launches is None


def ordered_pairs(graph: BaseGraph, kernels: Any, us: Any, vs: Any, pieces: Pieces) -> tuple[Any, Any, Any]:
    """Pairs grouped by their longer list, and their indices, in scratch memory. Pieces of long lists are queued.

    Pairs that share a list are in any order. A negative first end skips a pair. The kernels must include
    ``frontier/operators/dispatch/pair_order.cuh``.
    """
    count, view, scratch = int(us.size), graph.view(), workspace_of(graph).scratch.get
    groups = scratch("pair_groups", GROUPS + 1, np.int64, fill=0)
    places = scratch("pair_places", count, np.uint64)
    ordered = tuple(scratch(f"ordered_{name}", count, graph.vertex_dtype) for name in ("us", "vs"))
    order = scratch("pair_order", count, np.uint32)
    sums = scratch("pair_sums", tile_count(count), np.int64)
    kernels.group_pairs(count, view, us, vs, groups, places)
    kernels.add_up(GROUPS + 1, groups, threads=1024, blocks=1)
    kernels.place_pairs(count, us, vs, groups, places, *ordered, order)
    launch = tile_launch(count)
    kernels.count_pieces(count, view, *ordered, sums, **launch)
    sums, summed = running_sums(graph.device, kernels, sums)
    kernels.queue_pieces(count, view, *ordered, sums, summed, groups, *pieces.args, **launch)
    return *ordered, order
