"""Graphs as verifiers read them: on the host."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.sparse import csr_array


def host(array):
    return array.get() if hasattr(array, "get") else np.asarray(array)


def adjacency(graph, weighted=False):
    """The graph as a SciPy matrix on the host, read through `to_coo`."""
    src, dst, weights = (None if a is None else host(a) for a in graph.to_coo())
    values = weights.astype(np.float64) if weighted and graph.is_weighted else np.ones(src.size, np.int64)
    if not graph.directed:
        src, dst, values = np.concatenate([src, dst]), np.concatenate([dst, src]), np.concatenate([values, values])
    n = graph.num_vertices
    return csr_array((values, (src, dst)), shape=(n, n))


def neighbor_sets(graph):
    """The neighbors of each vertex (successors, in directed graphs), as sets."""
    rows = adjacency(graph)
    return [set(rows.indices[a:b].tolist()) for a, b in itertools.pairwise(rows.indptr)]


def existing(graph):
    """Which vertices there are."""
    return host(graph.has_vertices(graph.xp.arange(graph.num_vertices)))


def weighted_neighbors(graph):
    """For each vertex its neighbors, ascending, and the running sums of the weights of their edges."""
    src, dst, weights = (None if part is None else host(part) for part in graph.to_coo())
    weights = np.ones(src.size) if weights is None else weights.astype(np.float64)
    if not graph.directed:
        src, dst, weights = np.append(src, dst), np.append(dst, src), np.append(weights, weights)
    order = np.lexsort((dst, src))
    cuts = np.cumsum(np.bincount(src, minlength=graph.num_vertices))[:-1]
    near, each = np.split(dst[order], cuts), np.split(weights[order], cuts)
    return [(ids, np.cumsum(values)) for ids, values in zip(near, each, strict=True)]
