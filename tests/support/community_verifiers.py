"""Verifiers of communities and labels. `verifiers` lists them by analytic."""

from __future__ import annotations

from collections import Counter

import numpy as np
from host_graphs import existing, host, neighbor_sets
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components as component_numbers


def verify_label_propagation(graph, result, max_iter=100, seed=0):
    """As `verify_frequent_labels`, after few enough rounds."""
    assert result.iterations <= max_iter
    verify_frequent_labels(graph, result)


def verify_frequent_labels(graph, result):
    """No label is more frequent among a vertex's neighbors than its own. Labels are the smallest vertices."""
    labels, there = host(result.labels), existing(graph)
    assert result.converged
    assert labels.shape == there.shape and labels.dtype == graph.vertex_dtype and (labels[~there] == -1).all()
    assert result.count == np.unique(labels[there]).size
    for v in np.unique(labels[there]):
        assert np.flatnonzero(labels == v)[0] == v
    for v, near in enumerate(neighbor_sets(graph)):
        if near:
            found, counts = np.unique(labels[list(near)], return_counts=True)
            assert counts.max() == counts[found == labels[v]].sum(), f"vertex {v} has a rare label"
        elif there[v]:
            assert labels[v] == v


def verify_cdlp(graph, result, max_iter=10):
    """Labels equal the result of a serial run, vertex by vertex."""
    src, dst = (host(part).tolist() for part in graph.to_coo()[:2])
    near = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(src, dst, strict=True):
        near[u].append(v)
        near[v].append(u)
    labels = list(range(graph.num_vertices))
    for _ in range(max_iter):
        counts = [Counter(labels[u] for u in each) for each in near]
        labels = [
            min(each, key=lambda label, each=each: (-each[label], label)) if each else own
            for own, each in zip(labels, counts, strict=True)
        ]
    assert result.iterations <= max_iter and host(result.labels).dtype == graph.vertex_dtype
    assert host(result.labels).tolist() == np.where(existing(graph), labels, -1).tolist()


def verify_louvain(graph, result, seed=0, resolution=1.0):
    """The modularity equals the communities' modularity, and is better than for vertices by themselves or together."""
    singles = verify_communities(graph, result, resolution=resolution)
    assert result.modularity >= max(singles, 0.0 if resolution == 1 else -np.inf) - 1e-12


def verify_communities(graph, result, seed=0, resolution=1.0):
    """The modularity equals the communities' modularity. Returns the modularity of single vertices."""
    labels, there = host(result.labels), existing(graph)
    src, dst, weights = (None if a is None else host(a) for a in graph.to_coo())
    weights = np.ones(src.size) if weights is None else weights.astype(np.float64)
    assert labels.dtype == graph.vertex_dtype and (labels[~there] == -1).all()
    assert result.count == np.unique(labels[there]).size
    assert all(np.flatnonzero(labels == v)[0] == v for v in np.unique(labels[there]))
    total = weights.sum()
    degree = np.bincount(np.append(src, dst), np.append(weights, weights), graph.num_vertices)
    inside = weights[labels[src] == labels[dst]].sum()
    of_community = np.bincount(labels[there], degree[there])
    expected = (inside / total - resolution * ((of_community / (2 * total)) ** 2).sum()) if total else 0.0
    assert abs(result.modularity - expected) < 1e-9
    return -resolution * ((degree / (2 * total)) ** 2).sum() if total else 0.0


def verify_leiden(graph, result, seed=0, resolution=1.0):
    """As for `louvain`. Each community is connected by edges with weights above 0."""
    verify_louvain(graph, result, seed, resolution)
    labels = host(result.labels)
    src, dst, weights = (None if a is None else host(a) for a in graph.to_coo())
    inside = (labels[src] == labels[dst]) & (True if weights is None else weights > 0)
    matrix = csr_array((np.ones(inside.sum()), (src[inside], dst[inside])), shape=(labels.size, labels.size))
    assert not labels.size or component_numbers(matrix, directed=False)[0] == result.count + (labels < 0).sum()
