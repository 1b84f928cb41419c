"""Betweenness and closeness centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx

import algorithms
from algorithms import UNREACHED

from ..holders import mirror_of, source_of
from .table import function
from .traversal import distances_from

SCALES_OTHERWISE = nx.__version__.startswith("3.5")


def _refuse_sample(G: Any, k: Any, **_: Any) -> str | None:
    if k is None or k == len(source_of(G)):
        return None
    if not isinstance(k, int) or k < 1:
        return f"k={k!r} is not supported; it must be a positive int"
    return "k is not supported with NetworkX before 3.6, which scales samples otherwise" if SCALES_OTHERWISE else None


@function(least_nodes=500, parallel=True, refuse=_refuse_sample)
def betweenness_centrality(G: Any, k: Any, normalized: bool, endpoints: bool, seed: Any) -> dict[Any, float]:
    mirror = mirror_of(G)
    sources = None
    if k is not None and k != len(mirror):
        sources = [mirror.ids[node] for node in seed.sample(list(mirror.names), k)]  # as NetworkX draws them
    found = algorithms.betweenness_centrality(
        mirror.graph, sources, normalized=bool(normalized), endpoints=bool(endpoints)
    )
    return mirror.by_node(found.betweenness_centrality)


@function(least_nodes=500, parallel=True)
def closeness_centrality(G: Any, u: Any, wf_improved: bool) -> Any:
    mirror = mirror_of(G)
    if u is None:
        found = algorithms.closeness_centrality(mirror.graph, wf_improved=bool(wf_improved))
        return mirror.by_node(found.closeness_centrality)
    v = mirror.vertex(u, nx.NodeNotFound(f"Source {u} is not in G"))
    distances = distances_from(mirror, [v], backward=mirror.directed)
    lengths = distances[distances < UNREACHED]
    total, others = int(lengths.sum()), len(mirror) - 1
    if not total:
        return 0.0
    closeness = (lengths.size - 1.0) / total
    return closeness * ((lengths.size - 1.0) / others) if wf_improved else closeness
