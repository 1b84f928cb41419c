"""k-truss and truss numbers: subgraphs whose edges are held together by triangles.

The k-truss is the largest subgraph in which every edge is in at least k - 2 triangles. First, vertices with fewer than
k - 1 remaining neighbors are removed, as the truss cannot contain them. Then the support of every edge is counted once,
and edges with too little are peeled off, round by round (`edge_peeling`). If so many are removed that recounting is
cheaper than following each, the rest is recounted from scratch.

    degree[v]    neighbors of v in the (k-1)-core
    up           each edge of the core from its end of lower degree to the other (ties by id); its slots number them
    down         the same edges reversed
    support[e]   triangles that edge e is part of

The truss number of an edge is the largest k for which it is in the k-truss. Edges are peeled off by increasing support:
those removed while the lowest support is k - 2 have truss number k.

Cohen, "Trusses: Cohesive Subgraphs for Social Network Analysis", 2008; Kabir and Madduri, "Parallel k-Truss
Decomposition on Multicore Systems", HPEC 2017; Green et al., "Quickly Finding a Truss in a Haystack", HPEC 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._subgraph import Subgraph
from .edge_peeling import GONE, number_edges, peel
from .result import Result

LOOKUP_STEPS = 8
"""The cost of looking up a neighbor in a list, in steps of counting triangles from scratch."""


@dataclass(frozen=True)
class KTruss(Subgraph):
    """Result of `k_truss`: the edges of the truss. See `Subgraph` for the attributes."""


@dataclass(frozen=True)
class TrussNumbers(Result):
    """Result of `truss_numbers`; arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        All edges of the graph, each once, as ``src < dst``, sorted.
    truss : array of int32, shape (m,)
        The largest k for which the edge is in the k-truss: 2 for edges in no triangle.
    """

    src: Any
    dst: Any
    truss: Any


@fr.reads
def k_truss(graph: fr.Graph, k: int) -> KTruss:
    """The largest subgraph in which every edge is in at least k - 2 triangles.

    Parameters
    ----------
    graph : Graph
        Undirected.
    k : int
        At least 2; the 2-truss is the whole graph.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `k` is no integer or too small.

    Notes
    -----
    O(E^1.5) work, O(V + E) memory.
    """
    src, dst, _ = truss_edges(graph, k)
    src, dst = fr.keys.unpack(graph, graph.xp.sort(_edge_keys(graph, src, dst)))
    return KTruss(src, dst, int(k), graph.num_vertices, type(graph))


def truss_edges(graph: fr.Graph, k: int) -> tuple[Any, Any, Any]:
    """The edges of the k-truss, in no particular order or direction, and the support of each in it (int32)."""
    _check(graph)
    k = fr.arguments.integer(k, "k", 2)
    xp = graph.xp
    least = min(k - 2, graph.num_vertices)  # no edge is in that many triangles
    degree = graph.degrees()
    fr.traverse(graph, fr.filter(fr.Frontier.all(graph), _is_below, degree, least + 1), _leave, degree, least + 1)
    up, down = _orient(graph, degree, least + 1)
    while True:
        support = fr.edge_support(up, down)
        src, dst, _ = up.to_coo()
        followed = xp.flatnonzero((support < least) & (support > 0))
        lookups, steps = degree[src[followed]].sum(), (up.degrees() ** 2).sum()
        if not bool(lookups * LOOKUP_STEPS > steps):
            break
        up = fr.extract_subgraph(up, _is_held, support, least)
        src, dst, _ = up.to_coo()
        down = type(up).from_edges(
            dst, src, num_vertices=graph.num_vertices, directed=True, device=graph.device,
            vertex_dtype=graph.vertex_dtype,
        )  # fmt: skip
    src, dst, support = _choose(graph, support >= min(least, 1), src, dst, support)
    leaving = xp.flatnonzero(support < least)
    if leaving.size:
        held = _holding(graph, src, dst)
        peel(held, number_edges(held, src, dst), src, dst, support, leaving, least)
        src, dst, support = _choose(graph, support != GONE, src, dst, support)
    return src, dst, support


def truss_numbers(graph: fr.Graph) -> TrussNumbers:
    """The truss number of every edge.

    Parameters
    ----------
    graph : Graph
        Undirected.

    Raises
    ------
    ValueError
        The graph is directed.

    Notes
    -----
    O(E^1.5) look-ups, O(V + E) memory; O(E) more for every truss number there is.
    """
    _check(graph)
    xp = graph.xp
    up, down = _orient(graph, graph.degrees(), 0)
    all_support = fr.edge_support(up, down)
    all_src, all_dst, _ = up.to_coo()
    truss = xp.full(all_support.size, 2, np.int32)
    rest = xp.flatnonzero(all_support > 0)
    support = all_support[rest]
    while rest.size:
        src, dst = all_src[rest], all_dst[rest]
        held = _holding(graph, src, dst)
        number = number_edges(held, src, dst)
        left = 0
        while 2 * left < rest.size:  # then removed edges are compacted away, so that scans do not keep visiting them
            k = int(support.min()) + 2
            gone = peel(held, number, src, dst, support, xp.flatnonzero(support < k - 1), k - 1)
            truss[rest[gone]] = k
            left += int(gone.size)
        rest, support = _choose(graph, support != GONE, rest, support)
    keys, truss = fr.keys.sort(graph, _edge_keys(graph, all_src, all_dst), truss)
    return TrussNumbers(*fr.keys.unpack(graph, keys), truss)


def _check(graph: fr.Graph) -> None:
    fr.arguments.check_graph(graph)
    if graph.directed:
        raise ValueError("trusses are defined for undirected graphs; make the graph with directed=False")


def _orient(graph: fr.Graph, degree: Any, least: int) -> tuple[fr.Graph, fr.Graph]:
    """`up` and `down` between the vertices with at least this many neighbors."""
    return (
        fr.extract_subgraph(graph, _goes_up, degree, least),
        fr.extract_subgraph(graph, _goes_down, degree, least),
    )


def _holding(graph: fr.Graph, src: Any, dst: Any) -> fr.Graph:
    """A graph with these edges: `graph`, or a snapshot of just these if they are few, or if look-ups in `graph` are
    slow."""
    if graph.finds_fast and 2 * int(src.size) > graph.num_edges:
        return graph
    return fr.snapshot_structure().from_edges(
        src, dst, num_vertices=graph.num_vertices, device=graph.device, vertex_dtype=graph.vertex_dtype
    )


def _choose(graph: fr.Graph, mask: Any, *arrays: Any) -> tuple[Any, ...]:
    chosen = graph.xp.flatnonzero(mask)
    return tuple(array[chosen] for array in arrays)


def _edge_keys(graph: fr.Graph, src: Any, dst: Any) -> Any:
    return fr.keys.pack(graph, graph.xp.minimum(src, dst), graph.xp.maximum(src, dst))


def _is_below(v, degree, least):
    return degree[v] < least


def _leave(src, dst, edge, weight, degree, least):
    return fr.atomic_add(degree, dst, -1) == least


def _goes_up(src, dst, edge, weight, degree, least):
    a = degree[src]
    b = degree[dst]
    return a >= least and (a < b or (a == b and src < dst))


def _goes_down(src, dst, edge, weight, degree, least):
    a = degree[src]
    b = degree[dst]
    return b >= least and (a > b or (a == b and src > dst))


def _is_held(src, dst, edge, weight, support, least):
    return support[edge] >= least
