"""NetworKit."""

from __future__ import annotations

import os
from typing import Any

import networkit as nk
import numpy as np

from .base import BasePeer


class Peer(BasePeer):
    """See `BasePeer`. Triangles come from its scores of edges, so only the total is compared."""

    version = nk.__version__

    def __init__(self) -> None:
        nk.setNumberOfThreads(len(os.sched_getaffinity(0)))

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        return num_vertices, src.astype(np.uint64), dst.astype(np.uint64)

    def build(self, prepared: Any) -> Any:
        num_vertices, src, dst = prepared
        graph = nk.Graph(num_vertices)
        graph.addEdges((src, dst))
        return graph

    def bfs(self, graph: Any, source: int) -> Any:
        return lambda: nk.distance.BFS(graph, source, storePaths=False).run().getDistances(asarray=True)

    def distances(self, result: Any) -> np.ndarray:
        found = np.array(result, np.float64)
        found[found > np.iinfo(np.int32).max] = -1
        return found.astype(np.int32)

    def triangles(self, graph: Any) -> Any:
        def count() -> Any:
            if not graph.hasEdgeIds():
                graph.indexEdges()
            return nk.sparsification.TriangleEdgeScore(graph).run().scores()

        return count

    def per_vertex(self, result: Any) -> int:
        return int(np.sum(np.array(result, np.int64))) // 3
