"""k-truss and truss numbers: subgraphs in which triangles support every edge.

The k-truss is the largest subgraph in which every edge is in at least k - 2 triangles. First, vertices with fewer than
k - 1 remaining neighbors are removed, as the truss cannot contain them. Then the support of every edge is counted once,
and edges with too little are peeled off, round by round (`edge_peeling`). If enough edges are removed that recounting
is cheaper than following each, the rest is recounted from scratch.

    degree[v]     neighbors of v in the (k-1)-core
    orientation   the core as it is stored in the graph, and the order of its vertices
    src, dst      each edge of the core from its end of lower degree to the other
    support[e]    triangles that contain edge e

The truss number of an edge is the largest k for which it is in the k-truss. Edges are peeled off by increasing support:
those removed while the lowest support is k - 2 have truss number k.

Cohen, "Trusses: Cohesive Subgraphs for Social Network Analysis", 2008; Kabir and Madduri, "Parallel k-Truss
Decomposition on Multicore Systems", HPEC 2017; Green et al., "Quickly Finding a Truss in a Haystack", HPEC 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._subgraph import SubgraphResult, sorted_edges
from .edge_peeling import GONE, number_edges, peel
from .result import Result
from .triangle_count import copy_bytes, costs_of

LOOKUP_STEPS = 8
"""The cost of looking up a neighbor in a list, in steps of counting triangles from scratch."""
COPY_BELOW = 1 / 2
"""Up to this fraction of the graph's edges, the remaining edges are copied to look triangles up in."""


@dataclass(frozen=True, repr=False)
class KTrussResult(SubgraphResult):
    """Result of `k_truss`: the edges of the truss. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the truss, each once, as ``src < dst``, sorted.
    k : int
    num_edges : int
    num_vertices : int
        The structure of the graph, and of the result of `to_graph`.
    layout : ReadLayout or None
        Whether triangles were counted in the graph as it is stored or in a copy, and why.

    See Also
    --------
    k_truss : Computes it.
    """

    layout: fr.advanced.ReadLayout | None = None


@dataclass(frozen=True, repr=False)
class TrussNumbersResult(Result):
    """Result of `truss_numbers`. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        All edges of the graph, each once, as ``src < dst``, sorted.
    truss : array of int32, shape (m,)
        The largest k for which the edge is in the k-truss: 2 for edges in no triangle.
    layout : ReadLayout or None
        As in `KTrussResult`.

    See Also
    --------
    truss_numbers : Computes it.
    """

    src: Any
    dst: Any
    truss: Any
    layout: fr.advanced.ReadLayout | None = None


@fr.advanced.reads
def k_truss(graph: fr.Graph, k: int, *, layout: str = "auto") -> KTrussResult:
    """The largest subgraph in which every edge is in at least k - 2 triangles.

    Parameters
    ----------
    graph : Graph
        Undirected.
    k : int
        At least 2. The 2-truss is the whole graph.
    layout : {"auto", "native", "csr"}
        ``"csr"``: in a copy of the edges. ``"native"``: in the graph as it is stored, which structures that look up
        edges fast are made for (`Graph.finds_fast`). ``"auto"``: where it is expected to be faster, including the copy.
        The result's `layout` gives the reason.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, `k` is no integer or too small, or `layout` is invalid.

    See Also
    --------
    DynamicKTruss : Maintains the result while the graph changes.

    Notes
    -----
    O(E^1.5) work. Both forms use two int32 for each slot of the graph, and 16 bytes for each edge that is in a
    triangle. A copy uses two ids an edge more. Once less than half of the edges are left, or if many leave at once, the
    rest is copied in either form.

    Examples
    --------
    >>> from algorithms import k_truss
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], device="cpu")
    >>> truss = k_truss(graph, 4)
    >>> truss.src, truss.dst
    (array([0, 0, 0, 1, 1, 2], dtype=int32), array([1, 2, 3, 2, 3, 3], dtype=int32))
    """
    fr.advanced.arguments.check_graph(graph)
    if graph.in_parts:
        return _over_parts(graph, k)
    src, dst, _, chosen = _truss(graph, k, layout)
    src, dst = sorted_edges(graph, src, dst)
    return KTrussResult(src, dst, int(k), graph.num_vertices, type(graph), layout=chosen)


