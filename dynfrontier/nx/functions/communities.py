"""Communities, independent sets and colorings. Communities and sets are random: the same for each seed, but different
from NetworkX's.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np

import algorithms

from ..holders import Unsupported, mirror_of
from .components import grouped
from .table import FEW, function, refused, seed_of, without_loops

ROUNDS = 10_000


def _refuse_levels(resolution: Any, max_level: Any, threshold: Any = 0, **_: Any) -> str | None:
    for name, value in (("resolution", resolution), ("threshold", threshold)):
        if not isinstance(value, Real) or value < 0:
            return f"{name}={value!r} is not supported; it must be a number that is not negative"
    if max_level is not None and (not isinstance(max_level, int) or max_level < 1):
        return f"max_level={max_level!r} is not supported"
    return None


@function(least_nodes=FEW, undirected=True, refuse=_refuse_levels)
def louvain_communities(
    G: Any, weight: Any, resolution: float, threshold: float, max_level: Any, seed: Any
) -> list[set[Any]]:  # fmt: skip
    return _by_levels("louvain", G, weight, max_level, seed, resolution=float(resolution), threshold=float(threshold))


@function(least_nodes=FEW, undirected=True, refuse=_refuse_levels)
def leiden_communities(G: Any, weight: Any, resolution: float, max_level: Any, seed: Any) -> list[set[Any]]:
    return _by_levels("leiden", G, weight, max_level, seed, resolution=float(resolution))


def _by_levels(name: str, G: Any, weight: Any, max_level: Any, seed: Any, **options: float) -> list[set[Any]]:
    """Communities by the algorithm of this name."""
    mirror = mirror_of(G, weight)
    without_loops(mirror, f"{name}_communities")
    graph = mirror.graph
    if weight is None and graph.is_weighted:
        raise Unsupported("weight=None of a weighted graph is not supported")
    if not len(mirror):
        return []
    levels = {} if max_level is None else {"max_level": max_level}
    with refused(ValueError):  # negative weights
        found = getattr(algorithms, name)(graph, seed=seed_of(seed), **options, **levels)
    return grouped(mirror, found.labels)


@function(least_nodes=FEW, undirected=True)
def asyn_lpa_communities(G: Any, seed: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    without_loops(mirror, "asyn_lpa_communities")
    found = algorithms.label_propagation(mirror.graph, max_iter=ROUNDS, seed=seed_of(seed))
    if not found.converged:
        raise Unsupported(f"labels still changed after {ROUNDS} rounds")
    return iter(grouped(mirror, found.labels))


@function(
    least_nodes=FEW, undirected=True, parallel=True, refuse=lambda nodes, **_: "nodes must be None" if nodes else None
)
def maximal_independent_set(G: Any, nodes: Any, seed: Any) -> list[Any]:
    mirror = mirror_of(G)
    without_loops(mirror, "maximal_independent_set")
    if not len(mirror):
        raise Unsupported("maximal_independent_set of a graph without nodes is not supported")
    members = mirror.values(algorithms.maximal_independent_set(mirror.graph, seed=seed_of(seed)).members)
    return [mirror.names[place] for place in np.flatnonzero(members).tolist()]


@function(least_nodes=FEW, undirected=True)
def greedy_color(G: Any) -> dict[Any, int]:
    mirror = mirror_of(G)
    graph = mirror.graph
    degrees = graph.device.to_host(graph.degrees()).astype(np.int64)
    degrees[list(mirror.loops)] += 2  # a self-loop only counts in the order
    return mirror.by_node(algorithms.coloring(graph, priority=degrees * len(degrees) - mirror.places()).color)
