"""Predecessors from distances: a tree of tight edges.

An edge u -> v of length l is tight if ``distance[u] + l == distance[v]``. Every reached vertex but the source has a
tight edge from somewhere, and any choice among those from strictly nearer vertices makes up a tree. Where lengths are
zero, or too small beside the distance to be seen in a float, some vertices have tight edges from equally distant ones
only: the tree is grown into those, edge by edge, so that no cycle closes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr


def shortest_path_tree(graph: fr.Graph, source: int, distance: Any, unreached: Any, hop: Any) -> Any:
    """A tree of shortest paths, given their lengths.

    Parameters
    ----------
    graph : Graph
    source : int
    distance : array, shape (num_vertices,)
        For every vertex but the source the least of ``distance[u] + length`` over the edges that lead to it.
    unreached : number
        The distance of vertices that cannot be reached.
    hop : number of the weights' type
        The length of every edge; 0 if that is its weight.

    Returns
    -------
    array of the graph's vertex dtype, shape (num_vertices,), on the graph's device
        -1 for the source and for vertices that cannot be reached.

    Notes
    -----
    O(V + E) work.
    """
    predecessor = graph.xp.full(graph.num_vertices, -1, graph.vertex_dtype)
    everyone = fr.Frontier.all(graph)
    fr.advance(graph, everyone, _choose_nearer, distance, predecessor, unreached, hop)
    if fr.filter(everyone, _has_none, distance, predecessor, unreached, source):
        fr.traverse(graph, everyone, _grow, distance, predecessor, unreached, hop, source)
    return predecessor


def unreached_of(dtype: np.dtype) -> Any:
    """The distance of vertices that cannot be reached."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


def _choose_nearer(src, dst, edge, weight, distance, predecessor, unreached, hop):
    length = hop if hop > 0 else weight
    if distance[src] < distance[dst] < unreached and distance[src] + length == distance[dst]:
        predecessor[dst] = src
    return False


def _has_none(v, distance, predecessor, unreached, source):
    return predecessor[v] < 0 and distance[v] < unreached and v != source


def _grow(src, dst, edge, weight, distance, predecessor, unreached, hop, source):
    length = hop if hop > 0 else weight
    in_tree = src == source or predecessor[src] >= 0
    if in_tree and predecessor[dst] < 0 and dst != source and distance[src] + length == distance[dst] < unreached:
        return fr.atomic_cas(predecessor, dst, -1, src) == -1
    return False
