"""Communities by label propagation that are maintained incrementally.

A visited vertex knows its slack: the number of neighbors that may change their labels before another label can be more
frequent among them than its own. A new edge between two communities counts as such a change at both ends, and so does
a deleted edge inside of a community. Other changes of edges cannot make another label more frequent. Vertices whose
slack falls below 0 are visited, as in `label_propagation`. A vertex whose label changes reduces the slack of its
neighbors. So the frontier of a batch expands only as far as labels change, and most edges lead to no visit.

Labels spread and disappear, but none is added. So once enough edges have changed, disconnected communities are split,
which makes no label less frequent among neighbors. Once many edges have changed, all labels are recomputed.

    community[v]    a vertex that stands for the community of v
    pending[v]      the slack of v, 0 at first, when it is unknown: any change then leads to
                    a visit
    number[v]       the random number of v in `label_propagation`
    order[v]        the position of v in the order of these numbers: a label
    vertex[p]       the vertex at this position

Sahu, "DF Louvain: Fast Incrementally Expanding Approach for Community Detection on Dynamic Graphs", 2024 (frontiers
that expand as communities change); Xie, Chen and Szymanski, "LabelRankT: Incremental Community Detection in Dynamic
Networks via Label Propagation", DyNetMM 2013 (only vertices at changed edges are updated). `label_propagation` names
the papers of the method.
"""

from __future__ import annotations

from typing import Any

import frontier as fr

from ._arguments import as_int64, check_undirected, places
from ._maintained_communities import DELETED, MaintainedCommunities, RecomputedOverParts
from .connected_components import connected_sets
from .incremental import maintained
from .label_propagation import LabelPropagationResult, label_propagation, order_of, propagate, random_numbers


class DynamicLabelPropagation(MaintainedCommunities):
    """Communities, such that each vertex is in one that most of its neighbors are in, after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected. Weights are ignored.
    max_iter : int
        Maximum number of rounds per read. If they do not suffice, the next read continues, except in a distributed
        graph.
    seed : int
        Communities depend only on it, the edges, the batches and the reads.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device, -1 for deleted vertices. Read-only. Work
        is deferred until results are read, so several batches between two reads cost one computation.
    count : int
        Number of communities.
    converged : bool
        Whether every label is one of the most frequent among the neighbors.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `max_iter` or `seed` is invalid.

    See Also
    --------
    label_propagation : Computes the result for the current graph.

    Notes
    -----
    A batch costs O(1) look-ups for each of its edges. The first read after it costs a few passes over the vertices, and
    O(1) work for each edge of the vertices that it visits. These are ends of changed edges whose labels may not be the
    most frequent ones, and neighbors of vertices whose labels have changed. After changes of every 32nd edge, a pass
    over all edges splits disconnected communities. After changes of 10 % of the edges, labels are recomputed.

    Examples
    --------
    >>> from algorithms import DynamicLabelPropagation
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu"
    ... )
    >>> communities = DynamicLabelPropagation(graph)
    >>> communities.labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    >>> graph.delete_edges([2, 3], [3, 5])
    UpdateResult(inserted=0, replaced=0, deleted=2)
    >>> graph.insert_edges([1, 0], [5, 5])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> communities.labels
    array([0, 0, 0, 3, 3, 0], dtype=int32)
    """

    def __init__(self, graph: fr.DynamicGraph, *, max_iter: int = 100, seed: int = 0):
        super().__init__(graph)
        check_undirected(graph, "DynamicLabelPropagation")
        self.max_iter, self.seed = max_iter, seed
        self._number: Any = None
        self._recompute()
        self._attach()

    @maintained
    def converged(self) -> bool:
        """Whether every label is one of the most frequent among the neighbors."""
        return self._converged

    def _bring_up(self) -> None:
        super()._bring_up()
        self._settled = self._converged

    def _compute(self) -> LabelPropagationResult:
        found = label_propagation(self.graph, max_iter=self.max_iter, seed=self.seed)
        self._converged, self._rounds = found.converged, found.iterations
        return found

    def _start(self, found: LabelPropagationResult) -> None:
        self._pending -= int(not found.converged)  # all are pending then
        self._order_vertices()

    def _grow(self, more: int) -> None:
        self._order_vertices()

    def _order_vertices(self) -> None:
        """Draw the number of each vertex, unless their count has stayed."""
        graph, n = self.graph, self.graph.num_vertices
        if self._number is None or self._number.size != n:
            self._number = random_numbers(graph, places(graph, n), as_int64(self.seed))
            self._order = order_of(graph, self._number)
            self._vertex = graph.xp.empty_like(self._order)
            self._vertex[self._order] = graph.xp.arange(n, dtype=graph.vertex_dtype)

    def _note(self, src: Any, dst: Any, kind: int) -> None:
        fr.visit_edges(self.graph, src, dst, _lose, kind, self._community, self._pending, output=False)

    def _settle(self, splits: bool) -> bool:
        """Visit vertices until every label is one of the most frequent, and split communities if asked."""
        graph, degrees = self.graph, self.graph.degrees()
        self._rename(degrees)
        label = self._order[self._community]
        rounds, self._converged = propagate(
            self._everyone, self._number, label, self._pending, degrees, self.max_iter, self._rounds
        )
        self._rounds += rounds
        self._community = self._vertex[label]
        if splits:
            self._community = connected_sets(graph, self._community, weighted=False)
        return True


class _OverParts(RecomputedOverParts, DynamicLabelPropagation):
    """The same for a distributed graph."""


DynamicLabelPropagation.form_over_parts = _OverParts


def _lose(src, dst, edge, weight, kind, community, pending):
    """Reduce the slack of both ends if they gained a neighbor in another community, or lost one in the same
    community."""
    if (community[src] == community[dst]) == (kind == DELETED):
        fr.atomic_add(pending, src, -1)
        fr.atomic_add(pending, dst, -1)
    return False
