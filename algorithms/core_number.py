"""Core numbers and k-cores: how deep in the graph each vertex is.

The k-core is the largest subgraph in which every vertex has at least k neighbors. The core number of a vertex is the
largest k for which it is in the k-core. Vertices are peeled off by increasing degree. Vertices with at most k remaining
neighbors leave together. One traversal later, all vertices that fall to k because of it leave as well.

    core[v]     the core number of v, once it has left
    spare[v]    remaining neighbors of v beyond k, 0 or less once it has left

Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition of Networks", 2003; Dasari, Desh and Zubair, "ParK:
An Efficient Algorithm for k-core Decomposition on Multicore Processors", IEEE Big Data 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import with_in_edges
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
        The largest core number.

    See Also
    --------
    core_number : Computes it.
    """

    core_number: Any

    @property
    def degeneracy(self) -> int:
        """The largest core number."""
        return int(self.core_number.max()) if self.core_number.size else 0


@dataclass(frozen=True, repr=False)
class KCoreResult(SubgraphResult):
    """Result of `k_core`: the edges between vertices of the core. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the core, each once, sorted, in undirected graphs as ``src < dst``.
    k : int
    num_edges : int
    num_vertices : int
        The structure of the graph, and of the result of `to_graph`.

    See Also
    --------
    k_core : Computes it.
    """


@fr.advanced.reads
def core_number(graph: fr.Graph) -> CoreNumberResult:
    """The core number of every vertex.

    Parameters
    ----------
    graph : Graph
        In a directed graph the degree of a vertex is its in-degree plus its out-degree, as in NetworkX. A graph without
        in-edges is copied to one with them. A distributed graph without in-edges is refused.

    Raises
    ------
    ValueError
        A directed distributed graph has no in-edges.

    See Also
    --------
    DynamicCoreNumber : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work for peeling, and O(remaining vertices) for each core number that occurs, with one or two host
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
    graph = with_in_edges(graph, "core_number")
    everyone, degrees = fr.Frontier.all(graph), graph.degrees()
    core = graph.xp.zeros(graph.num_vertices, np.int32)
    spare = graph.vertex_array(
        np.int32, degrees + graph.in_degrees() if graph.directed else degrees, combine="countdown"
    )
    rest, k, step, next_selection = fr.filter(everyone, _remains, spare), 0, 1, 2
    while step < ANY:
        k += step
        leaving = fr.filter(rest, _leaves, spare, step)
        if leaving:
            fr.traverse(graph, leaving, _peel, core, spare, k, prepare=_leave, edges="both")
            step = 1
        else:
            step = int(fr.reduce(rest, _if_spare, spare, reduce="min", dtype=np.int32)[0])
        if k >= next_selection:
            rest, next_selection = fr.filter(rest, _remains, spare), 2 * k
    return CoreNumberResult(core)


@fr.advanced.reads
def k_core(graph: fr.Graph, k: int | None = None) -> KCoreResult:
    """The largest subgraph in which every vertex has at least k neighbors.

    Parameters
    ----------
    graph : Graph
        As for `core_number`.
    k : int, optional
        Not negative. By default the largest k whose core is not empty.

    Raises
    ------
    TypeError, ValueError
        `k` is not an integer or is negative.

    See Also
    --------
    core_number : The core of each vertex.

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


def _remains(v, spare):
    return spare[v] > 0


def _leaves(v, spare, step):
    """Whether v leaves now that k is higher by `step`."""
    spare[v] -= step
    return spare[v] == 0


def _if_spare(v, spare):
    return spare[v] if spare[v] > 0 else ANY


def _leave(src, core, spare, k):
    core[src] = k


def _peel(src, dst, edge, weight, core, spare, k):
    return fr.atomic_add(spare, dst, -1) == 1


def _is_held(src, dst, edge, weight, core, k, once):
    return core[src] >= k and core[dst] >= k and (once == 0 or src < dst)
