"""NetworkX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import networkx as nx
import numpy as np

from .base import BasePeer, Task

MOST_STEPS = 1000


class Peer(BasePeer):
    """See `BasePeer`. It raises where PageRank has not converged, so that there is none of a number of steps."""

    version = nx.__version__
    notes: ClassVar[Mapping[str, str]] = {
        "pagerank": "NetworkX multiplies its tolerance by the number of vertices, so it is given that part of it",
    }

    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        columns = [np.asarray(ends).tolist() for ends in (src, dst, weights) if ends is not None]
        return num_vertices, list(zip(*columns, strict=True)), weights is not None, directed

    def build(self, prepared: Any) -> nx.Graph:
        num_vertices, edges, weighted, directed = prepared
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(num_vertices))
        (graph.add_weighted_edges_from if weighted else graph.add_edges_from)(edges)
        return graph

    def bfs(self, graph: nx.Graph, source: int) -> Task:
        return Task(
            lambda: nx.single_source_shortest_path_length(graph, source),
            lambda result: _by_vertex(graph, result, -1, np.int32),
        )

    def triangles(self, graph: nx.Graph) -> Task:
        return Task(lambda: nx.triangles(graph), lambda result: _by_vertex(graph, result, 0, np.int64))

    def components(self, graph: nx.Graph) -> Task:
        def read(result: list[set[int]]) -> np.ndarray:
            labels = {v: number for number, component in enumerate(result) for v in component}
            return _by_vertex(graph, labels, -1, np.int64)

        return Task(lambda: list(nx.connected_components(graph)), read)

    def pagerank(self, graph: nx.Graph, alpha: float, tol: float) -> Task:
        each = tol / max(len(graph), 1)  # it multiplies its tolerance by the number of vertices
        return Task(
            lambda: nx.pagerank(graph, alpha, max_iter=MOST_STEPS, tol=each),
            lambda result: _by_vertex(graph, result, 0.0, np.float64),
        )

    def k_truss(self, graph: nx.Graph, k: int) -> Task:
        def read(result: nx.Graph) -> tuple[np.ndarray, np.ndarray]:
            edges = np.array(list(result.edges), np.int64).reshape(-1, 2)
            return edges[:, 0], edges[:, 1]

        return Task(lambda: nx.k_truss(graph, k), read)

    def sssp(self, graph: nx.Graph, source: int) -> Task:
        return Task(
            lambda: nx.single_source_dijkstra_path_length(graph, source),
            lambda result: _by_vertex(graph, result, np.inf, np.float64),
        )


def _by_vertex(graph: nx.Graph, values: dict[int, Any], default: Any, dtype: Any) -> np.ndarray:
    """A dict by vertex as an array."""
    found = np.full(len(graph), default, dtype)
    found[np.fromiter(values.keys(), np.int64)] = np.fromiter(values.values(), dtype)
    return found
