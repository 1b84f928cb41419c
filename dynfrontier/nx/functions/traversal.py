"""Breadth-first search.

The structure computes distances. Parents and order follow from the order of nodes, as structures do not store the order
in which a node got its neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from algorithms import UNREACHED, bfs

from ..holders import mirror_of, source_of
from ..mirror import Mirror
from .table import function
from .trees import AT_ONCE, steps_of


def distances_from(mirror: Mirror, roots: list[int], limit: Any = None, *, backward: bool = False) -> np.ndarray:
    """The number of edges from the nearest root to each vertex, on the host. UNREACHED without a path."""
    graph = mirror.graph.reverse if backward else mirror.graph
    steps = steps_of(limit)
    to_host = mirror.graph.device.to_host
    if len(roots) == 1:
        return to_host(bfs(graph, roots[0], steps, predecessors=False).distance)
    found = np.full(len(mirror.nodes), UNREACHED, np.int32)
    for start in range(0, len(roots), AT_ONCE):
        part = bfs(graph, sources=roots[start : start + AT_ONCE], depth_limit=steps, predecessors=False)
        np.minimum(found, to_host(part.distance.min(axis=0)), out=found)
    return found


class Search:
    """A breadth-first search in an order: nodes by the positions of their parents, then by their own in the graph.

    `levels` has arrays of the vertices at each distance, in order. `parents` has their parents, for roots the roots.
    """

    def __init__(self, mirror: Mirror, roots: list[int], limit: Any = None, *, backward: bool = False):
        distance = distances_from(mirror, roots, limit, backward=backward).astype(np.int64)
        src, dst = mirror.arcs()
        if backward:
            src, dst = dst, src
        forward = np.flatnonzero((distance[dst] == distance[src] + 1) & (distance[dst] < UNREACHED))
        src, dst = src[forward], dst[forward]
        level = distance[dst]
        sort = np.argsort(level, kind="stable")
        src, dst, level = src[sort], dst[sort], level[sort]
        place, rank = mirror.places(), np.zeros(len(mirror.nodes), np.int64)
        rank[roots] = np.arange(len(roots))
        self.levels, self.parents = [np.array(roots)], [np.array(roots)]
        last = int(level[-1]) if level.size else 0
        starts = np.searchsorted(level, np.arange(1, last + 2))
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            before, behind = src[begin:end], dst[begin:end]
            sort = np.lexsort((place[behind], rank[before]))
            first = np.sort(np.unique(behind[sort], return_index=True)[1])
            reached = behind[sort][first]
            rank[reached] = np.arange(reached.size)
            self.levels.append(reached)
            self.parents.append(before[sort][first])


def _root(graph: Any, source: Any, backward: bool) -> int:
    """The vertex of a node. NetworkX's graph raises its own error for an unknown node."""
    mirror, original = mirror_of(graph), source_of(graph)
    if mirror.find(source) is None:
        (original.predecessors if backward else original.neighbors)(source)
    return mirror.ids[source]


def _search(graph: Any, source: Any, depth_limit: Any, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
    mirror = mirror_of(graph)
    reverse = reverse and mirror.directed
    search, nodes = Search(mirror, [_root(graph, source, reverse)], depth_limit, backward=reverse), mirror.nodes
    for level, parents in zip(search.levels[1:], search.parents[1:], strict=True):
        for parent, child in zip(parents.tolist(), level.tolist(), strict=True):
            yield nodes[parent], nodes[child]


@function(parallel=True)
def bfs_edges(G: Any, source: Any, reverse: bool, depth_limit: Any) -> Iterator[tuple[Any, Any]]:
    yield from _search(G, source, depth_limit, reverse)


@function(parallel=True)
def generic_bfs_edges(G: Any, source: Any, depth_limit: Any) -> Iterator[tuple[Any, Any]]:
    yield from _search(G, source, depth_limit)


@function(parallel=True)
def bfs_tree(G: Any, source: Any, reverse: bool, depth_limit: Any) -> nx.DiGraph:
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_search(G, source, depth_limit, reverse))
    return tree


@function(parallel=True)
def bfs_predecessors(G: Any, source: Any, depth_limit: Any) -> Iterator[tuple[Any, Any]]:
    for parent, child in _search(G, source, depth_limit):
        yield child, parent


@function(parallel=True)
def bfs_successors(G: Any, source: Any, depth_limit: Any) -> Iterator[tuple[Any, list[Any]]]:
    parent, children = source, list[Any]()
    for before, child in _search(G, source, depth_limit):
        if before != parent:
            yield parent, children
            parent, children = before, []
        children.append(child)
    yield parent, children


@function(parallel=True)
def bfs_layers(G: Any, sources: Any) -> Iterator[list[Any]]:
    mirror = mirror_of(G)
    given = [sources] if mirror.find(sources) is not None else list(set(sources))
    roots = [mirror.find(source) for source in given]
    if None in roots:
        raise nx.NetworkXError(f"The node {given[roots.index(None)]} is not in the graph.")
    if not roots:
        return
    for level in Search(mirror, [mirror.ids[node] for node in given]).levels:
        yield [mirror.nodes[v] for v in level.tolist()]


@function(parallel=True)
def descendants_at_distance(G: Any, source: Any, distance: Any) -> set[Any]:
    mirror = mirror_of(G)
    v = mirror.vertex(source, nx.NetworkXError(f"The node {source} is not in the graph."))
    found = distances_from(mirror, [v], distance) if distance >= 0 else np.empty(0)
    return {mirror.nodes[v] for v in np.flatnonzero((found == distance) & (found < UNREACHED)).tolist()}


def _reached(graph: Any, source: Any, backward: bool) -> set[Any]:
    mirror = mirror_of(graph)
    found = distances_from(mirror, [_root(graph, source, backward)], backward=backward)
    return {mirror.nodes[w] for w in np.flatnonzero(found < UNREACHED).tolist()} - {source}


@function(parallel=True)
def descendants(G: Any, source: Any) -> set[Any]:
    return _reached(G, source, backward=False)


@function(parallel=True)
def ancestors(G: Any, source: Any) -> set[Any]:
    return _reached(G, source, backward=source_of(G).is_directed())
