"""Shortest paths and their lengths. Results list nodes by increasing length, then in the order of the graph's nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from algorithms import UNREACHED

from ..holders import mirror_of, source_of
from ..mirror import Mirror
from . import weighted
from .table import function
from .traversal import Search, distances_from
from .trees import lengths_of, path_between


def _lengths(graph: Any, node: Any, cutoff: Any, missing: str, *, backward: bool = False) -> dict[Any, int]:
    mirror = mirror_of(graph)
    v = mirror.vertex(node, nx.NodeNotFound(missing))
    return lengths_of(mirror, [v], distances_from(mirror, [v], cutoff, backward=backward and mirror.directed), cutoff)


@function(parallel=True)
def single_source_shortest_path_length(G: Any, source: Any, cutoff: Any) -> dict[Any, int]:
    return _lengths(G, source, cutoff, f"Source {source} is not in G")


@function(parallel=True)
def single_target_shortest_path_length(G: Any, target: Any, cutoff: Any) -> dict[Any, int]:
    return _lengths(G, target, cutoff, f"Target {target} is not in G", backward=True)


@function(least_nodes=2000, parallel=True)
def all_pairs_shortest_path_length(G: Any, cutoff: Any) -> Iterator[tuple[Any, dict[Any, int]]]:
    return weighted.all_lengths(G, None, cutoff)


# ---- paths ----------------------------------------------------------------------------------------------------------


def _paths(graph: Any, node: Any, cutoff: Any, missing: str, *, backward: bool = False) -> dict[Any, list[Any]]:
    """By node, in the order of a breadth-first search, a path from the node, or to it for `backward`."""
    mirror = mirror_of(graph)
    root, nodes = mirror.vertex(node, nx.NodeNotFound(missing)), mirror.nodes
    search = Search(mirror, [root], cutoff, backward=backward and mirror.directed)
    found = {node: [node]}
    for level, parents in zip(search.levels[1:], search.parents[1:], strict=True):
        for parent, child in zip(parents.tolist(), level.tolist(), strict=True):
            before = found[nodes[parent]]
            found[nodes[child]] = [nodes[child], *before] if backward else [*before, nodes[child]]
    return found


def _refuse_cutoff(cutoff: Any, **_: Any) -> str | None:
    whole = cutoff is None or cutoff == math.inf or cutoff % 1 == 0
    return None if whole else f"cutoff={cutoff!r} is not supported; it must be whole"


@function(parallel=True, refuse=_refuse_cutoff)
def single_source_shortest_path(G: Any, source: Any, cutoff: Any) -> dict[Any, list[Any]]:
    return _paths(G, source, cutoff, f"Source {source} not in G")


@function(parallel=True, refuse=_refuse_cutoff)
def single_target_shortest_path(G: Any, target: Any, cutoff: Any) -> dict[Any, list[Any]]:
    return _paths(G, target, cutoff, f"Target {target} not in G", backward=True)


@function(least_nodes=2000, parallel=True, refuse=_refuse_cutoff)
def all_pairs_shortest_path(G: Any, cutoff: Any) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    return weighted.all_paths(G, None, cutoff)


def _between(mirror: Mirror, source: Any, target: Any, weight: Any) -> tuple[Any, list[Any]]:
    """The length and the nodes of a path between two nodes, or no nodes."""
    start, end = [
        mirror.vertex(node, nx.NodeNotFound(f"{kind} {node} is not in G"))
        for kind, node in (("Source", source), ("Target", target))
    ]
    return path_between(mirror, start, end, weight)


@function(parallel=True)
def has_path(G: Any, source: Any, target: Any) -> bool:
    return bool(_between(mirror_of(G), source, target, None)[1])


@function(parallel=True)
def bidirectional_dijkstra(G: Any, source: Any, target: Any, weight: Any) -> tuple[Any, list[Any]]:
    length, path = _between(mirror_of(G, weight), source, target, weight)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length, path


@function(parallel=True)
def bidirectional_shortest_path(G: Any, source: Any, target: Any) -> list[Any]:
    return bidirectional_dijkstra(G, source, target, None)[1]


# ---- functions that choose by their arguments -----------------------------------------------------------------------


def _refuse_method(method: Any, **_: Any) -> str | None:
    return None if method in ("dijkstra", "bellman-ford") else f"method={method!r} is not supported"


@function(parallel=True, refuse=_refuse_method)
def shortest_path(G: Any, source: Any, target: Any, weight: Any, method: str) -> Any:
    kind = method.replace("-", "_")
    if source is None and target is None:
        return weighted.all_paths(G, weight)
    if source is None or target is None:
        backward, node = source is None, target if source is None else source
        if weight is None:
            return _paths(G, node, None, f"Source {node} not in G", backward=backward)
        return weighted.paths_from(G, [node], weight, kind, backward=backward)
    if weight is None or method == "dijkstra":
        return bidirectional_dijkstra(G, source, target, weight)[1]
    return weighted.path_to(G, source, target, weight, kind)


@function(parallel=True, refuse=_refuse_method)
def shortest_path_length(G: Any, source: Any, target: Any, weight: Any, method: str) -> Any:
    kind = method.replace("-", "_")
    if source is None and target is None:
        return weighted.all_lengths(G, weight)
    if source is None or target is None:
        backward, node = source is None, target if source is None else source
        if weight is None:
            return _lengths(G, node, None, f"Source {node} is not in G", backward=backward)
        return weighted.lengths_from(G, [node], weight, kind, backward=backward)
    if weight is None:
        return len(bidirectional_shortest_path(G, source, target)) - 1
    return weighted.length_to(G, source, target, weight, kind)


def _refuse_ego(G: Any, radius: Any, undirected: Any, distance: Any, **_: Any) -> str | None:
    if not isinstance(radius, int if distance is None else int | float) or radius < 0:
        return f"radius={radius!r} is not supported; it must be a number, whole without distance, and not negative"
    return "undirected must be False for directed graphs" if undirected and G.is_directed() else None


@function(parallel=True, refuse=_refuse_ego)
def ego_graph(G: Any, n: Any, radius: Any, center: bool, undirected: bool, distance: Any) -> nx.Graph:
    """An induced subgraph, with all attributes."""
    if distance is None:
        mirror = mirror_of(G)
        v = mirror.vertex(n, nx.NodeNotFound(f"Source {n} is not in G"))
        reached = np.flatnonzero(distances_from(mirror, [v], radius) < UNREACHED).tolist()
        inside: Any = [mirror.nodes[w] for w in reached]
    else:
        inside = weighted.lengths_from(G, [n], distance, "dijkstra", radius)
    found = source_of(G).subgraph(inside).copy()
    if not center:
        found.remove_node(n)
    return found
