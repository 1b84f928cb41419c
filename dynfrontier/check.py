"""Compute the expected results of a stream with NumPy and SciPy, on the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

import frontier as fr

BLOCK_PRODUCTS = 1 << 24  # products of matrix entries made at a time: bounds the memory of the count to some 300 MB


class CheckTime:
    """The time of a check, `limit` seconds from now, and its function `show`.

    `show` receives the current work and its finished share, from 0 to 1, or None if that is unknown.
    """

    def __init__(self, limit: float, show: Callable[[str, float | None], None] = lambda text, part: None):
        self._end = time.perf_counter() + limit
        self.show = show

    @property
    def left(self) -> float:
        return max(self._end - time.perf_counter(), 0.0)


def final_edges(changes: Iterable[fr.io.EdgeList], num_vertices: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the undirected simple graph of edges whose last row is an insertion: int64 ends, the lower first."""
    keys, kept = [np.empty(0, np.int64)], [np.empty(0, bool)]
    for batch in changes:
        low = np.minimum(batch.src, batch.dst).astype(np.int64)
        high = np.maximum(batch.src, batch.dst).astype(np.int64)
        proper = low < high
        keys.append((low * num_vertices + high)[proper])
        kept.append(np.full(int(proper.sum()), batch.operation == "insert"))
    joined, inserted = np.concatenate(keys), np.concatenate(kept)
    if inserted.all():
        joined.sort()  # np.unique hashes them first, for ten times as long
        distinct = joined[np.diff(joined, prepend=-1) != 0]
    else:
        distinct, last = np.unique(joined[::-1], return_index=True)
        distinct = distinct[inserted[::-1][last]]
    return distinct // max(num_vertices, 1), distinct % max(num_vertices, 1)


def count_triangles(low: np.ndarray, high: np.ndarray, num_vertices: int) -> int:
    """Count the triangles of a simple undirected graph as the sum of (A A) * A over its edges in one direction.

    A contains each edge from its end of lower rank by degree to its end of higher rank, so each triangle is counted
    once. Blocks of rows bound the memory of the product.
    """
    from scipy.sparse import csr_array

    degree = np.bincount(low, minlength=num_vertices) + np.bincount(high, minlength=num_vertices)
    rank = np.empty(num_vertices, np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(num_vertices)
    u, v = rank[low], rank[high]
    edges = (np.ones(u.size, np.int32), (np.minimum(u, v), np.maximum(u, v)))
    matrix = csr_array(edges, shape=(num_vertices, num_vertices))
    products = np.concatenate([[0], np.cumsum(np.diff(matrix.indptr)[matrix.indices], dtype=np.int64)])[matrix.indptr]
    total, begin = 0, 0
    while begin < num_vertices:
        end = int(np.searchsorted(products, products[begin] + BLOCK_PRODUCTS, side="right")) - 1
        end = min(max(end, begin + 1), num_vertices)
        rows = matrix[begin:end]
        total += int((rows @ matrix).multiply(rows).sum(dtype=np.int64))
        begin = end
    return total
