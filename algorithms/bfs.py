"""Breadth-first search, direction-optimizing.

Level by level, the unreached neighbors of the frontier get the next distance. While the frontier is small, it pushes
along its edges. When it covers a large fraction of the graph, the unreached vertices pull instead, and stop at the
first neighbor that was reached. From several sources, `_source_words` searches for 64 at a time.

    distance[v]      edges on a shortest path from the source, UNREACHED before v is found
    predecessor[v]   the vertex before v on such a path, -1 for the source and unreached
                     vertices

Beamer, Asanovic and Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import several_sources
from ._source_words import Wanted, search, words_of
from .result import Result

UNREACHED = np.int32(np.iinfo(np.int32).max)
LEVELS = fr.advanced.StepCounter(1)


@dataclass(frozen=True, repr=False)
class BFSResult(Result):
    """Result of `bfs`. Arrays are on the graph's device. With `sources`, they have a row for each source.

    Attributes
    ----------
    distance : array of int32, shape (num_vertices,) or (len(sources), num_vertices)
        The largest int32 for unreachable vertices.
    predecessor : array of the graph's vertex dtype, of the same shape, or None
        -1 for the source and for unreachable vertices. If several vertices qualify, any of them.
    levels : int
        Largest distance that was searched.
    sources : array of int64, shape (len(sources),), or None
        With `sources`: the source of each row.

    See Also
    --------
    bfs : Computes it.
    """

    distance: Any
    predecessor: Any
    levels: int
    sources: Any = None


@fr.advanced.reads
def bfs(
    graph: fr.Graph, source: int | None = None, depth_limit: int | None = None, *, sources: Any = None,
    predecessors: bool = True,
) -> BFSResult:  # fmt: skip
    """Breadth-first distances and tree from `source`.

    With `sources`, from each of several vertices at once.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward.
    source : int
    depth_limit : int, optional
        Maximum distance to search.
    sources : array-like of int, instead of `source`
        Any number of vertices, possibly equal.
    predecessors : bool
        Also return the tree.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex of the graph, `depth_limit` is not an integer or is negative, or not exactly one of
        `source` and `sources` is given.

    See Also
    --------
    DynamicBFS : Maintains the result while the graph changes.

    Notes
    -----
    One source: O(V + E) work. 64 sources are searched from together, and share the visits of edges. They cost O((V + E)
    levels) work at most, in practice the work of a few searches in graphs of small diameter. O(V) additional memory.

    Examples
    --------
    >>> from algorithms import bfs
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = bfs(graph, 0)
    >>> found.distance
    array([0, 1, 1, 2, 3], dtype=int32)
    >>> found.predecessor
    array([-1,  0,  0,  2,  3], dtype=int32)
    """
    if depth_limit is not None:
        fr.advanced.arguments.integer(depth_limit, "depth_limit", 0)
    fr.advanced.arguments.flag(predecessors, "predecessors")
    if (starts := several_sources(graph, source, sources)) is not None:
        return _from_several(graph, starts, depth_limit, predecessors)
    source = fr.advanced.arguments.vertex_id(graph, source, "source")
    start = fr.Frontier(graph, [source])
    distance = graph.vertex_array(np.int32, UNREACHED, combine="min")
    predecessor = graph.vertex_array(graph.vertex_dtype, -1, follows=distance)
    distance[source] = 0
    levels = search_levels(graph, start, distance, predecessor, depth_limit)
    return BFSResult(distance, predecessor if predecessors else None, levels)


def search_levels(
    graph: fr.Graph, start: fr.Frontier, distance: Any, predecessor: Any, depth_limit: int | None = None,
    edges: str = "out",
) -> int:  # fmt: skip
    """Find the distances and predecessors of UNREACHED vertices, from the vertices of `start`. Return the levels."""
    return fr.traverse(
        graph, start, _visit, distance, predecessor, LEVELS, condition=_unreached,
        max_steps=depth_limit, edges=edges,
    )  # fmt: skip


def _from_several(graph: fr.Graph, sources: Any, depth_limit: int | None, predecessors: bool) -> BFSResult:
    xp, shape = graph.xp, (sources.size, graph.num_vertices)
    distance = xp.full(shape, UNREACHED, np.int32)
    predecessor = xp.full(shape, -1, graph.vertex_dtype) if predecessors else None
    wanted = Wanted(distance.ravel(), predecessor.ravel() if predecessors else None)
    levels = 0
    for i, part in words_of(graph, graph.device.to_host(sources).tolist()):
        if len(part) > 1:
            found = search(graph, part, wanted, i, depth_limit) + 1
            levels = max(levels, found if depth_limit is None else min(found, depth_limit))
        else:
            one = bfs(graph, part[0], depth_limit)
            distance[i], levels = one.distance, max(levels, one.levels)
            if predecessors:
                predecessor[i] = one.predecessor
    return BFSResult(distance, predecessor, levels, sources)


def _visit(src, dst, edge, weight, distance, predecessor, level):
    if fr.atomic_cas(distance, dst, UNREACHED, level) == UNREACHED:
        predecessor[dst] = src
        return True
    return False


def _unreached(dst, distance, predecessor, level):
    return distance[dst] == UNREACHED
