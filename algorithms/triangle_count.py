"""Static triangle counting.

Each edge is oriented from its end of lower degree to the other (ties by id). Then no vertex has more than about
sqrt(2 E) out-neighbors, and every triangle is found once: as a common out-neighbor of the two ends of one arc. The arcs
are grouped by their upper end, whose out-neighbors form a set; the out-neighbors of the lower ends, whose lists are
short, are looked up in it.

    up            each edge from its end of lower degree to the other (ties by id)
    down          the same edges reversed
    per_vertex    triangles of each vertex

Schank and Wagner, "Finding, Counting and Listing All Triangles in Large Graphs", WEA 2005; Green et al., IA3 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from .result import Result


@dataclass(frozen=True)
class TriangleCount(Result):
    """Result of `triangle_count`.

    Attributes
    ----------
    total : int
        Triangles of the graph.
    per_vertex : array of int64, shape (num_vertices,), or None
        Triangles of each vertex, on the graph's device.
    """

    total: int
    per_vertex: Any = None


@fr.reads
def triangle_count(graph: fr.Graph, *, per_vertex: bool = True) -> TriangleCount:
    """Triangle counts of an undirected graph, total and per vertex.

    Parameters
    ----------
    graph : Graph
        Undirected.
    per_vertex : bool
        Also count per vertex, which takes slightly longer.

    Raises
    ------
    ValueError
        The graph is directed.

    Notes
    -----
    O(E^1.5) work, O(V + E) memory for the oriented copy.
    """
    fr.arguments.check_graph(graph)
    fr.arguments.flag(per_vertex, "per_vertex")
    if graph.directed:
        raise ValueError("triangle_count is defined for undirected graphs; make the graph with directed=False")
    tally = graph.xp.zeros(graph.num_vertices, np.int64) if per_vertex else None
    if not graph.num_arcs:
        return TriangleCount(0, tally)
    degrees = graph.degrees()
    up = fr.extract_subgraph(graph, _goes_up, degrees)
    down = fr.extract_subgraph(graph, _goes_down, degrees)
    return TriangleCount(fr.intersect_arcs(up, down, tally), tally)


def _goes_up(src, dst, edge, weight, degrees):
    a = degrees[src]
    b = degrees[dst]
    return a < b or (a == b and src < dst)


def _goes_down(src, dst, edge, weight, degrees):
    a = degrees[src]
    b = degrees[dst]
    return a > b or (a == b and src > dst)
