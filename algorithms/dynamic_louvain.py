"""Communities by the Louvain method that are maintained incrementally.

The ends of an edge are pending if the edge may change their communities. Such edges are new and between two
communities, deleted and inside of one, or have a new weight. Pending vertices move on the first level as in `louvain`,
each to the community that raises modularity most. A vertex that has moved makes its neighbors in other communities
pending, and moves end when no vertex is pending. So the frontier of a batch expands only as far as communities change.

Moves of single vertices neither merge communities nor split them. So once enough edges have changed, the connected
pieces of the communities become the vertices of a second level, and the levels above follow, and are refined, as in
`louvain`. Once many edges have changed, the communities are recomputed from scratch.

    community[v]    the community of v, the smallest of its vertices when moves start
    pending[v]      1 if v must be visited
    degree[v]       weight of v's edges
    stale[v]        1 if an edge of v has changed since its degree was computed, in graphs
                    with weights

`_communities` has the moves and the levels, and `_maintained_communities` decides when they follow.

Sahu, "DF Louvain: Fast Incrementally Expanding Approach for Community Detection on Dynamic Graphs", 2024; Zarayeneh and
Kalyanaraman, "Delta-Screening: A Fast and Efficient Technique to Update Communities in Dynamic Graphs", IEEE Trans.
Netw. Sci. Eng. 2021 (vertices that a batch may affect). DF Louvain computes the higher levels after every batch, unless
the moves end in one sweep, and leaves disconnected communities whole. Here the number of changed edges decides, as the
levels cost a few passes over all edges.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import as_int64, check_undirected
from ._communities import MAX_SWEEPS, CommunitiesResult, Level, climb, move, quality, share_of, totals
from ._functors import weight_of
from ._maintained_communities import CHANGED, DELETED, MaintainedCommunities, RecomputedOverParts
from .connected_components import connected_sets
from .incremental import maintained
from .louvain import louvain

PASSES = 3
"""Expected arc visits on the first level when levels follow, as a multiple of the number of arcs."""


class DynamicLouvain(MaintainedCommunities):
    """Communities of high modularity, after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected. Weights must not be negative.
    resolution, max_level, threshold : float, int, float
        As in `louvain`.
    seed : int
        Communities depend only on it, the edges, the batches and the reads, and with float weights on rounding.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device, -1 for deleted vertices. Read-only. Work
        is deferred until results are read, so several batches between two reads cost one computation.
    count : int
        Number of communities.
    modularity : float
        With the weights of the graph.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    See Also
    --------
    louvain : Computes the result for the current graph.

    Notes
    -----
    A batch costs O(1) look-ups for each of its edges. The first read of the labels after it costs a few passes over the
    vertices, and O(1) work for each edge of the vertices that it visits. These are the ends of changed edges that may
    move, and neighbors of vertices that have moved. With weights, also for each edge of all ends. Reading the
    modularity costs a pass over all edges. After changes of every 32nd edge, the read merges and refines levels as
    `louvain` does, from the communities that it has. After changes of 10 % of the edges it calls `louvain`. While the
    graph contains a weight that is negative or not finite, reading raises ValueError.

    Examples
    --------
    >>> from algorithms import DynamicLouvain
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu"
    ... )
    >>> communities = DynamicLouvain(graph)
    >>> communities.labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    >>> graph.delete_edges([0, 1], [2, 2])
    UpdateResult(inserted=0, replaced=0, deleted=2)
    >>> communities.labels
    array([0, 0, 2, 2, 2, 2], dtype=int32)
    >>> round(communities.modularity, 3)
    0.32
    """

    sees_changes = True  # of weights

    def __init__(
        self, graph: fr.DynamicGraph, *, resolution: float = 1.0, max_level: int = 100, threshold: float = 1e-7,
        seed: int = 0,
    ):  # fmt: skip
        super().__init__(graph)
        check_undirected(graph, "DynamicLouvain")
        self.resolution, self.max_level, self.threshold, self.seed = resolution, max_level, threshold, seed
        self._uses_weights = graph.is_weighted
        self._bad = graph.xp.zeros(1, np.int32)
        self._recompute()
        self._attach()

    @maintained
    def modularity(self) -> float:
        """The modularity of the communities."""
        if self._modularity is None:
            self._modularity = quality(self._level(), self._community, self.resolution)
        return self._modularity

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Note edges whose weights have changed."""
        if self._uses_weights:
            self._follow("insert", src, dst, CHANGED)

    def _note(self, src: Any, dst: Any, kind: int) -> None:
        if self._uses_weights:
            notes = Notes(self._community, self._pending, self._stale, self._bad)
            fr.visit_edges(self.graph, src, dst, _note_weight, kind, *notes, output=False)
        else:
            fr.visit_edges(self.graph, src, dst, _note, kind, self._community, self._pending, output=False)

    def _finish(self) -> None:
        super()._finish()
        self.modularity  # noqa: B018

    def _compute(self) -> CommunitiesResult:
        found = louvain(
            self.graph, resolution=self.resolution, max_level=self.max_level, threshold=self.threshold, seed=self.seed
        )
        self._modularity: float | None = found.modularity
        return found

    def _start(self, found: CommunitiesResult) -> None:
        graph, xp = self.graph, self.graph.xp
        self._stale, self._degree = xp.zeros(graph.num_vertices, np.int32), xp.zeros(graph.num_vertices, np.float64)
        self._turn = 0  # the number of repairs
        if self._uses_weights:
            fr.neighbor_reduce(graph, None, weight_of, out=self._degree)
            self._bad.fill(0)

    def _grow(self, more: int) -> None:
        xp, absent = self.graph.xp, self.graph.absent_mask
        self._stale, self._degree = (
            xp.concatenate([array, xp.zeros(more, array.dtype)]) for array in (self._stale, self._degree)
        )
        if absent is not None:
            self._degree = xp.where(absent, 0.0, self._degree)

    def _settle(self, splits: bool) -> bool:
        """Move vertices until none is pending. With `splits`, merge the connected pieces of communities."""
        graph, level = self.graph, self._level()
        double = float(level.degree.sum())
        self._modularity = None
        if not double < math.inf or (self._uses_weights and int(self._bad[0])):
            return False
        self._rename(level.degree)
        if not double:
            return True
        self._turn += 1
        seed, share = as_int64(self.seed), share_of(double, self.resolution)
        self._community, _ = move(level, self._community, share, seed, self._turn, MAX_SWEEPS, self._pending)
        if splits:
            level = level._replace(graph=fr.advanced.copy_for_passes(graph, PASSES))
            sets = connected_sets(level.graph, self._community)
            start = sets, totals(level, sets)
            self._community, _ = climb(level, share, self.resolution, self.max_level, self.threshold, seed, start)
            self._rename(level.degree)
        return True

    def _level(self) -> Level:
        """The graph as the first level, with current degrees."""
        graph = self.graph
        if self._uses_weights:
            fr.neighbor_reduce(graph, fr.filter(self._everyone, _is_stale, self._stale), weight_of, out=self._degree)
        else:
            self._degree = graph.vertex_array(np.float64, graph.degrees())
        return Level(graph, self._degree, graph.xp.zeros(graph.num_vertices))


class _OverParts(RecomputedOverParts, DynamicLouvain):
    """The same for a distributed graph."""


DynamicLouvain.form_over_parts = _OverParts


def _note(src, dst, edge, weight, kind, community, pending):
    """Mark the ends of an edge if they may move: of a new one between communities, or a deleted one inside of one."""
    if (community[src] == community[dst]) == (kind == DELETED):
        pending[src] = 1
        pending[dst] = 1
    return False


class Notes(NamedTuple):
    """The communities, and the notes about changed edges with weights."""

    community: Any
    pending: Any
    stale: Any
    bad: Any


def _note_weight(src, dst, edge, weight, kind, *args):
    """The same in a graph with weights. Edges whose weights have changed may be anywhere."""
    notes = Notes(*args)
    if kind == CHANGED or (notes.community[src] == notes.community[dst]) == (kind == DELETED):
        notes.pending[src] = 1
        notes.pending[dst] = 1
    notes.stale[src] = 1
    notes.stale[dst] = 1
    if not 0 <= weight < math.inf:
        notes.bad[0] = 1
    return False


def _is_stale(v, stale):
    if stale[v] == 0:
        return False
    stale[v] = 0
    return True
