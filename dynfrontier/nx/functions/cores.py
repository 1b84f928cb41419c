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


@function(least_nodes=FEW)
def core_number(G: Any) -> dict[Any, int]:
    mirror = mirror_of(G)
    _without_loops(mirror)
    return mirror.by_node(algorithms.core_number(mirror.graph).core_number)


def _add_subgraph(name: str) -> None:
    """A function that, given the core numbers, makes NetworkX's: an induced subgraph, with all attributes."""

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
