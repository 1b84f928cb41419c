"""Betweenness centrality: how many shortest paths between other vertices lead through each.

From each source, a breadth-first search counts the shortest paths to every vertex, level by level. Back from the last
level, every vertex then gets its share of the paths that go on from it.

    distance[v]    edges on a shortest path from the source; -1 before v is reached
    paths[v]       number of such paths
    share[v]       sum, over all targets behind v, of the fraction of shortest paths to them that lead through v

Brandes, "A Faster Algorithm for Betweenness Centrality", J. Math. Sociol. 2001; Brandes and Pich, "Centrality
Estimation in Large Networks", Int. J. Bifurc. Chaos 2007 (a sample of sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._samples import sample_of
from .result import Result


@dataclass(frozen=True)
class Betweenness(Result):
    """Result of `betweenness_centrality`.

    Attributes
    ----------
    betweenness_centrality : array of float64, shape (num_vertices,)
        On the graph's device.
    """

    betweenness_centrality: Any


@fr.reads
def betweenness_centrality(
    graph: fr.Graph, sources: Any = None, *, normalized: bool = True, endpoints: bool = False, seed: int = 0
) -> Betweenness:
    """The betweenness centrality of every vertex, or an estimate from a sample of sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Weights are ignored.
    sources : int or array-like of int, optional
        Number of sources to draw at random, or the sources; by default all vertices. Sums over a sample are multiplied
        by the number of vertices over that of the sample.
    normalized : bool
        Divide by the number of pairs of other vertices.
    endpoints : bool
        Paths also lead through their ends.
    seed : int
        Of a sample that is drawn: the same one on every device.

    Raises
    ------
    TypeError, ValueError
        `sources` is neither a positive number nor vertices of the graph, or another argument is invalid.

    Notes
    -----
    O(V + E) work for each source, and two launches for each level. O(V) memory. Numbers of paths beyond 2**53 are
    rounded. In undirected graphs each pair counts once.
    """
    fr.arguments.flag(normalized, "normalized")
    fr.arguments.flag(endpoints, "endpoints")
    chosen, existing = sample_of(graph, sources, seed)
    xp, n = graph.xp, graph.num_vertices
    total, share, paths = xp.zeros(n), xp.zeros(n), xp.zeros(n)
    distance = xp.empty(n, np.int32)
    for source in chosen:
        distance.fill(-1)
        paths.fill(0)
        share.fill(0)
        distance[source], paths[source] = 0, 1
        levels = [fr.Frontier(graph, [source])]
        while levels[-1]:
            levels.append(fr.advance(graph, levels[-1], _count_paths, distance, paths, len(levels)))
        for level in reversed(levels[:-2]):
            fr.neighbor_reduce(graph, level, _share, distance, paths, share, out=share)
        through = share + (distance > 0) if endpoints else share
        total += through
        total[source] += (sum(map(len, levels[1:])) if endpoints else 0) - through[source]
    scale = existing / len(chosen) if chosen else 1.0
    others = existing if endpoints else existing - 1  # of a vertex that paths lead through, and pairs among them
    if normalized:
        scale /= max(others * (others - 1), 1)
    elif not graph.directed:
        scale /= 2
    return Betweenness(total * scale)


def _count_paths(src, dst, edge, weight, distance, paths, level):
    if distance[dst] < 0:
        distance[dst] = level
    if distance[dst] != level:
        return False
    fr.atomic_add(paths, dst, paths[src])
    return True


def _share(src, dst, edge, weight, distance, paths, share):
    if distance[dst] != distance[src] + 1:
        return 0.0
    return paths[src] / paths[dst] * (1 + share[dst])
