"""Lengths of shortest paths. Results list nodes by increasing length, then in the order of the graph's nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from algorithms import UNREACHED, bfs, sssp

from ..holders import Unsupported, mirror_of
from ..mirror import Mirror
from .table import function, refused
from .traversal import AT_ONCE, distances_from


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
    if weight is not None and any(length is not None and length < 0 for length in mirror.loops.values()):
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
