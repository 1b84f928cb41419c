"""Single-source shortest paths, by buckets.

Vertices of the nearest bucket are relaxed repeatedly until their distances stop changing, before the next bucket is
processed (`frontier.PriorityFrontier`). A small delta, the width of a bucket, wastes fewer relaxations. A large one
needs fewer rounds, and gives a GPU more to do in each.

    distance[v]      length of the shortest path found so far, `unreached` before the first
    predecessor[v]   the vertex before v on that path
    too_long[0]      1 after a path length overflowed the distances' type

If one thread relaxes vertices one after another, predecessors form a tree at any time. A vertex that is above another
is never farther away, or its own distance has come down since (Cormen et al., "Introduction to Algorithms", 24.5). If
several threads do, the tree is found from the distances.

Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 2003; Davidson, Baxter,
Garland and Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", IPDPS 2014 (on a GPU).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import several_sources
from ._functors import value_of
from ._source_paths import search_paths
from ._source_words import words_of
from .bfs import bfs
from .result import Result
from .shortest_path_tree import shortest_path_tree, unreached_of, weight_length

REACH = {"cpu": 1, "gpu": 512}
"""delta is this multiple of the typical weight divided by the mean degree. On a CPU a bucket costs next to nothing. On
a GPU a round costs as much as many small steps, and scale-free graphs need few rounds either way."""
PIECE = 2**14
"""Weights whose roots are in the cache together."""
MAX_DELTA = 2**62
"""Upper bound on delta for integer weights."""


@dataclass(frozen=True, repr=False)
class SSSPResult(Result):
    """Result of `sssp`. Arrays are on the graph's device. With `sources`, they have a row for each source.

    Attributes
    ----------
    distance : array, shape (num_vertices,) or (len(sources), num_vertices)
        The weights' type for floats, int64 for integers, int32 for unweighted graphs. Infinity, or the largest integer
        of the type, for unreachable vertices.
    predecessor : array of the graph's vertex dtype, of the same shape, or None
        The previous vertex on a shortest path, -1 for the source and for unreachable vertices. If several qualify, any
        of them. Together they always form a tree.
    sources : array of int64, shape (len(sources),), or None
        With `sources`: the source of each row.

    See Also
    --------
    sssp : Computes it.
    """

    distance: Any
    predecessor: Any = None
    sources: Any = None


@fr.advanced.reads
def sssp(
    graph: fr.Graph, source: int | None = None, *, sources: Any = None, predecessors: bool = True
) -> SSSPResult:  # fmt: skip
    """Shortest-path lengths and tree from `source`.

    With `sources`, from each of several vertices at once.

    Parameters
    ----------
    graph : Graph
        Weights must not be negative. Edges of infinite weight are ignored. In a directed graph edges are followed
        forward. Unweighted edges have length 1.
    source : int
    sources : array-like of int, instead of `source`
        Any number of vertices, possibly equal.
    predecessors : bool
        Also compute the tree, which may cost one more pass over the edges.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex of the graph, or not exactly one of `source` and `sources` is given.
    ValueError
        A weight is negative or NaN, or a distance overflows int64.

    See Also
    --------
    DynamicSSSP : Maintains the result while the graph changes.

    Notes
    -----
    Distances are exact for integer weights. For float weights they are sums in the weights' type, added along the path.
    Each edge adds a relative error of at most 6e-8 (float32) or 1.1e-16 (float64). Sums that overflow are infinite.

    O(V + E) work if no distance improves twice: a vertex relaxes its edges again whenever it comes nearer within its
    bucket. On a CPU this is also the worst case. On a GPU, in a distributed graph, and from several sources at once the
    worst case is O(V E). Without weights, the work of `bfs`. O(V) memory apart from the result, or O(64 V) for up to 64
    sources, which are searched from at once.

    Examples
    --------
    >>> from algorithms import sssp
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="float32", device="cpu"
    ... )
    >>> found = sssp(graph, 0)
    >>> found.distance
    array([0., 1., 3.], dtype=float32)
    >>> found.predecessor
    array([-1,  0,  1], dtype=int32)
    """
    fr.advanced.arguments.flag(predecessors, "predecessors")
    starts = several_sources(graph, source, sources)
    if starts is None:
        source = fr.advanced.arguments.vertex_id(graph, source, "source")
    if graph.weight_dtype is None:
        found = bfs(graph, source, sources=starts, predecessors=predecessors)
        return SSSPResult(found.distance, found.predecessor, found.sources)
    dtype = graph.weight_dtype if graph.weight_dtype.kind == "f" else np.dtype(np.int64)
    unreached = unreached_of(dtype)
    delta = bucket_width(graph, dtype, unreached)
    if starts is None:
        return SSSPResult(*_from_one(graph, source, delta, unreached, predecessors))
    return _from_several(graph, starts, delta, unreached, predecessors)


def _from_one(graph: fr.Graph, source: int, delta: Any, unreached: Any, predecessors: bool) -> tuple[Any, Any]:
    """The distances, and the tree if requested."""
    distance = graph.vertex_array(unreached.dtype, unreached, combine="min")
    predecessor = None
    distance[source] = 0
    too_long = graph.flags()
    if graph.in_parts:
        _search_parts(graph, source, delta, unreached, distance, too_long)
    else:
        predecessor = _search(graph, source, delta, distance, too_long, predecessors)
    check_lengths(graph, too_long, [distance], unreached)
    if predecessors and predecessor is None:
        predecessor = shortest_path_tree(graph, source, distance, unreached, weight_length)
    return distance, predecessor if predecessors else None


def _search(graph: fr.Graph, source: int, delta: Any, distance: Any, too_long: Any, predecessors: bool) -> Any:
    """Find all distances. Return the tree, too, if it is wanted and was found along with them."""
    unreached = unreached_of(distance.dtype)
    queue = fr.PriorityFrontier(graph, distance, delta, monotone=True)
    queue.push(fr.Frontier(graph, [source]))
    if graph.device.is_gpu or not predecessors:
        queue.traverse(_relax, distance, unreached, too_long)
        return None
    predecessor = graph.vertex_array(graph.vertex_dtype, -1, combine="max")
    return predecessor if queue.traverse(_relax_and_choose, distance, unreached, too_long, predecessor) else None


def _search_parts(graph: fr.Graph, source: int, delta: Any, unreached: Any, distance: Any, too_long: Any) -> None:
    """The same for a distributed graph, whose frontiers are sorted into near and far after each exchange."""
    limit, last = delta, np.nextafter(unreached, type(unreached)(0)) if unreached.dtype.kind == "f" else unreached - 1
    near, far = fr.Frontier(graph, [source]), fr.Frontier(graph)
    while True:
        while near:
            reached = fr.advance(graph, near, _relax, distance, unreached, too_long)
            near = fr.filter(reached, _is_near, distance, limit)
            far = far | (reached - near)
        far = fr.filter(far, _is_far, distance, limit)
        if not far:
            break
        least = graph.device.to_host(fr.reduce(far, value_of, distance, reduce="min", dtype=unreached.dtype))[0]
        limit = least + delta if least < last - delta else last
        near = fr.filter(far, _is_near, distance, limit)
    graph.sync(distance, too_long)


def _from_several(graph: fr.Graph, sources: Any, delta: Any, unreached: Any, predecessors: bool) -> SSSPResult:
    xp, shape = graph.xp, (sources.size, graph.num_vertices)
    distance = xp.empty(shape, unreached.dtype)
    predecessor = xp.empty(shape, graph.vertex_dtype) if predecessors else None
    named = graph.device.to_host(sources).tolist()
    for i, part in words_of(graph, named):
        rows = slice(i, i + len(part))
        if len(part) > 1:
            too_long = xp.zeros(1, np.int32)
            distance[rows], trees = search_paths(graph, part, delta, unreached, too_long, predecessors)
            check_lengths(graph, too_long, distance[rows], unreached)
        else:
            one = _from_one(graph, part[0], delta, unreached, predecessors)
            graph.sync(*one[: 1 + predecessors])
            distance[i], trees = one
        if predecessors:
            predecessor[rows] = trees
            # Zero weights, and weights too small to change a float, are for the tree of one source at a time.
            loose = ((predecessor[rows] < 0) & (distance[rows] < unreached)).sum(axis=1) != 1
            for row in (xp.flatnonzero(loose) + i).tolist():
                tree = shortest_path_tree(graph, named[row], distance[row], unreached, weight_length)
                graph.sync(tree)
                predecessor[row] = tree
    return SSSPResult(distance, predecessor, sources)


def check_lengths(graph: fr.Graph, too_long: Any, distances: Any, unreached: Any) -> None:
    """Raise ValueError if the length of a shortest path overflowed its type."""
    if int(too_long[0]):
        for distance in distances:
            if lost := fr.advance(graph, fr.Frontier.all(graph), _leads_on, distance, unreached):
                raise ValueError(f"the distance of vertex {int(lost.vertices[0])} does not fit in {distance.dtype}")


def bucket_width(graph: fr.Graph, dtype: np.dtype, unreached: Any) -> Any:
    """The width of a bucket, delta. Raises ValueError if a weight is negative or NaN."""
    largest = float(np.nextafter(unreached, dtype.type(0))) if dtype.kind == "f" else MAX_DELTA
    reach = REACH[graph.device.kind] * _typical_weight(graph) * graph.num_vertices / max(graph.num_arcs, 1)
    return dtype.type(min(reach if dtype.kind == "f" else max(reach, 1), largest))


def _typical_weight(graph: fr.Graph) -> float:
    """Mean of the square roots of the finite weights, squared: a few long edges hardly count. Raises ValueError if a
    weight is negative or NaN."""
    total = math.inf
    weights = None if graph.device.is_gpu or graph.in_parts else graph.slot_weights
    if weights is not None and weights.size == graph.num_arcs > 0 and weights.min() >= 0:
        # An array most probably without gaps, in a quarter of the time. Only the width of buckets depends on it.
        pieces = np.array_split(weights, -(-weights.size // PIECE))
        total = sum(float(np.sqrt(piece).sum(dtype=np.float64)) for piece in pieces)
    if total == math.inf:
        total = float(fr.neighbor_reduce(graph, None, _root_or_nan, dtype=np.float64).sum())
    if math.isnan(total):
        raise ValueError("shortest paths need weights that are numbers and not negative")
    return (total / max(graph.num_arcs, 1)) ** 2


def _root_or_nan(src, dst, edge, weight):
    if not weight >= 0:
        return math.nan
    return math.sqrt(weight) if weight < math.inf else 0.0


# Differences of distances never overflow their type, but sums might.


def _relax(src, dst, edge, weight, distance, unreached, too_long):
    own = distance[src]
    if not weight < unreached - own:
        if weight < math.inf:
            too_long[0] = 1
        return False
    through = own + weight
    return through < distance[dst] and fr.atomic_min(distance, dst, through) > through


def _relax_and_choose(src, dst, edge, weight, distance, unreached, too_long, predecessor):
    if _relax(src, dst, edge, weight, distance, unreached, too_long):
        predecessor[dst] = src
        return True
    return False


def _is_near(v, distance, limit):
    return distance[v] <= limit


def _is_far(v, distance, limit):
    return distance[v] > limit


def _leads_on(src, dst, edge, weight, distance, unreached):
    return distance[src] < unreached and distance[dst] == unreached and weight < math.inf
