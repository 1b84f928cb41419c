"""Triangles whose three edges are within a span of time, maintained incrementally.

As in `DynamicTriangleCount`, a batch creates or destroys the triangles that contain at least one of its edges: each is
found from every edge of the batch that it has, if the times of all three are within delta. Each time its vertices are
credited with a share, so that the shares add up to one triangle. Expiry is a deletion. A batch that gives existing
edges other times takes away the triangles through these edges before, and adds them after; those that also have a new
edge are added with the new edges, once.

    mark[edge]   the number of the batch, if the edge is in the batch
    times_of[i]  the time of edge i of the batch
    sixths[v]    triangles of v, in sixths: a share is 1, 1/2 or 1/3
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
    over_parts = True

    def __init__(self, graph: fr.DynamicGraph, delta: Any):
        super().__init__(graph)
        check_undirected(graph, "DynamicTemporalTriangleCount")
        self.delta = fr.arguments.span(graph, delta, "delta")
        counts = temporal_triangle_count(graph, self.delta).per_vertex
        self._sixths = graph.vertex_array(np.int64, 6 * counts, combine="add")
        self._change = graph.vertex_array(np.int64, combine="add")
        self._mark = graph.xp.zeros(graph.edge_capacity, np.int32)
        self._batch = self._inserted = 0
        self._changing = 0  # edges that the update under way deletes, or gives other times
        self._attach()

    @maintained
    def total(self) -> int:
        """Triangles of the graph whose edges are within `delta`."""
        return int(self.graph.total(self._sixths)) // 18  # three vertices, six sixths

    @maintained
    def per_vertex(self) -> Any:
        """Those of each vertex: a new int64 array on the graph's device."""
        self.graph.complete(self._sixths)
        return self._sixths // 6

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Count the triangles through edges that get other times, by their old ones."""
        self._changing = self.graph.sum_over_parts(src.size)
        if self._changing:
            self._change.fill(0)
            self._add_through(src, dst, self._change, self._next_batch())

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the triangles that new edges created."""
        self._inserted = self._next_batch()
        if self.graph.sum_over_parts(src.size):
            self._add_through(src, dst, self._sixths, self._inserted)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Subtract the triangles through edges that got other times, and add those that they form now."""
        if self._changing:
            self._subtract_change()
            self._add_through(src, dst, self._sixths, self._next_batch(), self._inserted)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Count the triangles that deleting a batch of edges will destroy."""
        self.edges_changing(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract those triangles."""
        if self._changing:
            self._subtract_change()

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        if self._sixths.size != self.graph.num_vertices:
            self.graph.complete(self._sixths)
            grown = self.graph.vertex_array(np.int64, combine="add")
            grown[: self._sixths.size] = self._sixths
            self._sixths, self._change = grown, self.graph.vertex_array(np.int64, combine="add")

    def _subtract_change(self) -> None:
        self.graph.settle(self._sixths, self._change)
        self._sixths -= self._change

    def _next_batch(self) -> int:
        self._batch += 1
        if self._mark.size < self.graph.edge_capacity:
            grown = self.graph.xp.zeros(self.graph.edge_capacity, np.int32)
            grown[: self._mark.size] = self._mark
            self._mark = grown
        return self._batch

    def _add_through(self, src: Any, dst: Any, sixths: Any, batch: int, counted: int = NONE) -> None:
        """Add the triangles with an edge among these to `sixths`, except those with an edge of the batch `counted`."""
        graph = self.graph
        local: Any = graph.local if graph.in_parts else graph  # type: ignore[attr-defined]
        edges = local.find_edges(src, dst, checked=False)
        self._mark[edges] = batch
        if graph.in_parts:  # the parts of the other ends have entries of their own
            fr.visit_edges(graph, dst, src, _set_mark, self._mark, batch, output=False)
        times = fr.arguments.edge_times(graph)
        fr.intersect(
            graph, src, dst, _credit, times, times[edges], self._mark, batch, counted, self.delta, sixths,
            numbered=True, checked=False,
        )  # fmt: skip


def _set_mark(src, dst, edge, weight, mark, batch):
    mark[edge] = batch


def _credit(i, u, v, w, edge_uw, edge_vw, times, times_of, mark, batch, counted, delta, sixths):
    if mark[edge_uw] == counted or mark[edge_vw] == counted:
        return
    edges = 1
    if mark[edge_uw] == batch:
        edges += 1
    if mark[edge_vw] == batch:
        edges += 1
    first = min(times_of[i], times[edge_uw], times[edge_vw])
    last = max(times_of[i], times[edge_uw], times[edge_vw])
    if within(first, last, delta):
        share = 6 // edges
        fr.atomic_add(sixths, u, share)
        fr.atomic_add(sixths, v, share)
        fr.atomic_add(sixths, w, share)
