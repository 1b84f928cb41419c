"""Verifiers of centralities and ranks. `verifiers` lists them by analytic."""

from __future__ import annotations

import numpy as np
from host_graphs import adjacency, existing, host
from scipy.sparse import csr_array, identity
from scipy.sparse.linalg import spsolve

from algorithms._arguments import sample_of


def walk_of(graph, personalization=None, weighted=True):
    """The distribution of a walker's jumps, and the matrix of its steps along edges."""
    n = graph.num_vertices
    exists = host(graph.has_vertices(graph.xp.arange(n)))
    src, dst, weights = (None if a is None else host(a) for a in graph.to_coo())
    weights = np.ones(src.size) if weights is None or not weighted else weights.astype(np.float64)
    if not graph.directed:
        src, dst, weights = np.append(src, dst), np.append(dst, src), np.append(weights, weights)
    jump = exists / max(exists.sum(), 1) if personalization is None else np.zeros(n)
    for v, share in (personalization or {}).items():
        jump[v] = share / sum(personalization.values())
    totals = np.bincount(src, weights, n)
    return jump, csr_array((weights / totals[src], (dst, src)), shape=(n, n))


def exact_ranks(graph, alpha=0.85, personalization=None, weighted=True, error=1e-15):
    """The ranks to `error` in the sum of absolute differences, by power iteration: alpha to the number of steps."""
    jump, steps = walk_of(graph, personalization, weighted)
    ranks, left = jump, 2.0
    while left > error:
        followed = alpha * (steps @ ranks)
        ranks, left = followed + (ranks.sum() - followed.sum()) * jump, left * alpha
    return ranks


def verify_pagerank(graph, result, alpha=0.85, tol=1e-5, personalization=None, weighted=True):
    """Ranks are the fixed point of the walk, found by solving its equations, to the tolerance."""
    n = graph.num_vertices
    exists = host(graph.has_vertices(graph.xp.arange(n)))
    jump, steps = walk_of(graph, personalization, weighted)
    # Vertices without a way on jump: solve without them, then scale.
    ranks = spsolve((identity(n, format="csc") - alpha * steps).tocsc(), jump)
    ranks /= ranks.sum()
    found = host(result.pagerank)
    assert found.shape == (n,) and result.converged and result.error < tol
    assert abs(found.sum() - 1) < 1e-6
    assert np.abs(found - ranks).sum() <= tol * alpha / (1 - alpha) + 1e-13
    assert (found[~exists] == 0).all()


def distances_and_paths(graph):
    """All distances, infinite where there are none, and the numbers of shortest paths, by matrix products."""
    matrix, n = adjacency(graph).astype(np.float64), graph.num_vertices
    distance, paths = np.full((n, n), np.inf), np.eye(n)
    np.fill_diagonal(distance, 0)
    last, step = np.eye(n), 0
    while last.any():
        step += 1
        last = np.where(np.isinf(distance), (matrix.T @ last.T).T, 0)
        distance[last > 0] = step
        paths += last
    return distance, paths


def chosen_sources(graph, sources, k, seed):
    """The sources that a call draws."""
    return sample_of(graph, sources, k, seed)[0]


def verify_betweenness(graph, result, sources=None, k=None, normalized=True, endpoints=False, seed=0):
    """The mean over sources and targets of the fraction of shortest paths on which a vertex is.

    Without `endpoints` a vertex itself is neither of both.
    """
    distance, paths = distances_and_paths(graph)
    n, there, chosen = graph.num_vertices, existing(graph).sum(), chosen_sources(graph, sources, k, seed)
    expected, searches = np.zeros(n), np.zeros(n)
    for s in chosen:
        on_way = distance[s][:, None] + distance == distance[s][None, :]
        on_way &= np.isfinite(distance[s])[None, :]
        share = np.where(on_way, paths[s][:, None] * paths / np.maximum(paths[s], 1)[None, :], 0)
        share[:, s] = 0
        if not endpoints:
            np.fill_diagonal(share, 0)
            share[s] = 0
        expected += share.sum(axis=1)
        searches += endpoints | (np.arange(n) != s)
    ends = there if endpoints else there - 1
    if ends > 1:
        expected /= np.where(searches > 0, searches, np.nan) * (ends - 1)
        expected *= 1 if normalized else ends * (ends - 1) / (1 if graph.directed else 2)
    np.testing.assert_allclose(host(result.betweenness_centrality), expected, rtol=1e-9, atol=1e-14)


def verify_closeness(graph, result, sources=None, k=None, wf_improved=True, seed=0):
    """The inverse of the mean distance from the sources, times the fraction of them that have a path."""
    distance, _ = distances_and_paths(graph)
    chosen, expected = chosen_sources(graph, sources, k, seed), np.zeros(graph.num_vertices)
    for v in range(graph.num_vertices):
        lengths = [distance[s, v] for s in chosen if s != v]
        finite = [length for length in lengths if np.isfinite(length)]
        if finite:
            expected[v] = len(finite) / sum(finite) * (len(finite) / len(lengths) if wf_improved else 1)
    np.testing.assert_allclose(host(result.closeness_centrality), expected, rtol=1e-12)


