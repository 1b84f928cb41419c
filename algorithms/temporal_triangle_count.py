"""Triangles whose three edges were seen within a span of time.

Every edge u - v is a pair whose common neighbors w are found. The triangle is counted at its latest edge only (of equal
times, that opposite to the greatest id), if the other two are no more than delta older. So each is counted once.

    latest[i]   the time of edge i
    counts[v]   triangles of v

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (delta-temporal motifs; here edges may come in
any order, and an edge has one time).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._priorities import check_undirected
from .result import Result


@dataclass(frozen=True, repr=False)
class TemporalTriangleCount(Result):
    """Result of `temporal_triangle_count`.

    Attributes
    ----------
    total : int
        Triangles of the graph whose edges are within `delta`.
    per_vertex : array of int64, shape (num_vertices,)
        Those of each vertex, on the graph's device.
    """

    total: int
    per_vertex: Any


@fr.reads
def temporal_triangle_count(graph: fr.Graph, delta: Any) -> TemporalTriangleCount:
    """Triangles whose earliest and latest edges are at most `delta` apart, in total and per vertex.

    Parameters
    ----------
    graph : Graph
        Undirected, with times.
    delta : int, timedelta or str
        A length of time: in units of the graph's times, or such as ``"10min"``.

    Raises
    ------
    TypeError, ValueError
        The graph is directed or has no times, or `delta` is no length of time.

    Notes
    -----
    O(sum of the smaller degree of the two ends) look-ups over the edges, O(E) memory.

    Examples
    --------
    >>> from algorithms import temporal_triangle_count
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 0], [1, 2, 2], time=[10, 20, 30], time_unit="s", device="cpu")
    >>> temporal_triangle_count(graph, delta="20s").total
    1
    >>> temporal_triangle_count(graph, delta="10s").total
    0
    """
    times = fr.arguments.edge_times(graph)
    check_undirected(graph, "temporal_triangle_count")
    delta = fr.arguments.span(graph, delta, "delta")
    part: Any = graph
    src, dst = part.own_edges() if graph.in_parts else graph.to_coo()[:2]
    local = part.local if graph.in_parts else graph
    latest = times[local.find_edges(src, dst, checked=False)]
    if not graph.finds_fast and not graph.in_parts and src.size:  # in a copy that does
        copy = fr.snapshot_structure().from_edges(
            src, dst, num_vertices=graph.num_vertices, device=graph.device, time=latest, time_unit=graph.time_unit,
            vertex_dtype=graph.vertex_dtype,
        )  # fmt: skip
        return temporal_triangle_count(copy, delta)
    counts = graph.vertex_array(np.int64, combine="add")
    fr.intersect(graph, src, dst, _count_at_latest, times, latest, delta, counts, numbered=True, checked=False)
    return TemporalTriangleCount(int(graph.total(counts)) // 3, counts)


def _count_at_latest(i, u, v, w, edge_uw, edge_vw, times, latest, delta, counts):
    last = latest[i]
    if precedes(times[edge_uw], v, last, w, delta) and precedes(times[edge_vw], u, last, w, delta):
        fr.atomic_add(counts, u, 1)
        fr.atomic_add(counts, v, 1)
        fr.atomic_add(counts, w, 1)


def precedes(time, opposite, last, opposite_last, delta):
    """Whether an edge of a triangle is before another one, but not by more than delta; each by its time, and by the
    vertex that it does not touch."""
    return (time < last or (time == last and opposite < opposite_last)) and within(time, last, delta)


def within(early, late, delta):
    """Whether two times, of which `early` is not greater, are at most delta apart: their difference may be more than
    int64 holds."""
    return np.uint64(late) - np.uint64(early) <= np.uint64(delta)
