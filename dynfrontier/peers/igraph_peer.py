"""igraph's Python interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import igraph
import numpy as np

from .base import BasePeer, Task, as_int32_distances, betweenness_scale, degree_shares, floats, integers


class Peer(BasePeer):
    """See `BasePeer`. Triangles come from the local transitivity. PageRank (PRPACK) solves a linear system to 1e-10."""

    version = igraph.__version__
    notes: ClassVar[Mapping[str, str]] = {
        "pagerank": "igraph solves the linear system, to 1e-10, without steps",
        "triangle_count": "igraph's counts come from its local transitivity",
    }

    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        # Its PageRank treats weights that are not of Python's type as 1.
        attributes = {} if weights is None else {"weight": np.asarray(weights, np.float64).tolist()}
        return {
            "n": num_vertices, "edges": np.stack([src, dst], axis=1), "edge_attrs": attributes, "directed": directed,
        }  # fmt: skip

    def build(self, prepared: Any) -> igraph.Graph:
        return igraph.Graph(**prepared)

    def bfs(self, graph: igraph.Graph, source: int) -> Task:
        return Task(lambda: graph.distances(source), lambda result: as_int32_distances(result[0]))

    def triangle_count(self, graph: igraph.Graph) -> Task:
        def read(result: Any) -> np.ndarray:
            degrees = np.array(graph.degree(), np.float64)
            return np.rint(np.array(result) * degrees * (degrees - 1) / 2).astype(np.int64)

        return Task(lambda: graph.transitivity_local_undirected(mode="zero"), read)

    def connected_components(self, graph: igraph.Graph) -> Task:
        return Task(graph.connected_components, _membership)

    def pagerank(self, graph: igraph.Graph, alpha: float, tol: float) -> Task:
        weights = _weights(graph)
        return Task(lambda: graph.pagerank(damping=alpha, weights=weights), floats)

    def sssp(self, graph: igraph.Graph, source: int) -> Task:
        weights = _weights(graph)
        return Task(lambda: graph.distances(source, weights=weights), lambda result: np.array(result[0], np.float64))

    def core_number(self, graph: igraph.Graph) -> Task:
        return Task(graph.coreness, integers)

    def label_propagation(self, graph: igraph.Graph) -> Task:
        return Task(graph.community_label_propagation, _membership)

    def louvain(self, graph: igraph.Graph) -> Task:
        weights = _weights(graph)
        return Task(lambda: graph.community_multilevel(weights=weights), _membership)

    def leiden(self, graph: igraph.Graph) -> Task:
        weights = _weights(graph)
        return Task(lambda: graph.community_leiden("modularity", weights=weights), _membership)

    def personalized_pagerank(self, graph: igraph.Graph, source: int, alpha: float, tol: float) -> Task:
        return Task(lambda: graph.personalized_pagerank(damping=alpha, reset_vertices=[source]), floats)

    def coloring(self, graph: igraph.Graph) -> Task:
        return Task(graph.vertex_coloring_greedy, integers)

    def local_clustering(self, graph: igraph.Graph) -> Task:
        return Task(lambda: graph.transitivity_local_undirected(mode="zero"), floats)

    def jaccard(self, graph: igraph.Graph) -> Task:
        return self._similarity(graph, graph.similarity_jaccard)

    def sorensen(self, graph: igraph.Graph) -> Task:
        return self._similarity(graph, graph.similarity_dice)

    def _similarity(self, graph: igraph.Graph, compute: Callable[..., list[float]]) -> Task:
        ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
        pairs = ends.tolist()
        return Task(
            lambda: compute(pairs=pairs, mode="out", loops=False) if pairs else [],
            lambda result: (ends[:, 0], ends[:, 1], np.array(result, np.float64)),
        )

    def betweenness_centrality(self, graph: igraph.Graph, sources: np.ndarray) -> Task:
        chosen = np.asarray(sources).tolist()
        pairs = 1 if graph.is_directed() else 2  # it counts them once
        scale = pairs * betweenness_scale(graph.vcount(), chosen)
        return Task(lambda: graph.betweenness(sources=chosen), lambda result: np.array(result, np.float64) * scale)

    def edge_betweenness_centrality(self, graph: igraph.Graph, sources: np.ndarray) -> Task:
        chosen = np.asarray(sources).tolist()
        ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
        pairs = 1 if graph.is_directed() else 2  # it counts them once
        scale = pairs / max(len(chosen) * (graph.vcount() - 1), 1)
        return Task(
            lambda: graph.edge_betweenness(sources=chosen),
            lambda result: (ends[:, 0], ends[:, 1], floats(result) * scale),
        )

    def degree_centrality(self, graph: igraph.Graph) -> Task:
        return Task(graph.degree, degree_shares)

    def eigenvector_centrality(self, graph: igraph.Graph, tol: float, max_iter: int) -> Task | None:
        if graph.is_directed():
            return None
        weights = _weights(graph)

        def read(result: Any) -> np.ndarray:
            found = floats(result)
            return found / np.linalg.norm(found)

        return Task(lambda: graph.eigenvector_centrality(weights=weights), read)

    def minimum_spanning_forest(self, graph: igraph.Graph) -> Task:
        weights = _weights(graph)

        def read(result: igraph.Graph) -> tuple[np.ndarray, ...]:
            ends = np.array(result.get_edgelist(), np.int64).reshape(-1, 2)
            return ends[:, 0], ends[:, 1], np.array(result.es[weights], np.float64) if weights else np.ones(len(ends))

        return Task(lambda: graph.spanning_tree(weights=weights), read)

    def strongly_connected_components(self, graph: igraph.Graph) -> Task:
        return Task(lambda: graph.connected_components(mode="strong"), _membership)


def _weights(graph: igraph.Graph) -> str | None:
    return "weight" if graph.is_weighted() else None


def _membership(clusters: Any) -> np.ndarray:
    return integers(clusters.membership)
