"""igraph's Python interface."""

from __future__ import annotations

from typing import Any

import igraph
import numpy as np

from .base import BasePeer


class Peer(BasePeer):
    """See `BasePeer`. Triangles come from its local transitivity, its only count of them for each vertex."""

    version = igraph.__version__

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        return num_vertices, np.stack([src, dst], axis=1)

    def build(self, prepared: Any) -> Any:
        num_vertices, edges = prepared
        self.graph = igraph.Graph(n=num_vertices, edges=edges)
        return self.graph

    def bfs(self, graph: Any, source: int) -> Any:
        return lambda: graph.distances(source)

    def distances(self, result: Any) -> np.ndarray:
        found = np.array(result[0], np.float64)
        found[np.isinf(found)] = -1
        return found.astype(np.int32)

    def triangles(self, graph: Any) -> Any:
        return lambda: graph.transitivity_local_undirected(mode="zero")

    def per_vertex(self, result: Any) -> np.ndarray:
        degrees = np.array(self.graph.degree(), np.float64)
        return np.rint(np.array(result) * degrees * (degrees - 1) / 2).astype(np.int64)
