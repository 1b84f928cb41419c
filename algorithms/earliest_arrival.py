"""Earliest arrival: time-respecting breadth-first search.

A message leaves the source at some time and follows edges in the order of their times: the times along a path must not
decrease, or must increase. Each vertex has the earliest time at which the message can arrive. An edge that brings it
earlier makes its end pass it on. Vertices that it reaches in one span of time are processed together, the earliest
first, and few of them pass it on again.

    arrival[v]       time of the last edge on the best path to v found so far, NEVER if none
                     was found
    predecessor[v]   the vertex before v on such a path

An edge u -> v with time t is *tight* if arrival[u] <= t == arrival[v]. Predecessors are chosen among vertices that
arrive strictly earlier over tight edges. If paths may have equal times, some vertices have tight edges only from
vertices of the same time. The tree then grows into these edge by edge, without a cycle.

Wu, Cheng, Huang, Ke, Lu and Xu, "Path Problems in Temporal Graphs", VLDB 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from .result import Result
from .shortest_path_tree import TreeFunctors, tree_of

NEVER = np.iinfo(np.int64).max
BUCKET_ARCS = {"cpu": 1 << 13, "gpu": 1 << 20}
"""The number of arcs that should lie in a span of time processed at once: a round costs as much as this many."""
MAX_BUCKETS = 128
"""More spans between the first and the last edge save few visits."""
SAMPLE = 1024
"""Vertices whose edges show the range of times."""


@dataclass(frozen=True, repr=False)
class EarliestArrivalResult(Result):
    """Result of `earliest_arrival`. Arrays are on the graph's device.

    Attributes
    ----------
    arrival : array of int64, shape (num_vertices,)
        The time of the last edge of a path that arrives first, in the unit of the graph's times. At the source,
        `start`. The largest int64 for vertices that no path leads to.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,), or None
        The vertex before on such a path, -1 for the source and for unreachable vertices. If several qualify, any of
        them. Together they always form a tree.

    See Also
    --------
    earliest_arrival : Computes it.
    """

    arrival: Any
    predecessor: Any = None


@fr.advanced.reads
def earliest_arrival(
    graph: fr.Graph, source: int, start: Any = None, end: Any = None, *, strict: bool = False, predecessors: bool = True
) -> EarliestArrivalResult:  # fmt: skip
    """When each vertex can be reached from `source` by edges in the order of their times.

    Parameters
    ----------
    graph : Graph
        With times. In a directed graph edges are followed forward. In a graph that stores records
        (``multi_edges="all"``), each record is an edge in time. In other graphs an edge has one time, which
        ``keep_time`` selects.
    source : int
    start : int or timestamp, optional
        Ignore edges with lesser times. By default none.
    end : int or timestamp, optional
        Ignore edges with this time or a greater one. By default only edges with the largest int64.
    strict : bool
        Whether times must increase along a path, and not only never decrease.
    predecessors : bool
        Also compute the tree, which costs one more pass over the edges.

    Raises
    ------
    TypeError, ValueError
        The graph has no times, `source` is not one of its vertices, or another argument is invalid.

    See Also
    --------
    temporal_random_walks : Random walks along ascending times.
    bfs : Ignores times.

    Notes
    -----
    O(V + E) work if edges were visited in the order of time, and about as much by spans. In a graph that stores
    records, E is their number, and a copy is made (`frontier.event_graph`).

    Examples
    --------
    >>> from algorithms import earliest_arrival
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 0], [1, 2, 2], time=[10, 20, 30], time_unit="s", device="cpu"
    ... )
    >>> found = earliest_arrival(graph, 0)
    >>> found.arrival[1:]
    array([10, 20])
    >>> found.predecessor
    array([-1,  0,  1], dtype=int32)
    """
    graph = fr.event_graph(graph)
    times = fr.advanced.arguments.edge_times(graph)
    source = fr.advanced.arguments.vertex_id(graph, source, "source")
    begin = np.iinfo(np.int64).min if start is None else fr.advanced.arguments.time(graph, start, "start")
    end = NEVER if end is None else fr.advanced.arguments.time(graph, end, "end")
    fr.advanced.arguments.flag(strict, "strict")
    fr.advanced.arguments.flag(predecessors, "predecessors")
    arrival = graph.vertex_array(np.int64, NEVER, combine="min")
    begin, end, strict = np.int64(begin), np.int64(end), np.int32(strict)
    # The source passes on all edges of the window, including its first moment.
    reached = fr.advance(graph, fr.Frontier(graph, [source]), _leave, times, begin, end, arrival)
    arrival[source] = begin
    if graph.in_parts:  # which have no queue, and process all vertices reached in one step
        fr.traverse(graph, reached, _pass_on, arrival, times, end, strict)
        graph.sync(arrival)
    else:
        queue = fr.PriorityFrontier(graph, arrival, _width(graph, times), monotone=True)
        queue.push(reached)
        queue.traverse(_pass_on, arrival, times, end, strict)
    if not predecessors:
        return EarliestArrivalResult(arrival)
    functors = TreeFunctors(_choose_earlier, _choose_and_tell, _has_none, _grow)
    return EarliestArrivalResult(arrival, tree_of(graph, functors, arrival, source, times, begin, end, strict))


def _width(graph: fr.Graph, times: Any) -> int:
    """The units of time that are handled together, by the times of the edges of some vertices."""
    sample = graph.xp.arange(0, graph.num_vertices, max(graph.num_vertices // SAMPLE, 1))
    _, _, edges = fr.advanced.extract_neighbors(graph, sample[graph.has_vertices(sample)])
    if not edges.size:
        return 0
    held = times[edges]
    buckets = min(max(graph.num_arcs // BUCKET_ARCS[graph.device.kind], 1), MAX_BUCKETS)
    return min((int(held.max()) - int(held.min())) // buckets, NEVER)


def _leave(src, dst, edge, weight, times, begin, end, arrival):
    time = times[edge]
    return begin <= time < end and fr.atomic_min(arrival, dst, time) > time  # several events may lead there


def _pass_on(src, dst, edge, weight, arrival, times, end, strict):
    time = times[edge]
    if time >= end or time < arrival[src] or (strict and time == arrival[src]):
        return False
    return time < arrival[dst] and fr.atomic_min(arrival, dst, time) > time


class Tree(NamedTuple):
    """The arguments of the functors that find predecessors: the tree so far, and the window of time."""

    arrival: Any
    predecessor: Any
    source: Any
    times: Any
    begin: Any
    end: Any
    strict: Any


def _choose_and_tell(src, dst, edge, weight, *args):
    return _choose(Tree(*args), src, dst, edge)


def _choose_earlier(src, dst, edge, weight, *args):
    _choose(Tree(*args), src, dst, edge)
    return False


def _choose(tree, src, dst, edge):
    """Make src the predecessor of dst if src is reached before the edge, and dst by it. Return whether."""
    time, source = tree.times[edge], tree.source
    if time != tree.arrival[dst] or not tree.begin <= time < tree.end or dst == source:
        return False
    if src != source and tree.arrival[src] >= time:
        return False
    tree.predecessor[dst] = src
    return True


def _has_none(v, *args):
    tree = Tree(*args)
    return tree.predecessor[v] < 0 and tree.arrival[v] < NEVER and v != tree.source


def _grow(src, dst, edge, weight, *args):
    tree = Tree(*args)
    if tree.predecessor[dst] >= 0 or dst == tree.source or tree.predecessor[src] < 0:
        return False
    time = tree.times[edge]
    if tree.arrival[src] == time and tree.arrival[dst] == time < tree.end:
        return fr.atomic_cas(tree.predecessor, dst, -1, src) == -1
    return False
