"""Cores and trusses."""

from __future__ import annotations

from typing import Any

import networkx as nx

import algorithms

from ..dispatching import original
from ..holders import mirror_of, source_of
from ..mirror import Mirror
from .table import FEW, function

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)  # fmt: skip


def _without_loops(mirror: Mirror) -> None:
    if mirror.loops:
        raise nx.NetworkXNotImplemented(LOOPS)


def _numbers(graph: Any) -> dict[Any, int]:
    mirror = mirror_of(graph)
    _without_loops(mirror)
    return mirror.by_node(algorithms.core_number(mirror.graph).core_number)


@function(least_nodes=FEW)
def core_number(G: Any) -> dict[Any, int]:
    return _numbers(G)


def _with_numbers(name: str, graph: Any, **arguments: Any) -> nx.Graph:
    """What NetworkX's function makes of the core numbers: an induced subgraph, with all attributes."""
    return original(name)(source_of(graph), **arguments, core_number=_numbers(graph))


@function(least_nodes=FEW, core_number=None)
def k_core(G: Any, k: Any = None, core_number: Any = None) -> nx.Graph:
    return _with_numbers("k_core", G, k=k)


@function(least_nodes=FEW, core_number=None)
def k_shell(G: Any, k: Any = None, core_number: Any = None) -> nx.Graph:
    return _with_numbers("k_shell", G, k=k)


@function(least_nodes=FEW, core_number=None)
def k_crust(G: Any, k: Any = None, core_number: Any = None) -> nx.Graph:
    return _with_numbers("k_crust", G, k=k)


@function(least_nodes=FEW, core_number=None)
def k_corona(G: Any, k: Any, core_number: Any = None) -> nx.Graph:
    return _with_numbers("k_corona", G, k=k)


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
