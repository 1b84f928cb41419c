"""Triangles whose three edges are within a span of time, maintained incrementally.

As in `DynamicTriangleCount`, a batch creates or destroys the triangles that contain at least one of its edges
(`_triangle_sums`), if the times of all three are within delta. Expiry is a deletion. A batch that gives existing
edges other times takes away the triangles through these edges before, and adds them after; those that also have a new
edge are added with the new edges, once.

    mark[edge]   the number of the batch, if the edge is in the batch
    times_of[i]  the time of edge i of the batch

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (triangles within a span of time); Makkar,
Bader and Green, "Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017 (those of a batch).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._priorities import check_undirected
from ._triangle_sums import TriangleSums, credit, with_room
from .temporal_triangle_count import temporal_triangle_count, within

NONE = -1
"""The number of no batch."""


class DynamicTemporalTriangleCount(TriangleSums):
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
    A batch takes O(sum of the smaller degree of the two ends) look-ups over its edges.

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
        self._count_all()
        self._mark = graph.xp.zeros(with_room(graph.edge_capacity), np.int32)
        self._batch = self._inserted = 0
        self._attach()

    def _counts(self) -> tuple[int, Any]:
        found = temporal_triangle_count(self.graph, self.delta)
        return found.total, found.per_vertex

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Subtract the triangles through edges that get other times, by their old ones."""
        self._begin()
        self._leaving = not self._outdated
        self._add_through(src, dst, -1, self._next_batch())

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the triangles that new edges created."""
        self._inserted = self._next_batch()
        self._add_through(src, dst, 1, self._inserted)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Add the triangles through edges that got other times, by their new ones."""
        self._end()
        self._add_through(src, dst, 1, self._next_batch(), self._inserted)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Subtract the triangles that deleting a batch of edges will destroy."""
        self.edges_changing(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Take note that they are gone."""
        self._end()

    def _next_batch(self) -> int:
        self._batch += 1
        grown = self._marks_for(self._mark, self.graph.edge_capacity, np.int32)
        if grown is not self._mark:
            grown[: self._mark.size] = self._mark
            self._mark = grown
        return self._batch

    def _add_through(self, src: Any, dst: Any, sign: int, batch: int, counted: int = NONE) -> None:
        """Add the triangles with an edge among these, or subtract them, except those with an edge of the batch
        `counted`."""
        if self._outdated or not self.graph.listed_over_parts(src, dst):
            return
        self._total = None
        graph = self.graph
        local: Any = graph.local if graph.in_parts else graph  # type: ignore[attr-defined]
        edges = local.find_edges(src, dst, checked=False)
        self._mark[edges] = batch
        if graph.in_parts:  # the parts of the other ends have entries of their own
            fr.visit_edges(graph, dst, src, _set_mark, self._mark, batch, output=False)
        times = fr.arguments.edge_times(graph)
        fr.intersect(
            graph, src, dst, _share, times, times[edges], self._mark, batch, counted, self.delta, sign, self._sixths,
            self._tally, per_pair=_credit, numbered=True, checked=False,
        )  # fmt: skip


def _set_mark(src, dst, edge, weight, mark, batch):
    mark[edge] = batch


def _share(i, u, v, w, edge_uw, edge_vw, times, times_of, mark, batch, counted, delta, sign, sixths, tally):
    if mark[edge_uw] == counted or mark[edge_vw] == counted:
        return 0
    edges = 1
    if mark[edge_uw] == batch:
        edges += 1
    if mark[edge_vw] == batch:
        edges += 1
    first = min(times_of[i], times[edge_uw], times[edge_vw])
    last = max(times_of[i], times[edge_uw], times[edge_vw])
    if not within(first, last, delta):
        return 0
    share = sign * (6 // edges)
    fr.atomic_add(sixths, w, share)
    return share


def _credit(u, v, total, times, times_of, mark, batch, counted, delta, sign, sixths, tally):
    credit(u, v, total, sixths, tally)
