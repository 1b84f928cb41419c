"""Local clustering coefficients: how many pairs of a vertex's neighbors are neighbors themselves.

A vertex with d neighbors that is in t triangles has the coefficient 2 t / (d (d - 1)); with fewer than two neighbors,
0.

Watts and Strogatz, "Collective dynamics of 'small-world' networks", Nature 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import frontier as fr

from ._arguments import check_undirected
from .result import Result
from .triangle_count import triangle_count


@dataclass(frozen=True, repr=False)
class LocalClusteringResult(Result):
    """Result of `local_clustering`.

    Attributes
    ----------
    clustering : array of float64, shape (num_vertices,)
        From 0 to 1, on the graph's device.
    average : float
        Mean over the vertices, those with fewer than two neighbors included.
    transitivity : float
        Of all pairs of neighbors of one vertex, the fraction that are neighbors; 0 if there are none.
    """

    clustering: Any
    average: float
    transitivity: float


@fr.advanced.reads
def local_clustering(graph: fr.Graph) -> LocalClusteringResult:
    """The clustering coefficient of every vertex; their average; and the transitivity of the graph.

    Parameters
    ----------
    graph : Graph
        Undirected.

    Raises
    ------
    ValueError
        The graph is directed.

    Notes
    -----
    O(E^1.5) work: `triangle_count`, and O(V). Memory as for `triangle_count`.

    Examples
    --------
    >>> from algorithms import local_clustering
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = local_clustering(graph)
    >>> found.clustering.round(3)
    array([1.   , 1.   , 0.333, 0.   , 0.   ])
    >>> found.transitivity
    0.5
    """
    check_undirected(graph, "local_clustering")
    return clustering_of(graph, triangle_count(graph).per_vertex)


def clustering_of(graph: fr.Graph, triangles: Any, unit: int = 1) -> LocalClusteringResult:
    """The result for the triangles of each vertex, counted in fractions of which `unit` are a triangle. O(V) work."""
    degrees = graph.degrees()
    ordered = degrees * (degrees - 1)  # twice the pairs of neighbors
    coefficients = triangles / graph.xp.maximum(ordered * (unit / 2), 1)
    existing, every_pair = len(fr.Frontier.all(graph)), int(ordered.sum()) if ordered.size else 0
    return LocalClusteringResult(
        coefficients, float(coefficients.sum()) / existing if existing else 0.0,
        2 * int(triangles.sum()) / (unit * every_pair) if every_pair else 0.0,
    )  # fmt: skip
