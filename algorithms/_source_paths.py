"""Shortest paths from up to 64 sources at once, for `sssp` from several sources.

Each vertex has a distance and a bit for every source. An edge passes on the sources that have come nearer. All sources
share one bucket: they start together and go as far as the same limit.

    distance[v w + i]  length of the shortest path from source i of w found so far,
                       `unreached` if none was found
    coming[p n + v]    sources that came nearer to v in a step of parity p, until the next
                       one starts
    arrived[v]         sources that came nearer in the last step
    later[v]           sources whose distance to v was found beyond the limit
    priority[v]        the priority of v in the queue: the lowest of these distances
    too_long[0]        1 after a path length overflowed the distances' type

The method is described in `sssp`, and the bits in `_source_words`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._source_words import lowest_bit

ONE = np.uint64(1)


class Search(NamedTuple):
    """A search from `width` of `n` vertices, with the limit of its queue."""

    distance: Any
    arrived: Any
    coming: Any
    later: Any
    priority: Any
    limit: Any
    deferred: Any
    n: Any
    width: Any
    unreached: Any
    too_long: Any


def search_paths(
    graph: fr.Graph, sources: Sequence[int], delta: Any, unreached: Any, too_long: Any, predecessors: bool
) -> tuple[Any, Any]:
    """Search from up to 64 vertices, possibly equal. `delta` and `unreached` have the distances' type.

    Returns distances, of shape (len(sources), num_vertices), and predecessors of the same shape, or None. The latter
    are -1 also for vertices whose predecessors are all at their own distance.
    """
    xp, n, width = graph.xp, graph.num_vertices, len(sources)
    dtype = np.dtype(type(unreached))
    distance = xp.full(n * width, unreached, dtype)
    distance[xp.asarray(np.asarray(sources, np.int64) * width + np.arange(width))] = 0
    arrived, later, coming = xp.zeros(n, np.uint64), xp.zeros(n, np.uint64), xp.zeros(2 * n, np.uint64)
    priority = xp.full(n, unreached, dtype)
    starts = fr.Frontier(graph, sources)
    queue = fr.PriorityFrontier(graph, priority, delta)
    fr.compute(starts, _set_out, distance, later, priority, width)
    queue.push(starts)
    search = Search(
        distance, arrived, coming, later, priority, queue.limit, queue.deferred, n, width, unreached, too_long
    )
    while near := queue.pop():
        fr.compute(near, _take_near, *search)
        fr.traverse(graph, near, _relax, fr.advanced.StepCounter(0), *search, prepare=_arrive)
    predecessor = None
    if predecessors:
        rows = xp.full(n * width, -1, graph.vertex_dtype)
        fr.advance(graph, fr.Frontier.all(graph), _choose_nearer, distance, rows, width, unreached)
        predecessor = xp.ascontiguousarray(rows.reshape(n, width).T)
    return xp.ascontiguousarray(distance.reshape(n, width).T), predecessor


def _set_out(v, distance, later, priority, width):
    priority[v] = 0
    for i in range(width):
        if distance[v * width + i] == 0:
            later[v] |= ONE << np.uint64(i)


def _take_near(v, *args):
    search = Search(*args)
    bits = search.later[v]
    rest = np.uint64(0)
    lowest = search.unreached
    while bits != 0:
        i = lowest_bit(bits)
        bits &= bits - ONE
        if search.distance[v * search.width + i] <= search.limit[0]:
            search.coming[v] |= ONE << np.uint64(i)
        else:
            rest |= ONE << np.uint64(i)
            lowest = min(lowest, search.distance[v * search.width + i])
    search.later[v] = rest
    search.priority[v] = lowest
    if rest != 0:
        fr.defer(search.deferred, v)


def _arrive(src, step, *args):
    search = Search(*args)
    here = (step & 1) * search.n + src
    search.arrived[src] = search.coming[here]
    search.coming[here] = 0


def _relax(src, dst, edge, weight, step, *args):
    search = Search(*args)
    bits = search.arrived[src]
    near = np.uint64(0)
    far = np.uint64(0)
    lowest = search.unreached
    while bits != 0:
        i = lowest_bit(bits)
        bits &= bits - ONE
        own = search.distance[src * search.width + i]
        if not weight < search.unreached - own:
            if weight < math.inf:
                search.too_long[0] = 1
            continue
        through = own + weight
        at = dst * search.width + i
        if through < search.distance[at] and fr.atomic_min(search.distance, at, through) > through:
            if through <= search.limit[0]:
                near |= ONE << np.uint64(i)
            else:
                far |= ONE << np.uint64(i)
                lowest = min(lowest, through)
    if far != 0:
        fr.atomic_or(search.later, dst, far)
        fr.atomic_min(search.priority, dst, lowest)
        fr.defer(search.deferred, dst)
    if near == 0:
        return False
    fr.atomic_or(search.coming, ((step + 1) & 1) * search.n + dst, near)
    return True


def _choose_nearer(src, dst, edge, weight, distance, predecessor, width, unreached):
    for i in range(width):
        here = distance[dst * width + i]
        if distance[src * width + i] < here < unreached and distance[src * width + i] + weight == here:
            predecessor[dst * width + i] = src
    return False
