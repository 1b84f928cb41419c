"""NetworkX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import networkx as nx
import numpy as np

from .base import BasePeer, Task

MAX_STEPS = 1000
MAX_PAIRWISE = 5000
"""Most vertices of a graph whose pairs it compares all. More need gigabytes of memory."""


class Peer(BasePeer):
    """See `BasePeer`. Its PageRank raises without convergence, so it has no fixed number of steps."""

    version = nx.__version__
    notes: ClassVar[Mapping[str, str]] = {
        "pagerank": "NetworkX multiplies its tolerance by the number of vertices, so it is given that part of it"
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
        return _values(graph, lambda: nx.single_source_shortest_path_length(graph, source), -1, np.int32)

    def triangle_count(self, graph: nx.Graph) -> Task:
        return _values(graph, lambda: nx.triangles(graph), 0, np.int64)

    def connected_components(self, graph: nx.Graph) -> Task:
        return Task(lambda: list(nx.connected_components(graph)), lambda result: _labels(graph, result))

    def pagerank(self, graph: nx.Graph, alpha: float, tol: float) -> Task:
        each = tol / max(len(graph), 1)  # it multiplies its tolerance by the number of vertices
        return _values(graph, lambda: nx.pagerank(graph, alpha, max_iter=MAX_STEPS, tol=each), 0.0, np.float64)

    def k_truss(self, graph: nx.Graph, k: int) -> Task:
        return Task(lambda: nx.k_truss(graph, k), lambda result: _columns(result.edges, 2))

    def sssp(self, graph: nx.Graph, source: int) -> Task:
        return _values(graph, lambda: nx.single_source_dijkstra_path_length(graph, source), np.inf, np.float64)

    def core_number(self, graph: nx.Graph) -> Task:
        return _values(graph, lambda: nx.core_number(graph), 0, np.int64)

    def k_core(self, graph: nx.Graph, k: int) -> Task:
        return Task(lambda: nx.k_core(graph, k), lambda result: _columns(result.edges, 2))

    def label_propagation(self, graph: nx.Graph) -> Task:
        return Task(
            lambda: list(nx.community.asyn_lpa_communities(graph, seed=0)), lambda result: _labels(graph, result)
        )

    def coloring(self, graph: nx.Graph) -> Task:
        return _values(graph, lambda: nx.greedy_color(graph), -1, np.int64)

    def maximal_independent_set(self, graph: nx.Graph) -> Task:
        return Task(
            lambda: nx.maximal_independent_set(graph, seed=0),
            lambda result: _by_vertex(graph, dict.fromkeys(result, True), False, np.bool_),
        )

    def local_clustering(self, graph: nx.Graph) -> Task:
        return _values(graph, lambda: nx.clustering(graph), 0.0, np.float64)

    def jaccard(self, graph: nx.Graph) -> Task | None:
        if graph.is_directed():
            return None
        return Task(lambda: list(nx.jaccard_coefficient(graph, graph.edges)), lambda result: _columns(result, 3))

    def shortest_path(self, graph: nx.Graph, source: int) -> Task:
        return Task(
            lambda: nx.single_source_dijkstra(graph, source),
            lambda result: _by_vertex(graph, result[0], np.inf, np.float64),
        )

    def ego_graph(self, graph: nx.Graph, source: int, radius: int) -> Task:
        return Task(lambda: nx.ego_graph(graph, source, radius), lambda result: _columns(result.edges, 2))

    def maximum_spanning_forest(self, graph: nx.Graph) -> Task | None:
        if graph.is_directed():
            return None
        return Task(
            lambda: list(nx.maximum_spanning_edges(graph)),
            lambda result: _columns([(u, v, data.get("weight", 1)) for u, v, data in result], 3),
        )

    def strongly_connected_components(self, graph: nx.Graph) -> Task:
        find = nx.strongly_connected_components if graph.is_directed() else nx.connected_components

        return Task(lambda: list(find(graph)), lambda result: _labels(graph, result))

    def louvain(self, graph: nx.Graph) -> Task:
        return Task(lambda: nx.community.louvain_communities(graph, seed=0), lambda result: _labels(graph, result))

    def personalized_pagerank(self, graph: nx.Graph, source: int, alpha: float, tol: float) -> Task:
        options = {"max_iter": MAX_STEPS, "tol": tol * (1 - alpha) / max(len(graph), 1), "weight": None}
        return _values(graph, lambda: nx.pagerank(graph, alpha, {source: 1}, **options), 0.0, np.float64)

    def hits(self, graph: nx.Graph, tol: float, max_iter: int) -> Task:
        def read(result: tuple[dict, dict]) -> tuple[np.ndarray, ...]:
            return tuple(_by_vertex(graph, scores, 0.0, np.float64) for scores in result)

        return Task(lambda: nx.hits(graph, max_iter=max_iter, tol=tol), read)

    def katz_centrality(self, graph: nx.Graph, tol: float, max_iter: int) -> Task:
        degrees = graph.out_degree if graph.is_directed() else graph.degree
        alpha = 1 / (max((d for _, d in degrees), default=0) + 1)
        return _values(graph, lambda: nx.katz_centrality(graph, alpha, max_iter=max_iter, tol=tol), 0.0, np.float64)

    def force_atlas2(self, graph: nx.Graph, max_iter: int, seed: int) -> Task | None:
        if graph.is_directed() or len(graph) > MAX_PAIRWISE:
            return None
        return Task(
            lambda: nx.forceatlas2_layout(graph, max_iter=max_iter, weight="weight", seed=seed),
            lambda result: tuple(np.array([result[v] for v in range(len(graph))], np.float64).reshape(-1, 2).T),
        )

    def degree_centrality(self, graph: nx.Graph) -> Task:
        return _values(graph, lambda: nx.degree_centrality(graph), 0.0, np.float64)

    def eigenvector_centrality(self, graph: nx.Graph, tol: float, max_iter: int) -> Task:
        options = {"max_iter": max_iter, "tol": tol, "weight": "weight"}
        return _values(graph, lambda: nx.eigenvector_centrality(graph, **options), 0.0, np.float64)


def _values(graph: nx.Graph, run: Callable[[], Any], default: Any, dtype: Any) -> Task:
    return Task(run, lambda result: _by_vertex(graph, result, default, dtype))


def _columns(rows: Any, count: int) -> tuple[np.ndarray, ...]:
    table = np.array(list(rows), np.float64).reshape(-1, count)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), *table[:, 2:].T


def _labels(graph: nx.Graph, parts: list[set[int]]) -> np.ndarray:
    """A number for each vertex: the number of its set."""
    return _by_vertex(graph, {v: number for number, part in enumerate(parts) for v in part}, -1, np.int64)


def _by_vertex(graph: nx.Graph, values: dict[int, Any], default: Any, dtype: Any) -> np.ndarray:
    found = np.full(len(graph), default, dtype)
    found[np.fromiter(values.keys(), np.int64)] = np.fromiter(values.values(), dtype)
    return found
