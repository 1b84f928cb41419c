"""Betweenness centrality: how many shortest paths between other vertices lead through each.

From several sources at once, a breadth-first search counts the shortest paths to every vertex, level by level. Back
from the last level, every vertex then gets its share of the paths that continue from it. Sources have a bit each in
words, and a column each in arrays:

    seen[v]        sources that have found v
    here[v]        sources whose current level contains v
    coming[v]      sources that find v in this step
    paths[v, s]    number of shortest paths from s to v
    behind[v, s]   per shortest path from s to v: v itself as a target, and the paths that continue from it; 0 until the
                   way back reaches v's level

When the way back reaches v's level, the neighbors of v whose `behind` is not 0 are its successors on shortest paths, so
a sum over all neighbors needs no distances.

If paths are long, a CPU searches from one source after another, without a step of the host for each level:

    place[v]     minus the distance of v from the source; FAR before it is found
    paths[v]     number of shortest paths from the source to v
    behind[v]    paths that continue from v, per path to v; complete once all vertices farther away are done

Brandes, "A Faster Algorithm for Betweenness Centrality", J. Math. Sociol. 2001; Brandes and Pich, "Centrality
Estimation in Large Networks", Int. J. Bifurc. Chaos 2007 (a sample of sources); Then et al., "The More the Merrier:
Efficient Multi-Source Graph Traversal", VLDB 2014 (several sources at once).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import sample_of
from ._source_words import is_deep, lowest_bit
from .result import Result

WIDTH = 32
"""Sources of one search."""
PASSES = 8
"""About how many times as many arcs as there are will be looked at by a search of several sources."""
FAR = np.int32(1)


@dataclass(frozen=True, repr=False)
class BetweennessCentralityResult(Result):
    """Result of `betweenness_centrality`.

    Attributes
    ----------
    betweenness_centrality : array of float64, shape (num_vertices,)
        On the graph's device.
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
        The sources; by default all vertices, or `k` of them. The sum at a vertex is scaled by the number of vertices
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

    Notes
    -----
    O((V + E) levels) work at most for every 32 sources, as for a few searches if the diameter is small, and a few
    launches for each level. If it is large, a CPU does O(V + E) work for each source. O(V) memory for each of the 32.
    Numbers of paths beyond 2**53 are rounded. In undirected graphs each pair counts once.

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
    graph = fr.advanced.copy_for_passes(graph, PASSES * len(chosen) / WIDTH)
    total = graph.xp.zeros(graph.num_vertices)
    if chosen and is_deep(graph, chosen[0]):
        _add_paths_in_turn(graph, chosen, total, endpoints)
    else:
        for i in range(0, len(chosen), WIDTH):
            _add_paths(graph, chosen[i : i + WIDTH], total, endpoints)
    ends = existing if endpoints else existing - 1  # vertices where paths through a vertex may start or end
    if ends > 1:
        starts = _starts(graph, chosen, endpoints)  # one factor, so that values are rounded once, as NetworkX's are
        total *= 1 / (starts * (ends - 1)) if normalized else ends / (starts * (1 if graph.directed else 2))
    return BetweennessCentralityResult(total)


def _starts(graph: fr.Graph, sources: list[int], endpoints: bool) -> Any:
    """The number of sources that paths through each vertex start from; NaN for none."""
    starts = graph.xp.full(graph.num_vertices, float(len(sources)))
    if not endpoints:
        starts[graph.xp.asarray(sources, np.int64)] = len(sources) - 1 or np.nan
    return starts


def _add_paths(graph: fr.Graph, sources: list[int], total: Any, endpoints: bool) -> None:
    """Add to each vertex its share of all shortest paths from some sources."""
    xp, n, k = graph.xp, graph.num_vertices, len(sources)
    starts, columns = xp.asarray(sources), xp.arange(k)
    bits = xp.asarray(np.uint64(1) << np.arange(k, dtype=np.uint64))
    k = 1 << (k - 1).bit_length()  # kernels are compiled for the number of columns
    seen, here, coming = xp.zeros(n, np.uint64), xp.zeros(n, np.uint64), xp.zeros(n, np.uint64)
    paths, behind, sums = xp.zeros((n, k)), xp.zeros((n, k)), xp.empty((n, k))
    seen[starts] = here[starts] = bits
    paths[starts, columns] = 1
    frontier, levels = fr.Frontier(graph, starts), []
    while frontier := fr.advance(graph, frontier, _count_paths, seen, here, coming, paths):
        fr.compute(frontier, _arrive, seen, here, coming)
        levels.append((frontier, here[frontier.vertices]))
    for level, words in reversed(levels):
        here[level.vertices] = words
        fr.neighbor_reduce(graph, level, _behind, behind, columns=k, out=sums)
        fr.compute(level, _share, here, paths, sums, behind, total, endpoints)
    if endpoints:
        total[starts] += (paths > 0).sum(axis=0)[: len(sources)] - 1


def _add_paths_in_turn(graph: fr.Graph, sources: list[int], total: Any, endpoints: bool) -> None:
    """`_add_paths`, from one source after another."""
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    place, paths, behind = xp.empty(n, np.int32), xp.empty(n), xp.empty(n)
    queue = fr.PriorityFrontier(graph, place)
    for source in sources:
        for array, value in ((place, FAR), (paths, 0), (behind, 0)):
            array.fill(value)
        place[source], paths[source] = 0, 1
        start = fr.Frontier(graph, [source])
        fr.traverse(graph, start, _count_paths_in_turn, place, paths, fr.advanced.StepCounter(1))
        reached = fr.filter(everyone, _is_reached, place)
        queue.push(reached)  # the farthest come first
        queue.traverse(_share_in_turn, place, paths, behind)
        total += behind
        if endpoints:
            total += place < FAR
            total[source] += len(reached) - 1


def _count_paths_in_turn(src, dst, edge, weight, place, paths, level):
    found = place[dst]
    if found == FAR:
        found = fr.atomic_cas(place, dst, FAR, -level)
    if found != FAR and found != -level:
        return False
    fr.atomic_add(paths, dst, paths[src])
    return found == FAR


def _is_reached(v, place):
    return place[v] < 0


def _share_in_turn(src, dst, edge, weight, place, paths, behind):
    if place[dst] == place[src] - 1:
        fr.atomic_add(behind, src, paths[src] / paths[dst] * (1 + behind[dst]))
    return False


def _count_paths(src, dst, edge, weight, seen, here, coming, paths):
    bits = here[src] & ~seen[dst]
    if bits == 0:
        return False
    fr.atomic_or(coming, dst, bits)
    while bits != 0:
        source = lowest_bit(bits)
        fr.atomic_add(paths, (dst, source), paths[src, source])
        bits &= bits - np.uint64(1)
    return True


def _arrive(v, seen, here, coming):
    here[v] = coming[v]
    seen[v] |= coming[v]
    coming[v] = 0


def _behind(src, dst, edge, weight, source, behind):
    return behind[dst, source]


def _share(v, here, paths, sums, behind, total, endpoints):
    bits = here[v]
    while bits != 0:
        source = lowest_bit(bits)
        share = paths[v, source] * sums[v, source]
        behind[v, source] = (1 + share) / paths[v, source]
        total[v] += share + endpoints
        bits &= bits - np.uint64(1)
