"""The k-truss of a dynamic graph, maintained incrementally.

The truss is stored as a dynamic graph of the same structure, together with the support of each of its edges. Deleted
edges are removed from it, and so are edges whose support then falls below k - 2 (`edge_peeling`). Hornet's paper finds
a k-truss in the same way, by deleting edges from the dynamic structure until none has to go. After a recomputation that
graph is made when a batch needs it.

Insertions can only grow the truss, and only by edges that triangles connect to new ones: from an edge to the two
further edges of its triangles, and so on. Candidates are collected from the new edges outward, skipping edges of the
truss and edges in too few triangles of the whole graph. They are inserted into the truss together, then peeled off
again if their support is too low. If there are too many, or too many edges leave, the truss is recomputed from scratch
when it is read.

    numbers         ids of the truss's edges, stored as their weights in `truss`, where they
                    follow edges that move
    src[e], dst[e]  the ends of edge e
    support[e]      triangles of edge e within the truss

Busato, Green, Bombieri and Bader, "Hornet: An Efficient Data Structure for Dynamic Sparse Graphs and Matrices on
GPUs", HPEC 2018; Green et al., "Quickly Finding a Truss in a Haystack", HPEC 2017; Huang et al., "Querying k-Truss
Community in Large and Dynamic Graphs", SIGMOD 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._subgraph import sorted_edges
from ._trials import Trials
from .edge_peeling import MARKED, Peeling, pass_on, peel
from .incremental import IncrementalAlgorithm, maintained
from .k_truss import truss_edges

RECOMPUTE_ABOVE = 1 / 2
"""If the candidates are in more triangles per arc of the graph than this, recomputation from scratch is faster."""

LEAVE_ABOVE, SMALL_LEAVING = 1 / 16, 2**10
"""And if more than this fraction of the truss's edges leaves, and some more."""

ROUND_SIDES, SMALL_SIDES = 2**10, 2**14
"""A round of the search for candidates costs at least as much as listing this number of edges of triangles. A
recomputation costs as much as listing the second number in the smallest graph."""

TRIED_SIDES = 1 / 4
"""Each round sorts the tried edges again, which costs as much as listing this number of edges of triangles for each."""


