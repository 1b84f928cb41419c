"""Triangles whose three edges are within a span of time, maintained incrementally.

As in `DynamicTriangleCount`, a batch creates or destroys the triangles that contain at least one of its edges
(`_triangle_sums`), if the times of all three are within delta. Expiry is a deletion. A batch that gives existing edges
other times subtracts the triangles through these edges before, and adds them after. Triangles that also have a new edge
are added with the new edges, once.

In a graph that stores records, a batch is one of records, and a triangle is three of them. Triangles with one record of
the batch are found in the lists of the two further edges. A walk from the end of a list that is nearer in time visits
the records within delta.

    mark[event]  the number of the batch, if the edge, or the record, is in the batch
    times_of[i]  the time of edge, or record, i of the batch

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (triangles within a span of time); Makkar,
Bader and Green, "Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017 (those of a batch).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from ._events import within
from ._triangle_sums import TriangleSums, credit, set_mark, with_room
from .temporal_triangle_count import temporal_triangle_count

NONE = -1
"""The number of no batch."""


class DynamicTemporalTriangleCount(TriangleSums):
    """Counts of the triangles whose edges are within a span of time, exact after every batch.

    Computed once at construction, then maintained incrementally until closed: under insertions, deletions, expiry, and
    new times of existing edges. (Assigning times to the column is not noticed.) `temporal_triangle_count` defines a
    triangle: three records in a graph that stores records (``multi_edges="all"``). In other graphs an edge has one
    time, which ``keep_time`` selects, and a warning names the option once a time is replaced.

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
        The number at each vertex, on the graph's device: a new array on each read.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a `DynamicGraph` with times, or is directed, or `delta` is no length of time.

    See Also
    --------
    temporal_triangle_count : Computes the result for the current graph.

    Notes
    -----
    A batch costs O(sum of the smaller degree of the two ends) look-ups over its edges, or its records. Each look-up
    that finds a triangle of records walks the lists of the two further edges. It visits the records within `delta`, and
    the records between them and the nearer end of the list.

    Examples
    --------
    >>> from algorithms import DynamicTemporalTriangleCount
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1], [1, 2], time=[10, 20], time_unit="s", device="cpu"
    ... )
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
    sees_records = True

    def __init__(self, graph: fr.DynamicGraph, delta: Any):
        super().__init__(graph)
        check_undirected(graph, "DynamicTemporalTriangleCount")
        self.delta = fr.advanced.arguments.span(graph, delta, "delta")
        self._count_all()
        self._mark = graph.xp.zeros(with_room(self._capacity()), np.int32)
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

    def records_inserted(self, src: Any, dst: Any, records: Any) -> None:
        """Add the triangles that new records created."""
        self._add_through_records(src, dst, records, 1)

    def records_deleting(self, src: Any, dst: Any, records: Any) -> None:
        """Subtract the triangles that deleting a batch of records will destroy."""
        self._begin()
        self._leaving = not self._outdated
        self._add_through_records(src, dst, records, -1)

    def records_deleted(self, src: Any, dst: Any, records: Any) -> None:
        """Note that they are deleted."""
        self._end()

    def _capacity(self) -> int:
        """The upper bound on ids of events."""
        records = None if self.graph.in_parts else self.graph.record_capacity
        return self.graph.edge_capacity if records is None else records

    def _next_batch(self) -> int:
        self._batch += 1
        grown = self._marks_for(self._mark, self._capacity(), np.int32)
        if grown is not self._mark:
            grown[: self._mark.size] = self._mark
            self._mark = grown
        return self._batch

    def _add_through(self, src: Any, dst: Any, sign: int, batch: int, counted: int = NONE) -> None:
        """Add or subtract the triangles with an edge among these. Triangles with an edge of the batch `counted` are
        skipped."""
        if self._outdated or not self.graph.listed_over_parts(src, dst):
            return
        self._total = None
        graph = self.graph
        if not graph.in_parts:
            fr.advanced.arguments.warn_of_replaced_times(graph)
        local: Any = graph.local if graph.in_parts else graph  # type: ignore[attr-defined]
        edges = local.find_edges(src, dst, checked=False)
        self._mark[edges] = batch
        if graph.in_parts:  # the partitions of the other ends have their own entries
            fr.visit_edges(graph, dst, src, set_mark, self._mark, batch, output=False)
        times = fr.advanced.arguments.edge_times(graph)
        sums = self._sixths, self._tally
        args = EdgeBatch(times, times[edges], self._mark, batch, counted, self.delta, sign, *sums)
        fr.intersect(graph, src, dst, _share, *args, per_pair=_credit, numbered=True, checked=False)

    def _add_through_records(self, src: Any, dst: Any, records: Any, sign: int) -> None:
        """Add the triangles with one of these records, or subtract them."""
        batch = self._next_batch()
        if self._outdated:
            return
        self._total = None
        self._mark[records] = batch
        graph: Any = self.graph
        edges, data = graph.edge_data, graph.record_data
        lists = edges["first"], edges["last"], data["next"], data["previous"], data["time"]
        sums = self._sixths, self._tally
        args = RecordBatch(*lists, data["time"][records], self._mark, batch, self.delta, sign, *sums)
        fr.intersect(
            graph, src, dst, _share_of_records, *args, per_pair=_credit_records, numbered=True, checked=False
        )  # fmt: skip


