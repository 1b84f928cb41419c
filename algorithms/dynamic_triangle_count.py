"""Triangle counts that keep up with a graph.

A triangle comes or goes with a batch if at least one of its edges is in it. For every edge (u, v) of the batch, every
common neighbor w of u and v closes such a triangle, but a triangle of which k edges are in the batch is found k times.
So each finding counts 6 / k sixths of a triangle, which is a whole number.

    changing[slot]   1 while the arc in this slot is in the batch
    sixths[v]        six times the triangles of v that the batch makes or breaks

Insertions are counted after they are made, deletions before, so that one rule serves both. It does what the
inclusion-exclusion of Makkar, Bader and Green ("Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017)
does, in one pass over the graph instead of three.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from .triangle_count import triangle_count


class DynamicTriangleCount:
    """The triangles of an undirected graph, exact after every batch.

    Counts once when it is made, then keeps up with the graph for as long as it lives.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected.

    Attributes
    ----------
    total : int
        Triangles of the graph.
    per_vertex : array of int64, shape (num_vertices,)
        Triangles that each vertex is part of, on the graph's device. It is updated in place: copy it to keep it.

    Raises
    ------
    ValueError
        The graph is directed.

    Notes
    -----
    A batch takes O(sum over its edges of the smaller degree) look-ups, and no work for edges that were there already.
    """

    def __init__(self, graph: fr.DynamicGraph):
        count = triangle_count(graph)
        self.graph = graph
        self.total = count.total
        self.per_vertex = count.per_vertex
        self._pending: tuple[int, Any] = (0, None)
        self._changing = graph.xp.zeros(0, np.uint8)
        graph.attach(self)

    def close(self) -> None:
        """Keep up no more."""
        self.graph.detach(self)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Count the triangles that a batch of new edges has made."""
        total, sixths = self._triangles_through(src, dst)
        self.total += total
        if total:
            self.per_vertex += sixths // 6

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Count the triangles that a batch of edges, about to be deleted, is part of."""
        self._pending = self._triangles_through(src, dst)

    def edges_deleted(self) -> None:
        """Take those triangles off."""
        total, sixths = self._pending
        self._pending = (0, None)
        self.total -= total
        if total:
            self.per_vertex -= sixths // 6

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        grown = self.graph.xp.zeros(self.graph.num_vertices, np.int64)
        grown[: self.per_vertex.size] = self.per_vertex
        self.per_vertex = grown

    def _triangles_through(self, src: Any, dst: Any) -> tuple[int, Any]:
        """The number of triangles with an edge among these, and six times that for each vertex."""
        graph, xp = self.graph, self.graph.xp
        if not src.size:
            return 0, None
        slots = graph._find(xp.concatenate([src, dst]), xp.concatenate([dst, src]))
        if self._changing.size < graph.slot_capacity:
            self._changing = xp.zeros(graph.slot_capacity, np.uint8)
        self._changing[slots] = 1
        sixths = xp.zeros(graph.num_vertices, np.int64)
        fr.intersect(graph, src, dst, _credit, self._changing, sixths)
        self._changing[slots] = 0
        return int(sixths.sum()) // 18, sixths


def _credit(u, v, w, edge_uw, edge_vw, changing, sixths):
    share = 6 // (1 + changing[edge_uw] + changing[edge_vw])
    fr.atomic_add(sixths, u, share)
    fr.atomic_add(sixths, v, share)
    fr.atomic_add(sixths, w, share)
