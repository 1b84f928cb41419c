"""Orientation: an undirected graph whose edges all lead up in some order of the vertices, without a copy of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.core.arguments import check_array, check_graph, integer
from frontier.core.base import BaseGraph, specialize
from frontier.core.locking import reads, workspace_of

from ..copies import static_rows
from ..degree_order import places_by_degree, schedule, schedule_by_id
from ..degrees import degrees_of
from ..dispatch.gpu_balance import resident_blocks, workers_for
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, functor_args, readable_weights, run_cpu
from ..extract import collect_arcs, count_arcs, transposed_rows
from .cpu import make_support, make_triangles, make_triangles_by_id

if TYPE_CHECKING:
    from frontier.core.structures import Graph

HEADER = "frontier/operators/orientation/orientation.cuh"
SHORT_LIST = 32
"""The number of neighbors of a vertex up to which a CPU orders the vertices by id: ordering them by degree and copying
lists would cost more than finding all triangles."""


class OrientedCopy(NamedTuple):
    """An undirected graph with its vertices numbered in the order of an `Orientation`, in two static copies.

    Attributes
    ----------
    up, down : Graph
        Each edge as an arc to the lower number, which is higher up, and reversed. The lists of `up` are sorted.
    order : array of the graph's vertex dtype, shape (up.num_vertices,)
        The vertex with each number.
    rank : array of the graph's vertex dtype, shape (num_vertices,)
        The number of each vertex. Vertices that are ignored have the last ones.
    """

    up: Graph
    down: Graph
    order: Any
    rank: Any


@specialize
class Orientation:
    """An undirected graph with every edge directed from its end of lower degree to its end of higher degree (ties in
    any order).

    No vertex has more than about sqrt(2 E) neighbors above it, and every triangle is found once, at its middle vertex.
    `intersect_arcs` counts in total or for each vertex, and `edge_support` for each edge. They walk the graph itself,
    in any structure, or a `copy`. In the graph itself, only the upper neighbors of the vertices of highest degree are
    copied, as these lists are read most often. If no vertex of a graph on a CPU has many neighbors, all are ordered by
    id, and none are copied.

    It is bound to one version of the graph: after an update (or compaction), its use raises.

    Parameters
    ----------
    graph : Graph
        Undirected.
    degrees : array of int64, shape (num_vertices,), optional
        They order the vertices instead of degrees, such as numbers of neighbors that are not ignored.
    least : int
        Vertices of lower degree are ignored.

    Attributes
    ----------
    rank : array of the graph's vertex dtype, shape (num_vertices,)
        The position of each vertex in the order. Lower positions are higher up. It must not be changed.
    steps : tuple of three int
        Neighbors that are scanned to find all triangles: in copied lists, in all further lists, and in total if all
        edges were copied in this orientation.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or an argument is invalid.

    Notes
    -----
    O(V log V + E) work. O(V) memory: about 50 bytes a vertex, and 32 more for `edge_support`.
    """

    def __init__(self, graph: BaseGraph, degrees: Any = None, least: int = 0):
        check_graph(graph)
        if graph.directed:
            raise ValueError("graph must be undirected: the edges of a directed graph have a direction")
        if degrees is not None:
            check_array(graph, degrees, "degrees", graph.num_vertices, (np.dtype(np.int64),))
        self.graph = graph
        self._version = graph.version
        self._prepare(graph, degrees, integer(least, "least", 0))

    @reads
    def _prepare(self, graph: BaseGraph, degrees: Any, least: int) -> None:
        """Order the vertices, and count and copy the upper neighbors of the first ones."""
        self._lists: Any = None
        may_be_by_id = not graph.device.is_gpu and degrees is None and least <= 1
        longest = int(graph.store.degrees().max(initial=0)) if may_be_by_id else 0
        self._by_id = may_be_by_id and longest <= SHORT_LIST
        if self._by_id:
            self._order, self._ignores = np.arange(graph.num_vertices, dtype=graph.vertex_dtype), False
            self._members, self._schedule = graph.num_vertices, schedule_by_id(graph, longest)
            self._lists = np.zeros(1, np.int64), np.empty(0, graph.vertex_dtype), np.empty(0, np.int64)
            return
        lengths = graph.degrees()
        order, self.rank = places_by_degree(graph, lengths if degrees is None else degrees, max(least, 1))
        self._order, self._members = order, int(order.size)
        self._args = functor_args(graph, _goes_up, (self.rank,))
        self._ignores = degrees is not None or least > 1
        self._above = count_arcs(graph, order, _goes_up, self._args)[1:]
        self._schedule = schedule(graph, order, self._above, lengths)
        self._listed = order[: self._schedule.listed]

    @cached_property
    def rank(self) -> Any:
        """The position of each vertex, which is its id unless it has been given another."""
        return self.graph.xp.arange(self.graph.num_vertices, dtype=self.graph.vertex_dtype)

    @property
    def steps(self) -> tuple[int, int, int]:
        """Neighbors scanned to find all triangles: in copied lists, in all further lists, and in total in a copy."""
        return self._schedule.steps

    @reads
    def copy(self) -> OrientedCopy:
        """Copy the edges, for `intersect_arcs` and `edge_support`, with vertices numbered in this order.

        Its lists are sorted, so on average half of each is read.

        Returns
        -------
        OrientedCopy

        Raises
        ------
        RuntimeError
            The graph has been updated since the `Orientation` was made.

        Notes
        -----
        O(E log E) work: two passes over all arcs, or one if the order is by the graph's own degrees, and a sort of the
        edges. Two ids of memory for each edge, and 24 bytes for each while it runs.
        """
        self.check_version()
        graph, counts = self.graph, None
        if not (self._by_id or self._ignores):
            counts = graph.xp.zeros(self._members + 1, np.int64)
            degrees_of(graph, self._order, out=counts[1:])
            counts[1:] -= self._above
        args = functor_args(graph, _goes_down, (self.rank, np.int64(self._members)))
        offsets, dst, _ = collect_arcs(
            graph, self._order, _goes_down, args, slots=False, relabel=self.rank, counts=counts
        )
        up, down = (static_rows(graph, *rows) for rows in (transposed_rows(graph, offsets, dst), (offsets, dst)))
        down.store.has_sorted_lists = False
        return OrientedCopy(up, down, self._order, self.rank)

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


def _goes_down(src, dst, edge, weight, rank, members):
    return rank[src] < rank[dst] and rank[dst] < members


def count_triangles(orientation: Orientation, tally: Any) -> int:
    """The number of triangles. If `tally` is given, one is added to the entries of the vertices of each."""
    graph, size = orientation.graph, int(orientation._schedule.order.size)
    counters = workspace_of(graph).counters
    counters.reset()
    if not graph.num_arcs:
        return 0
    if orientation._by_id:
        kernel, n = cpu_kernel_for(graph.package, make_triangles_by_id, (), graph.store.is_sorted), graph.num_vertices
        run_cpu(
            kernel, (), workers_for(n), graph.store.bare_view(), n, orientation._schedule.longest, tally,
            np.zeros(1, np.int64), counters.array,
        )  # fmt: skip
        return counters.read()[0]
    if not size:
        return 0
    first, lists, _ = orientation._copied(slots=False)
    if graph.device.is_gpu:
        _launch(orientation, (("HAS_TALLY", "1"),) if tally is not None else (), first, lists, tally=tally)
    else:
        kernel = cpu_kernel_for(graph.package, make_triangles, ())
        run_cpu(
            kernel, (), workers_for(size), graph.store.bare_view(), orientation._schedule.order, orientation.rank,
            orientation._members, orientation._schedule.longest, first, lists, tally, np.zeros(1, np.int64),
            counters.array,
        )  # fmt: skip
    return counters.read()[0]


def count_support(orientation: Orientation) -> Any:
    """For each edge the number of triangles (int32), by what functors see as `edge` of its arc that leads up."""
    graph, order = orientation.graph, orientation.rank if orientation._by_id else orientation._schedule.order
    support = graph.xp.zeros(graph.edge_capacity, np.int32)
    if not order.size:
        return support
    first, lists, slots = orientation._copied(slots=True)
    if graph.device.is_gpu:
        workspace_of(graph).counters.reset()
        of_copies = graph.xp.zeros(lists.size, np.int32)
        _launch(orientation, (("HAS_SUPPORT", "1"),), first, lists, support=support, of_copies=of_copies)
        support[slots if graph.edge_data is None else graph.store.weights[slots]] = of_copies
    else:
        kernel = cpu_kernel_for(graph.package, make_support, ())
        edges = None if graph.edge_data is None else readable_weights(graph, weighted=False)
        run_cpu(
            kernel, (), workers_for(order.size), graph.store.bare_view(), edges, order, orientation.rank,
            orientation._members, orientation._schedule.longest, first, lists, slots, support, np.zeros(1, np.int64),
        )  # fmt: skip
    return support


def _launch(
    orientation: Orientation, options: tuple, first: Any, lists: Any, *, tally: Any = None, support: Any = None,
    of_copies: Any = None,
) -> None:  # fmt: skip
    """Launch the CUDA kernel, whose counters are zero."""
    graph, (order, hubs, small, pieces, *_) = orientation.graph, orientation._schedule
    args = (
        orientation.rank, np.int64(orientation._members), orientation._above, np.int64(orientation._listed.size),
        first, lists, tally, support, of_copies, workspace_of(graph).counters.array,
    )  # fmt: skip
    kernels = cuda_kernels_for(graph, HEADER, (), (), options)
    large = int(order.size) - small
    tickets = int(pieces[-1]) + large - hubs
    kernels.triangles(
        tickets, graph.view(), order, *args, np.int64(hubs), pieces, blocks=min(tickets, resident_blocks())
    )
    kernels.triangles_of_small(small, graph.view(), order[large:], *args, tile=32)
