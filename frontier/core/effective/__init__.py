"""The edges of a batch that an update adds or removes, of which exact observers are notified."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Kernels, load_kernels

from ..base import BaseGraph
from ..batch import Arcs
from ..locking import workspace_of
from ..sort import running_sums, tile_count, tile_launch
from .cpu import FREE

SMALL_ARCS = 1 << 13
"""Up to as many, one thread block of a GPU has found them before three kernels are launched."""


def effective_kernels(graph: BaseGraph) -> Kernels:
    """The kernels of this folder for a graph's ids."""
    return load_kernels("frontier.core.effective", graph.device, {"VID": graph.vertex_dtype})


def masked_lower(graph: BaseGraph, src: Any, dst: Any) -> Any:
    """The sources of arcs, and -1 where the destination is not greater: for `effective_edges`, of directed graphs."""
    out = graph.xp.empty(src.size, graph.vertex_dtype)
    effective_kernels(graph).mask_lower(int(src.size), src, dst, out)
    return out


def effective_edges(graph: BaseGraph, arcs: Arcs, present: bool) -> tuple[Any, Any]:
    """Return the distinct edges of a batch that are in the graph if `present`, else the absent ones.

    `src` and `dst` are arrays of the graph's vertex dtype, in the order in which the batch first lists the edges.
    Undirected edges are ``src < dst``. Checks the batch after its single host synchronization. Expected O(m) work:
    duplicates meet in a hash table.
    """
    device, xp = graph.device, graph.xp
    if not device.is_gpu:
        arcs.check()
    count = arcs.size
    most = count if graph.directed else count // 2
    work = workspace_of(graph)
    scratch = work.scratch.get
    src, dst = xp.empty(most, graph.vertex_dtype), xp.empty(most, graph.vertex_dtype)
    places = scratch("effective_places", count, np.int64)
    entries = 1 << (2 * max(most, 1) - 1).bit_length()
    table = scratch("effective_table", entries, np.int64, fill=FREE)
    slots = graph.store.find(arcs.src, arcs.dst)
    kernels = effective_kernels(graph)
    asked = count, arcs.src, arcs.dst, slots, graph.directed, present, table, entries, places
    if not device.is_gpu or count <= SMALL_ARCS:
        kernels.find_few(*asked, src, dst, work.number.published, threads=min(1024, -(-count // 32) * 32), blocks=1)
        found = work.number.synchronize()[0]
    else:
        launch = tile_launch(count)
        sums = scratch("effective_sums", tile_count(count), np.int64)
        work.counters.reset()  # the kernel writes to them: they are zero no longer
        kernels.claim(*asked)
        kernels.keep_first(count, places, table, sums, **launch)
        kernels.put(
            count, arcs.src, arcs.dst, places, *running_sums(device, kernels, sums), table, src, dst,
            work.counters.array, **launch,
        )  # fmt: skip
        found = work.counters.read()[0]
    if device.is_gpu:
        arcs.check(waited=True)
    return src[:found], dst[:found]
