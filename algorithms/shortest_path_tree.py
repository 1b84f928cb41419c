"""Predecessors from distances: a tree of tight edges.

An edge u -> v of length l is tight if ``distance[u] + l == distance[v]``. Every reached vertex but the source has a
tight incoming edge, and any choice among edges from strictly nearer vertices forms a tree. If lengths are zero, or too
small compared with the distance to change a float, some vertices have tight edges from equally distant ones only. The
tree is grown into these, edge by edge, without a cycle.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import frontier as fr


def shortest_path_tree(graph: fr.Graph, source: int, distance: Any, unreached: Any, length: Callable) -> Any:
    """Find a tree of shortest paths from their lengths, with -1 for the source and unreachable vertices. O(V + E) work.

    `length` is `unit_length` or `weight_length`, and `unreached` the distance of unreachable vertices.
    """
    return tree_of(graph, tree_functors(length), distance, unreached, source)


def tree_of(graph: fr.Graph, functors: TreeFunctors, distance: Any, *arguments: Any) -> Any:
    """Grow a tree of tight edges by these functors, which receive the distances, the predecessors and `arguments`."""
    predecessor = graph.vertex_array(graph.vertex_dtype, -1, combine="max")
    arguments = distance, predecessor, *arguments
    everyone = fr.Frontier.all(graph)
    fr.advance(graph, everyone, functors.choose_and_tell if graph.in_parts else functors.choose_nearer, *arguments)
    if not fr.filter(everyone, functors.has_none, *arguments):
        return predecessor
    if not graph.in_parts:
        fr.traverse(graph, everyone, functors.grow, *arguments)
        return predecessor
    while everyone:  # a partition that has not received a vertex's predecessor must not choose another later
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

    `choose_nearer` and `choose_and_tell` choose the start of a tight edge from a nearer vertex as predecessor. The
    second returns whether it did. `has_none` finds reached vertices without a predecessor, for which `grow` chooses an
    equally distant vertex of the tree, and returns whether it did.
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
