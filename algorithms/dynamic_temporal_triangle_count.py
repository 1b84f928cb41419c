"""Triangles whose three edges are within a span of time, maintained incrementally.

As in `DynamicTriangleCount`, a batch creates or destroys the triangles that contain at least one of its edges: each is
found from every edge of the batch that it has. It counts where that edge is the first of them by id, and if the times
of all three are within delta. Expiry is a deletion. A batch that gives existing edges other times takes away the
triangles through these edges before, and adds them after; those that also have a new edge are added with the new edges,
once.

    mark[edge]   the number of the batch, if the edge is in the batch
    counts[v]    triangles of v
    change[v]    what an update that is under way takes away

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (triangles within a span of time); Makkar,
Bader and Green, "Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017 (those of a batch).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._priorities import check_undirected
from .incremental import IncrementalAlgorithm, maintained
from .temporal_triangle_count import temporal_triangle_count, within

NONE = -1
"""The number of no batch."""


class DynamicTemporalTriangleCount(IncrementalAlgorithm):
    """Counts of the triangles whose edges are within a span of time, exact after every batch.

    Computed once at construction, then maintained incrementally until closed: under insertions, deletions, expiry, and
    new times of existing edges. (Times that are assigned to the column are not noticed.)

    Parameters
    ----------
    graph : DynamicGraph
        Undirected, with times.
    delta : int, timedelta or str
        As in `temporal_triangle_count`.

    Attributes
    ----------
    total : int
        Triangles of the graph whose edges are within `delta`.
    per_vertex : array of int64, shape (num_vertices,)
        Those of each vertex, on the graph's device: a new array on each read.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a `DynamicGraph` with times, or is directed; or `delta` is no length of time.

    Notes
    -----
    A batch takes O(sum of the smaller degree of the two ends) look-ups over its edges, and a pass over an array with
    one entry per vertex where edges are deleted or get other times.

    Examples
    --------
    >>> from algorithms import DynamicTemporalTriangleCount
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1], [1, 2], time=[10, 20], time_unit="s", device="cpu")
    >>> triangles = DynamicTemporalTriangleCount(graph, delta="20s")
    >>> graph.insert_edges([0], [2], time=[30])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> triangles.total
    1
    >>> graph.expire(before=20)
    UpdateResult(inserted=0, replaced=0, deleted=1)
    >>> triangles.total
    0
    """

    sees_changes = True

    def __init__(self, graph: fr.DynamicGraph, delta: Any):
        super().__init__(graph)
        check_undirected(graph, "DynamicTemporalTriangleCount")
        self.delta = fr.arguments.span(graph, delta, "delta")
        self._counts = temporal_triangle_count(graph, self.delta).per_vertex
        self._change = graph.xp.zeros_like(self._counts)
        self._mark = graph.xp.zeros(graph.edge_capacity, np.int32)
        self._batch = self._inserted = 0
        self._attach()

    @maintained
    def total(self) -> int:
        """Triangles of the graph whose edges are within `delta`."""
        return int(self._counts.sum()) // 3

    @maintained
    def per_vertex(self) -> Any:
        """Those of each vertex: a new int64 array on the graph's device."""
        return self._counts.copy()

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Count the triangles through edges that get other times, by their old ones."""
        if src.size:
            self._change.fill(0)
            self._add_through(src, dst, self._change, self._next_batch())

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the triangles that new edges created."""
        self._inserted = self._next_batch()
        self._add_through(src, dst, self._counts, self._inserted)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Subtract the triangles through edges that got other times, and add those that they form now."""
        if src.size:
            self._counts -= self._change
            self._add_through(src, dst, self._counts, self._next_batch(), self._inserted)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Count the triangles that deleting a batch of edges will destroy."""
        self.edges_changing(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract those triangles."""
        if src.size:
            self._counts -= self._change

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        if self._counts.size != self.graph.num_vertices:
            grown = self.graph.xp.zeros(self.graph.num_vertices, np.int64)
            grown[: self._counts.size] = self._counts
            self._counts, self._change = grown, self.graph.xp.zeros_like(grown)

    def _next_batch(self) -> int:
        self._batch += 1
        if self._mark.size < self.graph.edge_capacity:
            grown = self.graph.xp.zeros(self.graph.edge_capacity, np.int32)
            grown[: self._mark.size] = self._mark
            self._mark = grown
        return self._batch

    def _add_through(self, src: Any, dst: Any, counts: Any, batch: int, counted: int = NONE) -> None:
        """Add the triangles with an edge among these to `counts`, except those with an edge of the batch `counted`."""
        if not src.size:
            return
        graph = self.graph
        edges = graph.find_edges(src, dst, checked=False)
        self._mark[edges] = batch
        fr.intersect(
            graph, src, dst, _count, graph.edge_data["time"], edges, self._mark, batch, counted, self.delta, counts,
            numbered=True, checked=False,
        )  # fmt: skip


def _count(i, u, v, w, edge_uw, edge_vw, times, edges, mark, batch, counted, delta, counts):
    edge = edges[i]
    if is_counted(edge_uw, edge, mark, batch, counted) or is_counted(edge_vw, edge, mark, batch, counted):
        return
    first = min(times[edge], times[edge_uw], times[edge_vw])
    last = max(times[edge], times[edge_uw], times[edge_vw])
    if within(first, last, delta):
        fr.atomic_add(counts, u, 1)
        fr.atomic_add(counts, v, 1)
        fr.atomic_add(counts, w, 1)


def is_counted(other, edge, mark, batch, counted):
    """Whether another edge of the triangle has it counted: one of that batch, or of this one and before this edge."""
    return mark[other] == counted or (mark[other] == batch and other < edge)
