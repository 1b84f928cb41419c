"""Minimum spanning forests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms

from ..holders import Unsupported, mirror_of, source_of
from .table import FEW, function, refused

KNOWN = ("kruskal", "prim", "boruvka")


def _pairs(graph: Any, weight: Any) -> list[tuple[Any, Any]]:
    """The edges of the forest by increasing weight; of each, the node that comes first in the graph first."""
    mirror = mirror_of(graph, weight)
    if weight is None and mirror.graph.is_weighted:
        raise Unsupported("weight=None of a graph that holds weights is not supported")
    with refused(ValueError):  # integers beyond 2**53
        found = algorithms.minimum_spanning_forest(mirror.graph)
    src, dst, weights = (mirror.graph.device.to_host(x) for x in (found.src, found.dst, found.weight))
    place = mirror.places()
    src, dst = np.where(place[src] < place[dst], src, dst), np.where(place[src] < place[dst], dst, src)
    sort = np.lexsort((place[dst], place[src], weights))
    nodes = mirror.nodes
    return [(nodes[i], nodes[j]) for i, j in zip(src[sort].tolist(), dst[sort].tolist(), strict=True)]


@function(least_nodes=FEW, undirected=True)
def minimum_spanning_edges(G: Any, weight: Any, keys: bool, data: bool) -> Iterator[tuple[Any, ...]]:
    source = source_of(G)
    return iter([(u, v, source.get_edge_data(u, v)) if data else (u, v) for u, v in _pairs(G, weight)])


def _refuse_tree(algorithm: Any, **_: Any) -> str | None:
    return None if algorithm in KNOWN else f"algorithm={algorithm!r} is not known"


@function(least_nodes=FEW, undirected=True, refuse=_refuse_tree)
def minimum_spanning_tree(G: Any, weight: Any, algorithm: str) -> nx.Graph:
    source = source_of(G)
    tree = source.__class__()
    tree.graph.update(source.graph)
    tree.add_nodes_from(source.nodes.items())
    tree.add_edges_from((u, v, source.get_edge_data(u, v)) for u, v in _pairs(G, weight))
    return tree
