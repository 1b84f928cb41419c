"""Communities by the Louvain method that are maintained incrementally.

The communities of the last result are the start of the next. The ends of an edge are pending if the edge may change
their communities: a new edge between two communities, a deleted one inside of a community, or an edge of another
weight. Pending vertices move on the first level as in `louvain`, each to the community that raises modularity most. A
vertex that has moved makes its neighbors in other communities pending, and moves end when no vertex is pending. So the
frontier of a batch expands only as far as communities change. Vertices that lost their last edge form communities of
their own.

Moves of single vertices neither merge communities nor split them. So once enough edges have changed, the connected
pieces of the communities become the vertices of a second level, and the levels above follow, and are refined, as in
`louvain`. Once many edges have changed, the communities are recomputed from scratch.

    community[v]    the community of v, the smallest of its vertices when moves start
    pending[v]      1 if v must be visited
    degree[v]       weight of v's edges
    stale[v]        1 if an edge of v has changed since its degree was computed, in graphs with weights

`_communities` has the moves and the levels.

Sahu, "DF Louvain: Fast Incrementally Expanding Approach for Community Detection on Dynamic Graphs", 2024; Zarayeneh and
Kalyanaraman, "Delta-Screening: A Fast and Efficient Technique to Update Communities in Dynamic Graphs", IEEE Trans.
Netw. Sci. Eng. 2021 (vertices that a batch may affect). DF Louvain computes the higher levels after every batch, unless
the moves end in one sweep, and leaves disconnected communities whole. Here the number of changed edges decides, as the
levels cost a few passes over all edges.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import as_int64, check_undirected
from ._communities import MAX_SWEEPS, CommunitiesResult, Level, by_smallest, climb, move, quality, totals
from ._functors import weight_of
from .connected_components import connected_sets
from .incremental import IncrementalAlgorithm, maintained
from .louvain import louvain

INSERTED, DELETED, CHANGED = range(3)
"""The updates of edges."""

RECOMPUTE_AFTER = 0.1
"""Communities are recomputed from scratch after changes of more than this fraction of the edges. Until then modularity
stayed within 0.8 % of recomputation: coAuthorsDBLP, 65,536 of its 977,676 edges inserted and as many deleted."""

COARSEN_AFTER = 1 / 32
"""The levels above the first follow after changes of more than this fraction of the edges. They cost about an eighth of
a recomputation."""

PASSES = 3
"""Expected arc visits on the first level when they follow, as a multiple of the number of arcs."""


class DynamicLouvain(IncrementalAlgorithm):
    """Communities of high modularity, after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected. Weights must not be negative.
    resolution : float
        Higher values give smaller communities.
    max_level : int
        Maximum number of levels.
    threshold : float
        Levels end with one that raises modularity by no more than this.
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

    Notes
    -----
    A batch costs O(1) look-ups for each of its edges. The first read of the labels after it costs a few passes over the
    vertices, and O(1) work for each edge of the vertices that it visits: the ends of changed edges that may move, and
    neighbors of vertices that have moved. With weights, also for each edge of all ends. Reading the modularity costs a
    pass over all edges. After changes of every 32nd edge, the read merges and refines levels as `louvain` does, from
    the communities that it has. After changes of 10 % of the edges it calls `louvain`. While the graph contains a
    weight that is negative or not finite, reading raises ValueError.

    Examples
    --------
    >>> from algorithms import DynamicLouvain
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
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
    over_parts = True

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
    def labels(self) -> Any:
        """The smallest vertex of each vertex's community: a read-only array."""
        return self.graph.device.read_only(self._named()[0])

    @maintained
    def count(self) -> int:
        """Number of communities."""
        return self._named()[1]

    @maintained
    def modularity(self) -> float:
        """The modularity of the communities."""
        if self._modularity is None:
            self._modularity = quality(self._level(), self._community, self.resolution)
        return self._modularity

    # ---- updates ----------------------------------------------------------------------------------------------------

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether the communities will be recomputed from scratch anyway."""
        return not self._known or self._is_due

    def outdated(self, edges: int) -> None:
        """Have the communities recomputed when they are read."""
        if edges or self._uses_weights:
            self._known = False

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Mark the ends of edges between communities."""
        self._mark("insert", src, dst, INSERTED)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Mark the ends of edges inside of communities."""
        self._mark("delete", src, dst, DELETED)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Mark the ends of edges."""
        if self._uses_weights:
            self._mark("insert", src, dst, CHANGED)

    def vertices_changed(self) -> None:
        """Add new vertices, and remove deleted vertices, which are isolated, from their communities."""
        if not self._known:
            return
        graph, xp = self.graph, self.graph.xp
        n, known = graph.num_vertices, self._community.size
        community = xp.arange(n, dtype=graph.vertex_dtype)
        community[:known] = self._community
        if graph.absent_mask is not None:
            community = xp.where(graph.absent_mask, xp.arange(n, dtype=graph.vertex_dtype), community)
        pending, stale, degree = (
            xp.concatenate([array, xp.zeros(n - known, array.dtype)])
            for array in (self._pending, self._stale, self._degree)
        )
        self._community, self._pending, self._stale, self._degree = community, pending, stale, degree
        self._everyone = fr.Frontier.all(graph)
        self._settled = False

    @property
    def _is_due(self) -> bool:
        """Whether enough edges have changed for a recomputation from scratch."""
        return self._changed > RECOMPUTE_AFTER * self.graph.num_edges and not fr.advanced.is_warming_up()

    def _mark(self, update: str, src: Any, dst: Any, kind: int) -> None:
        """Mark the ends of edges that may change communities."""
        if not self._repairs(update, src.size):
            return
        self._settled = False
        self._changed += src.size
        self._since_levels += src.size
        arrays = self._community, self._pending
        if self._uses_weights:
            fr.visit_edges(self.graph, src, dst, _note_weight, kind, *arrays, self._stale, self._bad, output=False)
        else:
            fr.visit_edges(self.graph, src, dst, _note, kind, *arrays, output=False)

    # ---- results ----------------------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        """Bring the communities up to date with the graph.

        Raises
        ------
        ValueError
            The graph contains a weight that is negative or not finite.
        """
        if self._known and not self._settled:
            self._known = False  # until all of this has worked
            self._known = not self._is_due and self._settle()
        if not self._known:
            self._recompute()

    def _finish(self) -> None:
        """Compute the results while the graph has the edges that belong to them."""
        self._bring_up()
        self._named()
        self.modularity  # noqa: B018

    def _call(self) -> CommunitiesResult:
        """Compute the communities from scratch."""
        self._known = False
        found = louvain(
            self.graph, resolution=self.resolution, max_level=self.max_level, threshold=self.threshold, seed=self.seed
        )
        self._found: tuple[Any, int] | None = (found.labels, found.count)
        self._modularity: float | None = found.modularity
        return found

    def _recompute(self) -> None:
        """Compute the communities from scratch, and the arrays that moves need."""
        graph, xp, found = self.graph, self.graph.xp, self._call()
        self._everyone = fr.Frontier.all(graph)
        ids = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        self._community = xp.where(found.labels < 0, ids, found.labels)
        self._pending, self._stale = (xp.zeros(ids.size, np.int32) for _ in range(2))
        self._degree = xp.zeros(ids.size, np.float64)
        if self._uses_weights:
            fr.neighbor_reduce(graph, None, weight_of, out=self._degree)
            self._bad.fill(0)
        self._changed = self._since_levels = self._turn = 0
        self._known = self._settled = True

    def _settle(self) -> bool:
        """Move vertices until none is pending, and merge communities if that is due. False if a weight is invalid."""
        graph, everyone = self.graph, self._everyone
        if self._uses_weights and int(self._bad[0]):
            return False
        level = self._level()
        double = float(level.degree.sum())
        if not double < math.inf:
            return False
        n = graph.num_vertices
        smallest = graph.xp.full(n, n, graph.vertex_dtype)
        fr.compute(everyone, _find_smallest, level.degree, self._community, smallest)
        fr.compute(everyone, _rename, level.degree, self._community, smallest, self._pending)
        if double:
            share = double / self.resolution if self.resolution else math.inf
            self._turn += 1
            seed = as_int64(self.seed)
            self._community, _ = move(level, self._community, share, seed, self._turn, MAX_SWEEPS, self._pending)
            if self._since_levels > COARSEN_AFTER * graph.num_edges:
                level = level._replace(graph=fr.advanced.copy_for_passes(graph, PASSES))
                sets = connected_sets(level.graph, self._community)
                start = sets, totals(level, sets)
                self._community, _ = climb(level, share, self.resolution, self.max_level, self.threshold, seed, start)
                self._since_levels = 0
        self._found = self._modularity = None
        self._settled = True
        return True

    def _level(self) -> Level:
        """The graph as the first level, with current degrees."""
        graph = self.graph
        if self._uses_weights:
            fr.neighbor_reduce(graph, fr.filter(self._everyone, _is_stale, self._stale), weight_of, out=self._degree)
        else:
            self._degree = graph.vertex_array(np.float64, graph.degrees())
        return Level(graph, self._degree, graph.xp.zeros(graph.num_vertices))

    def _named(self) -> tuple[Any, int]:
        """The communities by their smallest vertices, and their number."""
        if self._found is None:
            self._found = by_smallest(self.graph, self._community)
        return self._found


class _OverParts(DynamicLouvain):
    """The same for a distributed graph: `louvain` is called when results are read."""

    exact = False
    sees_changes = False

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def vertices_changed(self) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def _recompute(self) -> None:
        self._call()
        self._known = self._settled = True


DynamicLouvain.form_over_parts = _OverParts


def _note(src, dst, edge, weight, kind, community, pending):
    """Mark the ends of an edge if they may move: of a new one between communities, or a deleted one inside of one."""
    if (community[src] == community[dst]) == (kind == DELETED):
        pending[src] = 1
        pending[dst] = 1
    return False


def _note_weight(src, dst, edge, weight, kind, community, pending, stale, bad):
    """The same in a graph with weights. Edges whose weights have changed may be anywhere."""
    if kind == CHANGED or (community[src] == community[dst]) == (kind == DELETED):
        pending[src] = 1
        pending[dst] = 1
    stale[src] = 1
    stale[dst] = 1
    if not 0 <= weight < math.inf:
        bad[0] = 1
    return False


def _find_smallest(v, degree, community, smallest):
    if degree[v] > 0:
        fr.atomic_min(smallest, community[v], v)


def _rename(v, degree, community, smallest, pending):
    """Name v's community by its smallest vertex. Without edges, v is a community that stays."""
    if degree[v] > 0:
        community[v] = smallest[community[v]]
    else:
        community[v] = v
        pending[v] = 0


def _is_stale(v, stale):
    if stale[v] == 0:
        return False
    stale[v] = 0
    return True
