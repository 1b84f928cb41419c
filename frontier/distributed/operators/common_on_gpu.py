"""`intersect` over partitions on GPUs: kernels find out which lists of neighbors travel.

The host synchronizes once, for the sizes of transfers. Meanwhile the GPU intersects pairs of this partition's vertices.
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
MAX_ITEMS = 2**32 - 2  # the hash table numbers items by 32 bits, and one number marks free entries


def takes_pairs(graph: BasePart, routed: RoutedEdges) -> bool:
    """Return whether kernels support this number of partitions and pairs. The result is the same on all of them."""
    return takes(graph.device, graph.comm.size, graph.vertex_dtype) and 2 * routed.total <= MAX_ITEMS


class Items:
    """The pairs that this partition shares with each partition, in the order of common.cuh.

    `sizes` are the numbers shared with each partition. `begins` are the starts of the blocks, two for each partition,
    and the number of items. `firsts` are the starts of the blocks' pairs among the sent, or the received ones.
    """

    def __init__(self, rank: int, sent: Sequence[int], received: Sequence[int]):
        starts = [[0, *itertools.accumulate(counts)] for counts in (sent, received)]
        self.rank = rank
        sizes, self.firsts = [], []
        for peer in range(len(sent)):
            own_first = rank < peer
            for which in (0, 1) if own_first else (1, 0):  # own pairs, and the peer's
                sizes.append(0 if peer == rank else (sent, received)[which][peer])
                self.firsts.append(starts[which][peer])
        self.begins = [0, *itertools.accumulate(sizes)]
        self.sizes = [sizes[2 * peer] + sizes[2 * peer + 1] for peer in range(len(sent))]

    def __len__(self) -> int:
        return self.begins[-1]

    def blocks(self) -> Iterator[tuple[bool, slice, slice]]:
        """Yield for each block whether its pairs are listed here, its items, and its pairs as they are sent."""
        for block, (begin, end) in enumerate(itertools.pairwise(self.begins)):
            listed_here = (block & 1) == (self.rank > block >> 1)
            first = self.firsts[block]
            yield listed_here, slice(begin, end), slice(first, first + end - begin)

    def table(self, device: Device) -> Any:
        """Return the blocks in the form of the kernels."""
        shifts = [first - begin for first, begin in zip(self.firsts, self.begins, strict=False)]
        return device.xp.asarray(np.asarray([*self.begins, *shifts], np.int64))

    def pieces(self, array: Any) -> list[Any]:
        """Return the entries of an array by item that are shared with each partition."""
        return [array[a:b] for a, b in itertools.pairwise(self.begins[::2])]

    def join(self, device: Device, sent: Any, come: Any) -> Any:
        """Return an array by item, from values of the sent and the received pairs."""
        out = device.xp.empty(len(self), sent.dtype)
        for listed_here, items, pairs in self.blocks():
            copy_to(out[items], (sent if listed_here else come)[pairs])
        return out


def find_on_gpu(
    graph: BasePart, routed: RoutedEdges, op: Callable | None, args: tuple, by_edge: Sequence[int],
    by_pair: Sequence[int], functors: dict[str, Any],
) -> Any:  # fmt: skip
    """Intersect pairs at the owners of the first ends, and return the counts of common neighbors without an `op`."""
    xp, comm, local, device, here = graph.xp, graph.comm, graph.local, graph.device, routed.here
    of_pairs = [routed.sort(args[i]) for i in by_pair]
    v_in, u_in, *of_in = routed.send(*of_pairs)
    items = Items(comm.rank, routed.sent, routed.received)
    transfer = ListTransfer(graph, items, routed, u_in, v_in)
    # The longest kernel is queued before the host synchronizes for the sizes of lists.
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
    """Return the counts of the pairs in their first order, from local pairs and from items of both partitions."""
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
    """The lists to send and to receive, queued: the host can continue before `sizes`."""

    def __init__(self, graph: BasePart, items: Items, routed: RoutedEdges, u_in: Any, v_in: Any):
        xp, comm, local, device = graph.xp, graph.comm, graph.local, graph.device
        self._graph, self._items = graph, items
        count, parts, rank = len(items), comm.size, comm.rank
        self._bounds: Any = None
        kernels = cuda_kernels_for(local, HEADER, (), ())
        own, other, degrees, theirs, lists, going = [xp.empty(count, graph.vertex_dtype) for _ in range(6)]
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
        """Return the numbers of neighbors to and from each partition, after a synchronization."""
        parts = self._graph.comm.size
        if self._bounds is None:
            return [0] * parts, [0] * parts
        bounds = self._bounds.result().tolist()
        found = []
        for ends in (bounds[: parts + 1], bounds[parts + 1 :]):
            for part in reversed(range(parts)):  # partitions without items have no bounds
                if not self._items.sizes[part]:
                    ends[part] = ends[part + 1]
            found.append([b - a for a, b in itertools.pairwise(ends)])
        sent, received = found
        return sent, received

    def columns(self, size: int, arrays: Sequence[Any]) -> list[Any]:
        """Return the `size` neighbors to send, and their values in arrays by edge."""
        xp, local = self._graph.xp, self._graph.local
        neighbors = xp.empty(size, self._graph.vertex_dtype)
        edges = xp.empty(size, np.int64) if arrays else None
        if size:
            extract_into(local, self._going, self._offsets, neighbors, edges)
            if edges is not None:
                edges = local.payload.edges_at(local, edges, out=edges)
        return [neighbors, *(take(local.device, array, edges) for array in arrays)]

    def visit(self, neighbors: Any, first_edge: int, op: Callable | None, args: tuple, functors: dict[str, Any]) -> Any:
        """Compare the received lists (`visit_common`)."""
        return visit_common(
            self._graph.local, self._own, self._other, self._swapped, self._rows, self._offsets, neighbors, first_edge,
            op, *args, ends=self._ends, **functors,
        )  # fmt: skip


def replaced(args: tuple, places: Sequence[int], values: Sequence[Any]) -> tuple:
    """Return arguments with other values at some positions."""
    made = list(args)
    for place, value in zip(places, values, strict=True):
        made[place] = value
    return tuple(made)


@contextmanager
def behind(device: Device, arrays: Sequence[Any], capacity: int, size: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield arrays by edge with `size` more entries behind the first `capacity`, and these entries.

    Long enough arrays provide them in place, and their contents are restored afterwards. Others are copied.
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
