"""SciPy's sparse matrices and their graph routines."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order

from .base import BasePeer, both_directions

BLOCK_PRODUCTS = 1 << 24  # products made at a time: bounds the memory of the triangle count


class Peer(BasePeer):
    """See `BasePeer`. Triangles are the sum of (U U) * U, U being the edges from the lower degree to the higher."""

    version = scipy.__version__

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        return num_vertices, *both_directions(src, dst)

    def build(self, prepared: Any) -> Any:
        num_vertices, src, dst = prepared
        return coo_array((np.ones(src.size), (src, dst)), shape=(num_vertices, num_vertices)).tocsr()

    def bfs(self, graph: Any, source: int) -> Any:
        return lambda: breadth_first_order(graph, source, directed=True)

    def distances(self, result: Any) -> np.ndarray:
        order, predecessors = result
        found = np.full(predecessors.size, -1, np.int32)
        found[order[0]] = 0
        for v in order[1:]:  # predecessors come first
            found[v] = found[predecessors[v]] + 1
        return found

    def triangles(self, graph: Any) -> Any:
        return lambda: _count_triangles(graph)

    def per_vertex(self, result: Any) -> int:
        return int(result)

    def spmv(self, graph: Any, vector: np.ndarray) -> Any:
        return lambda: graph @ vector


def _count_triangles(graph: csr_array) -> int:
    n = graph.shape[0]
    rank = np.empty(n, np.int64)
    rank[np.argsort(np.diff(graph.indptr), kind="stable")] = np.arange(n)
    edges = graph.tocoo()
    u, v = rank[edges.row], rank[edges.col]
    keep = u < v
    upper = csr_array((np.ones(int(keep.sum()), np.int32), (u[keep], v[keep])), shape=(n, n))
    products = np.concatenate([[0], np.cumsum(np.diff(upper.indptr)[upper.indices], dtype=np.int64)])[upper.indptr]
    total, begin = 0, 0
    while begin < n:
        end = int(np.searchsorted(products, products[begin] + BLOCK_PRODUCTS, side="right")) - 1
        end = min(max(end, begin + 1), n)
        rows = upper[begin:end]
        total += int((rows @ upper).multiply(rows).sum(dtype=np.int64))
        begin = end
    return total
