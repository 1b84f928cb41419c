"""The edges of a batch that an update adds or removes, of which exact observers are notified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..batch import Arcs
from ..runtime import load_kernels
from ..sort import running_sums, tile_count, tile_launch
from .cpu import FREE

if TYPE_CHECKING:
    from ..graph import Graph


def effective_edges(graph: Graph, arcs: Arcs, present: bool) -> tuple[Any, Any]:
    """The distinct edges of a batch that are in the graph, or that are not; undirected ones once, as src < dst.

    Parameters
    ----------
    arcs : Arcs
        Checked here, after the single host synchronization that this takes.
    present : bool
        Whether the edges asked for are those in the graph.

    Returns
    -------
    src, dst : arrays of the graph's vertex dtype, on its device
        In the order in which the batch lists them first.

    Notes
    -----
    Expected O(m) work: duplicates meet in a hash table.
    """
    device, xp = graph.device, graph.xp
    if not device.is_gpu:
        arcs.check()
    count = len(arcs)
    most = count if graph.directed else count // 2
    scratch = graph._scratch.get
    src, dst = xp.empty(most, graph.vertex_dtype), xp.empty(most, graph.vertex_dtype)
    places = scratch("effective_places", count, np.int64)
    sums = scratch("effective_sums", tile_count(count), np.int64)
    entries = 1 << (2 * max(most, 1) - 1).bit_length()
    table = scratch("effective_table", entries, np.int64, fill=FREE)
    counters = graph._access.workspace().counters
    slots = graph._find(arcs.src, arcs.dst)
    kernels = load_kernels("frontier.effective", device, {"VID": graph.vertex_dtype})
    launch = tile_launch(count)
    kernels.claim(count, arcs.src, arcs.dst, slots, graph.directed, present, table, entries, places)
    kernels.keep_first(count, places, table, sums, **launch)
    kernels.put(
        count, arcs.src, arcs.dst, places, *running_sums(device, kernels, sums), table, src, dst, counters.array,
        **launch,
    )  # fmt: skip
    found = counters.read()[0]
    arcs.check(waited=True)
    return src[:found], dst[:found]
