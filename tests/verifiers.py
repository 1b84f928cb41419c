"""Independent verifiers.

Each accepts any right answer, computes nothing the way the library does, and fails a wrong one.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def host(array):
    return array.get() if hasattr(array, "get") else np.asarray(array)


def adjacency(graph):
    """The graph as a SciPy matrix on the host, read through `to_coo`."""
    src, dst, _ = (None if a is None else host(a) for a in graph.to_coo())
    if not graph.directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    n = graph.num_vertices
    return csr_array((np.ones(src.size, np.int64), (src, dst)), shape=(n, n))


def verify_bfs(graph, source, result):
    """Distances obey the level rule on every edge, reach what can be reached, and predecessors are one level before."""
    distance, predecessor = host(result.distance).astype(np.int64), host(result.predecessor)
    unreached = np.iinfo(np.int32).max
    matrix = adjacency(graph).tocoo()
    src, dst = matrix.coords
    assert distance.shape == predecessor.shape == (graph.num_vertices,)
    assert distance[source] == 0 and predecessor[source] == -1
    reached = distance != unreached
    assert (distance[reached] >= 0).all()
    # No edge leads from a reached vertex to one more than a level further (or to none at all).
    assert (distance[dst[reached[src]]] <= distance[src[reached[src]]] + 1).all()
    # Every reached vertex but the source has a predecessor one level before it, over an edge of the graph.
    others = np.flatnonzero(reached & (np.arange(reached.size) != source))
    assert (predecessor[others] >= 0).all()
    assert (distance[predecessor[others]] == distance[others] - 1).all()
    edges = set(zip(src.tolist(), dst.tolist(), strict=True))
    assert all(edge in edges for edge in zip(predecessor[others].tolist(), others.tolist(), strict=True))
    assert (predecessor[~reached] == -1).all()


def triangles_per_vertex(graph):
    """Triangles of each vertex: half of diag(A A A), in blocks of rows that keep the products small."""
    matrix = adjacency(graph)
    n = graph.num_vertices
    counts = np.zeros(n, np.int64)
    for low in range(0, n, 1024):
        rows = matrix[low : low + 1024]
        counts[low : low + 1024] = ((rows @ matrix) * rows).sum(axis=1) // 2
    return counts


def verify_triangles(graph, result):
    """Totals and per-vertex counts are those of the matrix product."""
    counts = triangles_per_vertex(graph)
    assert result.total == counts.sum() // 3, f"{result.total} triangles, not {counts.sum() // 3}"
    if result.per_vertex is not None:
        assert (host(result.per_vertex) == counts).all()