def _over_parts(graph: Any, k: int) -> KTrussResult:
    """The same for a distributed graph: edges are deleted from a copy, until all have enough triangles."""
    _check(graph)
    k = fr.advanced.arguments.integer(k, "k", 2)
    xp = graph.xp
    src, dst, _ = graph.own_edges()
    truss = graph.empty_like()
    truss.insert_edges(src, dst)
    least = min(k - 2, graph.num_vertices)
    while least:
        triangles = fr.intersect(truss, src, dst, checked=False)
        gone, held = xp.flatnonzero(triangles < least), xp.flatnonzero(triangles >= least)
        if not truss.delete_edges(src[gone], dst[gone]).deleted:
            break
        src, dst = src[held], dst[held]
    src, dst, _ = truss.to_coo()
    return KTrussResult(src, dst, k, graph.num_vertices, graph.structure)


def truss_edges(graph: fr.Graph, k: int) -> tuple[Any, Any, Any]:
    """The edges of the k-truss, in no particular order or direction, and the support of each in it (int32)."""
    return _truss(graph, k, "auto")[:3]


def _truss(graph: fr.Graph, k: int, layout: str) -> tuple[Any, Any, Any, fr.advanced.ReadLayout]:
    _check(graph)
    k = fr.advanced.arguments.integer(k, "k", 2)
    xp = graph.xp
    least = min(k - 2, graph.num_vertices)  # no edge is in that many triangles
    degree = graph.degrees()
    fr.traverse(graph, fr.filter(fr.Frontier.all(graph), _is_below, degree, least + 1), _leave, degree, least + 1)
    orientation, chosen = _oriented(graph, degree, least, layout)
    src, dst, support, slots, order = _supported(orientation, least, chosen)
    degree, steps = degree[order], orientation.steps[2]
    while True:
        followed = xp.flatnonzero((support < least) & (support > 0))
        if not bool(degree[src[followed]].sum() * LOOKUP_STEPS > steps):
            break
        src, dst = _choose(graph, support >= least, src, dst)
        up = fr.advanced.csr_structure().from_edges(
            src, dst, num_vertices=int(order.size), directed=True, device=graph.device, vertex_dtype=graph.vertex_dtype
        )
        src, dst, support, slots = *up.to_coo()[:2], fr.advanced.edge_support(up), None
        steps = (up.degrees() ** 2).sum()
    src, dst = order[src], order[dst]
    src, dst, slots, support = _choose(graph, support >= min(least, 1), src, dst, slots, support)
    leaving = xp.flatnonzero(support < least)
    if leaving.size:
        held = _holding(graph, src, dst, chosen)
        number = number_edges(held, src, dst, slots if held is graph else None)
        peel(held, number, src, dst, support, leaving, least)
        src, dst, support = _choose(graph, support != GONE, src, dst, support)
    return src, dst, support, chosen


@fr.advanced.reads
def truss_numbers(graph: fr.Graph, *, layout: str = "auto") -> TrussNumbersResult:
    """The truss number of every edge.

    Parameters
    ----------
    graph : Graph
        Undirected.
    layout : {"auto", "native", "csr"}
        As in `k_truss`.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `layout` is invalid.

    See Also
    --------
    k_truss : The subgraph of one truss.

    Notes
    -----
    O(E^1.5) look-ups, O(V + slots) memory, as for `k_truss`, and O(E) more for every distinct truss number.

    Examples
    --------
    >>> from algorithms import truss_numbers
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], device="cpu")
    >>> truss_numbers(graph).truss
    array([4, 4, 4, 4, 4, 4, 2], dtype=int32)
    """
    _check(graph)
    fr.advanced.arguments.check_one_device(graph, "truss_numbers")
    xp = graph.xp
    orientation, chosen = _oriented(graph, graph.degrees(), 0, layout)
    all_src, all_dst, all_support, slots, order = _supported(orientation, 0, chosen)
    all_src, all_dst = order[all_src], order[all_dst]
    truss = xp.full(all_support.size, 2, np.int32)
    rest = xp.flatnonzero(all_support > 0)
    support = all_support[rest]
    while rest.size:
        src, dst = all_src[rest], all_dst[rest]
        held = _holding(graph, src, dst, chosen)
        number = number_edges(held, src, dst, slots[rest] if held is graph and slots is not None else None)
        left = 0
        while 2 * left < rest.size:  # then removed edges are compacted away, and scans no longer visit them
            k = int(support.min()) + 2
            gone = peel(held, number, src, dst, support, xp.flatnonzero(support < k - 1), k - 1)
            truss[rest[gone]] = k
            left += int(gone.size)
        rest, support = _choose(graph, support != GONE, rest, support)
    src, dst, truss = sorted_edges(graph, all_src, all_dst, truss)
    return TrussNumbersResult(src, dst, truss, chosen)


