"""Cores, trusses, and minimum and maximum spanning forests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms

from ..dispatching import original
from ..holders import Unsupported, mirror_of, source_of
from ..mirror import Mirror
from .table import FEW, function, refused

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)  # fmt: skip


def _without_loops(mirror: Mirror) -> None:
    if mirror.loops:
        raise nx.NetworkXNotImplemented(LOOPS)


@function(least_nodes=FEW)
def core_number(G: Any) -> dict[Any, int]:
    mirror = mirror_of(G)
    _without_loops(mirror)
    return mirror.by_node(algorithms.core_number(mirror.graph).core_number)


def _add_subgraph(name: str) -> None:
    """Add a function that passes core numbers to NetworkX's: an induced subgraph, with all attributes."""

    @function(name, least_nodes=FEW)
    def subgraph(G: Any, k: Any) -> nx.Graph:
        return original(name)(source_of(G), k=k, core_number=core_number(G))


for _name in ("k_core", "k_shell", "k_crust", "k_corona"):
    _add_subgraph(_name)


@function(least_nodes=FEW, undirected=True, refuse=lambda k, **_: None if isinstance(k, int) else "k must be an int")
def k_truss(G: Any, k: int) -> nx.Graph:
    mirror, source = mirror_of(G), source_of(G)
    _without_loops(mirror)
    found = algorithms.k_truss(mirror.graph, max(k, 2))
    to_host, nodes = mirror.graph.device.to_host, mirror.nodes
    src, dst = to_host(found.src).tolist(), to_host(found.dst).tolist()
    held = {nodes[v] for v in (*src, *dst)}
    truss = source.__class__()
    truss.graph.update(source.graph)
    truss.add_nodes_from((node, source.nodes[node].copy()) for node in mirror.names if node in held)
    truss.add_edges_from(
        (nodes[i], nodes[j], source.get_edge_data(nodes[i], nodes[j]).copy()) for i, j in zip(src, dst, strict=True)
    )
    return truss


KNOWN = ("kruskal", "prim", "boruvka")


def _pairs(graph: Any, weight: Any, *, highest: bool = False) -> list[tuple[Any, Any]]:
    """The edges of the forest from its best weight on, the end that comes first in the graph first."""
    mirror = mirror_of(graph, weight)
    if weight is None and mirror.graph.is_weighted:
        raise Unsupported("weight=None of a weighted graph is not supported")
    with refused(ValueError):  # integers beyond 2**53
        find = algorithms.maximum_spanning_forest if highest else algorithms.minimum_spanning_forest
        found = find(mirror.graph)
    src, dst, weights = (mirror.graph.device.to_host(x) for x in (found.src, found.dst, found.weight))
    place = mirror.places()
    src, dst = np.where(place[src] < place[dst], src, dst), np.where(place[src] < place[dst], dst, src)
    sort = np.lexsort((place[dst], place[src], -weights if highest else weights))
    nodes = mirror.nodes
    return [(nodes[i], nodes[j]) for i, j in zip(src[sort].tolist(), dst[sort].tolist(), strict=True)]


def _refuse_tree(algorithm: Any, **_: Any) -> str | None:
    return None if algorithm in KNOWN else f"algorithm={algorithm!r} is not known"


def _add_forest(kind: str) -> None:
    """Add the two functions of a kind of spanning forests, whose names NetworkX forms alike."""
    highest = kind == "maximum"

    @function(f"{kind}_spanning_edges", least_nodes=FEW, undirected=True)
    def edges(G: Any, weight: Any, keys: bool, data: bool) -> Iterator[tuple[Any, ...]]:
        source = source_of(G)
        pairs = _pairs(G, weight, highest=highest)
        return iter([(u, v, source.get_edge_data(u, v)) if data else (u, v) for u, v in pairs])

    @function(f"{kind}_spanning_tree", least_nodes=FEW, undirected=True, refuse=_refuse_tree)
    def tree(G: Any, weight: Any, algorithm: str) -> nx.Graph:
        source = source_of(G)
        found = source.__class__()
        found.graph.update(source.graph)
        found.add_nodes_from(source.nodes.items())
        found.add_edges_from((u, v, source.get_edge_data(u, v)) for u, v in _pairs(G, weight, highest=highest))
        return found


for _name in ("minimum", "maximum"):
    _add_forest(_name)
