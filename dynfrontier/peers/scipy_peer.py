"""Sparse matrices and graph routines of SciPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy
from scipy.sparse import coo_array, csr_array

from ..check import count_triangles
from .base import BasePeer, Task, both_directions


class Peer(BasePeer):
    """See `BasePeer`. `check.count_triangles` counts triangles. PageRank is a power iteration on SciPy's products.

    The k-truss is left out: masked products need minutes on graphs with hubs.
    """

    version = scipy.__version__
    notes: ClassVar[Mapping[str, str]] = {
        "pagerank": "a power iteration on SciPy's products, as it has none of its own",
        "triangle_count": "masked products of SciPy's, as it has no count of its own",
    }

    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        src, dst = (np.asarray(ends, np.int32) for ends in (src, dst))  # csgraph needs int32 before SciPy 1.16
        edges = (src, dst, np.ones(src.size) if weights is None else np.asarray(weights, np.float64))
        return num_vertices, *(edges if directed else both_directions(*edges))

    def build(self, prepared: Any) -> csr_array:
        num_vertices, src, dst, weights = prepared
        return coo_array((weights, (src, dst)), shape=(num_vertices, num_vertices)).tocsr()

    # importing csgraph costs as much as all imports before it, and counting triangles needs none of it.

    def bfs(self, graph: csr_array, source: int) -> Task:
        from scipy.sparse.csgraph import breadth_first_order

        return Task(lambda: breadth_first_order(graph, source, directed=True), _distances)

    def triangle_count(self, graph: csr_array) -> Task:
        return Task(lambda: _count_triangles(graph), int)

    def spmv(self, graph: csr_array, vector: np.ndarray) -> Task:
        return Task(lambda: graph @ vector, np.asarray)

    def connected_components(self, graph: csr_array) -> Task:
        from scipy.sparse.csgraph import connected_components

        return Task(lambda: connected_components(graph, directed=False), lambda result: result[1])

    def pagerank(self, graph: csr_array, alpha: float, tol: float) -> Task:
        return Task(lambda: _rank(graph, alpha, tol, None), np.asarray)

    def pagerank_steps(self, graph: csr_array, alpha: float, steps: int) -> Task:
        return Task(lambda: _rank(graph, alpha, 0.0, steps), np.asarray)

    def sssp(self, graph: csr_array, source: int) -> Task:
        from scipy.sparse.csgraph import dijkstra

        return Task(lambda: dijkstra(graph, directed=True, indices=source), np.asarray)


def _distances(result: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    order, predecessors = result
    found = np.full(predecessors.size, -1, np.int32)
    found[order[0]] = 0
    for v in order[1:]:  # predecessors come first
        found[v] = found[predecessors[v]] + 1
    return found


def _rank(graph: csr_array, alpha: float, tol: float, steps: int | None) -> np.ndarray:
    n = graph.shape[0]
    sums = np.asarray(graph.sum(axis=1)).ravel()
    dangling = sums == 0
    share = np.divide(1.0, sums, out=np.zeros(n), where=~dangling)
    backward = graph.T
    ranks = np.full(n, 1.0 / max(n, 1))
    done = 0
    while steps is None or done < steps:
        new = alpha * (backward @ (ranks * share)) + (alpha * ranks[dangling].sum() + 1.0 - alpha) / n
        change = np.abs(new - ranks).sum()
        ranks, done = new, done + 1
        if change < tol or not n:
            break
    return ranks


def _count_triangles(graph: csr_array) -> int:
    edges = graph.tocoo()
    once = edges.row < edges.col
    return count_triangles(edges.row[once], edges.col[once], graph.shape[0])