def verify_hits(graph, result, max_iter=100, tol=1e-5):
    """Another iteration changes as little as the last one, and scores add up to 1."""
    matrix = adjacency(graph)
    hubs, authorities = host(result.hubs), host(result.authorities)
    assert result.converged and result.error < tol and result.iterations <= max_iter
    authorities_of = matrix.T @ hubs
    again = matrix @ (authorities_of / max(authorities_of.sum(), 1e-300))
    again = again / max(again.sum(), 1e-300)
    assert np.abs(again - hubs).sum() <= tol
    total = float(matrix.nnz > 0)
    assert abs(hubs.sum() - total) < 1e-9 and abs(authorities.sum() - total) < 1e-9
    assert np.abs(authorities - authorities_of / max(authorities_of.sum(), 1e-300)).sum() <= tol * 10
    assert (hubs[~existing(graph)] == 0).all() and (hubs >= 0).all()


def verify_katz(graph, result, beta=1.0, max_iter=1000, tol=1e-6, alpha=None):
    """The solution of the linear equations."""
    matrix, n = adjacency(graph), graph.num_vertices
    alpha = 1 / (matrix.sum(axis=1).max(initial=0) + 1) if alpha is None else alpha
    found = host(result.katz_centrality)
    assert result.converged and found.shape == (n,)
    if n:
        expected = spsolve((identity(n, format="csc") - alpha * matrix.T).tocsc(), beta * existing(graph))
        np.testing.assert_allclose(found, expected / max(np.linalg.norm(expected), 1e-300), atol=1e-4)


def verify_degree_centrality(graph, result, normalized=True):
    """Rows and columns of the matrix over the number of other vertices."""
    matrix, there = adjacency(graph), existing(graph)
    degrees = np.asarray(matrix.sum(axis=1)).ravel() + (np.asarray(matrix.sum(axis=0)).ravel() if graph.directed else 0)
    others = there.sum() - 1
    expected = np.where(there, degrees / others if others > 0 else 1.0, 0) if normalized else degrees
    np.testing.assert_allclose(host(result.degree_centrality), expected, rtol=1e-14)


def verify_eigenvector_centrality(graph, result, max_iter=100, tol=1e-6):
    """Another iteration changes as little as the last one; in undirected graphs the eigenvalue is the largest."""
    found, there = host(result.eigenvector_centrality), existing(graph)
    assert result.converged and result.iterations <= max_iter and found.shape == there.shape
    assert (found >= 0).all() and not found[~there].any()
    if not there.any():
        return
    matrix = adjacency(graph, weighted=True)
    assert result.error < tol and abs(np.linalg.norm(found) - 1) < 1e-9
    again = found + matrix.T @ found
    assert np.abs(again / np.linalg.norm(again) - found).sum() <= tol * there.sum() * 1.1
    if not graph.directed:
        assert found @ (matrix @ found) >= 0.98 * np.linalg.eigvalsh(matrix.toarray()).max()


def verify_edge_betweenness(graph, result, sources=None, k=None, normalized=True, seed=0):
    """The mean over sources of the fractions of shortest paths to all targets that lead over an edge."""
    distance, paths = distances_and_paths(graph)
    src, dst = (host(ends) for ends in graph.to_coo()[:2])
    assert (host(result.src) == src).all() and (host(result.dst) == dst).all()
    there, chosen = existing(graph).sum(), chosen_sources(graph, sources, k, seed)
    expected = np.zeros(src.size)
    for s in chosen:
        for u, v in ((src, dst),) if graph.directed else ((src, dst), (dst, src)):
            on_way = (distance[s][u] + 1)[:, None] + distance[v] == distance[s][None, :]
            on_way &= np.isfinite(distance[s])[None, :]
            share = np.where(on_way, paths[s][u][:, None] * paths[v] / np.maximum(paths[s], 1)[None, :], 0)
            expected += share.sum(axis=1)
    if there > 1:
        expected /= len(chosen) * (there - 1)
        expected *= 1 if normalized else there * (there - 1) / (1 if graph.directed else 2)
    np.testing.assert_allclose(host(result.betweenness_centrality), expected, rtol=1e-9, atol=1e-14)


def verify_personalized_pagerank(graph, result, source, alpha=0.85, tol=1e-4):
    """Ranks are the fixed point of the walk from the sources, to the tolerance."""
    sources = np.atleast_1d(source).tolist()
    jump, steps = walk_of(graph, dict.fromkeys(sources, 1), weighted=False)
    ranks = spsolve((identity(graph.num_vertices, format="csc") - alpha * steps).tocsc(), jump)
    ranks = np.atleast_1d(ranks) / ranks.sum()
    found = host(result.pagerank)
    assert found.shape == (graph.num_vertices,) and abs(found.sum() - 1) < 1e-9 and (found >= 0).all()
    assert np.abs(found - ranks).sum() <= result.error + 1e-12 and result.error <= tol
