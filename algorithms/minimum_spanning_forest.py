"""Minimum and maximum spanning forests, by Boruvka's algorithm.

At first every vertex is a tree. In each round every tree chooses the lightest edge that leaves it, and all these edges
join the forest. Edges of equal weight are ordered by their ends, which excludes cycles and makes the forest the same in
every run. A vertex finds its own candidate, the neighbor over the lightest edge to another tree. Then the candidates of
a tree are compared. Vertices without a candidate never have one again. For a maximum spanning forest all weights change
their sign.

Without weights a CPU finds the same forest in one pass, by Kruskal's algorithm: the edges are ordered by their ends, so
they need no sort. The edges of a vertex u to higher neighbors in one tree differ only in the neighbor, and the lowest
joins the forest.

    tree[v]         a vertex of v's tree, finally the root
    near[v]         the neighbor of v over the lightest edge to another tree, -1 without one
    weight[v]       the weight of that edge, times -1 for a maximum spanning forest
    lightest[r]     the lowest of these weights in the tree of root r
    chosen[r]       the lowest key (`frontier.core.keys`) of an edge that has it
    lowest[r]       the lowest neighbor of u in the tree of root r, the number of vertices
                    without one

Boruvka, "O jistem problemu minimalnim", 1926; Kruskal, "On the Shortest Spanning Subtree of a Graph and the Traveling
Salesman Problem", Proc. Amer. Math. Soc. 1956; Vineet, Harish, Patidar and Narayanan, "Fast Minimum Spanning Tree for
Large Graphs on the GPU", HPG 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import check_undirected, places
from ._functors import is_not_negative
from ._union_find import join, root_of
from .result import Result

EXACT = 2**53
NO_KEY = np.int64(2**63 - 1)


@dataclass(frozen=True, repr=False)
class MinimumSpanningForestResult(Result):
    """Result of `minimum_spanning_forest` and `maximum_spanning_forest`. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the forest, each once, as ``src < dst``, sorted.
    weight : array of float64, shape (num_edges,)
        1 in unweighted graphs.
    total_weight : float
    num_edges : int

    See Also
    --------
    maximum_spanning_forest : Computes it.
    minimum_spanning_forest : Computes it.
    """

    src: Any
    dst: Any
    weight: Any
    total_weight: float
    num_edges: int


@fr.advanced.reads
def minimum_spanning_forest(graph: fr.Graph) -> MinimumSpanningForestResult:
    """The edges of lowest total weight that connect each component.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights may be negative. Without weights it is a spanning forest.

    Raises
    ------
    ValueError
        The graph is directed, or an integer weight is beyond 2**53.

    See Also
    --------
    maximum_spanning_forest : The heaviest forest.

    Notes
    -----
    O((V + E) log V) work at most, O(V) memory, four host synchronizations a round. Without weights, on a CPU, one pass
    over the edges by one thread.

    Examples
    --------
    >>> from algorithms import minimum_spanning_forest
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="float32", device="cpu"
    ... )
    >>> forest = minimum_spanning_forest(graph)
    >>> forest.src, forest.dst
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
    >>> forest.total_weight
    3.0
    """
    return _forest(graph, 1.0, "minimum_spanning_forest")


@fr.advanced.reads
def maximum_spanning_forest(graph: fr.Graph) -> MinimumSpanningForestResult:
    """The edges of highest total weight that connect each component, without a cycle.

    Parameters
    ----------
    graph : Graph
        As for `minimum_spanning_forest`, like the errors.

    See Also
    --------
    minimum_spanning_forest : The lightest forest.

    Notes
    -----
    The same work as `minimum_spanning_forest`. Among edges of equal weight, it also prefers those with the lowest ends.

    Examples
    --------
    >>> from algorithms import maximum_spanning_forest
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="float32", device="cpu"
    ... )
    >>> forest = maximum_spanning_forest(graph)
    >>> forest.src, forest.dst
    (array([0, 1], dtype=int32), array([2, 2], dtype=int32))
    >>> forest.total_weight
    6.0
    """
    return _forest(graph, -1.0, "maximum_spanning_forest")


def _forest(graph: fr.Graph, sign: float, name: str) -> MinimumSpanningForestResult:
    """The forest of the lowest weights times `sign`, for the algorithm of this name."""
    check_undirected(graph, name)
    fr.advanced.arguments.check_one_device(graph, name)
    if graph.weight_dtype == np.int64 and bool(fr.neighbor_reduce(graph, None, _is_inexact, reduce="any").any()):
        raise ValueError(f"{name} compares weights as float64, but this graph has some beyond 2**53")
    in_one_pass = not graph.is_weighted and not graph.device.is_gpu
    src, dst = _join_in_order(graph) if in_one_pass else _join_in_rounds(graph, sign)
    weights = graph.edge_weights(src, dst).astype(np.float64) if graph.is_weighted else graph.xp.ones(src.size)
    return MinimumSpanningForestResult(src, dst, weights, float(weights.sum()), int(src.size))


def _join_in_rounds(graph: fr.Graph, sign: float) -> tuple[Any, Any]:
    """The edges of the forest, sorted, by Boruvka's algorithm."""
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    tree = xp.arange(n, dtype=graph.vertex_dtype)
    near, weight = xp.empty(n, graph.vertex_dtype), xp.ones(n, np.float64)
    stride, keys, rest = fr.advanced.keys.stride(graph), xp.empty(0, np.int64), everyone
    while True:
        fr.neighbor_reduce(graph, rest, _length_of_exit, tree, sign, reduce="argmin", dtype=np.float64, out=near)
        rest = fr.filter(rest, is_not_negative, near)
        if not rest:
            break
        if graph.is_weighted:
            ids = rest.vertices
            weight[ids] = sign * graph.slot_weights[graph.find_edges(ids, near[ids], checked=False)]
        lightest, chosen = xp.full(n, np.inf), xp.full(n, NO_KEY)
        fr.compute(rest, _offer_weight, tree, weight, lightest)
        fr.compute(rest, _offer_key, tree, weight, lightest, near, chosen, stride)
        keys = xp.concatenate([keys, xp.unique(chosen[chosen != NO_KEY])])
        fr.compute(everyone, _unite, tree, chosen, stride)
        fr.compute(everyone, _flatten, tree)
    return fr.advanced.keys.unpack(graph, fr.advanced.keys.sort(graph, keys))


