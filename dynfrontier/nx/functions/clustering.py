"""Triangles, clustering coefficients and Jaccard similarity. Self-loops are in no triangle, as in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms
from algorithms import triangle_count

from ..holders import mirror_of, source_of
from ..mirror import Mirror
from .table import FEW, function, without_loops


def _chosen(graph: Any, found: dict[Any, Any], nodes: Any) -> Any:
    """The results of all nodes, some, or one."""
    source = source_of(graph)
    if nodes is None:
        return found
    if nodes in source:
        return found[nodes]
    return {node: found[node] for node in source.nbunch_iter(nodes)}


def _refuse_some(G: Any, nodes: Any, **_: Any) -> str | None:
    return "nodes of a graph with parallel edges must be None" if nodes is not None and G.is_multigraph() else None


@function(least_nodes=FEW, undirected=True, parallel=True, refuse=_refuse_some)
def triangles(G: Any, nodes: Any) -> Any:
    mirror = mirror_of(G)
    return _chosen(G, mirror.by_node(triangle_count(mirror.graph).per_vertex), nodes)


def _counts(mirror: Mirror) -> tuple[np.ndarray, np.ndarray]:
    """By node, twice the triangles, and the ordered pairs of neighbors."""
    degrees = mirror.values(mirror.graph.degrees())
    return 2 * mirror.values(triangle_count(mirror.graph).per_vertex), degrees * (degrees - 1)


def _coefficients(mirror: Mirror) -> dict[Any, float]:
    closed, pairs = _counts(mirror)
    values = closed / np.maximum(pairs, 1)
    return {
        name: value if count else 0
        for name, value, count in zip(mirror.names, values.tolist(), closed.tolist(), strict=True)
    }


@function(least_nodes=FEW, undirected=True)
def clustering(G: Any, nodes: Any) -> Any:
    return _chosen(G, _coefficients(mirror_of(G)), nodes)


@function(least_nodes=FEW, undirected=True)
def average_clustering(G: Any, nodes: Any, count_zeros: bool) -> float:
    found = _chosen(G, _coefficients(mirror_of(G)), nodes).values()
    found = found if count_zeros else [value for value in found if value > 0]
    return sum(found) / len(found)


@function(least_nodes=FEW, undirected=True)
def transitivity(G: Any) -> float:
    closed, pairs = _counts(mirror_of(G))
    total = int(closed.sum())
    return total / int(pairs.sum()) if total else 0


@function(least_nodes=FEW, undirected=True)
def jaccard_coefficient(G: Any, ebunch: Any) -> Iterator[tuple[Any, Any, float]]:
    mirror = mirror_of(G)
    without_loops(mirror, "jaccard_coefficient")
    pairs = list(nx.non_edges(source_of(G)) if ebunch is None else ebunch)
    ends: tuple[list[int], list[int]] = ([], [])
    for u, v in pairs:
        for node, found in zip((u, v), ends, strict=True):
            found.append(mirror.vertex(node, nx.NodeNotFound(f"Node {node} not in G.")))
    if not pairs:
        return iter(())
    src, dst = (np.array(found, np.int64) for found in ends)
    to_host = mirror.graph.device.to_host
    values = to_host(algorithms.jaccard(mirror.graph, src, dst).coefficient).tolist()
    degrees = to_host(mirror.graph.degrees())
    empty = ((degrees[src] + degrees[dst]) == 0).tolist()
    return ((u, v, 0 if none else value) for (u, v), value, none in zip(pairs, values, empty, strict=True))