class EdgeBatch(NamedTuple):
    """A batch of edges, and the sums of the triangles through them. `counted` is as in `_add_through`."""

    times: Any
    times_of: Any
    mark: Any
    batch: Any
    counted: Any
    delta: Any
    sign: Any
    sixths: Any
    tally: Any


def _share(i, u, v, w, edge_uw, edge_vw, *args):
    batch = EdgeBatch(*args)
    mark = batch.mark
    times = batch.times
    if mark[edge_uw] == batch.counted or mark[edge_vw] == batch.counted:
        return 0
    edges = 1
    if mark[edge_uw] == batch.batch:
        edges += 1
    if mark[edge_vw] == batch.batch:
        edges += 1
    first = min(batch.times_of[i], times[edge_uw], times[edge_vw])
    last = max(batch.times_of[i], times[edge_uw], times[edge_vw])
    if not within(first, last, batch.delta):
        return 0
    share = batch.sign * (6 // edges)
    fr.atomic_add(batch.sixths, w, share)
    return share


def _credit(u, v, total, *args):
    batch = EdgeBatch(*args)
    credit(u, v, total, batch.sixths, batch.tally)


class RecordBatch(NamedTuple):
    """A batch of records, the records of all edges, and the sums of the triangles with a record of the batch."""

    first: Any
    last: Any
    following: Any
    previous: Any
    times: Any
    times_of: Any
    mark: Any
    batch: Any
    delta: Any
    sign: Any
    sixths: Any
    tally: Any


def _share_of_records(i, u, v, w, edge_uw, edge_vw, *args):
    batch = RecordBatch(*args)
    times = batch.times
    following = batch.following
    time, delta = batch.times_of[i], batch.delta
    one = _first_near(batch, edge_uw, time)
    low = high = _first_near(batch, edge_vw, time)
    old = new = found = 0  # records of v - w from low to high, which are near both others
    while one >= 0 and low >= 0 and (times[one] <= time or within(time, times[one], delta)):
        early, late = min(time, times[one]), max(time, times[one])
        while high >= 0 and (times[high] <= early or within(early, times[high], delta)):
            if batch.mark[high] == batch.batch:
                new += 1
            else:
                old += 1
            high = following[high]
        while low != high and times[low] < late and not within(times[low], late, delta):
            if batch.mark[low] == batch.batch:
                new -= 1
            else:
                old -= 1
            low = following[low]
        if batch.mark[one] == batch.batch:
            found += 3 * old + 2 * new
        else:
            found += 6 * old + 3 * new
        one = following[one]
    found *= batch.sign
    if found != 0:
        fr.atomic_add(batch.sixths, w, found)
    return found


def _first_near(batch, edge, time):
    """The oldest record of an edge that is not more than delta before a time, or -1."""
    times = batch.times
    low, high, delta = batch.first[edge], batch.last[edge], batch.delta
    if times[high] < time and not within(times[high], time, delta):
        return -1
    if np.float64(time) - np.float64(times[low]) < np.float64(times[high]) - np.float64(time):
        while times[low] < time and not within(times[low], time, delta):
            low = batch.following[low]
        return low
    low = batch.previous[high]
    while low >= 0 and (times[low] >= time or within(times[low], time, delta)):
        high = low
        low = batch.previous[high]
    return high


def _credit_records(u, v, total, *args):
    batch = RecordBatch(*args)
    credit(u, v, total, batch.sixths, batch.tally)
