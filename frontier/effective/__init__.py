"""The edges of a batch that an update adds or removes, which exact observers are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..batch import Arcs
from ..runtime import load_kernels
from .cpu import FREE, TILE

if TYPE_CHECKING:
    from ..graph import Graph


def effective_edges(graph: Graph, arcs: Arcs, present: bool) -> tuple[Any, Any]:
    """The distinct edges of a batch that are in the graph, or that are not; undirected ones once, as src < dst.

    Parameters
    ----------
    arcs : Arcs
        Checked here, with the one wait for the device that this takes.
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
    tiles = -(-count // TILE)
    scratch = graph._scratch.get
    src, dst = xp.empty(most, graph.vertex_dtype), xp.empty(most, graph.vertex_dtype)
    places = scratch("effective_places", count, np.int64)
    sums = scratch("effective_sums", tiles, np.int64)
    entries = 1 << (2 * max(most, 1) - 1).bit_length()
    table = scratch("effective_table", entries, np.int64, fill=FREE)
    counters = graph._access.workspace().counters
    slots = graph._find(arcs.src, arcs.dst)
    kernels = load_kernels("frontier.effective", device, {"VID": graph.vertex_dtype})
    launch = {"threads": TILE, "blocks": tiles} if device.is_gpu else {}
    kernels.claim(count, arcs.src, arcs.dst, slots, graph.directed, present, table, entries, places)
    kernels.keep_first(count, places, table, sums, **launch)
    kernels.put(count, arcs.src, arcs.dst, places, sums, table, src, dst, counters.array, **launch)
    found = counters.read()[0]
    arcs.check(waited=True)
    return src[:found], dst[:found]
