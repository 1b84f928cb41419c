"""Local clustering coefficients that are maintained incrementally.

The triangles of each vertex are maintained (`DynamicTriangleCount`). Coefficients follow from them and the degrees when
they are read.

Ediger, Jiang, Riedy and Bader, "Massive Streaming Data Analytics: A Case Study with Clustering Coefficients", IPDPS
Workshops 2010.
"""

from __future__ import annotations

from typing import Any

import frontier as fr

from .dynamic_triangle_count import DynamicTriangleCount
from .incremental import maintained
from .local_clustering import LocalClusteringResult, clustering_of


class DynamicLocalClustering(DynamicTriangleCount):
    """Clustering coefficients of an undirected graph, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected.

    Attributes
    ----------
    clustering : array of float64, shape (num_vertices,)
        The coefficient of each vertex, from 0 to 1: a read-only array on the graph's device.
    average : float
        Mean over the vertices, including vertices with fewer than two neighbors.
    transitivity : float
        The fraction of pairs of neighbors of one vertex that are neighbors, or 0 if no vertex has two.
    total, per_vertex
        Triangles, as in `DynamicTriangleCount`.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a `DynamicGraph`, or is directed.

    See Also
    --------
    local_clustering : Computes the result for the current graph.

    Notes
    -----
    A batch costs the work of `DynamicTriangleCount`. The first read after it costs O(V) work.

    Examples
    --------
    >>> from algorithms import DynamicLocalClustering
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> found = DynamicLocalClustering(graph)
    >>> graph.insert_edges([0, 1], [2, 3])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> found.clustering.round(3)
    array([1.   , 0.667, 0.667, 0.333, 0.   ])
    >>> found.average.__round__(3), found.transitivity.__round__(3)
    (0.533, 0.6)
    """

    def __init__(self, graph: fr.DynamicGraph):
        self._known: tuple[int, LocalClusteringResult] | None = None  # the last result, and its version of the graph
        super().__init__(graph)

    @maintained
    def clustering(self) -> Any:
        """The clustering coefficient of each vertex."""
        return self.graph.device.read_only(self._result().clustering)

    @maintained
    def average(self) -> float:
        """The mean clustering coefficient."""
        return self._result().average

    @maintained
    def transitivity(self) -> float:
        """The fraction of pairs of neighbors that are neighbors."""
        return self._result().transitivity

    def _finish(self) -> None:
        """Compute the results while the graph has the degrees that belong to them."""
        super()._finish()
        self._result()

    def _result(self) -> LocalClusteringResult:
        graph = self.graph
        if self._known is None or not (self.closed or self._known[0] == graph.version):
            graph.sync(self._sixths)
            self._known = graph.version, clustering_of(graph, graph.degrees(), self._sixths, 3)  # a triangle: two links
        return self._known[1]