class DynamicKTruss(IncrementalAlgorithm):
    """k-truss of an undirected graph, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected.
    k : int
        At least 2.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the truss, each once, as ``src < dst``, sorted, on the graph's device: new arrays on each access.
    num_edges : int
    k : int

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `k` is no integer or too small.

    See Also
    --------
    k_truss : Computes the result for the current graph.

    Notes
    -----
    A deletion costs O(sum of the smaller degree of the two ends) look-ups in the truss, over the edges that leave it.
    An insertion costs as many in the whole graph, over the candidates.

    Examples
    --------
    >>> from algorithms import DynamicKTruss
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], device="cpu"
    ... )
    >>> truss = DynamicKTruss(graph, 4)
    >>> truss.num_edges
    6
    >>> graph.delete_edges([0], [1])
    UpdateResult(inserted=0, replaced=0, deleted=1)
    >>> truss.num_edges
    0
    """

    def __init__(self, graph: fr.DynamicGraph, k: int):
        super().__init__(graph)
        self.k = k
        self._trials = {"insert": Trials(), "delete": Trials()}
        self._recompute()
        self._make()
        self._attach()

    @maintained
    def num_edges(self) -> int:
        """Number of edges of the truss."""
        return int(self._src.size) if self._truss is None else self._truss.num_edges

    @maintained
    def src(self) -> Any:
        """The smaller end of each edge of the truss: a new array."""
        return self._edges()[0]

    @maintained
    def dst(self) -> Any:
        """The larger end of each edge of the truss: a new array."""
        return self._edges()[1]

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether a batch is recomputed without a trial."""
        return not self._known or not self._trials[update].pays(edges)

    def outdated(self, edges: int) -> None:
        """Have the truss recomputed when it is read."""
        self._known = self._known and not edges

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Add the new edges that belong to the truss, and the edges that they bring into it."""
        if self._tries("insert", src):
            candidates = self._candidates(src, dst)
            self._known = candidates is not None and self._join(*candidates)
            self._trials["insert"].note(not self._known)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Remove deleted edges from the truss, and the edges that depended on them."""
        if self._tries("delete", src):
            slots = self._truss.find_edges(src, dst, checked=False)
            self._known = self._leave(self._truss.slot_weights[slots[self.graph.xp.flatnonzero(slots >= 0)]])
            self._trials["delete"].note(not self._known)

    def vertices_changed(self) -> None:
        """Add new vertices to the truss."""
        if self._truss is not None:
            self._truss.insert_vertices(self.graph.num_vertices - self._truss.num_vertices)

    def _bring_up(self) -> None:
        if not self._known:
            self._recompute()

    def _tries(self, update: str, src: Any) -> bool:
        """Whether to repair the changes of a batch. If so, the truss is a graph."""
        repairs = self._repairs(update, src.size)
        if repairs and self._truss is None:
            self._make()
        return repairs

    def _edges(self) -> tuple[Any, ...]:
        """The edges of the truss, sorted: new arrays."""
        if self._truss is None:
            return sorted_edges(self.graph, self._src, self._dst)
        return self._truss.to_coo()

    def _recompute(self) -> None:
        """Compute the truss of the current graph from scratch."""
        self._known = False
        self._src, self._dst, self._support = truss_edges(self.graph, self.k)
        self._truss: Any = None
        self._known = True

    def _make(self) -> None:
        """Make a graph of the truss."""
        graph, xp = self.graph, self.graph.xp
        self._used = int(self._src.size)  # numbers below it are allocated or free
        self._free = xp.empty(0, np.int32)
        self._truss = type(graph).from_edges(
            self._src, self._dst, xp.arange(self._used, dtype=np.int32), num_vertices=graph.num_vertices,
            device=graph.device, vertex_dtype=graph.vertex_dtype,
        )  # fmt: skip

    def _candidates(self, src: Any, dst: Any) -> tuple[Any, Any] | None:
        """Edges that may join the truss, once (src, dst) are in the graph, or None if they are too many."""
        graph, xp = self.graph, self.graph.xp
        tried = fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, src, dst))
        found = []
        left = graph.num_arcs * RECOMPUTE_ABOVE + SMALL_SIDES
        while src.size:
            triangles = fr.intersect(graph, src, dst, checked=False)
            able = xp.flatnonzero(triangles >= self.k - 2)
            src, dst = src[able], dst[able]
            found.append((src, dst))
            sides = 2 * int(triangles[able].sum())
            left -= sides + ROUND_SIDES + tried.size * TRIED_SIDES
            if left < 0:
                return None
            src, dst, tried = self._untried(self._sides(src, dst, sides), tried)
        return tuple(graph.joined(*part) for part in zip(*found, strict=True))  # type: ignore[return-value]

    def _sides(self, src: Any, dst: Any, count: int) -> Any:
        """Sorted distinct keys of the other two edges of all triangles with one of these edges."""
        graph, xp = self.graph, self.graph.xp
        keys = xp.empty(count, np.int64)
        span = fr.advanced.keys.stride(graph)
        fr.intersect(graph, src, dst, _list_sides, span, keys, xp.zeros(1, np.int64), checked=False)
        return fr.advanced.keys.distinct(graph, keys)

    def _untried(self, keys: Any, tried: Any) -> tuple[Any, Any, Any]:
        """The edges among these keys that are not in the truss and not tried yet, and the updated tried keys."""
        graph, xp = self.graph, self.graph.xp
        keys = keys[xp.flatnonzero(tried[xp.minimum(xp.searchsorted(tried, keys), tried.size - 1)] != keys)]
        src, dst = fr.advanced.keys.unpack(graph, keys)
        if keys.size:
            outside = xp.flatnonzero(self._truss.find_edges(src, dst, checked=False) < 0)
            keys, src, dst = keys[outside], src[outside], dst[outside]
        return src, dst, xp.sort(xp.concatenate([tried, keys]))

    def _join(self, src: Any, dst: Any) -> bool:
        """Insert edges into the truss, then peel off edges with too little support. False if they are too many."""
        if not src.size:
            return True
        xp, truss = self.graph.xp, self._truss
        numbers = self._take_numbers(int(src.size))
        truss.insert_edges(src, dst, numbers)
        triangles = fr.intersect(truss, src, dst, checked=False)
        self._src[numbers], self._dst[numbers], self._support[numbers] = src, dst, MARKED
        none, size = xp.empty(0, np.int32), xp.zeros(1, np.int64)
        pass_on(truss, src, dst, Peeling(truss.slot_weights, self._support, 1, MARKED, none, size))  # they only grow
        self.graph.set_entries(self._support, numbers, triangles)
        return self._leave(numbers[xp.flatnonzero(triangles < self.k - 2)])

    def _leave(self, numbers: Any) -> bool:
        """Remove edges from the truss, and the edges that depended on them. False if they are too many."""
        if not numbers.size:
            return True
        truss, most = self._truss, LEAVE_ABOVE * self._truss.num_edges + SMALL_LEAVING
        gone = peel(truss, truss.slot_weights, self._src, self._dst, self._support, numbers, self.k - 2, most)
        if gone is None:
            return False
        truss.delete_edges(self._src[gone], self._dst[gone])
        self._free = self.graph.xp.concatenate([self._free, gone.astype(np.int32)])
        return True

    def _take_numbers(self, count: int) -> Any:
        """Numbers for new edges: free ones first."""
        xp = self.graph.xp
        fresh = max(count - int(self._free.size), 0)
        reused = int(self._free.size) - (count - fresh)
        numbers = xp.concatenate([self._free[reused:], xp.arange(self._used, self._used + fresh, dtype=np.int32)])
        self._free = self._free[:reused]
        self._used += fresh
        if self._used > self._support.size:
            room = xp.zeros(self._used + self._used // 2 - self._support.size, np.int32)
            self._support = xp.concatenate([self._support, room])
            self._src, self._dst = (xp.concatenate([ends, room.astype(ends.dtype)]) for ends in (self._src, self._dst))
        return numbers


def _list_sides(u, v, w, edge_uw, edge_vw, span, keys, size):
    place = fr.atomic_add(size, 0, 2)
    keys[place] = min(u, w) * span + max(u, w)
    keys[place + 1] = min(v, w) * span + max(v, w)
