"""Undirected graphs built from edges of a graph, with weights summed over edges between the same vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr


def own_edges(graph: Any) -> tuple[Any, Any, Any]:
    """Each edge once: sources, destinations and weights, or None. A distributed graph returns the local edges."""
    return graph.own_edges() if graph.in_parts else graph.to_coo()


def graph_of_sums(graph: Any, num_vertices: int, src: Any, dst: Any, values: Any = None) -> Any:
    """An undirected graph in which an edge weighs the sum of these values of its ends, in any order, by default 1 each.

    It is where `graph` is. The ends of an edge differ. Values are float64.
    """
    xp = graph.xp
    keys = fr.advanced.keys.pack(graph, xp.minimum(src, dst), xp.maximum(src, dst))
    keys, sums = fr.advanced.keys.sums(graph, keys, values)
    return weighted_graph(graph, num_vertices, *fr.advanced.keys.unpack(graph, keys), sums)


def weighted_graph(graph: Any, num_vertices: int, src: Any, dst: Any, weights: Any) -> Any:
    """An undirected graph of these edges on the device of `graph`. Partitions add up their edges."""
    if not graph.in_parts:
        return fr.advanced.csr_structure().from_edges(src, dst, weights, num_vertices=num_vertices, device=graph.device)
    made = graph.empty_like(num_vertices, directed=False, weight_dtype=np.float64, multi_edges="sum")
    made.insert_edges(src, dst, weights)
    return made


def without_directions(graph: fr.Graph) -> Any:
    """The undirected graph of a directed one: an edge weighs 2 if the directed graph has it in both directions, or 1.

    Deleted vertices are isolated ones there.
    """
    src, dst, _ = own_edges(graph)
    return graph_of_sums(graph, graph.num_vertices, src, dst)
