"""Independent sets and colorings."""

from __future__ import annotations

from typing import Any

import numpy as np

import algorithms

from ..holders import Unsupported, mirror_of
from .table import FEW, function, seed_of, without_loops


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
    by_degree_then_place = degrees * len(degrees) - mirror.places()
    return mirror.by_node(algorithms.coloring(graph, priority=by_degree_then_place).color)
