"""Reciprocity of directed graphs: the fraction of edges whose reverse is an edge. A self-loop reverses itself at its
node, and does not in the graph as a whole, as in NetworkX.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..holders import mirror_of, source_of
from ..mirror import Mirror
from .table import function


def _mutual_by_vertex(mirror: Mirror) -> np.ndarray:
    """The number of successors of each vertex that are predecessors, too."""
    graph = mirror.graph
    src, dst, _ = graph.to_coo()
    return graph.device.to_host(graph.xp.bincount(src[graph.has_edges(dst, src)], minlength=graph.num_vertices))


@function()
def overall_reciprocity(G: Any) -> float:
    mirror = mirror_of(G)
    edges = mirror.graph.num_edges + len(mirror.loops)
    if not edges:
        raise nx.NetworkXError("Not defined for empty graphs")
    return int(_mutual_by_vertex(mirror).sum()) / edges


@function()
def reciprocity(G: Any, nodes: Any) -> Any:
    if nodes is None:
        return overall_reciprocity(G)
    mirror, source = mirror_of(G), source_of(G)
    to_host, loops = mirror.graph.device.to_host, list(mirror.loops)
    mutual, total = _mutual_by_vertex(mirror), to_host(mirror.graph.degrees() + mirror.graph.in_degrees())
    mutual[loops] += 1
    total[loops] += 2

    def of(node: Any) -> float | None:
        v = mirror.ids[node]
        return 2 * int(mutual[v]) / int(total[v]) if total[v] else None

    if nodes not in source:
        return {node: of(node) for node in source.nbunch_iter(nodes)}
    found = of(nodes)
    if found is None:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    return found
