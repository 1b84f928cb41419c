"""Triangle counts that are maintained incrementally.

A batch creates or destroys the triangles that contain at least one of its edges. For every edge (u, v) of the batch,
every common neighbor w of u and v closes such a triangle. A triangle with k edges in the batch is found k times, so
each time it counts as 6 / k sixths of a triangle, which is an integer.

    changing[slot]   1 while the arc in this slot is in the batch
    sixths[v]        six times the triangles of v that the batch creates or destroys

Insertions are counted after the update, deletions before, so that the same rule applies to both. The result equals the
inclusion-exclusion of Makkar, Bader and Green ("Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017),
in one pass over the graph instead of three.
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
    A batch takes O(sum of the smaller degree of the two ends) look-ups over its edges, none for existing edges, and a
    few passes over an array with one entry per vertex.
    """

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        count = triangle_count(graph)
        self._total = count.total
        self._sixths = 6 * count.per_vertex
        self._batch_sixths = graph.xp.zeros(graph.num_vertices, np.int64)
        self._batch_total = 0
        self._changing = graph.xp.zeros(0, np.uint8)
        self._attach()

    @maintained
    def total(self) -> int:
        """Triangles of the graph."""
        return self._total

    @maintained
    def per_vertex(self) -> Any:
        """Triangles of each vertex: a new int64 array on the graph's device."""
        return self._sixths // 6

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Count the triangles that a batch of new edges created."""
        self._count_through(src, dst)
        self._apply(1)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Count the triangles that deleting a batch of edges will destroy."""
        self._count_through(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract those triangles."""
        self._apply(-1)

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        if self._sixths.size == self.graph.num_vertices:
            return
        grown = self.graph.xp.zeros(self.graph.num_vertices, np.int64)
        grown[: self._sixths.size] = self._sixths
        self._sixths = grown
        self._batch_sixths = self.graph.xp.zeros_like(grown)

    def _apply(self, sign: int) -> None:
        """Add or subtract the triangles of the batch counted last."""
        if self._batch_total:
            self._total += sign * self._batch_total
            self._sixths += sign * self._batch_sixths
            self._batch_total = 0

    def _count_through(self, src: Any, dst: Any) -> None:
        """Count the triangles with an edge among these: in total, and six times those of each vertex."""
        self._batch_total = 0
        if not src.size:
            return
        graph, xp = fr.snapshot_if_faster(self.graph, src, dst), self.graph.xp
        if self._changing.size < graph.slot_capacity:
            self._changing = xp.zeros(graph.slot_capacity, np.uint8)
        self._batch_sixths.fill(0)
        slots = graph.find_edges(xp.concatenate([src, dst]), xp.concatenate([dst, src]), checked=False)
        self._changing[slots] = 1
        try:
            fr.intersect(graph, src, dst, _credit, self._changing, self._batch_sixths, checked=False)
        finally:
            self._changing[slots] = 0
        self._batch_total = int(self._batch_sixths.sum()) // 18


def _credit(u, v, w, edge_uw, edge_vw, changing, sixths):
    share = 6 // (1 + changing[edge_uw] + changing[edge_vw])
    fr.atomic_add(sixths, u, share)
    fr.atomic_add(sixths, v, share)
    fr.atomic_add(sixths, w, share)
