"""The host side: from a batch to its changes, and from these to lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.batch import Arcs
from frontier.operators.engine import state_of
from frontier.operators.match import match_keys
from frontier.runtime import threads_for
from frontier.sort import arc_keys, distinct_keys, id_bits

if TYPE_CHECKING:
    from frontier.graph import Graph
    from frontier.runtime import Counters

# Places in the counters: arcs that change the graph, distinct sources of the batch, distinct arcs that change nothing,
# arcs not looked up yet. A structure's own follow.
CHANGES, GROUPS, OTHERS, PENDING, COUNTERS = 0, 1, 2, 3, 4
TILE = 512  # arcs, or groups, to a thread block (scan_tiles.cuh has the same number)
MAX_SUMS = 4096  # tiles up to which each thread block adds up the sums of all before it
SHORT_LIST = 256  # neighbors that one thread looks through
CHUNKS_PER_THREAD = 4  # pieces that lists are dealt into on the CPU, for each thread
FEW_CHANGES = 1024  # fewer than these are made by one thread


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
    group : array of int32, or None
        Group of each change; only on the GPU.
    dst : array of vertex ids
    weights : array or None
        Of the arcs to insert.
    slots : array of int64 or None
        Of the arcs to delete.
    others : tuple or None
        Of a graph with weights, what `replace` needs to know about arcs that are there already.
    """

    bound: int
    vertex: Any
    start: Any
    group: Any
    dst: Any
    weights: Any = None
    slots: Any = None
    others: Any = None

    def replace(self, graph: Graph) -> None:
        """Give the arcs that were there already their new weights."""
        if self.others is None:
            return
        slots, origin, weights = self.others
        if graph.device.is_gpu:
            graph._kernels.replace_weights(int(slots.size), slots, origin, weights, graph._weights)
        else:
            graph._weights[slots] = weights


def chunks_for(changes: int) -> int:
    """Pieces that lists are dealt into on the CPU, for so many changes to them."""
    threads = threads_for(changes, FEW_CHANGES)
    return 1 if threads == 1 else CHUNKS_PER_THREAD * threads


def running_sums(graph: Graph, sums: Any) -> tuple[Any, bool]:
    """Sums over tiles as kernels want them: added up, in place, if there are many; and whether they are.

    Allocates no memory. On the CPU kernels add up as they go.
    """
    summed = graph.device.is_gpu and sums.size > MAX_SUMS
    if summed:
        graph._kernels.add_up(int(sums.size), sums, threads=1024, blocks=1)
    return sums, summed