def _join_in_order(graph: fr.Graph) -> tuple[Any, Any]:
    """The edges of the forest of a graph without weights, sorted, by Kruskal's algorithm."""
    n, kind = graph.num_vertices, graph.vertex_dtype
    tree, lowest, size = np.arange(n, dtype=kind), np.full(n, n, kind), np.zeros(1, np.int64)
    src, dst = np.empty(n, kind), np.empty(n, kind)
    fr.compute(places(graph, 1), _grow, graph, n, tree, lowest, src, dst, size)
    src, dst = src[: size[0]], dst[: size[0]]
    if graph.is_sorted:
        return src, dst
    return fr.advanced.keys.unpack(graph, fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, src, dst)))


def _is_inexact(src, dst, edge, weight):
    return weight > EXACT or weight < -EXACT


def _length_of_exit(src, dst, edge, weight, tree, sign):
    return sign * weight if tree[src] != tree[dst] else math.nan


def _offer_weight(v, tree, weight, lightest):
    fr.atomic_min(lightest, tree[v], weight[v])


def _offer_key(v, tree, weight, lightest, near, chosen, stride):
    if weight[v] == lightest[tree[v]]:
        fr.atomic_min(chosen, tree[v], min(v, near[v]) * stride + max(v, near[v]))


def _unite(v, tree, chosen, stride):
    if chosen[v] != NO_KEY:
        join(tree, tree[chosen[v] // stride], tree[chosen[v] % stride])


def _flatten(v, tree):
    root = v  # not `root_of`: the shorter paths that it stores could replace what another vertex stores here
    while tree[root] != root:
        root = tree[root]
    tree[v] = root


def _grow(_, graph, n, tree, lowest, src, dst, size):
    held = 0
    for u in range(n):
        own = root_of(tree, u)
        leaves = False
        for v, _edge, _weight in fr.neighbors(graph, u):
            if v > u:
                root = root_of(tree, v)
                if root != own and v < lowest[root]:
                    lowest[root] = v
                    leaves = True
        if not leaves:
            continue
        for v, _edge, _weight in fr.neighbors(graph, u):
            if v > u:
                root = root_of(tree, v)
                if v == lowest[root]:
                    lowest[root] = n
                    join(tree, own, root)
                    own = min(own, root)
                    src[held] = u
                    dst[held] = v
                    held += 1
    size[0] = held
