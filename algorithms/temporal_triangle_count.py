"""Triangles whose three edges were seen within a span of time.

Every edge u - v is a pair whose common neighbors w are found. The triangle is counted once, at its latest edge (of
equal times, the edge opposite to the greatest id), if its other edges are at most delta older.

    latest[i]   the time of edge i
    counts[v]   triangles of v

If edges have several events, a triangle is three events, one of each edge. They are counted by their last one, in a
walk over the events of that edge in the order of time. The events of the other two edges that are at most delta older
form a sliding window.

    places[e]   the number i of the edge whose id is e
    stamps      the times of the events of edge i, from the oldest on, are between
                offsets[i] and offsets[i + 1]

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (delta-temporal motifs; here the events of the
three edges may come in any order).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from ._events import within
from .result import Result


@dataclass(frozen=True, repr=False)
class TemporalTriangleCountResult(Result):
    """Result of `temporal_triangle_count`.

    Attributes
    ----------
    total : int
        Triangles of the graph whose edges are within `delta`.
    per_vertex : array of int64, shape (num_vertices,)
        The number at each vertex, on the graph's device.

    See Also
    --------
    temporal_triangle_count : Computes it.
    """

    total: int
    per_vertex: Any


@fr.advanced.reads
def temporal_triangle_count(graph: fr.Graph, delta: Any) -> TemporalTriangleCountResult:
    """Triangles whose earliest and latest edges are at most `delta` apart, in total and per vertex.

    In a graph that stores records (``multi_edges="all"``), a triangle is three records, one of each of three edges that
    connect three vertices. Three vertices count once for each choice of three such records that are at most `delta`
    apart. In other graphs an edge has one time, which ``keep_time`` selects, and three vertices count at most once.

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

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    DynamicTemporalTriangleCount : Maintains the result while the graph changes.

    Notes
    -----
    O(sum of the smaller degree of the two ends) look-ups over the edges, O(E) memory. Records cost a walk over the
    records of the three edges for each three vertices, and O(R) memory for R of them.

    Examples
    --------
    >>> from algorithms import temporal_triangle_count
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 0], [1, 2, 2], time=[10, 20, 30], time_unit="s", device="cpu"
    ... )
    >>> temporal_triangle_count(graph, delta="20s").total
    1
    >>> temporal_triangle_count(graph, delta="10s").total
    0
    """
    times = fr.advanced.arguments.edge_times(graph)
    check_undirected(graph, "temporal_triangle_count")
    delta = fr.advanced.arguments.span(graph, delta, "delta")
    fr.advanced.arguments.warn_of_replaced_times(graph)
    part: Any = graph
    src, dst, _ = part.own_edges() if graph.in_parts else graph.to_coo()
    local = part.local if graph.in_parts else graph
    latest = times[local.find_edges(src, dst, checked=False)]
    counts = graph.vertex_array(np.int64, combine="add")
    walked = graph
    if not graph.finds_fast and not graph.in_parts and src.size:  # in a copy that does
        walked = fr.advanced.csr_structure().from_edges(
            src, dst, num_vertices=graph.num_vertices, device=graph.device, time=latest, time_unit=graph.time_unit,
            vertex_dtype=graph.vertex_dtype,
        )  # fmt: skip
        times = fr.advanced.arguments.edge_times(walked)
    op: Any = _count_at_latest
    args: tuple = Latest(times, latest, delta, counts)
    if graph.multi_edges == "all":
        op, args = _count_events, Events(*_listed_events(graph, walked, src, dst), delta, counts)
    fr.intersect(walked, src, dst, op, *args, numbered=True, checked=False)
    return TemporalTriangleCountResult(int(graph.sum_all(counts)) // 3, counts)


def _listed_events(graph: fr.Graph, walked: fr.Graph, src: Any, dst: Any) -> tuple[Any, Any, Any]:
    """The times of the records of some edges, by their numbers: positions by the edges of `walked`, offsets, stamps."""
    offsets, records = graph.records(src, dst)
    places = graph.xp.zeros(walked.edge_capacity, np.int64)
    places[walked.find_edges(src, dst, checked=False)] = graph.xp.arange(src.size)
    return places, offsets, graph.record_data["time"][records]  # type: ignore[index]


class Events(NamedTuple):
    """The records of edges, as `_listed_events` returns them, and the counts of triangles."""

    places: Any
    offsets: Any
    stamps: Any
    delta: Any
    counts: Any


def _count_events(i, u, v, w, edge_uw, edge_vw, *args):
    if w < u or w < v:  # the three are counted at the pair of the lesser two
        return
    events = Events(*args)
    a, b, c = i, events.places[edge_uw], events.places[edge_vw]
    found = _ending_in(events, a, b, c, True, True)
    found += _ending_in(events, b, a, c, False, True)
    found += _ending_in(events, c, a, b, False, False)
    fr.atomic_add(events.counts, u, found)
    fr.atomic_add(events.counts, v, found)
    fr.atomic_add(events.counts, w, found)


def _ending_in(events, x, y, z, y_ties, z_ties):
    """Count choices of an event of each edge, with the event of `x` last.

    At equal times, events of edges that `ties` come before.
    """
    offsets = events.offsets
    stamps = events.stamps
    delta = events.delta
    y_low = y_end = offsets[y]
    z_low = z_end = offsets[z]
    found = 0
    for at in range(offsets[x], offsets[x + 1]):
        time = stamps[at]
        while y_end < offsets[y + 1] and (stamps[y_end] < time or (y_ties and stamps[y_end] == time)):
            y_end += 1
        while y_low < y_end and not within(stamps[y_low], time, delta):
            y_low += 1
        while z_end < offsets[z + 1] and (stamps[z_end] < time or (z_ties and stamps[z_end] == time)):
            z_end += 1
        while z_low < z_end and not within(stamps[z_low], time, delta):
            z_low += 1
        found += (y_end - y_low) * (z_end - z_low)
    return found


class Latest(NamedTuple):
    """The latest times of edges, by edge and by the number of a pair, and the counts of triangles."""

    times: Any
    latest: Any
    delta: Any
    counts: Any


def _count_at_latest(i, u, v, w, edge_uw, edge_vw, *args):
    found = Latest(*args)
    last, delta = found.latest[i], found.delta
    if precedes(found.times[edge_uw], v, last, w, delta) and precedes(found.times[edge_vw], u, last, w, delta):
        fr.atomic_add(found.counts, u, 1)
        fr.atomic_add(found.counts, v, 1)
        fr.atomic_add(found.counts, w, 1)


def precedes(time, opposite, last, opposite_last, delta):
    """Whether an edge of a triangle is at most delta before another edge. The opposite vertices decide ties."""
    return (time < last or (time == last and opposite < opposite_last)) and within(time, last, delta)
