"""Core numbers and k-cores: how deep in the graph each vertex is.

The k-core is the largest subgraph in which every vertex has at least k neighbors; the core number of a vertex is the
largest k for which it is in the k-core. Vertices are peeled off by increasing degree. Those with at most k remaining
neighbors leave together, and so do, one traversal later, all that fall to k because of it. A count never falls below k,
so that in the end the counts are the core numbers.

    core[v]    remaining neighbors of v, but at least k; the core number once v has left

Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition of Networks", 2003; Dasari, Desh and Zubair, "ParK:
An Efficient Algorithm for k-core Decomposition on Multicore Processors", IEEE Big Data 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._subgraph import SubgraphResult, sorted_edges
from .result import Result

ANY = np.int32(np.iinfo(np.int32).max)


@dataclass(frozen=True, repr=False)
class CoreNumberResult(Result):
    """Result of `core_number`.

    Attributes
    ----------
    core_number : array of int32, shape (num_vertices,)
        On the graph's device. 0 for isolated and for deleted vertices.
    degeneracy : int
        The largest core number: how many k-cores, from 1 on, are not empty.
    """

    core_number: Any

    @property
    def degeneracy(self) -> int:
        """The largest core number."""
        return int(self.core_number.max()) if self.core_number.size else 0


@dataclass(frozen=True, repr=False)
class KCoreResult(SubgraphResult):
    """Result of `k_core`: the edges between vertices of the core; arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the core, each once, sorted; those of undirected graphs as ``src < dst``.
    k : int
    num_edges : int
    num_vertices : int
        Of the graph, and of the result of `to_graph`.
    """


@fr.advanced.reads
def core_number(graph: fr.Graph) -> CoreNumberResult:
    """The core number of every vertex.

    Parameters
    ----------
    graph : Graph
        In a directed graph the degree of a vertex is its in-degree plus its out-degree, as in NetworkX. One without
        in-edges is copied to one with them.

    Notes
    -----
    O(V + E) work for peeling, and O(remaining vertices) for each core number that occurs; one or two host
    synchronizations each. O(V) memory.

    Examples
    --------
    >>> from algorithms import core_number
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> core_number(graph).core_number
    array([2, 2, 2, 1, 1], dtype=int32)
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "core_number")
    if not graph.has_in_edges:
        graph = graph.to_csr(in_edges=True)
    core = graph.degrees().astype(np.int32)
    if graph.directed:
        core += graph.in_degrees().astype(np.int32)
    rest, k, next_selection = fr.filter(fr.Frontier.all(graph), _is_least, core, 1), 1, 2
    while k < ANY:
        leaving = fr.filter(rest, _is_equal, core, k)
        if leaving:
            fr.traverse(graph, leaving, _peel, core, k, edges="both")
            k += 1
        else:
            k = int(fr.reduce(rest, _if_least, core, k, reduce="min", dtype=np.int32)[0])
        if next_selection <= k < ANY:
            rest, next_selection = fr.filter(rest, _is_least, core, k), 2 * k
    return CoreNumberResult(core)


@fr.advanced.reads
def k_core(graph: fr.Graph, k: int | None = None) -> KCoreResult:
    """The largest subgraph in which every vertex has at least k neighbors.

    Parameters
    ----------
    graph : Graph
        As for `core_number`.
    k : int, optional
        Not negative; by default the largest k whose core is not empty.

    Raises
    ------
    TypeError, ValueError
        `k` is not an integer or is negative.

    Notes
    -----
    As `core_number`, and O(E) memory for the result.

    Examples
    --------
    >>> from algorithms import k_core
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> core = k_core(graph, 2)
    >>> core.src, core.dst
    (array([0, 0, 1], dtype=int32), array([1, 2, 2], dtype=int32))
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "k_core")
    if k is not None:
        k = fr.advanced.arguments.integer(k, "k", 0)
    found = core_number(graph)
    core, least = found.core_number, found.degeneracy if k is None else k
    held = fr.extract_subgraph(graph, _is_held, core, min(least, int(ANY)), 0 if graph.directed else 1)
    src, dst = sorted_edges(graph, *held.to_coo()[:2])
    return KCoreResult(src, dst, least, graph.num_vertices, type(graph), graph.directed)


def _is_least(v, core, k):
    return core[v] >= k


def _is_equal(v, core, k):
    return core[v] == k


def _if_least(v, core, k):
    return core[v] if core[v] >= k else ANY


def _peel(src, dst, edge, weight, core, k):
    if core[dst] <= k:
        return False
    before = fr.atomic_add(core, dst, -1)
    if before <= k:  # another neighbor was faster
        fr.atomic_add(core, dst, 1)
    return before == k + 1


def _is_held(src, dst, edge, weight, core, k, once):
    return core[src] >= k and core[dst] >= k and (once == 0 or src < dst)
