"""Orientation: an undirected graph whose edges all lead up in some order of the vertices, without a copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import check_array, check_graph, integer
from ...kinds import takes_form
from ..engine import (
    bare_view,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    readable_weights,
    run_cpu,
    state_of,
)
from ..extract import collect_arcs, count_arcs
from ..launch import resident_blocks, workers_for
from .cpu import make_support, make_triangles

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/orientation/orientation.cuh"
LISTED_ARCS = 4
"""Arcs that are copied for each vertex of the graph, at most. In R-MAT graphs with 2^20 vertices and 16 edges for each
these are an eighth of all arcs, and leave 1.2 times the steps that a whole copy takes; without any it is 2.8 times."""
PIECE = 512  # neighbors of a vertex that a thread block goes through at a time
SMALL_LIST = 64  # a warp takes a vertex that has no more (orientation.cuh has the same number)


@takes_form
class Orientation:
    """An undirected graph with every edge directed from its end of lower degree to the other (ties in any order).

    No vertex has more than about sqrt(2 E) neighbors above it, and every triangle is found once: at its middle vertex,
    by `intersect_arcs` in total or for each vertex, and by `edge_support` for each edge. They walk the graph itself,
    whatever its structure; only the upper neighbors of the vertices of highest degree are copied, as these lists are
    read most often, and most of what is in them is below.

    It is bound to one version of the graph: after an update (or compaction), its use raises.

    Parameters
    ----------
    graph : Graph
        Undirected.
    degrees : array of int64, shape (num_vertices,), optional
        What orders the vertices, in place of their degrees: for example the number of neighbors that are not ignored.
    least : int
        Vertices of lower degree are ignored.

    Attributes
    ----------
    rank : array of the graph's vertex dtype, shape (num_vertices,)
        The place of each vertex in the order; those with lower places are higher up. It must not be changed.
    steps : tuple of three int
        Neighbors that are looked at to find all triangles: in lists that were copied, in others, and in total if all
        edges were copied in this orientation.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or an argument is invalid.

    Notes
    -----
    O(V log V + E) work. O(V) memory: about 50 bytes a vertex, and 32 more for `edge_support`.
    """

    def __init__(self, graph: Graph, degrees: Any = None, least: int = 0):
        check_graph(graph)
        if graph.directed:
            raise ValueError("graph must be undirected: the edges of a directed graph have a direction")
        if degrees is not None:
            check_array(graph, degrees, "degrees", graph.num_vertices, (np.dtype(np.int64),))
        self.graph = graph
        self._version = graph.version
        self._prepare(graph, degrees, integer(least, "least", 0))

    @reads
    def _prepare(self, graph: Graph, degrees: Any, least: int) -> None:
        """Order the vertices, and count and copy what is above those that come first."""
        xp = graph.xp
        lengths = graph.degrees()
        degrees = lengths if degrees is None else degrees
        order = xp.argsort(-degrees).astype(graph.vertex_dtype)
        self._members = int(xp.flatnonzero(degrees >= max(least, 1)).size)  # count_nonzero is slow to compile
        order = order[: self._members]
        # Those that are ignored come after all others, in any order.
        self.rank = xp.full(graph.num_vertices, self._members, graph.vertex_dtype)
        self.rank[order] = xp.arange(self._members, dtype=graph.vertex_dtype)
        self._args = functor_args(graph, _goes_up, (self.rank,))
        self._above = count_arcs(graph, order, _goes_up, self._args)[1:]
        self._listed = order[: xp.flatnonzero(xp.cumsum(self._above) <= LISTED_ARCS * graph.num_vertices).size]
        self._lists: Any = None
        self._lengths = lengths[order]
        self._deal(order)

    def _deal(self, order: Any) -> None:
        """Find which vertices can be in the middle of a triangle, and cut the lists of those with most neighbors."""
        xp, lengths = self.graph.xp, self._lengths
        is_middle = (self._above > 0) & (self._above < lengths)
        hubs = xp.flatnonzero(is_middle & (lengths > PIECE))
        rest = xp.flatnonzero(is_middle & (lengths <= PIECE) & (lengths > SMALL_LIST))
        small = xp.flatnonzero(is_middle & (lengths <= SMALL_LIST))
        self._order = order[xp.concatenate([hubs, rest, small])]
        self._small = int(small.size)
        self._first_piece = xp.zeros(hubs.size + 1, np.int64)
        xp.cumsum(-(-lengths[hubs] // PIECE), out=self._first_piece[1:])
        self._longest = int(lengths.max()) if lengths.size else 0

    @property
    def steps(self) -> tuple[int, int, int]:
        """Neighbors that are looked at to find all triangles: copied ones, others, and all in a copy."""
        above, listed = self._above, int(self._listed.size)
        first, rest = (above[:listed] ** 2).sum(), above[listed:]
        others, in_copy = (rest * self._lengths[listed:]).sum(), first + (rest**2).sum()
        return tuple(self.graph.xp.stack([first, others, in_copy]).tolist())

    def check_version(self) -> None:
        """Raise RuntimeError if the graph has been updated."""
        if self.graph.version != self._version:
            raise RuntimeError("this Orientation is of the graph before an update: make a new one")

    def _copied(self, slots: bool) -> tuple[Any, Any, Any]:
        """The lists of the first vertices: offsets, upper neighbors, and slots of their arcs if these are needed."""
        if self._lists is None or (slots and self._lists[2] is None):
            self._lists = collect_arcs(self.graph, self._listed, _goes_up, self._args, slots=slots)
        return self._lists if slots else (*self._lists[:2], None)


def _goes_up(src, dst, edge, weight, rank):
    return rank[dst] < rank[src]


def count_triangles(orientation: Orientation, tally: Any) -> int:
    """The number of triangles; if there is a `tally`, one is added to the entries of the vertices of each."""
    graph, size = orientation.graph, int(orientation._order.size)
    if not size:
        return 0
    first, lists, _ = orientation._copied(slots=False)
    counters = state_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        _launch(orientation, (("HAS_TALLY", "1"),) if tally is not None else (), first, lists, tally=tally)
    else:
        kernel = cpu_kernel_for(graph.package, make_triangles, ())
        run_cpu(
            kernel, (), workers_for(size), bare_view(graph), orientation._order, orientation.rank,
            orientation._members, orientation._longest, first, lists, tally, np.zeros(1, np.int64), counters.array,
        )  # fmt: skip
    return counters.read()[0]


def count_support(orientation: Orientation) -> Any:
    """For each edge the number of triangles (int32), by what functors see as `edge` of its arc that leads up."""
    graph, size = orientation.graph, int(orientation._order.size)
    support = graph.xp.zeros(graph.edge_capacity, np.int32)
    if not size:
        return support
    first, lists, slots = orientation._copied(slots=True)
    if graph.device.is_gpu:
        state_of(graph).counters.reset()
        of_copies = graph.xp.zeros(lists.size, np.int32)
        _launch(orientation, (("HAS_SUPPORT", "1"),), first, lists, support=support, of_copies=of_copies)
        support[slots if graph.edge_data is None else graph._weights[slots]] = of_copies
    else:
        kernel = cpu_kernel_for(graph.package, make_support, ())
        edges = None if graph.edge_data is None else readable_weights(graph, weighted=False)
        run_cpu(
            kernel, (), workers_for(size), bare_view(graph), edges, orientation._order, orientation.rank,
            orientation._members, orientation._longest, first, lists, slots, support, np.zeros(1, np.int64),
        )  # fmt: skip
    return support


def _launch(
    orientation: Orientation, options: tuple, first: Any, lists: Any, *, tally: Any = None, support: Any = None,
    of_copies: Any = None,
) -> None:  # fmt: skip
    """Launch the CUDA kernel, whose counters are zero."""
    graph, order, pieces, small = orientation.graph, orientation._order, orientation._first_piece, orientation._small
    args = (
        orientation.rank, np.int64(orientation._members), orientation._above, np.int64(orientation._listed.size),
        first, lists, tally, support, of_copies, state_of(graph).counters.array,
    )  # fmt: skip
    kernels = cuda_kernels_for(graph, HEADER, (), (), options)
    large, hubs = int(order.size) - small, int(pieces.size) - 1
    tickets = int(pieces[-1]) + large - hubs
    kernels.triangles(
        tickets, graph.view(), order, *args, np.int64(hubs), pieces, blocks=min(tickets, resident_blocks())
    )
    kernels.triangles_of_small(small, graph.view(), order[large:], *args, tile=32)
