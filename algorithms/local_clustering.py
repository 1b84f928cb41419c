"""Local clustering coefficients: the fraction of pairs of a vertex's neighbors that are neighbors themselves.

A vertex with d neighbors that is in t triangles has the coefficient 2 t / (d (d - 1)), or 0 if it has fewer than two
neighbors. LDBC Graphalytics extends this to directed graphs, with the vertices along edges in either direction as
neighbors. The coefficient is the number of edges from a neighbor to a neighbor over d (d - 1). Every triangle of the
undirected graph has one such edge, or two if its ends point to each other.

    links[v]    edges from a neighbor of v to a neighbor of v. Undirected edges count in
                both directions

Watts and Strogatz, "Collective dynamics of 'small-world' networks", Nature 1998; Iosup et al.,
"LDBC Graphalytics: A Benchmark for Large-Scale Graph Analysis on Parallel and Distributed Platforms", VLDB 2016
(directed graphs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from ._edge_sums import own_edges, without_directions
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
        Mean over the vertices, including vertices with fewer than two neighbors.
    transitivity : float
        The fraction of all pairs of neighbors of one vertex that are neighbors, 0 without pairs.

    See Also
    --------
    local_clustering : Computes it.
    """

    clustering: Any
    average: float
    transitivity: float


@fr.advanced.reads
def local_clustering(graph: fr.Graph) -> LocalClusteringResult:
    """The clustering coefficient of every vertex, their average, and the transitivity of the graph.

    Parameters
    ----------
    graph : Graph
        Undirected.

    See Also
    --------
    DynamicLocalClustering : Maintains the result while the graph changes.

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
    return clustering_of(graph, graph.degrees(), 2 * triangle_count(graph).per_vertex, 1)


@fr.advanced.reads
def ldbc_clustering(graph: fr.Graph) -> LocalClusteringResult:
    """`local_clustering` as LDBC Graphalytics defines it, of directed graphs too. It needs an undirected copy of these.

    NetworkX and cuGraph define other coefficients for directed graphs.
    """
    fr.advanced.arguments.check_graph(graph)
    if not graph.directed:
        return local_clustering(graph)
    held = without_directions(graph)
    return clustering_of(graph, held.degrees(), triangle_count(held).per_vertex + _mutual(held), 1)


def clustering_of(graph: fr.Graph, degrees: Any, links: Any, unit: int) -> LocalClusteringResult:
    """The result for the number of neighbors of each vertex, and `unit` times the links among them. O(V) work."""
    pairs = degrees * (degrees - 1)
    coefficients = links / graph.xp.maximum(unit * pairs, 1)
    existing, every_pair = len(fr.Frontier.all(graph)), unit * int(pairs.sum()) if pairs.size else 0
    return LocalClusteringResult(
        coefficients, float(coefficients.sum()) / existing if existing else 0.0,
        int(links.sum()) / every_pair if every_pair else 0.0,
    )  # fmt: skip


def _mutual(held: fr.Graph) -> Any:
    """The pairs of neighbors of each vertex that point to each other: edges of weight 2."""
    src, dst, weights = own_edges(held)
    both = held.xp.flatnonzero(weights == 2)
    found = held.vertex_array(np.int64, combine="add")
    fr.intersect(held, src[both], dst[both], _count, found)
    held.sync(found)
    return found


def _count(u, v, w, edge_uw, edge_vw, found):
    fr.atomic_add(found, w, 1)
