"""The base of incremental triangle counts: counts by vertex and in total, to which functors add.

For every edge (u, v) of a batch, every common neighbor w of u and v closes a triangle. A triangle with k edges in the
batch is found k times, so each discovery counts 6 / k sixths of a triangle, an integer.

    sixths[v]    six times the triangles of v
    tally        sums of the amounts added for each pair (u, v): six times the triangles
                 since all were counted
    mark[edge]   the number of the last batch that contained the edge
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

import frontier as fr

from .incremental import IncrementalAlgorithm, maintained


class TriangleSums(IncrementalAlgorithm):
    """Triangles of a graph, by vertex and in total.

    Triangles that a batch destroys are subtracted before it is applied, while its edges exist. If it then fails, or a
    count is read in between, all triangles are counted again. A subclass calls `_count_all` when it is made.
    """

    over_parts = True

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._outdated = False  # whether all triangles must be counted
        self._leaving = False  # whether triangles of a batch that is not applied yet were subtracted

    @abstractmethod
    def _counts(self) -> tuple[int, Any]:
        """The number of all triangles, and the number at each vertex."""

    @maintained
    def total(self) -> int:
        """Triangles of the graph."""
        if self._total is None:
            self._total = self._counted + int(self.graph.sum_all(self._tally)) // 6
        return self._total

    @maintained
    def per_vertex(self) -> Any:
        """Triangles of each vertex: a new int64 array on the graph's device."""
        self.graph.sync(self._sixths)
        return self._sixths // 6

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether all triangles must be counted anyway."""
        return self._outdated

    def outdated(self, edges: int) -> None:
        """Have all triangles counted when a count is read."""
        self._outdated |= edges > 0 or self.sees_changes

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Note that the edges are gone."""
        self._end()

    def vertices_changed(self) -> None:
        """Give new vertices a count of zero."""
        if self._sixths.size == self.graph.num_vertices:
            return
        self.graph.sync(self._sixths)
        grown = self.graph.vertex_array(np.int64, combine="add")
        grown[: self._sixths.size] = self._sixths
        self._sixths = grown

    def _begin(self) -> None:
        """Start an update. If the last one failed after triangles were subtracted for it, they still exist."""
        self._outdated |= self._leaving
        self._leaving = False

    def _end(self) -> None:
        """Note that a deletion was applied: if its triangles were not subtracted before, all must be counted."""
        self._outdated |= not self._leaving
        self._leaving = False

    def _bring_up(self) -> None:
        """Count all triangles, if that was deferred, or a batch is half applied."""
        self._begin()
        if self._outdated:
            self._count_all()
            self._outdated = False

    def _count_all(self) -> None:
        self._counted, counts = self._counts()
        self._total: int | None = self._counted  # None: to be summed up
        self._sixths = self.graph.vertex_array(np.int64, self.graph.multiplied(counts, 6), combine="add")
        self._tally = self.graph.sums(SPREAD)

    def _marks_for(self, mark: Any, needed: int, dtype: Any) -> Any:
        """A mark for each edge id: `mark`, if it is large enough, or a longer array of zeros.

        A partition appends the marks of other partitions while it intersects lists. Without spare capacity each batch
        would copy all marks.
        """
        room = needed // 8 if self.graph.in_parts else 0
        if mark.size >= needed + room:
            return mark
        return self.graph.xp.zeros(with_room(needed), dtype)


def with_room(edges: int) -> int:
    """The capacity of an array of marks for this number of edges, with a reserve for future edges and for marks of
    other partitions."""
    return edges + edges // 4


SPREAD = 64
"""Entries of the tally, a power of two. On a GPU, additions to one entry are serialized."""


def set_mark(src, dst, edge, weight, mark, batch):
    """Mark an edge of a batch. A functor."""
    mark[edge] = batch


def credit(u, v, total, sixths, tally):
    """Add the amount found for a pair. The `per_pair` functor of `frontier.intersect`."""
    fr.atomic_add(sixths, u, total)
    fr.atomic_add(sixths, v, total)
    fr.atomic_add(tally, u & (SPREAD - 1), total)
