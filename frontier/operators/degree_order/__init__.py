"""The order of vertices by degree, and how the work of counting triangles, or of rows in that order, is scheduled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.sort import accumulate, id_bits, running_sums, tile_count, tile_launch
from frontier.runtime.compile.kernels import define_text
from frontier.runtime.memory import elementwise

from ..dispatch.kernels import CudaKernels

HEADER = "frontier/operators/degree_order/degree_order.cuh"
LISTED_ARCS = 4
"""Arcs that are copied for each vertex of the graph, at most. In R-MAT graphs with 2^20 vertices and 16 edges for each
these are an eighth of all arcs, and leave 1.2 times the steps of a whole copy. Without any it is 2.8 times."""
PIECE = 512  # neighbors of a vertex that a thread block goes through at a time
SMALL_LIST = 64  # neighbors, at most, of a vertex for one warp (orientation.cuh has the same number)
AMOUNTS = 5  # sums over positions (ROWS in degree_order.cuh)


class Places(NamedTuple):
    """Vertices by falling degree, without ignored ones, and the position of each vertex, last for ignored ones."""

    order: Any
    rank: Any


def places_by_degree(graph: BaseGraph, degrees: Any, least: int) -> Places:
    """The positions of vertices, or of entries of `degrees`, by degree. Vertices below `least` are ignored."""
    n, xp = int(degrees.size), graph.xp
    rank = xp.empty(n, graph.vertex_dtype)
    if graph.device.is_gpu:
        keys, order, members = xp.empty(n, np.int64), xp.empty(n, graph.vertex_dtype), xp.zeros(1, np.int64)
        kernels, bits = _kernels(graph), id_bits(n)
        degrees = xp.ascontiguousarray(degrees)
        kernels.make_keys(n, degrees, bits, keys)
        keys.sort()
        kernels.take_places(n, keys, bits, degrees, least, order, rank, members)
        return Places(order[: int(members[0])] if least else order, rank)
    order = np.argsort(-degrees).astype(graph.vertex_dtype)
    rank[order] = np.arange(n, dtype=graph.vertex_dtype)
    return Places(order[: np.count_nonzero(degrees >= least)] if least else order, rank)


class Schedule(NamedTuple):
    """The distribution of vertices that can be in the middle of a triangle over threads."""

    order: Any  # hubs, whose lists are cut into pieces, then vertices for a block each, then for a warp each
    hubs: int
    small: int  # vertices for a warp
    first_piece: Any  # int64: the pieces of the hubs before each, and of all
    listed: int  # vertices, the first ones, whose upper neighbors are copied
    steps: tuple[int, int, int]  # see `Orientation`
    longest: int = 0  # bounds the neighbors of a vertex, for workers on a CPU


def schedule(
    graph: BaseGraph, order: Any, above: Any, lengths: Any, *, piece: int = PIECE, small: int = SMALL_LIST
) -> Schedule:
    """Schedule the vertices of `order` that can be in the middle of a triangle.

    `above` has the number of upper neighbors by position, `lengths` the work of each vertex by id. On a GPU, vertices
    with more than `piece` are cut, and vertices with up to `small` get a warp.
    """
    most = LISTED_ARCS * graph.num_vertices
    if graph.device.is_gpu:
        return _schedule_on_gpu(graph, order, above, lengths, most, piece, small)
    return _schedule_on_cpu(graph, order, above, lengths, most)


def schedule_by_id(graph: BaseGraph, longest: int) -> Schedule:
    """A CPU's schedule that orders vertices by id and copies no lists. Steps are estimated from the mean degree."""
    none = np.empty(0, graph.vertex_dtype)
    steps = int(graph.num_arcs / 2 + graph.num_arcs**2 / (4 * max(graph.num_vertices, 1)))
    return Schedule(none, 0, 0, np.zeros(1, np.int64), 0, (0, steps, steps), longest)


def _schedule_on_cpu(graph: BaseGraph, order: Any, above: Any, lengths: Any, most: int) -> Schedule:
    lengths = lengths[order]
    listed = int(np.searchsorted(np.cumsum(above), most, side="right"))
    is_middle = (above > 0) & (above < lengths)
    is_hub, is_small = lengths > PIECE, lengths <= SMALL_LIST
    hubs, small = np.flatnonzero(is_middle & is_hub), np.flatnonzero(is_middle & is_small)
    medium = np.flatnonzero(is_middle & ~is_hub & ~is_small)
    first_piece = np.zeros(hubs.size + 1, np.int64)
    np.cumsum(-(-lengths[hubs] // PIECE), out=first_piece[1:])
    first, rest = int((above[:listed] ** 2).sum()), above[listed:]
    steps = first, int((rest * lengths[listed:]).sum()), first + int((rest**2).sum())
    scheduled = order[np.concatenate([hubs, medium, small])]
    return Schedule(scheduled, int(hubs.size), int(small.size), first_piece, listed, steps, int(lengths.max(initial=0)))


def _schedule_on_gpu(
    graph: BaseGraph, order: Any, above: Any, lengths: Any, most: int, piece: int, small_list: int
) -> Schedule:
    xp, count = graph.xp, int(order.size)
    found = xp.zeros(7, np.int64)
    first_piece = xp.empty(1 + count, np.int64)
    scheduled = xp.empty(count, graph.vertex_dtype)
    if count:
        kernels, tiles = _kernels(graph), tile_count(count)
        sums = xp.empty((AMOUNTS, tiles), np.int64)
        args = count, order, above, lengths, piece, small_list
        kernels.sum_amounts(*args, sums, **tile_launch(count))
        summed = [running_sums(graph.device, kernels, row)[1] for row in sums]
        kernels.schedule(*args, sums, summed[0], most, scheduled, first_piece, found, **tile_launch(count))
    else:
        first_piece.fill(0)
    listed, hubs, medium, small, *steps = (int(number) for number in found.tolist())
    first_piece = elementwise.copy_of(first_piece[: hubs + 1])
    return Schedule(scheduled[: hubs + medium + small], hubs, small, first_piece, listed, tuple(steps))


class RowClasses(NamedTuple):
    """Rows of falling length, by the number of threads for each: `longer` counts the rows longer than each limit.

    `first_piece` (int64) has the pieces of the longest of them before each, and of all.
    """

    longer: tuple[int, ...]
    first_piece: Any


def classes_of_rows(graph: BaseGraph, offsets: Any, limits: tuple[int, ...], piece: int) -> RowClasses:
    """Classes of the rows of CSR arrays on a GPU. Rows longer than the first limit are cut into pieces."""
    xp, kernels = graph.xp, _kernels(graph)
    found = xp.zeros(len(limits), np.int64)
    kernels.count_longer(len(limits), xp.asarray(np.array(limits, np.int64)), int(offsets.size) - 1, offsets, found)
    longer = tuple(found.tolist())
    first_piece = xp.zeros(longer[0] + 1, np.int64)
    if longer[0]:
        kernels.count_pieces(longer[0], offsets, piece, first_piece[1:])
    return RowClasses(longer, accumulate(graph.device, first_piece))


def _kernels(graph: BaseGraph) -> CudaKernels:
    return CudaKernels(HEADER, (("VID", define_text(graph.vertex_dtype)),), ())
