"""Closeness centrality: the inverse of the mean distance to a vertex.

Each vertex sums the distances from the sources. The searches run 64 sources at a time (`_source_words`), or one by one
(`bfs`) where that is faster.

    total[v]    sum of the distances from sources to v
    count[v]    number of other sources that reach v

Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014; Eppstein and Wang, "Fast
Approximation of Centrality", SODA 2001 (a sample of sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import sample_of
from ._source_words import Wanted, search, words_of
from .bfs import UNREACHED, bfs
from .result import Result


@dataclass(frozen=True, repr=False)
class ClosenessCentralityResult(Result):
    """Result of `closeness_centrality`.

    Attributes
    ----------
    closeness_centrality : array of float64, shape (num_vertices,)
        On the graph's device.

    See Also
    --------
    closeness_centrality : Computes it.
    """

    closeness_centrality: Any


@fr.advanced.reads
def closeness_centrality(
    graph: fr.Graph, sources: Any = None, *, k: int | None = None, wf_improved: bool = True, seed: int = 0
) -> ClosenessCentralityResult:  # fmt: skip
    """The closeness centrality of every vertex, or an estimate from a sample of sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph distances are measured to the vertex, as in NetworkX. Weights are ignored.
    sources : array-like of int, optional
        The sources, by default all vertices, or `k` of them. Means of a sample are over the sources other than the
        vertex. A vertex that no source reaches has 0.
    k : int, optional
        Draw this number of sources at random.
    wf_improved : bool
        Multiply by the fraction of other vertices that reach the vertex (Wasserman and Faust), which ranks vertices of
        small components lower.
    seed : int
        The seed of the sample, which is the same on every device.

    Raises
    ------
    TypeError, ValueError
        `sources` are no vertices of the graph, `k` is not positive, or another argument is invalid.

    See Also
    --------
    betweenness_centrality : The share of shortest paths through each vertex.
    bfs : The distances of one source.

    Notes
    -----
    O((V + E) (levels + 1)) work for every 64 sources at most, of a few searches if the diameter is small. O(V) memory.

    Examples
    --------
    >>> from algorithms import closeness_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> closeness_centrality(graph).closeness_centrality.round(3)
    array([0.571, 0.571, 0.8  , 0.667, 0.444])
    """
    fr.advanced.arguments.flag(wf_improved, "wf_improved")
    chosen, _ = sample_of(graph, sources, k, seed)
    xp, n = graph.xp, graph.num_vertices
    total, count = xp.zeros(n, np.int64), xp.zeros(n, np.int64)
    wanted = Wanted(total=total, number=count)
    for _, part in words_of(graph, chosen):
        if len(part) > 1:
            search(graph, part, wanted)
        else:
            fr.compute(fr.Frontier.all(graph), _add, bfs(graph, part[0]).distance, total, count)
    graph.sync(total, count)
    others = xp.full(n, len(chosen), np.int64)  # sources that are not the vertex itself
    others[xp.asarray(chosen, np.int64)] -= 1
    closeness = count / xp.maximum(total, 1)
    if wf_improved:
        closeness *= count / xp.maximum(others, 1)
    return ClosenessCentralityResult(closeness)


def _add(v, distance, total, count):
    if 0 < distance[v] < UNREACHED:
        total[v] += distance[v]
        count[v] += 1
