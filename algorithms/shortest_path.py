"""A shortest path between two vertices, or the tree of shortest paths from one.

Without weights, breadth-first searches from both ends meet in the middle, each one level at a time, the smaller
frontier first. All paths of the levels before are known, so the first vertex that both have found is on a shortest
path. A directed graph without in-edges is searched from the source only.

With weights, the search is `sssp`, but a vertex is relaxed only while it is nearer than the target has come.

    before[v]    the vertex before v on a shortest path from the source, the source for
                 itself, -1 until v is found
    behind[v]    the vertex after v on a shortest path to the target, the target for itself,
                 -1 until v is found
    near[v]      length of the shortest path from the source found so far, `unreached` if
                 none was found

Pohl, "Bi-directional Search", Machine Intelligence 1971; Dijkstra, "A Note on Two Problems in Connexion with Graphs",
Numerische Mathematik 1959.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import places
from ._functors import is_not_negative
from .bfs import UNREACHED, bfs
from .result import Result
from .shortest_path_tree import shortest_path_tree, unreached_of, weight_length
from .sssp import bucket_width, check_lengths, sssp


@dataclass(frozen=True, repr=False)
class ShortestPathResult(Result):
    """Result of `shortest_path`. Arrays are on the graph's device.

    Attributes
    ----------
    distance, predecessor : arrays, shape (num_vertices,)
        As in `SSSPResult`. With a target, only the vertices of the path have entries, and all other vertices count as
        unreachable.
    source : int
    target : int or None

    See Also
    --------
    shortest_path : Computes it.
    """

    distance: Any
    predecessor: Any
    source: int
    target: int | None

    def path(self, target: int | None = None) -> list[int]:
        """Return the vertices of a shortest path from the source, both ends included. Empty if the search found none.

        It copies `predecessor` to the host.

        Parameters
        ----------
        target : int, optional
            By default the target of the search.

        Raises
        ------
        ValueError
            Neither the search nor the call has a target, or it is not a vertex of the graph.
        """
        target = self.target if target is None else fr.advanced.arguments.integer(target, "target", 0)
        if target is None or target >= self.predecessor.size:
            raise ValueError(f"target must be a vertex of the graph, not {target}")
        predecessor = self.predecessor.get() if hasattr(self.predecessor, "get") else self.predecessor
        found = [target]
        while predecessor[found[-1]] >= 0:
            found.append(int(predecessor[found[-1]]))
        return found[::-1] if found[-1] == self.source else []


@fr.advanced.reads
def shortest_path(
    graph: fr.Graph, source: int, target: int | None = None, *, weighted: bool | None = None
) -> ShortestPathResult:  # fmt: skip
    """A shortest path from `source` to `target`, or the shortest paths to all vertices.

    Parameters
    ----------
    graph : Graph
        As for `sssp`.
    source : int
    target : int, optional
        By default all vertices, as by `sssp`.
    weighted : bool, optional
        Whether edges are as long as their weights, rather than 1. By default, if the graph has weights.

    Raises
    ------
    TypeError, ValueError
        `source` or `target` is not a vertex of the graph.
    ValueError
        A weight is negative or NaN, or a distance overflows int64.
    NotImplementedError
        The graph is distributed.

    See Also
    --------
    ego_graph : The vertices within a radius.

    Notes
    -----
    O(V + E) work at most without weights. Searches from both ends visit few of the edges if paths are short, but two
    arrays of V entries are filled. With weights, a pass over all weights, and the work of `sssp` up to the distance of
    the target. O(V) memory.

    Examples
    --------
    >>> from algorithms import shortest_path
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> shortest_path(graph, 1, 4).path()
    [1, 2, 3, 4]
    >>> shortest_path(graph, 0).path(3)
    [0, 2, 3]
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "shortest_path")
    source = fr.advanced.arguments.vertex_id(graph, source, "source")
    is_weighted = graph.is_weighted and (weighted is None or fr.advanced.arguments.flag(weighted, "weighted"))
    if target is None:
        found = sssp(graph, source) if is_weighted else bfs(graph, source)
        return ShortestPathResult(found.distance, found.predecessor, source, None)
    target = fr.advanced.arguments.vertex_id(graph, target, "target")
    search = _approach if is_weighted else _meet
    return ShortestPathResult(*search(graph, source, target), source, target)


