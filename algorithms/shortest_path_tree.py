"""Predecessors from distances: a tree of tight edges.

An edge u -> v of length l is tight if ``distance[u] + l == distance[v]``. Every reached vertex but the source has a
tight incoming edge, and any choice among those from strictly nearer vertices forms a tree. If lengths are zero, or too
small compared with the distance to change a float, some vertices have tight edges from equally distant ones only: the
tree is grown into those, edge by edge, so that no cycle forms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import frontier as fr


def shortest_path_tree(graph: fr.Graph, source: int, distance: Any, unreached: Any, length: Callable) -> Any:
    """A tree of shortest paths, given their lengths.

    Parameters
    ----------
    graph : Graph
    source : int
    distance : array, shape (num_vertices,)
        For every vertex but the source the minimum of ``distance[u] + length`` over its incoming edges.
    unreached : number
        The distance of unreachable vertices.
    length : function
        `unit_length` or `weight_length`.

    Returns
    -------
    array of the graph's vertex dtype, shape (num_vertices,), on the graph's device
        -1 for the source and for unreachable vertices.

    Notes
    -----
    O(V + E) work.
    """
    functors = tree_functors(length)
    predecessor = graph.vertex_array(graph.vertex_dtype, -1, combine="max")
    everyone = fr.Frontier.all(graph)
    choose = functors.choose_and_tell if graph.in_parts else functors.choose_nearer
    fr.advance(graph, everyone, choose, distance, predecessor, unreached)
    if not fr.filter(everyone, _has_none, distance, predecessor, unreached, source):
        return predecessor
    if not graph.in_parts:
        fr.traverse(graph, everyone, functors.grow, distance, predecessor, unreached, source)
        return predecessor
    while everyone:  # a part that has not heard of a vertex's predecessor must not choose another later
        graph.sync(predecessor)
        everyone = fr.advance(graph, everyone, functors.grow, distance, predecessor, unreached, source)
    return predecessor


def unreached_of(dtype: np.dtype) -> Any:
    """The distance of unreachable vertices."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


def unit_length(weight):
    """The length of an edge if all edges have length 1."""
    return 1


def weight_length(weight):
    """The length of an edge if it is the weight."""
    return weight


class TreeFunctors(NamedTuple):
    """The functors that depend on edge lengths."""

    choose_nearer: Callable
    choose_and_tell: Callable
    grow: Callable


@functools.cache
def tree_functors(length: Callable) -> TreeFunctors:
    """The functors for this edge length."""

    def choose_nearer(src, dst, edge, weight, distance, predecessor, unreached):
        if distance[src] < distance[dst] < unreached and distance[src] + length(weight) == distance[dst]:
            predecessor[dst] = src
        return False

    def choose_and_tell(src, dst, edge, weight, distance, predecessor, unreached):
        if distance[src] < distance[dst] < unreached and distance[src] + length(weight) == distance[dst]:
            predecessor[dst] = src
            return True
        return False

    def grow(src, dst, edge, weight, distance, predecessor, unreached, source):
        if predecessor[dst] >= 0 or dst == source or not (src == source or predecessor[src] >= 0):
            return False
        if distance[src] + length(weight) == distance[dst] < unreached:
            return fr.atomic_cas(predecessor, dst, -1, src) == -1
        return False

    return TreeFunctors(choose_nearer, choose_and_tell, grow)


def _has_none(v, distance, predecessor, unreached, source):
    return predecessor[v] < 0 and distance[v] < unreached and v != source
