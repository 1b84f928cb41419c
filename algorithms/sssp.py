"""Single-source shortest paths, near-far.

Vertices closer than a limit are relaxed again and again, until none of them gets closer; those beyond wait. Then the
limit moves on: the nearest of those that wait, and all within `delta` of it, are next. A small delta relaxes few edges
in vain, a large one takes few rounds.

    distance[v]      length of the shortest path that was found; `unreached` before there is one
    near[0]          distance of the nearest vertex of this round, which goes up to ``near[0] + delta``; all that are
                     closer are final

Davidson, Baxter, Garland and Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", IPDPS 2014;
Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 2003.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from .bfs import bfs
from .result import Result
from .shortest_path_tree import shortest_path_tree, unreached_of

REACH = 64
"""delta is so many times the mean weight over the mean degree. The paper takes half of that; but a round costs as much
as many small steps, and on scale-free graphs there are few either way."""
MOST_IN_INT64 = 2**62
"""Sum of all integer weights, so that no sum along a path, nor a limit beyond it, leaves int64."""


@dataclass(frozen=True)
class Distances(Result):
    """What `sssp` finds; arrays are on the graph's device.

    Attributes
    ----------
    distance : array, shape (num_vertices,)
        Of the weights' type for floats, int64 for integers, int32 for graphs without weights. Infinity, or the largest
        number of the type, for vertices that cannot be reached.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,), or None
        The vertex before on a shortest path: -1 for the source and for vertices that cannot be reached. Where several
        would do, any of them; they always make up a tree.
    """

    distance: Any
    predecessor: Any = None


@fr.reads
def sssp(graph: fr.Graph, source: int, *, predecessors: bool = True) -> Distances:
    """Lengths of the shortest paths from `source`, and the tree that gives them.

    Parameters
    ----------
    graph : Graph
        Weights must not be negative; an infinite one is that of an edge that leads nowhere. In a directed graph edges
        are followed forward. Without weights every edge counts 1.
    source : int
    predecessors : bool
        Also find the tree, which takes one more pass over the edges.

    Raises
    ------
    TypeError, ValueError
        `source` is no vertex of the graph.
    ValueError
        A weight is negative or NaN, or integer weights add up to more than int64 holds.

    Notes
    -----
    Distances of float weights are sums in the weights' type, added along the path.
    """
    start = fr.Frontier(graph, [source])
    if graph.weight_dtype is None:
        found = bfs(graph, source)
        return Distances(found.distance, found.predecessor if predecessors else None)
    xp = graph.xp
    dtype = graph.weight_dtype if graph.weight_dtype.kind == "f" else np.dtype(np.int64)
    unreached = unreached_of(dtype)
    largest = float(np.nextafter(unreached, dtype.type(0))) if dtype.kind == "f" else MOST_IN_INT64
    reach = REACH * _mean_weight(graph, dtype) * graph.num_vertices / max(graph.num_arcs, 1)
    delta = dtype.type(min(reach if dtype.kind == "f" else max(reach, 1), largest))
    distance = xp.full(graph.num_vertices, unreached, dtype)
    distance[source] = 0
    near = xp.zeros(1, dtype)
    everyone = fr.Frontier.all(graph)
    while start:
        fr.traverse(graph, start, _relax_near, distance, near, delta)
        near = fr.reduce(everyone, _beyond, distance, near, delta, unreached, reduce="min", dtype=dtype)
        start = fr.filter(everyone, _within, distance, near, delta, unreached)
    if not predecessors:
        return Distances(distance)
    return Distances(distance, shortest_path_tree(graph, int(source), distance, unreached, graph.weight_dtype.type(0)))


def _mean_weight(graph: fr.Graph, dtype: np.dtype) -> float:
    """Mean of the finite weights; ValueError if there are weights that have no shortest paths."""
    total = float(fr.neighbor_reduce(graph, None, _weight_or_nan, dtype=np.float64).sum())
    if math.isnan(total):
        raise ValueError("sssp needs weights that are not negative and not NaN, but this graph has others")
    if dtype.kind == "i" and total >= MOST_IN_INT64:
        raise ValueError(f"the weights of this graph add up to {total:.3g}; distances might not fit in int64")
    return total / max(graph.num_arcs, 1)


def _weight_or_nan(src, dst, edge, weight):
    if not weight >= 0:
        return math.nan
    return weight if weight < math.inf else 0.0


def _relax_near(src, dst, edge, weight, distance, near, delta):
    through = distance[src] + weight
    if through < distance[dst] and fr.atomic_min(distance, dst, through) > through:
        return through <= near[0] + delta
    return False


def _beyond(v, distance, near, delta, unreached):
    return distance[v] if distance[v] > near[0] + delta else unreached


def _within(v, distance, near, delta, unreached):
    return near[0] <= distance[v] <= near[0] + delta and distance[v] < unreached
