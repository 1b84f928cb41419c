"""Events sorted by time: keys to sort by, and searches in sorted lists for functors."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

SORTABLE = 2**63
"""Differences of times below it are keys to sort by."""


def events_by_time(graph: fr.Graph) -> tuple[Any, Any, Any, Any]:
    """The sources, destinations, times and ids of the events of a graph, by time, source and destination.

    The arcs of `graph` are events (`frontier.event_graph`), an undirected one being an event in both directions.
    """
    arcs = fr.EdgeFrontier.all(graph)
    times, order = fr.advanced.arguments.edge_times(graph)[arcs.edges], graph.xp.arange(arcs.src.size)
    _, order = fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, arcs.src, arcs.dst), order)
    order = sort_by_time(graph, times[order], order)
    return arcs.src[order], arcs.dst[order], times[order], arcs.edges[order]


def by_vertex(graph: fr.Graph, vertices: Any) -> tuple[Any, Any]:
    """The offsets of each vertex's positions in an array of vertices, and these positions, ascending."""
    _, order = fr.advanced.keys.sort(graph, vertices.astype(np.int64), graph.xp.arange(vertices.size))
    return prefix_sums(graph.xp.bincount(vertices, minlength=graph.num_vertices), graph.xp), order


def runs(keys: Any, xp: Any) -> Any:
    """The first positions of the runs of equal keys, and the number of keys."""
    begins = xp.ones(keys.size + 1, np.bool_)
    begins[1:-1] = keys[1:] != keys[:-1]
    return xp.flatnonzero(begins)


def prefix_sums(values: Any, xp: Any) -> Any:
    """The sums of the values before each position, and the total."""
    found = xp.zeros(values.size + 1, np.int64)
    found[1:] = xp.cumsum(values)
    return found


def sort_by_time(graph: fr.Graph, times: Any, values: Any) -> Any:
    """Return `values` in the order of their `times`. Stable."""
    if not times.size:
        return values
    low, high = int(times.min()), int(times.max())
    ranks = times - low if high - low < SORTABLE else graph.xp.unique(times, return_inverse=True)[1]
    return fr.advanced.keys.sort(graph, ranks, values)[1]


def first_from(times, low, high, now, strict):
    """The first position of a list sorted by time that may follow: after `now`, or at `now` if not `strict`."""
    while low < high:
        middle = (low + high) >> 1
        if times[middle] < now or (strict and times[middle] == now):
            low = middle + 1
        else:
            high = middle
    return low


def first_within(times, low, high, now, delta):
    """The first position of a sorted list of times up to `now` that is at most `delta` before it."""
    while low < high:
        middle = (low + high) >> 1
        if within(times[middle], now, delta):
            high = middle
        else:
            low = middle + 1
    return low


def first_beyond(times, low, high, now, delta):
    """The first position of a sorted list of times from `now` on that is more than `delta` after it."""
    while low < high:
        middle = (low + high) >> 1
        if within(now, times[middle], delta):
            low = middle + 1
        else:
            high = middle
    return low


def within(early, late, delta):
    """Whether two times, `early` not the greater, are at most delta apart, even if the difference overflows int64."""
    return np.uint64(late) - np.uint64(early) <= np.uint64(delta)
