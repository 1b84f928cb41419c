"""Lengths and trees of shortest paths, from up to 64 nodes at a time, and their dicts.

Lengths list the roots, then nodes by increasing length, then in the order of the graph's nodes. The lengths of roots
are the integer 0 also among floats, and no cutoff removes them, as in NetworkX.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms import UNREACHED, bfs, shortest_path, sssp

from ..holders import Unsupported
from ..mirror import Mirror
from .table import refused

AT_ONCE = 64
LONGEST = 2**62  # paths below this fit int64, and so does the sum of two


def unreached_of(distance: Any) -> Any:
    """The distance of nodes that no path reaches, in an array of distances."""
    return np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max


def check_weights(mirror: Mirror, weight: Any) -> None:
    """Raise Unsupported if a self-loop has a negative weight, which the structure does not store."""
    if weight is not None and any(length is not None and length < 0 for length in mirror.loops.values()):
        raise Unsupported("negative weights are not supported")


def check_all_weights(mirror: Mirror, weight: Any, added: int = 1) -> None:
    """Raise Unsupported if a search would fail later, for generators that have to refuse before they start, or if the
    sum of this number of distances might overflow.
    """
    check_weights(mirror, weight)
    if weight is not None and mirror.graph.is_weighted and mirror.graph.num_edges:
        weights = mirror.graph.to_coo()[2]
        if weights.min() < 0 or not float(weights.sum(dtype=np.float64)) * added < LONGEST:
            raise Unsupported("negative weights, and distances that add up to 2**62, are not supported")


def steps_of(cutoff: Any) -> int | None:
    return None if cutoff is None or cutoff >= UNREACHED else max(int(cutoff), 0)


def searches(
    mirror: Mirror, roots: list[int], weight: Any, cutoff: Any = None, *, trees: bool = False, backward: bool = False
) -> Iterator[tuple[Any, Any]]:
    """Arrays on the device of the distances from up to 64 roots at a time, and of predecessors if `trees`.

    Distances are numbers of edges if `weight` is None, those to the roots if `backward`. Some exceed the cutoff.
    """
    graph = mirror.graph.reverse if backward and mirror.directed else mirror.graph
    weighted = weight is not None and graph.is_weighted
    with refused(ValueError):  # negative weights, and sums that overflow int64
        for start in range(0, len(roots), AT_ONCE):
            part = roots[start : start + AT_ONCE]
            found: Any = (
                sssp(graph, sources=part, predecessors=trees) if weighted
                else bfs(graph, None, steps_of(cutoff), sources=part, predecessors=trees)
            )  # fmt: skip
            yield found.distance, found.predecessor


def rows(
    mirror: Mirror, roots: list[int], weight: Any, cutoff: Any = None, *, trees: bool = False, backward: bool = False
) -> Iterator[tuple[np.ndarray, Any]]:
    """The distances from each root by vertex, on the host, and the predecessors, or None."""
    to_host = mirror.graph.device.to_host
    for distance, tree in searches(mirror, roots, weight, cutoff, trees=trees, backward=backward):
        yield from zip(to_host(distance), to_host(tree) if trees else [None] * len(distance), strict=True)


def from_nearest(
    mirror: Mirror, roots: list[int], weight: Any, cutoff: Any = None, *, trees: bool = False, backward: bool = False
) -> tuple[np.ndarray, Any]:
    """As `rows`, for one search from all roots. Among equally near roots the first counts, so no cycle forms."""
    found = rows(mirror, roots, weight, cutoff, trees=trees, backward=backward)
    distance, before = next(found)
    for other, tree in found:
        nearer = other < distance
        distance, before = np.where(nearer, other, distance), np.where(nearer, tree, before) if trees else None
    if trees and len(roots) > 1:
        before[roots] = -1  # also of a root that another one reaches by edges of weight 0
    return distance, before


def path_between(mirror: Mirror, source: int, target: int, weight: Any) -> tuple[Any, list[Any]]:
    """The length and the nodes of a shortest path between two vertices, or no nodes if none exists."""
    check_weights(mirror, weight)
    with refused(ValueError):  # negative weights, and sums that overflow int64
        found = shortest_path(mirror.graph, source, target, weighted=weight is not None)
    length = found.distance[target].item() if source != target else 0
    return length, [mirror.nodes[v] for v in found.path()]


def lengths_of(mirror: Mirror, roots: list[int], distance: np.ndarray, cutoff: Any = None) -> dict[Any, Any]:
    """A dict by node of the distances by vertex that are at most `cutoff`."""
    distance = distance if mirror.order is None else distance[mirror.order]
    reached = distance < unreached_of(distance)
    found = np.flatnonzero(reached if cutoff is None else reached & (distance <= cutoff))
    found = found[np.argsort(distance[found], kind="stable")]
    names, first = mirror.names, dict.fromkeys([mirror.nodes[root] for root in roots], 0)
    lengths = zip([names[place] for place in found.tolist()], distance[found].tolist(), strict=True)
    return {**first, **dict(lengths), **first}


def paths_of(mirror: Mirror, lengths: dict[Any, Any], before: np.ndarray, *, backward: bool = False) -> dict[Any, Any]:
    """The paths to the nodes of `lengths` by the predecessors of vertices, from the nodes if `backward`."""
    nodes, vertices = mirror.nodes, list(map(mirror.ids.__getitem__, lengths))
    paths: list[list[Any]] = [[]] * len(nodes)
    for v, parent in zip(vertices, before[vertices].tolist(), strict=True):
        later = []
        while parent >= 0 and not paths[parent]:  # as near as v, by an edge of weight 0
            later.append(v)
            v, parent = parent, int(before[parent])
        path = paths[parent] if parent >= 0 else []
        path = paths[v] = [nodes[v], *path] if backward else [*path, nodes[v]]
        while later:
            v = later.pop()
            path = paths[v] = [nodes[v], *path] if backward else [*path, nodes[v]]
    return dict(zip(lengths, map(paths.__getitem__, vertices), strict=True))
