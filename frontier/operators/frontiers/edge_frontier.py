"""`EdgeFrontier`: a set of edges, the input and output of operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph, specialization_of, specialize
from frontier.core.locking import reads
from frontier.core.sort import row_ids
from frontier.runtime.display import html_table
from frontier.runtime.values import integer

from ..extract import collect_arcs
from .frontier import Frontier


@specialize
class EdgeFrontier:
    """A set of edges of a graph, as arcs from a source to a destination.

    An undirected edge is two arcs, one in each direction, and each may be a member. `advance` returns the arcs along
    which it went, `all` both arcs of every edge, `reversed` the opposite ones. Filter by ``src < dst`` for one arc of
    each edge.

    A frontier stores the slot of each arc and is valid until the next update of its graph. Operators and all its
    methods then raise ValueError.

    ``advance(..., output="edges")`` makes frontiers of edges. `advance` accepts one instead of its `destinations`.
    `filter`, `compute` and `reduce` call functors ``op(src, dst, edge, weight, *args)`` for each edge.

    Frontiers of one graph are combined and compared like Python's sets: ``|``, ``&``, ``-``, ``^``, ``==``, ``<=``,
    ``<``, ``(u, v) in frontier``, ``for u, v in frontier``, in ascending order. Like them, frontiers have no hash.

    Parameters
    ----------
    graph : Graph
    src, dst : array-like of int, shape (m,)
        The members, duplicates are removed. Empty by default.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a graph, or `src` and `dst` contain invalid ids or an absent edge.

    See Also
    --------
    Frontier : A set of vertices.
    visit_edges : Visit listed edges without a frontier.

    Notes
    -----
    The constructor looks up each arc. Set operations sort: O(m log m) work.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import CSR
    >>> g = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> edges = fr.EdgeFrontier(g, [0, 1], [1, 2])
    >>> list(edges | edges.reversed())
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    >>> list(edges.destinations)
    [1, 2]
    """

    def __init__(self, graph: BaseGraph, src: Any = (), dst: Any = ()):
        check_graph(graph)
        self._take(graph, *_look_up(graph, src, dst))

    @classmethod
    def all(cls, graph: BaseGraph) -> EdgeFrontier:
        """All edges of `graph`, in both directions if it is undirected.

        See Also
        --------
        EdgeFrontier : The constructor, for listed edges.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> len(fr.EdgeFrontier.all(graph))
        6
        """
        check_graph(graph)
        form = specialization_of(EdgeFrontier, graph)
        return _all_edges(graph) if form is EdgeFrontier else form.all(graph)  # type: ignore[attr-defined]

    @classmethod
    def _of(cls, graph: BaseGraph, sources: Any, slots: Any) -> EdgeFrontier:
        """A frontier over arrays that are known to be valid, without copying them."""
        frontier = object.__new__(cls)
        frontier._take(graph, sources, slots)
        return frontier

    def _take(self, graph: BaseGraph, sources: Any, slots: Any) -> None:
        self.graph = graph
        self._sources = sources
        self._slots = slots
        self._version = graph.version

    @reads
    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a copy or pickle: the graph, and the edges, copied to the host."""
        to_host = self.graph.device.to_host
        return EdgeFrontier, (self.graph, to_host(self._sources), to_host(self._destinations()))

    def check(self) -> None:
        """Raise ValueError if the graph was updated since the frontier was made."""
        if self._version != self.graph.version:
            raise ValueError(
                "edge frontier was made before the latest update of its graph, which may have moved edges; "
                "make a new one"
            )

    def __len__(self) -> int:
        return int(self._slots.size)

    def __bool__(self) -> bool:
        return bool(self._slots.size)

    def __repr__(self) -> str:
        return f"EdgeFrontier({len(self):,} of {self.graph.num_arcs:,} arcs)"

    def _repr_html_(self) -> str:
        return html_table("EdgeFrontier", {"arcs": len(self), "graph": repr(self.graph)})

    def __iter__(self) -> Iterator[tuple[int, int]]:
        src, dst = (self.graph.device.to_host(array) for array in (self.src, self.dst))
        order = np.lexsort((dst, src))
        return iter(list(zip(src[order].tolist(), dst[order].tolist(), strict=True)))

    @reads
    def __contains__(self, edge: Any) -> bool:
        self.check()
        if not isinstance(edge, tuple) or len(edge) != 2:
            raise TypeError("edge must be a pair (u, v) of vertices")
        u, v = (integer(end, "edge") for end in edge)
        if not 0 <= min(u, v) <= max(u, v) < self.graph.num_vertices:
            return False
        ids = self.graph.xp.asarray([u, v], self.graph.vertex_dtype)
        slot = self.graph.store.find(ids[:1], ids[1:])
        return bool((self._slots == slot).any()) if int(slot[0]) >= 0 else False

    # ---- sets -------------------------------------------------------------------------------------------------------

    def __or__(self, other: Any) -> EdgeFrontier:
        if not isinstance(other, EdgeFrontier):
            return NotImplemented
        return self._joined(other._without(self))

    def __and__(self, other: Any) -> EdgeFrontier:
        return self._kept(self._is_in(other)) if isinstance(other, EdgeFrontier) else NotImplemented

    def __sub__(self, other: Any) -> EdgeFrontier:
        return self._without(other) if isinstance(other, EdgeFrontier) else NotImplemented

    def __xor__(self, other: Any) -> EdgeFrontier:
        if not isinstance(other, EdgeFrontier):
            return NotImplemented
        return self._without(other)._joined(other._without(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeFrontier):
            return NotImplemented
        return other.graph is self.graph and len(self) == len(other) and self <= other

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        return bool(self._is_in(other).all()) if isinstance(other, EdgeFrontier) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self <= other and len(self) < len(other) if isinstance(other, EdgeFrontier) else NotImplemented

    @reads
    def _is_in(self, other: EdgeFrontier) -> Any:
        """Whether each member is also a member of another frontier: an array of bool."""
        self.check()
        other = check_edge_frontier(self.graph, other)
        xp = self.graph.xp
        if not other:
            return xp.zeros(len(self), np.bool_)
        held = xp.sort(other._slots)
        return held[xp.minimum(xp.searchsorted(held, self._slots), len(other) - 1)] == self._slots

    def _without(self, other: EdgeFrontier) -> EdgeFrontier:
        return self._kept(~self._is_in(other))

    def _kept(self, mask: Any) -> EdgeFrontier:
        chosen = self.graph.xp.flatnonzero(mask)
        return EdgeFrontier._of(self.graph, self._sources[chosen], self._slots[chosen])

    def _joined(self, other: EdgeFrontier) -> EdgeFrontier:
        """The members of both, which have none in common."""
        join = self.graph.xp.concatenate
        return EdgeFrontier._of(self.graph, join([self._sources, other._sources]), join([self._slots, other._slots]))

    # ---- members ----------------------------------------------------------------------------------------------------

    @property
    @reads
    def src(self) -> Any:
        """The sources: a read-only array of the graph's vertex dtype, on its device. On a GPU a copy.

        `src`, `dst`, `edges` and `weights` are in the same order, an arbitrary one.

        See Also
        --------
        dst : The destinations.
        sources : The sources as a set of vertices.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> edges = fr.EdgeFrontier(graph, [0, 1], [2, 3])
        >>> sorted(edges.src.tolist())
        [0, 1]
        """
        self.check()
        return self.graph.device.read_only(self._sources)

    @property
    @reads
    def dst(self) -> Any:
        """The destinations: a new array of the graph's vertex dtype.

        See Also
        --------
        src : The sources.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> edges = fr.EdgeFrontier(graph, [0, 1], [2, 3])
        >>> sorted(edges.dst.tolist())
        [2, 3]
        """
        self.check()
        return self._destinations()

    @property
    @reads
    def edges(self) -> Any:
        """The values that functors see as `edge`: slots, or, in a graph with edge data, ids. A new array of int64."""
        self.check()
        return self.graph.payload.edges_at(self.graph, self._slots).copy()

    @property
    @reads
    def weights(self) -> Any:
        """The weights: a new array of the graph's `weight_dtype`, or of 1 (float32) in graphs without weights."""
        self.check()
        if not self.graph.is_weighted:
            return self.graph.xp.ones(len(self), np.float32)
        return self.graph.payload.weights_at(self.graph, self._slots)

    @property
    @reads
    def sources(self) -> Frontier:
        """The vertices that the edges leave.

        See Also
        --------
        destinations : The other ends.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> edges = fr.EdgeFrontier(graph, [0, 1], [2, 3])
        >>> sorted(edges.sources)
        [0, 1]
        """
        self.check()
        return _frontier_of(self.graph, self._sources)

    @property
    @reads
    def destinations(self) -> Frontier:
        """The vertices that the edges lead to.

        See Also
        --------
        sources : The other ends.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> edges = fr.EdgeFrontier(graph, [0, 1], [2, 3])
        >>> sorted(edges.destinations)
        [2, 3]
        """
        self.check()
        return _frontier_of(self.graph, self._destinations())

    @reads
    def reversed(self) -> EdgeFrontier:
        """Return the same edges in the other direction: of a directed graph with in-edges, a frontier of its `reverse`.

        Raises
        ------
        ValueError
            A directed graph has no in-edges.

        See Also
        --------
        Graph.reverse : The graph with every edge reversed.

        Notes
        -----
        Looks up each edge.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> edges = fr.EdgeFrontier(graph, [0, 1], [2, 3])
        >>> sorted(edges.reversed())
        [(2, 0), (3, 1)]
        """
        self.check()
        graph, dst = self.graph.reverse, self._destinations()
        return EdgeFrontier._of(graph, dst, graph.store.find(dst, self._sources) if len(self) else self._slots)

    def _destinations(self) -> Any:
        return self.graph.store.neighbors[self._slots]


def check_edge_frontier(graph: BaseGraph, frontier: EdgeFrontier) -> EdgeFrontier:
    """Return `frontier`. Raises ValueError unless it is a valid frontier of `graph`."""
    check_graph(graph)
    frontier.check()
    if frontier.graph is not graph:
        raise ValueError("edge frontier belongs to another graph")
    return frontier


@reads
def _look_up(graph: BaseGraph, src: Any, dst: Any) -> tuple[Any, Any]:
    """The sources and slots of arcs, each once. ValueError if one is not in the graph."""
    arcs, xp = graph.store.make_arcs(src, dst, directed=True, drop_loops=False), graph.xp
    if not len(arcs):
        return arcs.src, xp.empty(0, np.int64)
    slots = graph.store.find(arcs.src, arcs.dst)
    arcs.check()
    missing = xp.flatnonzero(slots < 0)
    if missing.size:
        u, v = (int(ends[missing[0]]) for ends in (arcs.src, arcs.dst))
        raise ValueError(f"src and dst name {missing.size} edges that are not in the graph, {u} - {v} is one")
    slots, first = xp.unique(slots, return_index=True)
    return arcs.src[first], slots


@reads
def _all_edges(graph: BaseGraph) -> EdgeFrontier:
    offsets, _, slots = collect_arcs(graph)
    return EdgeFrontier._of(graph, row_ids(graph.device, offsets, graph.vertex_dtype), slots)


def _frontier_of(graph: BaseGraph, vertices: Any) -> Frontier:
    """The set of the vertices in a list."""
    frontier = Frontier._listed(graph, vertices)
    frontier._make_set()
    return frontier
