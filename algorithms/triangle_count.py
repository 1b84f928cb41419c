"""Static triangle counting.

Each edge is oriented from its end of lower degree to its other end. Then no vertex has more than about sqrt(2 E)
out-neighbors, and every triangle is found once: as a common out-neighbor of the two ends of one arc. The arcs are
grouped by their upper end, whose out-neighbors form a set. The neighbors of the lower ends, whose lists are short, are
looked up in it. A copy numbers vertices by degree and sorts lists, so each list is read only up to the last neighbor of
the upper end. If no vertex has many neighbors, a CPU orients edges by id.

    orientation   the graph as it is stored, and the order of its vertices
    copy          each edge from its end of lower degree to its other end, and reversed
    per_vertex    triangles of each vertex

Schank and Wagner, "Finding, Counting and Listing All Triangles in Large Graphs", WEA 2005; Green,
Yalamanchili and Munguia, "Fast Triangle Counting on the GPU", IA3 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from .result import Result

COPY_STEPS = {"cpu": 7.0, "gpu": 16.0}
COPY_START = {"cpu": 0.0, "gpu": 1.6e8}
"""The cost of copying an edge in both directions, in neighbors that could be looked up in copied lists meanwhile. Then
the fixed cost in the smallest graph: a GPU synchronizes with the host several times, 0.7 ms in total."""
WALK_STEPS = 1.5
"""The cost of looking a neighbor up in a list as it is stored, likewise, if the structure is walked as fast as CSR."""
SORTED_STEPS = {"cpu": 0.8, "gpu": 0.4}
"""The cost of a neighbor in a copy of all edges, likewise. About half of each sorted list is read."""


@dataclass(frozen=True, repr=False)
class TriangleCountResult(Result):
    """Result of `triangle_count`.

    Attributes
    ----------
    total : int
        Triangles of the graph.
    per_vertex : array of int64, shape (num_vertices,), or None
        Triangles of each vertex, on the graph's device.
    layout : ReadLayout or None
        Whether they were counted in the graph as it is stored or in a copy, and why.

    See Also
    --------
    triangle_count : Computes it.
    """

    total: int
    per_vertex: Any = None
    layout: fr.advanced.ReadLayout | None = None


@fr.advanced.reads
def triangle_count(graph: fr.Graph, *, per_vertex: bool = True, layout: str = "auto") -> TriangleCountResult:
    """Triangle counts of an undirected graph, total and per vertex.

    Parameters
    ----------
    graph : Graph
        Undirected.
    per_vertex : bool
        Also count per vertex, at a slightly higher cost.
    layout : {"auto", "native", "csr"}
        ``"csr"``: in a copy of the edges. ``"native"``: in the graph as it is stored. ``"auto"``: where it is expected
        to be faster, including the copy. The result's `layout` gives the reason.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or an argument is invalid.

    See Also
    --------
    DynamicTriangleCount : Maintains the result while the graph changes.

    Notes
    -----
    O(E^1.5) work. With a copy O(V + E) memory: two ids an edge. Without, O(V): only some of the longest lists are
    copied (`frontier.advanced.Orientation`), and up to three times as many neighbors are looked up.

    Examples
    --------
    >>> from algorithms import triangle_count
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], device="cpu")
    >>> found = triangle_count(graph)
    >>> found.total
    4
    >>> found.per_vertex
    array([3, 3, 3, 3, 0])
    """
    check_undirected(graph, "triangle_count")
    fr.advanced.arguments.flag(per_vertex, "per_vertex")
    orientation = fr.advanced.Orientation(graph)
    chosen = fr.advanced.choose_layout(graph, layout, lambda: costs_of(graph, orientation), copy_bytes(graph))
    counts = graph.xp.zeros(graph.num_vertices, np.int64) if per_vertex else None
    if not chosen.is_copy:
        return TriangleCountResult(fr.advanced.intersect_arcs(orientation, tally=counts), counts, chosen)
    copy = orientation.copy()
    if counts is None:
        return TriangleCountResult(fr.advanced.intersect_arcs(copy.up, copy.down), None, chosen)
    tally = graph.xp.zeros(copy.order.size, np.int64)
    total = fr.advanced.intersect_arcs(copy.up, copy.down, tally)
    counts[copy.order] = tally
    return TriangleCountResult(total, counts, chosen)


def costs_of(graph: fr.Graph, orientation: fr.advanced.Orientation) -> tuple[float, float]:
    """The expected costs of finding all triangles in the graph as it is stored, and in a copy."""
    listed, walked, in_copy = orientation.steps
    kind = graph.device.kind
    in_copy *= 1.0 if graph.in_parts else SORTED_STEPS[kind]  # a partition's lists are copies anyway
    copied = COPY_START[kind] + COPY_STEPS[kind] * graph.num_arcs + in_copy
    return listed + WALK_STEPS * graph.walk_cost[kind] * walked, copied


def copy_bytes(graph: fr.Graph) -> int:
    """Memory for each edge in both directions, with offsets, and for sorting them."""
    return graph.num_arcs * (graph.vertex_dtype.itemsize + 12) + 16 * graph.num_vertices
