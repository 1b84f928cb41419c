"""Breadth-first search, direction-optimizing.

Level by level, the unreached neighbors of the frontier get the next distance. While the frontier is small, it pushes
along its edges; when it covers a large part of the graph, the unreached vertices pull instead, and stop at the first
neighbor that was reached.

    distance[v]      edges on a shortest path from the source; UNREACHED before it is found
    predecessor[v]   the vertex before v on such a path; -1 for the source and unreached vertices

Beamer, Asanovic and Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from .result import Result

UNREACHED = np.int32(np.iinfo(np.int32).max)


@dataclass(frozen=True)
class BFSResult(Result):
    """Result of `bfs`; arrays are on the graph's device.

    Attributes
    ----------
    distance : array of int32, shape (num_vertices,)
        The largest int32 for unreachable vertices.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,)
        -1 for the source and for unreachable vertices. If several vertices qualify, any of them.
    levels : int
        Largest distance that was searched.
    """

    distance: Any
    predecessor: Any
    levels: int


@fr.reads
def bfs(graph: fr.Graph, source: int, depth_limit: int | None = None) -> BFSResult:
    """Breadth-first distances and tree from `source`.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward.
    source : int
    depth_limit : int, optional
        Maximum distance to search.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex of the graph, or `depth_limit` is not an integer or is negative.

    Notes
    -----
    O(V + E) work.
    """
    source = fr.arguments.vertex_id(graph, source, "source")
    if depth_limit is not None:
        fr.arguments.integer(depth_limit, "depth_limit", 0)
    start = fr.Frontier(graph, [source])
    xp = graph.xp
    distance = xp.full(graph.num_vertices, UNREACHED, np.int32)
    predecessor = xp.full(graph.num_vertices, -1, graph.vertex_dtype)
    distance[source] = 0
    levels = fr.traverse(
        graph, start, _visit, distance, predecessor, fr.Step(1), condition=_unreached, max_steps=depth_limit
    )
    return BFSResult(distance, predecessor, levels)


def _visit(src, dst, edge, weight, distance, predecessor, level):
    if fr.atomic_cas(distance, dst, UNREACHED, level) == UNREACHED:
        predecessor[dst] = src
        return True
    return False


def _unreached(dst, distance, predecessor, level):
    return distance[dst] == UNREACHED
