"""Betweenness centrality: the number of shortest paths between other vertices through each vertex.

Searches from several vertices at once count the shortest paths, and sum up each vertex's share of them
(`_shortest_paths`).

    total[v]    sum over the sources, and over all targets, of the fraction of shortest
                paths that lead through v

Brandes, "A Faster Algorithm for Betweenness Centrality", J. Math. Sociol. 2001; Brandes and Pich, "Centrality
Estimation in Large Networks", Int. J. Bifurc. Chaos 2007 (a sample of sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import sample_of
from ._shortest_paths import add_paths, passes_of
from .result import Result


@dataclass(frozen=True, repr=False)
class BetweennessCentralityResult(Result):
    """Result of `betweenness_centrality`.

    Attributes
    ----------
    betweenness_centrality : array of float64, shape (num_vertices,)
        On the graph's device.

    See Also
    --------
    betweenness_centrality : Computes it.
    """

    betweenness_centrality: Any


@fr.advanced.reads
def betweenness_centrality(
    graph: fr.Graph,
    sources: Any = None,
    *,
    k: int | None = None,
    normalized: bool = True,
    endpoints: bool = False,
    seed: int = 0,
) -> BetweennessCentralityResult:
    """The betweenness centrality of every vertex, or an estimate from a sample of sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Weights are ignored.
    sources : array-like of int, optional
        The sources, by default all vertices, or `k` of them. The sum at a vertex is scaled by the number of vertices
        where its paths may start over the number of sources among them, as in NetworkX. Without `endpoints`, a source
        is not among its own. The estimate is unbiased, and NaN for the only source.
    k : int, optional
        Draw this number of sources at random.
    normalized : bool
        Divide by the number of pairs of other vertices.
    endpoints : bool
        Count the ends of paths, too.
    seed : int
        The seed of the sample, which is the same on every device.

    Raises
    ------
    TypeError, ValueError
        `sources` are no vertices of the graph, `k` is not positive, or another argument is invalid.

    See Also
    --------
    DynamicBetweennessCentrality : Maintains the result while the graph changes.

    Notes
    -----
    O((V + E) levels) work at most for every 32 sources, as for a few searches if the diameter is small, and a few
    launches for each level. If it is large, a CPU does O(V + E) work for each source, and copies a directed graph
    without in-edges to one with them. O(V) memory for each of the 32. Numbers of paths beyond 2**53 are rounded. In
    undirected graphs each pair counts once.

    Examples
    --------
    >>> from algorithms import betweenness_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> betweenness_centrality(graph, normalized=False).betweenness_centrality
    array([0., 0., 4., 3., 0.])
    """
    fr.advanced.arguments.flag(normalized, "normalized")
    fr.advanced.arguments.flag(endpoints, "endpoints")
    chosen, existing = sample_of(graph, sources, k, seed)
    fr.advanced.arguments.check_one_device(graph, "betweenness_centrality")
    graph = fr.advanced.copy_for_passes(graph, passes_of(chosen))
    total = graph.xp.zeros(graph.num_vertices)
    add_paths(graph, chosen, total, endpoints)
    return BetweennessCentralityResult(scaled(graph, total, chosen, existing, normalized, endpoints))


def scaled(
    graph: fr.Graph, total: Any, sources: list[int], existing: int, normalized: bool, endpoints: bool
) -> Any:  # fmt: skip
    """Scale sums over these sources, in place, in a graph with this number of existing vertices. Return them."""
    ends = existing if endpoints else existing - 1  # vertices where paths through a vertex may start or end
    if ends > 1 and sources:
        starts = _starts(graph, sources, endpoints)  # one factor, for one rounding, as in NetworkX
        total *= 1 / (starts * (ends - 1)) if normalized else ends / (starts * (1 if graph.directed else 2))
    return total


def _starts(graph: fr.Graph, sources: list[int], endpoints: bool) -> Any:
    """The number of sources that paths through each vertex start from, NaN for none."""
    starts = graph.xp.full(graph.num_vertices, float(len(sources)))
    if not endpoints:
        starts[graph.xp.asarray(sources, np.int64)] = len(sources) - 1 or np.nan
    return starts
