"""`intersect` over parts on GPUs: which lists of neighbors travel is found out by kernels.

The host waits once, for the sizes of what travels; meanwhile the GPU works on the pairs that a part has both ends of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier import operators as one_device
from frontier.core.locking import workspace_of
from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.operators.dispatch.kernels import cuda_kernels_for
from frontier.operators.extract import extract_into
from frontier.operators.visit_common import visit_common
from frontier.runtime import Device, fill_with
from frontier.runtime.memory.elementwise import copy_to, take
from frontier.runtime.memory.transfer import copy_to_host_async

from ..exchange.routed_edges import RoutedEdges
from ..partition.owners_on_gpu import takes

if TYPE_CHECKING:
    from ..base import BasePart

HEADER = "frontier/distributed/operators/common.cuh"
MAX_ITEMS = 2**32 - 2
"""Items are numbered by 32 bits in the hash table, and one number says that an entry is free."""


def takes_pairs(graph: BasePart, routed: RoutedEdges) -> bool:
    """Whether there are kernels for so many parts and pairs; the same on all of them."""
    return takes(graph.device, graph.comm.size, graph.vertex_dtype) and 2 * routed.total <= MAX_ITEMS


class Items:
    """The pairs that this part shares with others, in the order that common.cuh describes.

    Attributes
    ----------
    sizes : list of int
        How many are shared with each part.
    begins : list of int
        Where each block begins, two for each part; and the number of items.
    firsts : list of int
        Where the pairs of each block begin among those that are sent, or that come.
    """

    def __init__(self, rank: int, sent: Sequence[int], received: Sequence[int]):
        starts = [[0, *itertools.accumulate(counts)] for counts in (sent, received)]
        self.rank = rank
        sizes, self.firsts = [], []
        for peer in range(len(sent)):
            own_first = rank < peer
            for which in (0, 1) if own_first else (1, 0):  # own pairs, and those of the other
                sizes.append(0 if peer == rank else (sent, received)[which][peer])
                self.firsts.append(starts[which][peer])
        self.begins = [0, *itertools.accumulate(sizes)]
        self.sizes = [sizes[2 * peer] + sizes[2 * peer + 1] for peer in range(len(sent))]

    def __len__(self) -> int:
        return self.begins[-1]

    def blocks(self) -> Iterator[tuple[bool, slice, slice]]:
        """Of each block whether the pairs are listed here, the items, and the pairs among those sent or those come."""
        for block, (begin, end) in enumerate(itertools.pairwise(self.begins)):
            listed_here = (block & 1) == (self.rank > block >> 1)
            first = self.firsts[block]
            yield listed_here, slice(begin, end), slice(first, first + end - begin)

    def table(self, device: Device) -> Any:
        """The blocks as kernels take them."""
        shifts = [first - begin for first, begin in zip(self.firsts, self.begins, strict=False)]
        return device.xp.asarray(np.asarray([*self.begins, *shifts], np.int64))

    def pieces(self, array: Any) -> list[Any]:
        """The entries of an array by item that are shared with each part."""
        return [array[a:b] for a, b in itertools.pairwise(self.begins[::2])]

    def join(self, device: Device, sent: Any, come: Any) -> Any:
        """An array by item, of values of the pairs that are sent and of those that come."""
        out = device.xp.empty(len(self), sent.dtype)
        for listed_here, items, pairs in self.blocks():
            copy_to(out[items], (sent if listed_here else come)[pairs])
        return out


def find_on_gpu(
    graph: BasePart, routed: RoutedEdges, op: Callable | None, args: tuple, by_edge: Sequence[int],
    by_pair: Sequence[int], functors: dict[str, Any],
) -> Any:  # fmt: skip
    """`intersect` of pairs at the owners of the first ends; returns the numbers of common neighbors unless there is an
    `op`."""
    xp, comm, local, device, here = graph.xp, graph.comm, graph.local, graph.device, routed.here
    of_pairs = [routed.sort(args[i]) for i in by_pair]
    v_in, u_in, *of_in = routed.send(*of_pairs)
    items = Items(comm.rank, routed.sent, routed.received)
    transfer = ListTransfer(graph, items, routed, u_in, v_in)
    # What takes longest is queued before the host waits for the sizes of lists.
    values = replaced(args, by_pair, [array[here] for array in of_pairs])
    found = one_device.intersect(local, routed.src[here], routed.dst[here], op, *values, checked=False, **functors)
    sent, received = transfer.sizes()
    columns = transfer.columns(sum(sent), [args[i] for i in by_edge])
    neighbors = xp.empty(sum(received), graph.vertex_dtype)
    both = [items.join(device, ours, theirs) for ours, theirs in zip(of_pairs, of_in, strict=True)]
    capacity = local.edge_capacity
    with behind(device, [args[i] for i in by_edge], capacity, neighbors.size) as (more, pieces):
        comm.alltoallv_columns(columns, sent, received, [neighbors, *pieces])
        values = replaced(replaced(args, by_edge, more), by_pair, both)
        there = transfer.visit(neighbors, capacity, op, values, functors)
    return None if op is not None else _answers(graph, items, routed, found, there)


def _answers(graph: BasePart, items: Items, routed: RoutedEdges, found: Any, there: Any) -> Any:
    """The numbers of common neighbors of the pairs, in their first order: of those that stay here, and of items, some
    of which the other parts have counted."""
    theirs = graph.xp.empty(len(items), np.int64)
    graph.comm.exchange_into(items.pieces(there), items.sizes, theirs)
    there = there + theirs
    out = graph.xp.empty(routed.src.size, np.int64)
    copy_to(out[routed.here], found)
    for listed_here, block, pairs in items.blocks():
        if listed_here:
            copy_to(out[pairs], there[block])
    return routed.restore(out)


class ListTransfer:
    """Which lists go to other parts and which come: queued, so that the host may do other things before `sizes`."""

    def __init__(self, graph: BasePart, items: Items, routed: RoutedEdges, u_in: Any, v_in: Any):
        xp, comm, local, device = graph.xp, graph.comm, graph.local, graph.device
        self._graph, self._items = graph, items
        count, parts, rank = len(items), comm.size, comm.rank
        self._bounds: Any = None
        kernels = cuda_kernels_for(local, HEADER, (), ())
        ids = [xp.empty(count, graph.vertex_dtype) for _ in range(6)]
        own, other, degrees, theirs, lists, going = ids
        swapped = xp.empty(count, np.uint8)
        if count:
            blocks = items.table(device)
            kernels.lay_out(
                count, local.view(), blocks, parts, rank, routed.src, routed.dst, u_in, v_in, own, other, degrees,
                swapped,
            )  # fmt: skip
        comm.exchange_into(items.pieces(degrees), items.sizes, theirs)
        rows, offsets, ends = (xp.empty(count, np.int64) for _ in range(3))
        self._own, self._other, self._swapped, self._going = own, other, swapped, going
        self._rows, self._offsets, self._ends = rows, offsets, ends
        if not count:
            return
        scratch = workspace_of(local).scratch.get
        entries = 1 << (2 * count - 1).bit_length()
        table, places = scratch("common_table", entries, np.int32), scratch("common_places", count, np.uint32)
        sums = scratch("common_sums", 3 * tile_count(count), np.int64)
        bounds = xp.empty(2 * (parts + 1), np.int64)
        fill_with(table, -1)
        kernels.choose(count, own, other, degrees, theirs, swapped, lists)
        kernels.claim(count, blocks, parts, lists, table, entries, places)
        launch = tile_launch(count)
        kernels.measure(count, own, lists, degrees, theirs, table, places, rows, sums, **launch)
        kernels.place(
            count, blocks, parts, own, lists, degrees, theirs, *running_sums(device, kernels, sums), rows, offsets,
            ends, going, bounds, **launch,
        )  # fmt: skip
        self._bounds = copy_to_host_async(bounds)

    def sizes(self) -> tuple[list[int], list[int]]:
        """How many neighbors go to each part and come from each, after a wait for the numbers."""
        parts = self._graph.comm.size
        if self._bounds is None:
            return [0] * parts, [0] * parts
        bounds = self._bounds.result().tolist()
        found = []
        for ends in (bounds[: parts + 1], bounds[parts + 1 :]):
            for part in reversed(range(parts)):  # those without items have none of their own
                if not self._items.sizes[part]:
                    ends[part] = ends[part + 1]
            found.append([b - a for a, b in itertools.pairwise(ends)])
        sent, received = found
        return sent, received

    def columns(self, size: int, arrays: Sequence[Any]) -> list[Any]:
        """The neighbors that go, so many, and their values in arrays by edge."""
        xp, local = self._graph.xp, self._graph.local
        neighbors = xp.empty(size, self._graph.vertex_dtype)
        edges = xp.empty(size, np.int64) if arrays else None
        if size:
            extract_into(local, self._going, self._offsets, neighbors, edges)
            if edges is not None:
                edges = local.payload.edges_at(local, edges, out=edges)
        return [neighbors, *(take(local.device, array, edges) for array in arrays)]

    def visit(self, neighbors: Any, first_edge: int, op: Callable | None, args: tuple, functors: dict[str, Any]) -> Any:
        """Compare the lists that have come; `visit_common`."""
        return visit_common(
            self._graph.local, self._own, self._other, self._swapped, self._rows, self._offsets, neighbors, first_edge,
            op, *args, ends=self._ends, **functors,
        )  # fmt: skip


def replaced(args: tuple, places: Sequence[int], values: Sequence[Any]) -> tuple:
    """Arguments with other values at some places."""
    made = list(args)
    for place, value in zip(places, values, strict=True):
        made[place] = value
    return tuple(made)


@contextmanager
def behind(
    device: Device, arrays: Sequence[Any], capacity: int, size: int
) -> Iterator[tuple[list[Any], list[Any]]]:  # fmt: skip
    """Arrays by edge with room for the values of `size` more edges behind their first `capacity` entries, and the room.

    It is in the arrays themselves where they are long enough, and what is there is restored afterwards; others are
    copied, which takes a pass over them.
    """
    made: dict[int, Any] = {}  # an array may be an argument twice
    before = []
    for array in arrays:
        if id(array) in made:
            continue
        if array.size >= capacity + size and array.flags.c_contiguous:
            room = array[capacity : capacity + size]
            held = device.xp.empty(size, array.dtype)
            copy_to(held, room)
            before.append((room, held))
            made[id(array)] = array
        else:
            longer = made[id(array)] = device.xp.empty(capacity + size, array.dtype)
            known = min(capacity, array.size)
            copy_to(longer[:known], device.xp.ascontiguousarray(array[:known]))
    found = [made[id(array)] for array in arrays]
    try:
        yield found, [array[capacity : capacity + size] for array in found]
    finally:
        for room, held in before:
            copy_to(room, held)
