"""Sums over shortest paths from some vertices, for betweenness of vertices and edges.

From several sources at once, a breadth-first search counts the shortest paths to every vertex, level by level. Back
from the last level, every vertex then gets its share of the paths that continue from it. Sources have a bit each in
words, and a column each in arrays:

    seen[v]        sources that have found v
    here[v]        sources whose current level contains v
    coming[v]      sources that find v in this step. On the way back: sources whose next
                   level contains v
    paths[v, s]    number of shortest paths from s to v
    behind[v, s]   per shortest path from s to v: v itself as a target, and the paths that
                   continue from it. 0 until the way back reaches v's level
    edges[e]       sum over the sources of the paths that lead over edge e, as a fraction of
                   all paths to each target

When the way back reaches v's level, the neighbors of v whose `behind` is not 0 are its successors on shortest paths. So
a sum over all neighbors needs no distances. Edges to them have these neighbors in the next level of the same source.

If paths are long, a CPU searches from one source after another, without a step of the host for each level. On the way
back a vertex follows when its last successor is done:

    level[v]     the distance of v from the source, plus 1. 0 before v is found
    ahead[v]     successors of v that are not done. The source is never done
    paths[v]     number of shortest paths from the source to v
    behind[v]    paths that continue from v, per path to v, to and through the successors of
                 v that are done

Brandes, "A Faster Algorithm for Betweenness Centrality", J. Math. Sociol. 2001; Then et al., "The More the Merrier:
Efficient Multi-Source Graph Traversal", VLDB 2014 (several sources at once).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import with_in_edges
from ._source_words import is_deep, lowest_bit

WIDTH = 32
"""Sources of one search."""
PASSES = 8
"""Expected arc visits of a search from several sources, as a multiple of the number of arcs."""
UNREACHED = 2**30
"""The distance of vertices that a source does not reach."""


class Found(NamedTuple):
    """Results of a search from up to `WIDTH` sources, a column each: arrays of shape (num_vertices, columns)."""

    distance: Any
    paths: Any
    behind: Any
    sums: Any
    """The sum of `behind` over the successors of each vertex."""

    def clear(self) -> None:
        """Set all entries as for sources that reach nothing."""
        self.distance.fill(UNREACHED)
        for array in self[1:]:
            array.fill(0)


class Levels(NamedTuple):
    """Two subsequent levels of several sources, and the numbers of their paths."""

    here: Any
    coming: Any
    paths: Any
    behind: Any


def found_by(graph: fr.Graph, count: int) -> Found:
    """Arrays for the results of a search from this number of sources."""
    shape = graph.num_vertices, columns_of(count)
    found = Found(graph.xp.empty(shape, np.int32), *(graph.xp.empty(shape) for _ in range(3)))
    found.clear()
    return found


def columns_of(count: int) -> int:
    """The number of columns for this number of sources: kernels are compiled for it."""
    return 1 << (count - 1).bit_length()


def passes_of(sources: list[int]) -> float:
    """Expected passes over all arcs of searches from these vertices."""
    return PASSES * len(sources) / WIDTH


def add_paths(
    graph: fr.Graph, sources: list[int], total: Any, endpoints: bool = False, edges: Any = None,
    kept: Sequence[Found] = (),
) -> bool:  # fmt: skip
    """Add to each vertex its share of all shortest paths from the sources, and to each edge, if `edges` is given.

    With `kept`, cleared results of each `WIDTH` sources, also write all numbers of single sources there. Return whether
    paths are so long that it searched from one source after another.

    O((V + E) levels) work at most for every 32 sources, or O(V + E) for each.
    """
    in_turn = bool(sources) and is_deep(graph, sources[0])
    add = partial(_add_in_turn, with_in_edges(graph, "betweenness_centrality")) if in_turn else _add_together
    for i in range(0, len(sources), WIDTH):
        found = kept[i // WIDTH] if kept else None
        add(graph, sources[i : i + WIDTH], total, endpoints, edges, found)
    return in_turn


def _add_together(
    graph: fr.Graph, sources: list[int], total: Any, endpoints: bool, edges: Any, kept: Found | None
) -> None:
    """`add_paths`, from up to `WIDTH` sources at once."""
    xp, n, k = graph.xp, graph.num_vertices, len(sources)
    starts, columns = xp.asarray(sources), xp.arange(k)
    bits = xp.asarray(np.uint64(1) << np.arange(k, dtype=np.uint64))
    k = columns_of(k)
    seen, here, coming = xp.zeros(n, np.uint64), xp.zeros(n, np.uint64), xp.zeros(n, np.uint64)
    paths, behind = (xp.zeros((n, k)), xp.zeros((n, k))) if kept is None else (kept.paths, kept.behind)
    sums = xp.empty((n, k))
    seen[starts] = here[starts] = bits
    paths[starts, columns] = 1
    if kept is not None:
        kept.distance[starts, columns] = 0
    frontier = fr.Frontier(graph, starts)
    levels = [(frontier, bits)]
    while frontier := fr.advance(graph, frontier, _count_paths, seen, here, coming, paths):
        fr.compute(frontier, _arrive, seen, here, coming)
        if kept is not None:
            fr.compute(frontier, _note_distance, here, kept.distance, np.int32(len(levels)))
        levels.append((frontier, here[frontier.vertices]))
    for level, words in reversed(levels[1:]):
        here[level.vertices] = words
        fr.neighbor_reduce(graph, level, _behind, behind, columns=k, out=sums)
        fr.compute(level, _share, here, paths, sums, behind, total, endpoints)
        if kept is not None:
            fr.compute(level, _note_sums, here, sums, kept.sums)
    if endpoints:
        total[starts] += (paths > 0).sum(axis=0)[: len(sources)] - 1
    if edges is None:
        return
    both = Levels(here, coming, paths, behind)
    for (level, words), (following, later) in pairwise(levels):
        here[level.vertices] = words
        coming[following.vertices] = later
        fr.advance(graph, level, _share_over_edge, edges, *both, output=None, direction="push")
        coming[following.vertices] = 0


def _add_in_turn(
    both_ways: fr.Graph, graph: fr.Graph, sources: list[int], total: Any, endpoints: bool, edges: Any,
    kept: Found | None,
) -> None:  # fmt: skip
    """`add_paths`, from one source after another. `both_ways` is the graph, or a copy of it that has in-edges."""
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(both_ways)
    level, ahead, paths, behind = (xp.empty(n, kind) for kind in (np.int32, np.int32, np.float64, np.float64))
    for i, source in enumerate(sources):
        for array in (level, ahead, paths, behind):
            array.fill(0)
        level[source] = ahead[source] = paths[source] = 1
        start = fr.Frontier(graph, [source])
        fr.traverse(graph, start, _count_paths_in_turn, level, ahead, paths, fr.advanced.StepCounter(2))
        last = fr.filter(everyone, _is_last, level, ahead)
        fr.traverse(both_ways, last, _share_in_turn, level, ahead, paths, behind, edges="in")
        behind[source] = 0  # no path leads through its source
        total += behind
        if endpoints:
            total += level > 1
            total[source] += (level > 1).sum()
        if kept is not None:
            fr.compute(everyone, _note_column, level, paths, behind, i, *kept)
        if edges is not None:
            args = level, paths, behind, edges
            fr.advance(
                graph, fr.Frontier.all(graph), _share_over_edge_in_turn, *args, output=None, direction="push"
            )  # fmt: skip


def _note_distance(v, here, distance, level):
    bits = here[v]
    while bits != 0:
        distance[v, lowest_bit(bits)] = level
        bits &= bits - np.uint64(1)


def _note_sums(v, here, sums, kept):
    bits = here[v]
    while bits != 0:
        source = lowest_bit(bits)
        kept[v, source] = sums[v, source]
        bits &= bits - np.uint64(1)


def _note_column(v, level, paths, behind, column, *args):
    kept = Found(*args)
    if level[v] == 0:
        return
    kept.distance[v, column] = level[v] - 1
    kept.paths[v, column] = paths[v]
    if level[v] > 1:
        kept.sums[v, column] = behind[v] / paths[v]
        kept.behind[v, column] = (1 + behind[v]) / paths[v]


def _count_paths_in_turn(src, dst, edge, weight, level, ahead, paths, step):
    found = level[dst]
    if found == 0:
        found = fr.atomic_cas(level, dst, 0, step)
    if found != 0 and found != step:
        return False
    fr.atomic_add(paths, dst, paths[src])
    fr.atomic_add(ahead, src, 1)
    return found == 0


def _is_last(v, level, ahead):
    return (level[v] > 0) & (ahead[v] == 0)  # without a branch, which would often be mispredicted


def _share_in_turn(src, dst, edge, weight, level, ahead, paths, behind):
    if level[dst] != level[src] - 1:
        return False
    fr.atomic_add(behind, dst, paths[dst] / paths[src] * (1 + behind[src]))
    return fr.atomic_add(ahead, dst, -1) == 1


def _share_over_edge_in_turn(src, dst, edge, weight, level, paths, behind, edges):
    if level[src] > 0 and level[dst] == level[src] + 1:
        fr.atomic_add(edges, edge, paths[src] / paths[dst] * (1 + behind[dst]))
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


def _share_over_edge(src, dst, edge, weight, edges, *args):
    both = Levels(*args)
    bits = both.here[src] & both.coming[dst]
    if bits == 0:
        return False
    share = 0.0
    while bits != 0:
        source = lowest_bit(bits)
        share += both.paths[src, source] * both.behind[dst, source]
        bits &= bits - np.uint64(1)
    fr.atomic_add(edges, edge, share)
    return False
