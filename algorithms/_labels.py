"""Labels that stand for sets of vertices: the smallest vertex of a set is its label."""

from __future__ import annotations

from typing import Any

import frontier as fr

from ._arguments import places


def smallest_vertices(graph: fr.Graph, labels: Any) -> Any:
    """For each vertex the smallest existing one with its label, in the graph's vertex dtype.

    Labels are vertex ids. Deleted vertices, whose labels are undefined, may have any label. In a distributed graph,
    every partition knows all labels.
    """
    members = places(graph, graph.num_vertices)
    if graph.absent_mask is not None:
        members = fr.Frontier(members.graph, ~graph.absent_mask)
    smallest = graph.xp.full(graph.num_vertices, graph.num_vertices, graph.vertex_dtype)
    fr.compute(members, _find_smallest, labels, smallest)
    return smallest[labels]


def existing_sets(graph: fr.Graph, labels: Any) -> tuple[Any, int]:
    """Labels by smallest vertices, with -1 for deleted vertices, and the number of sets."""
    if graph.absent_mask is not None:
        labels[graph.absent_mask] = -1
    return labels, int((labels == graph.xp.arange(labels.size)).sum())


def _find_smallest(v, labels, smallest):
    fr.atomic_min(smallest, labels[v], v)
