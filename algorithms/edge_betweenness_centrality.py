"""Edge betweenness centrality: the number of shortest paths between vertices over each edge.

Searches from several vertices at once count the shortest paths, and sum up each arc's share of them
(`_shortest_paths`). An edge of an undirected graph is two arcs.

    shares[e]    sum over the sources, and over all targets, of the fraction of shortest
                 paths that lead over arc e

Girvan and Newman, "Community Structure in Social and Biological Networks", PNAS 2002; Brandes, "On Variants of
Shortest-Path Betweenness Centrality and Their Generic Computation", Social Networks 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import frontier as fr

from ._arguments import sample_of
from ._shortest_paths import add_paths, passes_of
from .result import Result


@dataclass(frozen=True, repr=False)
class EdgeBetweennessCentralityResult(Result):
    """Result of `edge_betweenness_centrality`. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        All edges, each once, sorted, in undirected graphs as ``src < dst``.
    betweenness_centrality : array of float64, shape (num_edges,)

    See Also
    --------
    edge_betweenness_centrality : Computes it.
    """

    src: Any
    dst: Any
    betweenness_centrality: Any


@fr.advanced.reads
def edge_betweenness_centrality(
    graph: fr.Graph, sources: Any = None, *, k: int | None = None, normalized: bool = True, seed: int = 0
) -> EdgeBetweennessCentralityResult:  # fmt: skip
    """The betweenness centrality of every edge, or an estimate from a sample of sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Weights are ignored.
    sources : array-like of int, optional
        The sources, by default all vertices, or `k` of them. Sums are scaled by the number of vertices over the number
        of sources, as in NetworkX. The estimate is unbiased.
    k : int, optional
        Draw this number of sources at random.
    normalized : bool
        Divide by the number of pairs of vertices.
    seed : int
        The seed of the sample, which is the same on every device.

    Raises
    ------
    TypeError, ValueError
        `sources` are no vertices of the graph, `k` is not positive, or another argument is invalid.

    See Also
    --------
    betweenness_centrality : The same for vertices.

    Notes
    -----
    O((V + E) levels) work at most for every 32 sources, as for a few searches if the diameter is small, and a few
    launches for each level. If it is large, a CPU does O(V + E) work for each source, and copies a directed graph
    without in-edges to one with them. O(V) memory for each of the 32, and O(E). Numbers of paths beyond 2**53 are
    rounded. In undirected graphs each pair counts once.

    Examples
    --------
    >>> from algorithms import edge_betweenness_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = edge_betweenness_centrality(graph, normalized=False)
    >>> found.src, found.dst
    (array([0, 0, 1, 2, 3], dtype=int32), array([1, 2, 2, 3, 4], dtype=int32))
    >>> found.betweenness_centrality
    array([1., 3., 3., 6., 4.])
    """
    fr.advanced.arguments.flag(normalized, "normalized")
    chosen, existing = sample_of(graph, sources, k, seed)
    fr.advanced.arguments.check_one_device(graph, "edge_betweenness_centrality")
    graph = fr.advanced.copy_for_passes(graph, passes_of(chosen), look_ups=True)
    xp = graph.xp
    shares = xp.zeros(graph.edge_capacity)
    add_paths(graph, chosen, xp.zeros(graph.num_vertices), edges=shares)
    src, dst, _ = graph.to_coo()
    arcs = graph.find_edges(src, dst, checked=False)
    total = shares[arcs]
    if not graph.directed:
        back = graph.find_edges(dst, src, checked=False)
        total += xp.where(back == arcs, 0, shares[back])  # in graphs with edge data both directions have one id
    if existing > 1 and chosen:
        ends = len(chosen) * (existing - 1)
        total *= 1 / ends if normalized else existing / (len(chosen) * (1 if graph.directed else 2))
    return EdgeBetweennessCentralityResult(src, dst, total)
