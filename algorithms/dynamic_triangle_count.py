"""Triangle counts that are maintained incrementally.

A batch creates or destroys the triangles that contain at least one of its edges. For every edge (u, v) of the batch,
every common neighbor w of u and v closes such a triangle. A triangle with k edges in the batch is found k times, so
each time it counts as 6 / k sixths of a triangle, which is an integer.

    mark[slot]   the number of the batch, if the arc in this slot is in the batch
    sixths[v]    six times the triangles of v

Insertions are counted after the update, deletions before, so that the same rule applies to both.

Makkar, Bader and Green, "Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017 (by inclusion and
exclusion; the result is the same, here in one pass over the graph instead of three).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from .incremental import IncrementalAlgorithm, maintained
from .triangle_count import triangle_count


class DynamicTriangleCount(IncrementalAlgorithm):
    """Triangle counts of an undirected graph, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected.

    Attributes
    ----------
    total : int
        Triangles of the graph.
    per_vertex : array of int64, shape (num_vertices,)
        Triangles of each vertex, on the graph's device: a new array on each read.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a `DynamicGraph`, or is directed.

    Notes
    -----
    A batch takes O(sum of the smaller degree of the two ends) look-ups over its edges, none for existing edges. If it
    has so many edges that to count all triangles takes less, that is done when a count is next read. A deletion also
    passes over an array with one entry per vertex, as does the first read of `total` after a batch.

    Examples
    --------
    >>> from algorithms import DynamicTriangleCount
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> triangles = DynamicTriangleCount(graph)
    >>> triangles.total
    0
    >>> graph.insert_edges([0, 1], [2, 3])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> triangles.total
    2
    """

    over_parts = True

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        count = triangle_count(graph)
        self._total: int | None = count.total  # None: to be summed up
        self._sixths = graph.vertex_array(np.int64, 6 * count.per_vertex, combine="add")
        self._lost = graph.vertex_array(np.int64, combine="add")  # sixths of triangles that a deletion will destroy
        self._mark = graph.xp.zeros(0, np.uint8)
        self._batch = 0
        self._outdated = False  # whether all triangles are to be counted
        self._leaving = 0  # edges of the deletion that is under way
        self._loses_many = False  # whether that is to be done after the deletion that is under way
        self._attach()

    @maintained
    def total(self) -> int:
        """Triangles of the graph."""
        if self._total is None:
            self._total = int(self.graph.total(self._sixths)) // 18  # three vertices, six sixths
        return self._total

    @maintained
    def per_vertex(self) -> Any:
        """Triangles of each vertex: a new int64 array on the graph's device."""
        self.graph.complete(self._sixths)
        return self._sixths // 6

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the triangles that a batch of new edges created."""
        edges = self.graph.sum_over_parts(src.size)
        if self._is_large(edges):
            self._outdated = True
        elif edges and not self._outdated:
            self._total = None
            self._add_through(src, dst, self._sixths)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Count the triangles that deleting a batch of edges will destroy."""
        self._leaving = self.graph.sum_over_parts(src.size)
        self._loses_many = self._is_large(self._leaving)
        if self._leaving and not self._outdated and not self._loses_many:
            self._lost.fill(0)
            self._add_through(src, dst, self._lost)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract those triangles."""
        if self._loses_many:
            self._outdated = True
        elif self._leaving and not self._outdated:
            self._total = None
            self.graph.settle(self._sixths, self._lost)
            self._sixths -= self._lost

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        if self._sixths.size == self.graph.num_vertices:
            return
        self.graph.complete(self._sixths)
        grown = self.graph.vertex_array(np.int64, combine="add")
        grown[: self._sixths.size] = self._sixths
        self._sixths = grown
        self._lost = self.graph.vertex_array(np.int64, combine="add")

    def _is_large(self, edges: int) -> bool:
        """Whether counting all triangles takes less than counting those through edges of the graph."""
        return edges > max(MANY_EDGES, RECOUNT_ABOVE[self.graph.device.kind] * self.graph.num_edges)

    def _bring_up(self) -> None:
        """Count all triangles, if that was put off."""
        if self._outdated:
            count = triangle_count(self.graph)
            self._total = count.total
            self._sixths = self.graph.vertex_array(np.int64, 6 * count.per_vertex, combine="add")
            self._lost = self.graph.vertex_array(np.int64, combine="add")
            self._outdated = False

    def _add_through(self, src: Any, dst: Any, sixths: Any) -> None:
        """Add the triangles with an edge among these to `sixths`. The host does not wait."""
        graph = fr.snapshot_if_faster(self.graph, src, dst)
        self._batch += 1
        if self._batch > MOST_BATCHES:
            self._mark.fill(0)
            self._batch = 1
        if self._mark.size < graph.edge_capacity:
            self._mark = self.graph.xp.zeros(graph.edge_capacity, np.uint8)
        batch = np.uint8(self._batch)
        fr.visit_edges(graph, src, dst, _set_mark, self._mark, batch, output=False)
        fr.visit_edges(graph, dst, src, _set_mark, self._mark, batch, output=False)
        fr.intersect(graph, src, dst, _credit, self._mark, batch, sixths, checked=False)


RECOUNT_ABOVE = {"cpu": 1 / 8, "gpu": 1 / 16}
MANY_EDGES = 4096
"""All triangles are counted after a batch of more edges than the second, if it has more than the first fraction of the
graph's, by device. An edge costs less then, since each leads to the larger degree alone: one thread of a CPU took 1.0
(sx-mathoverflow) or 1.7 microseconds (RMAT 16/16) for an edge of a batch, and 0.17 or 0.2 for one of the graph."""

MOST_BATCHES = np.iinfo(np.uint8).max
"""After as many batches the marks are cleared, so that none is taken for a later batch's."""


def _set_mark(src, dst, edge, weight, mark, batch):
    mark[edge] = batch


def _credit(u, v, w, edge_uw, edge_vw, mark, batch, sixths):
    edges = 1
    if mark[edge_uw] == batch:
        edges += 1
    if mark[edge_vw] == batch:
        edges += 1
    share = 6 // edges
    fr.atomic_add(sixths, u, share)
    fr.atomic_add(sixths, v, share)
    fr.atomic_add(sixths, w, share)
