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
    return tree_of(graph, tree_functors(length), distance, unreached, source)


def tree_of(graph: fr.Graph, functors: TreeFunctors, distance: Any, *arguments: Any) -> Any:
    """A tree of tight edges, by these functors, whose arguments are the distances, the predecessors and the others."""
    predecessor = graph.vertex_array(graph.vertex_dtype, -1, combine="max")
    arguments = distance, predecessor, *arguments
    everyone = fr.Frontier.all(graph)
    choose = functors.choose_and_tell if graph.in_parts else functors.choose_nearer
    fr.advance(graph, everyone, choose, *arguments)
    if not fr.filter(everyone, functors.has_none, *arguments):
        return predecessor
    if not graph.in_parts:
        fr.traverse(graph, everyone, functors.grow, *arguments)
        return predecessor
    while everyone:  # a part that has not heard of a vertex's predecessor must not choose another later
        graph.sync(predecessor)
        everyone = fr.advance(graph, everyone, functors.grow, *arguments)
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
    """The functors that grow a tree of shortest paths.

    Attributes
    ----------
    choose_nearer, choose_and_tell : function
        Take the start of a tight edge from a nearer vertex as predecessor; the second one returns whether it did.
    has_none : function
        Whether a vertex is reached and has no predecessor.
    grow : function
        Take the start of a tight edge from an equally distant vertex of the tree as predecessor; whether it did.
    """

    choose_nearer: Callable
    choose_and_tell: Callable
    has_none: Callable
    grow: Callable


@functools.cache
def tree_functors(length: Callable) -> TreeFunctors:
    """The functors for this edge length."""

    def choose_and_tell(src, dst, edge, weight, distance, predecessor, unreached, source):
        if distance[src] < distance[dst] < unreached and distance[src] + length(weight) == distance[dst]:
            predecessor[dst] = src
            return True
        return False

    def choose_nearer(src, dst, edge, weight, distance, predecessor, unreached, source):
        choose_and_tell(src, dst, edge, weight, distance, predecessor, unreached, source)
        return False

    def grow(src, dst, edge, weight, distance, predecessor, unreached, source):
        if predecessor[dst] >= 0 or dst == source or not (src == source or predecessor[src] >= 0):
            return False
        if distance[src] + length(weight) == distance[dst] < unreached:
            return fr.atomic_cas(predecessor, dst, -1, src) == -1
        return False

    return TreeFunctors(choose_nearer, choose_and_tell, has_none, grow)


def has_none(v, distance, predecessor, unreached, source):
    """Whether v is reached and has no predecessor. A functor."""
    return predecessor[v] < 0 and distance[v] < unreached and v != source