def _check(graph: fr.Graph) -> None:
    fr.advanced.arguments.check_graph(graph)
    if graph.directed:
        raise ValueError("trusses are defined for undirected graphs; make the graph with directed=False")


def _oriented(
    graph: fr.Graph, degree: Any, least: int, layout: str
) -> tuple[fr.advanced.Orientation, fr.advanced.ReadLayout]:
    """The edges between vertices with more than `least` neighbors, and whether to copy them."""
    orientation = fr.advanced.Orientation(graph, degree, least + 1)
    return orientation, fr.advanced.choose_layout(graph, layout, lambda: _costs(graph, orientation), copy_bytes(graph))


class Supported(NamedTuple):
    """Edges between numbers of vertices, each once, from the lower to the upper end, with supports, and slots or None.

    `order` has the vertex with each number.
    """

    src: Any
    dst: Any
    support: Any
    slots: Any
    order: Any


def _supported(orientation: fr.advanced.Orientation, least: int, chosen: fr.advanced.ReadLayout) -> Supported:
    """Edges of an orientation. Edges in no triangle may be left out, unless `least` is 0."""
    if chosen.is_copy:
        copy = orientation.copy()
        return Supported(*copy.up.to_coo()[:2], fr.advanced.edge_support(copy.up, copy.down), None, copy.order)
    graph, rank, support = orientation.graph, orientation.rank, fr.advanced.edge_support(orientation)
    offsets, dst, slots = fr.advanced.extract_neighbors(graph, None, _is_supported, rank, support, min(least, 1))
    csr: Any = fr.advanced.csr_structure()
    src, dst, _ = csr.from_csr(offsets, dst, directed=True, device=graph.device).to_coo()
    return Supported(src, dst, support[slots], slots, graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype))


def _costs(graph: fr.Graph, orientation: fr.advanced.Orientation) -> tuple[float, float]:
    here, copied = costs_of(graph, orientation)
    return here if graph.finds_fast else np.inf, copied


def _holding(graph: fr.Graph, src: Any, dst: Any, chosen: fr.advanced.ReadLayout) -> fr.Graph:
    """A graph with these edges: `graph`, or a static copy of just these if they are few. It is also copied if look-ups
    in `graph` are slow, unless it must be used as it is stored."""
    if int(src.size) > COPY_BELOW * graph.num_edges and (graph.finds_fast or not chosen.is_copy):
        return graph
    return fr.advanced.csr_structure().from_edges(
        src, dst, num_vertices=graph.num_vertices, device=graph.device, vertex_dtype=graph.vertex_dtype
    )


def _choose(graph: fr.Graph, mask: Any, *arrays: Any) -> tuple[Any, ...]:
    chosen = graph.xp.flatnonzero(mask)
    return tuple(array if array is None else array[chosen] for array in arrays)


def _is_below(v, degree, least):
    return degree[v] < least


def _leave(src, dst, edge, weight, degree, least):
    return fr.atomic_add(degree, dst, -1) == least


def _is_supported(src, dst, edge, weight, rank, support, least):
    return rank[dst] < rank[src] and support[edge] >= least
