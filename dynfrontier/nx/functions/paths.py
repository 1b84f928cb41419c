"""Shortest paths and their lengths. Results list nodes by increasing length, then in the order of the graph's nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from algorithms import UNREACHED, bfs, sssp
from algorithms import shortest_path as find_path

from ..holders import Unsupported, mirror_of, source_of
from ..mirror import Mirror
from .table import function, refused
from .traversal import AT_ONCE, Search, distances_from


def _lengths(mirror: Mirror, distance: np.ndarray, cutoff: Any, unreached: Any) -> dict[Any, Any]:
    """A dict by node of the distances by vertex that are below `unreached` and at most `cutoff`."""
    distance = distance if mirror.order is None else distance[mirror.order]
    reached = distance < unreached if cutoff is None else (distance < unreached) & (distance <= cutoff)
    found = np.flatnonzero(reached)
    found = found[np.argsort(distance[found], kind="stable")]
    names = mirror.names
    return {names[place]: length for place, length in zip(found.tolist(), distance[found].tolist(), strict=True)}


@function(parallel=True)
def single_source_shortest_path_length(G: Any, source: Any, cutoff: Any) -> dict[Any, int]:
    mirror = mirror_of(G)
    v = mirror.vertex(source, nx.NodeNotFound(f"Source {source} is not in G"))
    return _lengths(mirror, distances_from(mirror, [v], cutoff), cutoff, UNREACHED) or {source: 0}


@function(parallel=True)
def single_target_shortest_path_length(G: Any, target: Any, cutoff: Any) -> dict[Any, int]:
    mirror = mirror_of(G)
    v = mirror.vertex(target, nx.NodeNotFound(f"Target {target} is not in G"))
    found = distances_from(mirror, [v], cutoff, backward=mirror.directed)
    return _lengths(mirror, found, cutoff, UNREACHED) or {target: 0}


@function(least_nodes=2000, parallel=True)
def all_pairs_shortest_path_length(G: Any, cutoff: Any) -> Iterator[tuple[Any, dict[Any, int]]]:
    mirror = mirror_of(G)
    steps = None if cutoff is None or cutoff >= UNREACHED else max(int(cutoff), 0)
    for start in range(0, len(mirror), AT_ONCE):
        names = mirror.names[start : start + AT_ONCE]
        found = bfs(mirror.graph, sources=[mirror.ids[name] for name in names], depth_limit=steps, predecessors=False)
        for name, row in zip(names, mirror.graph.device.to_host(found.distance), strict=True):
            yield name, _lengths(mirror, row, cutoff, UNREACHED) or {name: 0}


def _weighted_lengths(mirror: Mirror, roots: list[int], weight: Any, cutoff: Any = None) -> dict[Any, Any]:
    if weight is not None and _is_negative(mirror):
        raise Unsupported("negative weights are not supported")
    if weight is None or not mirror.graph.is_weighted:
        lengths = _lengths(mirror, distances_from(mirror, roots, cutoff), cutoff, UNREACHED)
    else:
        found = _weighted_distances(mirror, roots)
        lengths = _lengths(mirror, found, cutoff, np.inf if found.dtype.kind == "f" else np.iinfo(found.dtype).max)
    # The roots are there whatever the cutoff, and their lengths are integers also among floats.
    held = set(roots)
    return dict.fromkeys([mirror.nodes[root] for root in roots], 0) | {
        node: length for node, length in lengths.items() if length or mirror.ids[node] not in held
    }


def _weighted_distances(mirror: Mirror, roots: list[int]) -> np.ndarray:
    to_host, found = mirror.graph.device.to_host, []
    with refused(ValueError):  # negative weights, and sums that overflow int64
        for start in range(0, len(roots), AT_ONCE):
            part = roots[start : start + AT_ONCE]
            if len(part) == 1:
                found.append(to_host(sssp(mirror.graph, part[0], predecessors=False).distance))
            else:
                found.append(to_host(sssp(mirror.graph, sources=part, predecessors=False).distance.min(axis=0)))
    return np.minimum.reduce(found)


def _is_negative(mirror: Mirror) -> bool:
    return any(length is not None and length < 0 for length in mirror.loops.values())


def _root(mirror: Mirror, node: Any) -> int:
    return mirror.vertex(node, nx.NodeNotFound(f"Node {node} not found in graph"))


@function(parallel=True)
def multi_source_dijkstra_path_length(G: Any, sources: Any, cutoff: Any, weight: Any) -> dict[Any, Any]:
    if not sources:
        raise ValueError("sources must not be empty")
    mirror = mirror_of(G, weight)
    return _weighted_lengths(mirror, [_root(mirror, node) for node in sources], weight, cutoff)


@function(parallel=True)
def single_source_dijkstra_path_length(G: Any, source: Any, cutoff: Any, weight: Any) -> dict[Any, Any]:
    mirror = mirror_of(G, weight)
    return _weighted_lengths(mirror, [_root(mirror, source)], weight, cutoff)


@function(parallel=True)
def dijkstra_path_length(G: Any, source: Any, target: Any, weight: Any) -> Any:
    mirror = mirror_of(G, weight)
    v = _root(mirror, source)
    if source == target:
        return 0
    lengths = _weighted_lengths(mirror, [v], weight)
    if target not in lengths:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return lengths[target]


# ---- paths ----------------------------------------------------------------------------------------------------------


def _paths(mirror: Mirror, root: int, cutoff: Any, backward: bool = False) -> dict[Any, list[Any]]:
    """By node, in the order of a breadth-first search, a path from the root, or to it for `backward`."""
    search, nodes = Search(mirror, [root], cutoff, backward=backward and mirror.directed), mirror.nodes
    found = {nodes[root]: [nodes[root]]}
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
    mirror = mirror_of(G)
    return _paths(mirror, mirror.vertex(source, nx.NodeNotFound(f"Source {source} not in G")), cutoff)


@function(parallel=True, refuse=_refuse_cutoff)
def single_target_shortest_path(G: Any, target: Any, cutoff: Any) -> dict[Any, list[Any]]:
    mirror = mirror_of(G)
    root = mirror.vertex(target, nx.NodeNotFound(f"Target {target} not in G"))
    return _paths(mirror, root, cutoff, backward=True)


@function(least_nodes=2000, parallel=True, refuse=_refuse_cutoff)
def all_pairs_shortest_path(G: Any, cutoff: Any) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    mirror = mirror_of(G)
    for name in mirror.names:
        yield name, _paths(mirror, mirror.ids[name], cutoff)


def _between(mirror: Mirror, source: Any, target: Any, weighted: bool) -> tuple[Any, list[Any]]:
    """The length and the nodes of a path between two nodes, or no nodes."""
    ends = [
        mirror.vertex(node, nx.NodeNotFound(f"{kind} {node} is not in G"))
        for kind, node in (("Source", source), ("Target", target))
    ]
    if weighted and _is_negative(mirror):
        raise Unsupported("negative weights are not supported")
    with refused(ValueError):  # negative weights, and sums that overflow int64
        found = find_path(mirror.graph, *ends, weighted=weighted)
    length = found.distance[ends[1]].item() if source != target else 0
    return length, [mirror.nodes[v] for v in found.path()]


@function(parallel=True)
def bidirectional_shortest_path(G: Any, source: Any, target: Any) -> list[Any]:
    path = _between(mirror_of(G), source, target, weighted=False)[1]
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return path


@function(parallel=True)
def bidirectional_dijkstra(G: Any, source: Any, target: Any, weight: Any) -> tuple[Any, list[Any]]:
    length, path = _between(mirror_of(G, weight), source, target, weighted=weight is not None)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length, path


@function(parallel=True)
def has_path(G: Any, source: Any, target: Any) -> bool:
    return bool(_between(mirror_of(G), source, target, weighted=False)[1])


@function(parallel=True)
def dijkstra_path(G: Any, source: Any, target: Any, weight: Any) -> list[Any]:
    mirror = mirror_of(G, weight)
    _root(mirror, source)
    path = [] if mirror.find(target) is None else _between(mirror, source, target, weight is not None)[1]
    if not path:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return path


def _refuse_path(source: Any, target: Any, weight: Any, method: Any, **_: Any) -> str | None:
    if method != "dijkstra":
        return f"method={method!r} is not supported"
    return "weight must be None unless source and target are given" if weight is not None and (
        source is None or target is None
    ) else None  # fmt: skip


@function(parallel=True, refuse=_refuse_path)
def shortest_path(G: Any, source: Any, target: Any, weight: Any, method: str) -> Any:
    if source is None and target is None:
        return all_pairs_shortest_path(G, None)
    if target is None:
        return single_source_shortest_path(G, source, None)
    if source is None:
        return _to_target(G, target)
    if weight is None:
        return bidirectional_shortest_path(G, source, target)
    return bidirectional_dijkstra(G, source, target, weight)[1]


def _to_target(graph: Any, target: Any) -> dict[Any, list[Any]]:
    mirror = mirror_of(graph)
    return _paths(mirror, mirror.vertex(target, nx.NodeNotFound(f"Source {target} not in G")), None, backward=True)


def _refuse_ego(G: Any, radius: Any, undirected: Any, **_: Any) -> str | None:
    if not isinstance(radius, int) or radius < 0:
        return f"radius={radius!r} is not supported; it must be an int that is not negative"
    return "undirected must be False for directed graphs" if undirected and G.is_directed() else None


@function(parallel=True, refuse=_refuse_ego)
def ego_graph(G: Any, n: Any, radius: Any, center: bool, undirected: bool) -> nx.Graph:
    """An induced subgraph, with all attributes."""
    mirror = mirror_of(G)
    v = mirror.vertex(n, nx.NodeNotFound(f"Source {n} is not in G"))
    inside = np.flatnonzero(distances_from(mirror, [v], radius) < UNREACHED).tolist()
    found = source_of(G).subgraph([mirror.nodes[w] for w in inside]).copy()
    if not center:
        found.remove_node(n)
    return found