def find_changes(graph: Graph, arcs: Arcs, counters: Counters, *, inserting: bool) -> Changes:
    """What a batch changes: arcs to insert that are not in the graph, or arcs to delete that are.

    Parameters
    ----------
    counters : Counters
        Set to zero before.

    Notes
    -----
    A sort of the batch, and a walk over the list of each of its sources. The batch need not have been checked; on the
    CPU it is checked here, where that needs no synchronization.
    """
    scratch, kernels = graph._scratch.get, graph._kernels
    weighted = inserting and arcs.weights is not None
    keys, origin, _ = distinct_keys(graph, arcs, origin=weighted)
    size, shift = int(keys.size), id_bits(graph.num_vertices)
    slots = scratch("key_slots", size, np.int64)
    match_keys(graph, keys, slots)
    vertex, start = scratch("group_vertex", size, graph.vertex_dtype), scratch("group_start", size + 1, np.int64)
    dst = scratch("change_dst", size, graph.vertex_dtype)
    if not graph.device.is_gpu:
        index = scratch("change_index", size, np.int64)
        kernels.gather_changes(size, keys, slots, shift, not inserting, vertex, start, dst, index, counters.array)
        groups, changes = int(counters.array[GROUPS]), int(counters.array[CHANGES])
        index, found = index[:changes], Changes(groups, vertex, start, None, dst)
        if not inserting:
            return found._replace(slots=slots[index])
        if not weighted:
            return found
        there = np.flatnonzero(slots >= 0)
        weights = arcs.weights
        return found._replace(weights=weights[origin[index]], others=(slots[there], None, weights[origin[there]]))
    group = scratch("change_group", size, np.int32)
    out_weights = scratch("change_weights", size, graph.weight_dtype) if weighted else None
    out_slots = None if inserting else scratch("change_slots", size, np.int64)
    weights = arcs.weights if weighted else None
    tiles = -(-size // TILE)
    sums, launch = scratch("change_sums", tiles, np.int64), {"threads": TILE, "blocks": tiles}
    kernels.count_changes(size, keys, slots, shift, not inserting, sums, counters.array, **launch)
    kernels.keep_changes(
        size, keys, slots, shift, not inserting, origin, weights, *running_sums(graph, sums), vertex, start, group, dst,
        out_weights, out_slots, counters.array, **launch,
    )  # fmt: skip
    others = (slots, origin, weights) if weighted else None
    return Changes(size, vertex, start, group, dst, out_weights, out_slots, others)


def append_changes(graph: Graph, changes: Changes, groups: int, count: int) -> None:
    """Write `count` changes of so many groups to the end of their lists, which have their new degrees already.

    Allocates no memory.
    """
    view = graph._make_view()
    if graph.device.is_gpu:
        graph._kernels.append(
            count, view, changes.vertex, changes.start, changes.group, changes.dst, changes.weights
        )  # fmt: skip
        return
    chunks = chunks_for(count)
    graph._kernels.append_lists(
        chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, changes.dst, changes.weights
    )  # fmt: skip


def remove_changes(graph: Graph, changes: Changes, groups: int, count: int) -> None:
    """Take `count` changes of so many groups out of their lists, which still have their old degrees.

    Of a list of n neighbors that loses d, those that stay are at positions 0 .. n - d - 1 afterwards: the ones behind
    fill the holes before. Memory runs out, if it does, before anything has changed.
    """
    view = graph._make_view()
    if not graph.device.is_gpu:
        chunks = chunks_for(count)
        graph._kernels.remove_lists(
            chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, changes.slots
        )
        return
    scratch, kernels, slots = graph._scratch.get, graph._kernels, changes.slots
    tails, movers = scratch("tails", count, np.int64), scratch("movers", count, np.int64)
    tiles = -(-count // TILE)
    launch = {"threads": TILE, "blocks": tiles}
    survivors, holes = scratch("survivor_sums", tiles, np.int64), scratch("hole_sums", tiles, np.int64)
    kernels.mark(count, view, slots)
    kernels.find_survivors(count, view, changes.vertex, changes.start, changes.group, tails, survivors, **launch)
    kernels.find_holes(count, view, slots, tails, *running_sums(graph, survivors), movers, holes, **launch)
    kernels.fill_holes(count, view, slots, *running_sums(graph, holes), movers, **launch)


def find_arcs(graph: Graph, src: Any, dst: Any) -> Any:
    """The slots (int64) of arcs, -1 where there is none or the source is negative.

    Short lists are looked through at once, each arc by itself. Arcs of long ones are then sorted, so that each list is
    walked once for all of them. The host waits to know whether there are any.
    """
    xp = graph.xp
    slots = xp.empty(src.size, np.int64)
    counters = state_of(graph).counters  # not those of updates: several threads may look arcs up at once
    counters.reset()
    graph._kernels.find_short(int(src.size), graph.view(), src, dst, SHORT_LIST, slots, counters.array)
    if not counters.read()[PENDING]:
        return slots
    pending = xp.flatnonzero(slots == -2)
    arcs = Arcs(src[pending], dst[pending], None)
    keys = distinct_keys(graph, arcs).keys
    found = xp.empty(keys.size, np.int64)
    match_keys(graph, keys, found)
    places = xp.searchsorted(keys, arc_keys(graph.device, arcs.src, arcs.dst, graph.num_vertices))
    slots[pending] = found[places]
    return slots
