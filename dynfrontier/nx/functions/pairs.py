"""Similarity of pairs of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms

from ..holders import mirror_of, source_of
from .table import FEW, function, without_loops


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
