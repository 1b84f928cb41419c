"""Triangle counts that are maintained incrementally.

A batch creates or destroys the triangles that contain at least one of its edges (`_triangle_sums`). Insertions are
counted after the update, deletions before, so the same rule applies to both.

Makkar, Bader and Green, "Exact and Parallel Triangle Counting in Dynamic Graphs", HiPC 2017 (by inclusion and exclusion
in three passes over the graph, while here one pass gives the same result).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._triangle_sums import TriangleSums, credit, set_mark
from .triangle_count import triangle_count


class DynamicTriangleCount(TriangleSums):
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

    See Also
    --------
    triangle_count : Computes the result for the current graph.

    Notes
    -----
    A batch costs O(sum of the smaller degree of the two ends) look-ups over its edges, none for existing edges. If
    counting all triangles is cheaper, that is done when a count is next read, as after a deletion that failed.
    `per_vertex` costs a pass over the vertices, `total` does not.

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

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._count_all()
        self._mark = graph.xp.zeros(0, np.uint8)
        self._batch = 0
        most = {"max_batch": MAX_REPEATED} if graph.finds_fast else {}
        self._through = fr.capture(graph, _count_through, batches=True, **most)
        self._make_marks()
        self._through.prepare(self._mark, np.uint8(0), 1, self._sixths, self._tally)
        self._attach()

    def _counts(self) -> tuple[int, Any]:
        found = triangle_count(self.graph)
        return found.total, found.per_vertex

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether all triangles must be counted, or counting them is cheaper."""
        kind = self.graph.device.kind
        large = edges > SMALL_EDGES[kind] and edges > RECOUNT_ABOVE[kind] * self.graph.num_edges
        return self._outdated or (large and not fr.advanced.is_warming_up())

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the triangles that a batch of new edges created."""
        self._begin()
        if self._repairs("insert", self.graph.listed_over_parts(src, dst)):
            self._add_through(src, dst, 1)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Subtract the triangles that deleting a batch of edges will destroy."""
        self._begin()
        edges = self.graph.listed_over_parts(src, dst)
        self._leaving = not self.recomputes("delete", edges)
        if edges and self._leaving:
            self._add_through(src, dst, -1)

    def _make_marks(self) -> None:
        """Have a mark for each edge id."""
        needed = max(self.graph.edge_capacity, self.graph.num_arcs)  # the second is the requirement of a static copy
        self._mark = self._marks_for(self._mark, needed, np.uint8)

    def _add_through(self, src: Any, dst: Any, sign: int) -> None:
        """Add the triangles with an edge among these, or subtract them. The host does not synchronize."""
        self._total = None
        self._batch += 1
        if self._batch > MAX_BATCHES:
            self._mark.fill(0)
            self._batch = 1
        self._make_marks()
        self._through(src, dst, self._mark, np.uint8(self._batch), sign, self._sixths, self._tally)


RECOUNT_ABOVE = {"cpu": 1 / 12, "gpu": 1 / 16}
SMALL_EDGES = {"cpu": 256, "gpu": 4096}
"""All triangles are counted after a batch of more than `SMALL_EDGES` edges, if it has more than the fraction
`RECOUNT_ABOVE` of the graph's, by device. The graph's edges cost less, since each is followed from one end only. One
thread of a CPU took 1.0 (sx-mathoverflow), 1.7 (RMAT 16/16) or 0.21 microseconds (grid) for an edge of a batch, and
0.17, 0.2 or 0.02 for one of the graph."""

MAX_REPEATED = 2**16
"""Edges of the largest batches whose launches are repeated, where a graph looks arcs up fast. Larger batches are sorted
by the lists that they walk. Graphs with slow look-ups may be copied for large batches."""

MAX_BATCHES = np.iinfo(np.uint8).max
"""After this number of batches the marks are cleared, and none is mistaken for a later batch's."""


class Batch(NamedTuple):
    """A batch of edges, which `mark` has the number `batch` of, and the sums of the triangles through them."""

    mark: Any
    batch: Any
    sign: Any
    sixths: Any
    tally: Any


def _count_through(graph, src, dst, *args):
    batch = Batch(*args)
    graph = fr.advanced.copy_if_faster(graph, src, dst)
    fr.visit_edges(graph, src, dst, set_mark, batch.mark, batch.batch, output=False)
    fr.visit_edges(graph, dst, src, set_mark, batch.mark, batch.batch, output=False)
    fr.intersect(graph, src, dst, _share, *batch, per_pair=_credit, checked=False)


def _share(u, v, w, edge_uw, edge_vw, *args):
    batch = Batch(*args)
    edges = 1
    if batch.mark[edge_uw] == batch.batch:
        edges += 1
    if batch.mark[edge_vw] == batch.batch:
        edges += 1
    share = batch.sign * (6 // edges)
    fr.atomic_add(batch.sixths, w, share)
    return share


def _credit(u, v, total, *args):
    batch = Batch(*args)
    credit(u, v, total, batch.sixths, batch.tally)
