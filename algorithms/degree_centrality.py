"""Degree centrality: the fraction of all other vertices that are neighbors.

In a directed graph successors and predecessors are counted, each as a neighbor. Graphs know the degrees of their
vertices, so no edge is visited, except where predecessors must be counted because the graph has no in-edges.

    degree_centrality[v]    edges of v, over the number of other vertices

Freeman, "Centrality in Social Networks: Conceptual Clarification", Social Networks 1978.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from .result import Result


@dataclass(frozen=True, repr=False)
class DegreeCentralityResult(Result):
    """Result of `degree_centrality`.

    Attributes
    ----------
    degree_centrality : array of float64, shape (num_vertices,)
        On the graph's device. Deleted vertices have 0.

    See Also
    --------
    degree_centrality : Computes it.
    """

    degree_centrality: Any


@fr.advanced.reads
def degree_centrality(graph: fr.Graph, normalized: bool = True) -> DegreeCentralityResult:
    """The degree centrality of every vertex.

    Parameters
    ----------
    graph : Graph
        In a directed graph the edges of both directions count, so values may reach 2.
    normalized : bool
        Divide the degree by the number of other vertices. The only vertex of a graph has 1, as in NetworkX.

    Raises
    ------
    TypeError
        An argument is invalid.

    See Also
    --------
    pagerank : Weighs neighbors by their own rank.
    Graph.degrees : The degrees themselves.

    Notes
    -----
    O(V) work and memory. A directed graph without in-edges scans all arcs.

    Examples
    --------
    >>> from algorithms import degree_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> degree_centrality(graph).degree_centrality
    array([0.5 , 0.5 , 0.75, 0.5 , 0.25])
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.flag(normalized, "normalized")
    everyone = fr.Frontier.all(graph)
    if normalized and len(everyone) == 1:
        return DegreeCentralityResult(everyone.mask.astype(np.float64))
    degrees = graph.degrees() + graph.in_degrees() if graph.directed else graph.degrees()
    return DegreeCentralityResult(degrees * (1 / (len(everyone) - 1) if normalized and everyone else 1.0))
