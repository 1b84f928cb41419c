"""Shortest paths by weights: the functions that NetworkX names after Dijkstra, and after Bellman and Ford.

Both get the same paths, by bucketed relaxations. Negative weights are left to NetworkX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import networkx as nx

from ..holders import mirror_of
from ..mirror import Mirror
from .table import function
from .trees import check_all_weights, check_weights, from_nearest, lengths_of, path_between, paths_of, rows

MISSING = {"dijkstra": "Node {} not found in graph", "bellman_ford": "Source {} not in G"}
"""The errors that name a node which the graph lacks, by the algorithm in the function's name."""


def _roots(mirror: Mirror, nodes: Any, kind: str) -> list[int]:
    return [mirror.vertex(node, nx.NodeNotFound(MISSING[kind].format(node))) for node in nodes]


def lengths_and_paths(
    graph: Any, nodes: Any, weight: Any, kind: str, cutoff: Any = None, *, paths: bool = True, backward: bool = False
) -> tuple[dict[Any, Any], dict[Any, list[Any]]]:
    """The lengths and the paths from the nearest of these nodes, or to it for `backward`."""
    mirror = mirror_of(graph, weight)
    roots = _roots(mirror, nodes, kind)
    check_weights(mirror, weight)
    distance, before = from_nearest(mirror, roots, weight, cutoff, trees=paths, backward=backward)
    lengths = lengths_of(mirror, roots, distance, cutoff)
    return lengths, paths_of(mirror, lengths, before, backward=backward) if paths else {}


def lengths_from(graph: Any, nodes: Any, weight: Any, kind: str, cutoff: Any = None, *, backward: bool = False) -> dict:
    return lengths_and_paths(graph, nodes, weight, kind, cutoff, paths=False, backward=backward)[0]


def paths_from(graph: Any, nodes: Any, weight: Any, kind: str, cutoff: Any = None, *, backward: bool = False) -> dict:
    return lengths_and_paths(graph, nodes, weight, kind, cutoff, backward=backward)[1]


def of_all_pairs(
    choose: Callable[[Any, Any], Any], graph: Any, weight: Any, cutoff: Any = None, *, paths: bool = True
) -> Iterator[tuple[Any, Any]]:
    """Each node, with the result of `choose` for its lengths and paths."""
    mirror = mirror_of(graph, weight)
    check_all_weights(mirror, weight)
    roots = [mirror.ids[node] for node in mirror.names]

    def found() -> Iterator[tuple[Any, Any]]:
        for node, root, (distance, before) in zip(
            mirror.names, roots, rows(mirror, roots, weight, cutoff, trees=paths), strict=True
        ):
            lengths = lengths_of(mirror, [root], distance, cutoff)
            yield node, choose(lengths, paths_of(mirror, lengths, before) if paths else None)

    return found()


all_lengths = partial(of_all_pairs, lambda lengths, _: lengths, paths=False)
all_paths = partial(of_all_pairs, lambda _, paths: paths)


def between(graph: Any, source: Any, target: Any, weight: Any, kind: str) -> tuple[Any, list[Any]]:
    """The length and the nodes of a path between two nodes, or no nodes."""
    mirror = mirror_of(graph, weight)
    (root,), end = _roots(mirror, [source], kind), mirror.find(target)
    return (None, []) if end is None else path_between(mirror, root, end, weight)


def _no_path(source: Any, target: Any) -> Exception:
    return nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


def length_to(graph: Any, source: Any, target: Any, weight: Any, kind: str) -> Any:
    length, path = between(graph, source, target, weight, kind)
    if not path:
        raise _no_path(source, target)
    return length


def path_to(graph: Any, source: Any, target: Any, weight: Any, kind: str) -> list[Any]:
    path = between(graph, source, target, weight, kind)[1]
    if not path:
        raise nx.NetworkXNoPath(f"No path to {target}.") if kind == "dijkstra" else _no_path(source, target)
    return path


# ---- functions whose names NetworkX forms alike ---------------------------------------------------------------------


def _some(sources: Any) -> list[Any]:
    if not sources:
        raise ValueError("sources must not be empty")
    return list(sources)


def _add(end: str, find: Any, find_all: Any, find_between: Any) -> None:
    """Add the functions whose names end in this. The functions of Bellman and Ford have no cutoff."""

    @function(f"single_source_dijkstra_{end}", parallel=True)
    def from_one(G: Any, source: Any, cutoff: Any, weight: Any) -> dict[Any, Any]:
        return find(G, [source], weight, "dijkstra", cutoff)

    @function(f"multi_source_dijkstra_{end}", parallel=True)
    def from_several(G: Any, sources: Any, cutoff: Any, weight: Any) -> dict[Any, Any]:
        return find(G, _some(sources), weight, "dijkstra", cutoff)

    @function(f"single_source_bellman_ford_{end}", parallel=True)
    def without_cutoff(G: Any, source: Any, weight: Any) -> dict[Any, Any]:
        return find(G, [source], weight, "bellman_ford")

    @function(f"all_pairs_dijkstra_{end}", least_nodes=2000, parallel=True)
    def of_all(G: Any, cutoff: Any, weight: Any) -> Iterator[tuple[Any, dict[Any, Any]]]:
        return find_all(G, weight, cutoff)

    @function(f"all_pairs_bellman_ford_{end}", least_nodes=2000, parallel=True)
    def of_all_without_cutoff(G: Any, weight: Any) -> Iterator[tuple[Any, dict[Any, Any]]]:
        return find_all(G, weight)

    def add_between(kind: str) -> None:
        @function(f"{kind}_{end}", parallel=True)
        def between_two(G: Any, source: Any, target: Any, weight: Any) -> Any:
            return find_between(G, source, target, weight, kind)

    for kind in MISSING:
        add_between(kind)


_add("path", paths_from, all_paths, path_to)
_add("path_length", lengths_from, all_lengths, length_to)


@function(least_nodes=2000, parallel=True)
def all_pairs_dijkstra(G: Any, cutoff: Any, weight: Any) -> Iterator[tuple[Any, tuple[dict, dict]]]:
    return of_all_pairs(lambda lengths, paths: (lengths, paths), G, weight, cutoff)


@function(parallel=True)
def multi_source_dijkstra(G: Any, sources: Any, target: Any, cutoff: Any, weight: Any) -> tuple[Any, Any]:
    lengths, paths = lengths_and_paths(G, _some(sources), weight, "dijkstra", cutoff)
    if target is None:
        return lengths, paths
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], paths[target]


@function(parallel=True)
def single_source_dijkstra(G: Any, source: Any, target: Any, cutoff: Any, weight: Any) -> tuple[Any, Any]:
    if target is None:
        return lengths_and_paths(G, [source], weight, "dijkstra", cutoff)
    length, path = between(G, source, target, weight, "dijkstra")
    if not path or (cutoff is not None and length > cutoff and source != target):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length, path


@function(parallel=True)
def single_source_bellman_ford(G: Any, source: Any, target: Any, weight: Any) -> tuple[Any, Any]:
    if target is None:
        return lengths_and_paths(G, [source], weight, "bellman_ford")
    length, path = between(G, source, target, weight, "bellman_ford")
    if not path:
        raise _no_path(source, target)
    return length, path