def _meet(graph: fr.Graph, source: int, target: int) -> tuple[Any, Any]:
    """Distances and predecessors on a path of the fewest edges."""
    xp, n, is_two_way = graph.xp, graph.num_vertices, not graph.directed or graph.has_in_edges
    before, behind = xp.full(n, -1, graph.vertex_dtype), xp.full(n, -1, graph.vertex_dtype)
    before[source], behind[target] = source, target
    ahead, back = fr.Frontier(graph, [source]), fr.Frontier(graph, [target])
    met = fr.filter(ahead, is_not_negative, behind)
    while not met and ahead and back:
        if not is_two_way or len(ahead) <= len(back):
            ahead = fr.advance(graph, ahead, _find, before)
            met = fr.filter(ahead, is_not_negative, behind)
        else:
            back = fr.advance(graph, back, _find, behind, edges="in" if graph.directed else "out")
            met = fr.filter(back, is_not_negative, before)
    distance, predecessor = xp.full(n, UNREACHED, np.int32), xp.full(n, -1, graph.vertex_dtype)
    if met:
        fr.compute(places(graph, 1), _join, met.vertices, before, behind, source, target, distance, predecessor)
    return distance, predecessor


class _Search(NamedTuple):
    """A search over weighted edges. `too_long` gets a 1 if the length of a path overflows the type of `near`."""

    near: Any
    unreached: Any
    too_long: Any
    before: Any
    target: Any


def _approach(graph: fr.Graph, source: int, target: int) -> tuple[Any, Any]:
    """Distances and predecessors on a path of the lowest length."""
    xp, n = graph.xp, graph.num_vertices
    dtype = graph.weight_dtype if graph.weight_dtype.kind == "f" else np.dtype(np.int64)
    unreached = unreached_of(dtype)
    near, before, too_long = xp.full(n, unreached, dtype), xp.full(n, -1, graph.vertex_dtype), xp.zeros(1, np.int32)
    near[source] = 0
    queue = fr.PriorityFrontier(graph, near, bucket_width(graph, dtype, unreached), monotone=True)
    queue.push(fr.Frontier(graph, [source]))
    alone = queue.traverse(_relax_toward, *_Search(near, unreached, too_long, before, target))
    if near[target] == unreached:
        check_lengths(graph, too_long, [near], unreached)
    if not alone:
        before = shortest_path_tree(graph, source, near, unreached, weight_length)
    distance, predecessor = xp.full(n, unreached, dtype), xp.full(n, -1, graph.vertex_dtype)
    if near[target] < unreached:
        fr.compute(places(graph, 1), _trace, before, near, target, distance, predecessor)
    return distance, predecessor


def _find(src, dst, edge, weight, found):
    return fr.atomic_cas(found, dst, -1, src) == -1


def _join(_, met, before, behind, source, target, distance, predecessor):
    v = met[0]
    while v != source:
        predecessor[v] = before[v]
        v = before[v]
    v = met[0]
    while v != target:
        predecessor[behind[v]] = v
        v = behind[v]
    edges = 0
    while v != source:
        edges += 1
        v = predecessor[v]
    v = target
    while edges > 0:
        distance[v] = edges
        edges -= 1
        v = predecessor[v]
    distance[source] = 0


def _relax_toward(src, dst, edge, weight, *args):
    search = _Search(*args)
    own = search.near[src]
    if not weight < search.near[search.target] - own:
        if search.near[search.target] == search.unreached and weight < math.inf:
            search.too_long[0] = 1
        return False
    through = own + weight
    if through < search.near[dst] and fr.atomic_min(search.near, dst, through) > through:
        search.before[dst] = src
        return dst != search.target
    return False


def _trace(_, before, near, target, distance, predecessor):
    v = target
    while v >= 0:
        distance[v] = near[v]
        predecessor[v] = before[v]
        v = before[v]
