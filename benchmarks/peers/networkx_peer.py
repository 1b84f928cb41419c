"""NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .base import BasePeer


class Peer(BasePeer):
    """See `BasePeer`."""

    version = nx.__version__

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        self.num_vertices = num_vertices
        return num_vertices, list(zip(src.tolist(), dst.tolist(), strict=True))

    def build(self, prepared: Any) -> Any:
        num_vertices, edges = prepared
        graph = nx.Graph()
        graph.add_nodes_from(range(num_vertices))
        graph.add_edges_from(edges)
        return graph

    def bfs(self, graph: Any, source: int) -> Any:
        return lambda: nx.single_source_shortest_path_length(graph, source)

    def distances(self, result: Any) -> np.ndarray:
        return self._dense(result, -1, np.int32)

    def triangles(self, graph: Any) -> Any:
        return lambda: nx.triangles(graph)

    def per_vertex(self, result: Any) -> np.ndarray:
        return self._dense(result, 0, np.int64)

    def _dense(self, result: dict[int, int], default: int, dtype: Any) -> np.ndarray:
        found = np.full(self.num_vertices, default, dtype)
        found[np.fromiter(result.keys(), np.int64)] = np.fromiter(result.values(), dtype)
        return found
