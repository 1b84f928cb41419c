"""NetworKit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import networkit as nk
import numpy as np

from .base import BasePeer, Task, as_int32_distances, degree_shares, floats, integers

NEVER = 1e-300  # a tolerance that no step stays below


class Peer(BasePeer):
    """See `BasePeer`. Triangles come from scores of edges, so only the total is compared.

    In undirected graphs NetworKit loses the rank of isolated vertices. Normalized ranks equal ranks that spread it
    evenly: exactly in the limit, to some 1e-5 after a number of steps.
    """

    version = nk.__version__
    notes: ClassVar[Mapping[str, str]] = {
        "pagerank": "NetworKit loses the rank of isolated vertices; its ranks are made to sum to 1",
        "triangle_count": "NetworKit's count comes from its scores of edges",
    }

    def __init__(self) -> None:
        nk.setNumberOfThreads(len(os.sched_getaffinity(0)))

    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        ends = src.astype(np.uint64), dst.astype(np.uint64)
        edges = ends if weights is None else (np.asarray(weights, np.float64), ends)
        return num_vertices, edges, weights is not None, directed

    def build(self, prepared: Any) -> nk.Graph:
        num_vertices, edges, weighted, directed = prepared
        graph = nk.Graph(num_vertices, weighted=weighted, directed=directed)
        graph.addEdges(edges)
        return graph

    def bfs(self, graph: nk.Graph, source: int) -> Task:
        return Task(
            lambda: nk.distance.BFS(graph, source, storePaths=False).run().getDistances(asarray=True),
            as_int32_distances,
        )

    def triangle_count(self, graph: nk.Graph) -> Task:
        def count() -> Any:
            if not graph.hasEdgeIds():
                graph.indexEdges()
            return nk.sparsification.TriangleEdgeScore(graph).run().scores()

        return Task(count, lambda result: int(np.sum(np.array(result, np.int64))) // 3)

    def connected_components(self, graph: nk.Graph) -> Task:
        return Task(lambda: nk.components.ParallelConnectedComponents(graph, False).run().getPartition(), _subsets)

    def _rank(self, graph: nk.Graph, alpha: float, tol: float, steps: int | None) -> Task:
        def run() -> Any:
            ranks = nk.centrality.PageRank(
                graph, alpha, tol, distributeSinks=nk.centrality.SinkHandling.DistributeSinks
            )
            ranks.norm = nk.centrality.Norm.l1norm
            if steps is not None:
                ranks.maxIterations = steps
            return ranks.run().scores()

        def read(result: Any) -> np.ndarray:
            found = np.array(result, np.float64)
            return found / found.sum()

        return Task(run, read)

    def pagerank(self, graph: nk.Graph, alpha: float, tol: float) -> Task:
        return self._rank(graph, alpha, tol, None)

    def pagerank_steps(self, graph: nk.Graph, alpha: float, steps: int) -> Task:
        return self._rank(graph, alpha, NEVER, steps)

    def core_number(self, graph: nk.Graph) -> Task | None:
        if graph.isDirected():
            return None
        return Task(lambda: nk.centrality.CoreDecomposition(graph).run().scores(), integers)

    def louvain(self, graph: nk.Graph) -> Task:
        return Task(lambda: nk.community.PLM(graph).run().getPartition(), _subsets)

    def leiden(self, graph: nk.Graph) -> Task:
        return Task(lambda: nk.community.ParallelLeiden(graph).run().getPartition(), _subsets)

    def local_clustering(self, graph: nk.Graph) -> Task:
        return Task(lambda: nk.centrality.LocalClusteringCoefficient(graph, True).run().scores(), floats)

    def degree_centrality(self, graph: nk.Graph) -> Task | None:
        if graph.isDirected():
            return None
        return Task(lambda: nk.centrality.DegreeCentrality(graph).run().scores(), degree_shares)

    def sssp(self, graph: nk.Graph, source: int) -> Task:
        def read(result: Any) -> np.ndarray:
            found = np.array(result, np.float64)
            return np.where(found == np.finfo(np.float64).max, np.inf, found)

        return Task(
            lambda: nk.distance.Dijkstra(graph, source, storePaths=False).run().getDistances(asarray=True), read
        )


def _subsets(partition: Any) -> np.ndarray:
    return np.array(partition.getVector(), np.int64)
