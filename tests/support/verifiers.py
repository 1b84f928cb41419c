"""Independent verifiers.

Each accepts any right answer, computes nothing the way the library does, and fails a wrong one.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_right
from collections import Counter

import numpy as np
from scipy.sparse import csr_array, identity
from scipy.sparse.csgraph import connected_components as component_numbers
from scipy.sparse.linalg import spsolve

import frontier as fr
from algorithms._arguments import sample_of


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


def verify_bfs(graph, source, result):
    """Distances obey the level rule on every edge and reach all reachable vertices, and predecessors are one level
    before."""
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
    """Triangles of each vertex: half of diag(A A A), in blocks of rows that limit the size of the products."""
    matrix = adjacency(graph)
    n = graph.num_vertices
    counts = np.zeros(n, np.int64)
    for low in range(0, n, 1024):
        rows = matrix[low : low + 1024]
        counts[low : low + 1024] = ((rows @ matrix) * rows).sum(axis=1) // 2
    return counts


def verify_triangles(graph, result):
    """Totals and per-vertex counts equal the matrix product's."""
    counts = triangles_per_vertex(graph)
    assert result.total == counts.sum() // 3, f"{result.total} triangles, not {counts.sum() // 3}"
    if result.per_vertex is not None:
        assert (host(result.per_vertex) == counts).all()


def verify_components(graph, result):
    """Labels and their number equal SciPy's components, each named by its smallest vertex."""
    found = host(result.labels)
    assert found.shape == (graph.num_vertices,) and found.dtype == graph.vertex_dtype
    there = host(graph.has_vertices(np.arange(graph.num_vertices)))
    _, of = component_numbers(adjacency(graph), directed=False)
    order = np.arange(graph.num_vertices)[::-1]
    smallest = np.zeros(graph.num_vertices, np.int64)
    smallest[of[order]] = order  # of several writes the last stays
    expected = np.where(there, smallest[of], -1)
    assert (found == expected).all(), f"vertex {np.flatnonzero(found != expected)[0]} is in another component"
    count = np.unique(expected[there]).size
    assert result.count == count, f"{result.count} components, not {count}"


def truss_numbers_of(graph):
    """The truss number of each edge, as a dict: edges are deleted one at a time from sets of neighbors."""
    src, dst, _ = (None if a is None else host(a).tolist() for a in graph.to_coo())
    near = {}
    for u, v in zip(src, dst, strict=True):
        near.setdefault(u, set()).add(v)
        near.setdefault(v, set()).add(u)
    left = {(u, v): len(near[u] & near[v]) for u, v in zip(src, dst, strict=True)}
    numbers = {}
    k = 2
    while left:
        pending = [edge for edge, triangles in left.items() if triangles <= k - 2]
        while pending:
            u, v = pending.pop()
            if left.pop((u, v), None) is None:
                continue
            numbers[u, v] = k
            near[u].remove(v)
            near[v].remove(u)
            for w in near[u] & near[v]:
                for edge in ((min(u, w), max(u, w)), (min(v, w), max(v, w))):
                    left[edge] -= 1
                    if left[edge] <= k - 2:
                        pending.append(edge)
        k += 1
    return numbers


def listed_edges(result):
    """The edges of a result as pairs. It lists each once, smaller end first, in order."""
    edges = list(zip(host(result.src).tolist(), host(result.dst).tolist(), strict=True))
    assert all(u < v for u, v in edges), "an edge is not listed smaller end first"
    assert all(a < b for a, b in itertools.pairwise(edges)), "edges are out of order, or listed twice"
    return edges


def verify_k_truss(graph, result):
    """The edges have truss number k or more."""
    expected = sorted(edge for edge, number in truss_numbers_of(graph).items() if number >= result.k)
    assert listed_edges(result) == expected
    assert result.num_edges == len(expected)


def verify_truss_numbers(graph, result):
    """Every edge of the graph has its number."""
    found = dict(zip(listed_edges(result), host(result.truss).tolist(), strict=True))
    assert found == truss_numbers_of(graph)


def verify_distances(graph, source, result, *, hops=False):
    """No arc is a short cut, and predecessors lead back to the source along arcs that add up to the distances.

    With `hops`, every edge has length 1. Sums are made in the type of the distances.
    """
    distance, predecessor = host(result.distance), host(result.predecessor)
    n = graph.num_vertices
    assert distance.shape == predecessor.shape == (n,) and predecessor.dtype == graph.vertex_dtype
    unreached = np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max
    reached = distance != unreached
    assert not reached.any() or (distance[source] == 0 and predecessor[source] == -1)
    assert (predecessor[~reached] == -1).all()
    src, dst, lengths = (None if a is None else host(a) for a in graph.to_coo())
    lengths = np.ones(src.size) if hops or lengths is None else lengths
    if not graph.directed:
        src, dst, lengths = np.concatenate([src, dst]), np.concatenate([dst, src]), np.concatenate([lengths, lengths])
    open_arcs = reached[src] & (lengths != np.inf)
    src, dst, lengths = src[open_arcs], dst[open_arcs], lengths[open_arcs].astype(distance.dtype)
    through = distance[src] + lengths
    assert reached[dst].all() and (through >= distance[dst]).all(), "there is a shorter path"
    is_tight = through == distance[dst]
    tight = set(zip(src[is_tight].tolist(), dst[is_tight].tolist(), strict=True))
    others = np.flatnonzero(reached & (np.arange(n) != source))
    assert set(zip(predecessor[others].tolist(), others.tolist(), strict=True)) <= tight, "a predecessor is none"
    ancestor = np.where(predecessor < 0, np.arange(n), predecessor)
    for _ in range(n.bit_length()):  # twice as far up the tree each time
        ancestor = ancestor[ancestor]
    assert (ancestor[others] == source).all(), "predecessors go round in a circle"


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


# ---- the gallery ----------------------------------------------------------------------------------------------------


def neighbor_sets(graph):
    """The neighbors of each vertex (successors, in directed graphs), as sets."""
    rows = adjacency(graph)
    return [set(rows.indices[a:b].tolist()) for a, b in itertools.pairwise(rows.indptr)]


def existing(graph):
    """Which vertices there are."""
    return host(graph.has_vertices(graph.xp.arange(graph.num_vertices)))


def core_numbers_of(graph):
    """Core numbers: the vertex of lowest degree leaves, one at a time. Degrees count edges of both directions."""
    matrix = adjacency(graph)
    matrix = (matrix + matrix.T).tocsr() if graph.directed else matrix.tocsr()
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    numbers = np.zeros(graph.num_vertices, np.int64)
    k = 0
    for _ in range(graph.num_vertices):
        v = int(degree.argmin())
        numbers[v] = k = max(k, int(degree[v]))
        degree[v] = np.iinfo(np.int64).max // 2
        degree[matrix.indices[matrix.indptr[v] : matrix.indptr[v + 1]]] -= matrix.data[
            matrix.indptr[v] : matrix.indptr[v + 1]
        ]
    return numbers


def verify_core_number(graph, result):
    """Numbers equal the result of peeling one vertex after another."""
    found = host(result.core_number)
    assert found.dtype == np.int32 and (found == core_numbers_of(graph)).all()


def verify_k_core(graph, result):
    """The edges are those between vertices of core number k or more."""
    numbers = core_numbers_of(graph)
    src, dst, _ = (None if a is None else host(a) for a in graph.to_coo())
    held = (numbers[src] >= result.k) & (numbers[dst] >= result.k)
    assert (host(result.src) == src[held]).all() and (host(result.dst) == dst[held]).all()
    assert result.num_edges == held.sum() == result.to_graph().num_edges


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


def verify_coloring(graph, result, seed=0):
    """Neighbors have different colors, and each vertex has neighbors of all lower colors, as a greedy one does."""
    color, there = host(result.color), existing(graph)
    assert color.shape == there.shape and (color[~there] == -1).all() and (color[there] >= 0).all()
    assert result.count == color.max(initial=-1) + 1
    for v, near in enumerate(neighbor_sets(graph)):
        others = {int(color[u]) for u in near}
        assert color[v] not in others and set(range(color[v])) <= others, f"vertex {v}"


def verify_maximal_independent_set(graph, result, seed=0):
    """No two members are neighbors, and every other vertex has a neighbor that is one."""
    members, there = host(result.members), existing(graph)
    assert members.dtype == bool and members.shape == there.shape and not members[~there].any()
    assert result.count == members.sum()
    near = adjacency(graph) @ members
    assert not near[members].any() and (near[there & ~members] > 0).all()


def verify_local_clustering(graph, result):
    """Arcs between neighbors, one by one, over pairs of neighbors."""
    near, there = [set() for _ in range(graph.num_vertices)], existing(graph)
    src, dst = (host(part).tolist() for part in graph.to_coo()[:2])
    arcs = {*zip(src, dst, strict=True), *(() if graph.directed else zip(dst, src, strict=True))}
    for u, v in arcs:
        near[u].add(v)
        near[v].add(u)
    links = np.array([sum(arc in arcs for arc in itertools.permutations(each, 2)) for each in near], np.int64)
    pairs = np.array([len(each) * (len(each) - 1) for each in near], np.int64)
    expected = np.divide(links, pairs, out=np.zeros(pairs.size), where=pairs > 0)
    np.testing.assert_allclose(host(result.clustering), expected, rtol=1e-14)
    assert abs(result.average - expected[there].sum() / max(there.sum(), 1)) < 1e-12
    assert abs(result.transitivity - links.sum() / max(pairs.sum(), 1)) < 1e-12


def verify_similarity(graph, result, src, dst, over):
    """The pairs are these, and coefficients the common neighbors over the result of `over` for both sets of
    neighbors."""
    near = neighbor_sets(graph)
    assert (host(result.src) == src).all() and (host(result.dst) == dst).all()
    pairs = [(near[u], near[v]) for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
    expected = [len(one & other) / max(over(one, other), 1) for one, other in pairs]
    np.testing.assert_allclose(host(result.coefficient), expected, rtol=1e-14)


def of_either(one, other):
    """The divisor of Jaccard coefficients."""
    return len(one | other)


def of_smaller(one, other):
    """The divisor of overlap coefficients."""
    return min(len(one), len(other))


def of_both(one, other):
    """The divisor of Sorensen coefficients."""
    return (len(one) + len(other)) / 2


def of_product(one, other):
    """The divisor of cosine coefficients."""
    return (len(one) * len(other)) ** 0.5


def verify_all_pairs(graph, result, over, topk=None, vertices=None):
    """The pairs are the entries of the square of the adjacency matrix, or the best of them, ties by ids."""
    near = neighbor_sets(graph)
    links = adjacency(graph)
    chosen = np.ones(graph.num_vertices, bool)
    if vertices is not None:
        chosen = np.isin(np.arange(graph.num_vertices), vertices)
    common = (links @ links.T).tocoo()
    pairs = [
        (u, v, count / over(near[u], near[v]))
        for u, v, count in zip(*(part.tolist() for part in (*common.coords, common.data)), strict=True)
        if chosen[u] and u != v and (u < v or not chosen[v])
    ]
    pairs.sort(key=lambda pair: pair[:2] if topk is None else (-round(pair[2], 12), *pair[:2]))
    src, dst, coefficient = zip(*pairs[:topk], strict=True) if pairs else ([], [], [])
    assert host(result.src).tolist() == list(src) and host(result.dst).tolist() == list(dst)
    assert result.src.dtype == result.dst.dtype == graph.vertex_dtype
    np.testing.assert_allclose(host(result.coefficient), coefficient, rtol=1e-14)


def verify_strong_components(graph, result):
    """Labels are the smallest vertices of SciPy's strong components."""
    labels, there = host(result.labels), existing(graph)
    assert labels.dtype == graph.vertex_dtype
    count, of = component_numbers(adjacency(graph), directed=True, connection="strong")
    smallest = np.full(count, graph.num_vertices)
    np.minimum.at(smallest, of, np.arange(graph.num_vertices))
    assert (labels == np.where(there, smallest[of], -1)).all() and result.count == np.unique(labels[there]).size


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


def verify_spanning_forest(graph, result, sign=1):
    """The edges equal the result of Kruskal's algorithm, in order of weights times `sign` and then of ends."""
    src, dst, weights = (None if a is None else host(a) for a in graph.to_coo())
    weights = np.ones(src.size) if weights is None else weights.astype(np.float64)
    parent, kept = list(range(graph.num_vertices)), []

    def root(v):
        while parent[v] != v:
            v = parent[v]
        return v

    for i in np.lexsort((dst, src, sign * weights)):
        one, other = root(src[i]), root(dst[i])
        if one != other:
            parent[one] = other
            kept.append(i)
    kept = np.sort(np.array(kept, np.int64))
    assert (host(result.src) == src[kept]).all() and (host(result.dst) == dst[kept]).all()
    assert (host(result.weight) == weights[kept]).all()
    assert result.num_edges == kept.size and np.isclose(result.total_weight, weights[kept].sum())


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


def verify_personalized_pagerank(graph, result, source, alpha=0.85, tol=1e-4):
    """Ranks are the fixed point of the walk from the sources, to the tolerance."""
    sources = np.atleast_1d(source).tolist()
    jump, steps = walk_of(graph, dict.fromkeys(sources, 1), weighted=False)
    ranks = spsolve((identity(graph.num_vertices, format="csc") - alpha * steps).tocsc(), jump)
    ranks = np.atleast_1d(ranks) / ranks.sum()
    found = host(result.pagerank)
    assert found.shape == (graph.num_vertices,) and abs(found.sum() - 1) < 1e-9 and (found >= 0).all()
    assert np.abs(found - ranks).sum() <= result.error + 1e-12 and result.error <= tol


def verify_random_walks(graph, result, length=10, seed=0, starts=None):
    """Steps follow edges, and walks that are shorter end where no edge leads on."""
    paths, steps, ends = host(result.paths), host(result.steps), host(result.ends)
    there, near = existing(graph), neighbor_sets(graph)
    if starts is None:
        starts = np.where(there, np.arange(there.size), -1)
    assert paths.dtype == ends.dtype == graph.vertex_dtype and paths.shape == (len(starts), length + 1)
    assert (paths[:, 0] == starts).all() and (steps <= length).all()
    for path, count, end in zip(paths.tolist(), steps.tolist(), ends.tolist(), strict=True):
        assert path[count] == end and (count == length or set(path[count + 1 :]) == {-1})
        assert all(v in near[u] for u, v in itertools.pairwise(path[: count + 1]))
        assert count == length or end < 0 or not near[end]


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


def verify_biased_walks(graph, result, length=10, seed=0, starts=None, first_order=True):
    """Steps follow edges of weights above 0, and are the draws by running sums if they do not depend on the past."""
    paths, steps, ends = host(result.paths), host(result.steps), host(result.ends)
    there, near = existing(graph), weighted_neighbors(graph)
    if starts is None:
        starts = np.where(there, np.arange(there.size), -1)
    assert paths.dtype == ends.dtype == graph.vertex_dtype and paths.shape == (len(starts), length + 1)
    assert (paths[:, 0] == starts).all() and (steps <= length).all()
    for walk, (path, count) in enumerate(zip(paths.tolist(), steps.tolist(), strict=True)):
        assert path[count] == ends[walk] and path[count + 1 :] == [-1] * (length - count)
        for step, at in enumerate(path[: count + 1]):
            ids, sums = near[at] if at >= 0 else ([], [])
            if step == count:
                assert count == length or not len(sums) or sums[-1] == 0
                break
            place = int(np.searchsorted(ids, path[step + 1]))
            low, high = (sums[place - 1] if place else 0), sums[place]
            assert ids[place] == path[step + 1] and low < high
            if first_order:
                drawn = fr.random(seed, walk, step) * sums[-1]
                assert low <= drawn * (1 + 1e-12) and drawn <= high * (1 + 1e-12)


def verify_shortest_path(graph, result, source, target=None):
    """Distances and predecessors of all vertices, or a path whose length is the distance."""
    if target is None:
        verify_distances(graph, source, result)
        return
    from algorithms import sssp

    distance, path = host(result.distance), result.path()
    exact = host(sssp(graph, source).distance)
    unreached = np.inf if exact.dtype.kind == "f" else np.iinfo(exact.dtype).max
    assert distance.dtype == exact.dtype and distance[target] == exact[target]
    assert np.flatnonzero(distance != unreached).tolist() == sorted(path)
    assert (host(result.predecessor)[np.setdiff1d(np.arange(exact.size), path[1:])] == -1).all()
    if path:
        assert path[0] == source and path[-1] == target and distance[source] == 0
        assert all(v in near for near, v in zip([neighbor_sets(graph)[u] for u in path], path[1:], strict=False))
        weights = host(graph.edge_weights(path[:-1], path[1:])) if graph.is_weighted else np.ones(len(path) - 1)
        assert (np.diff(distance[path]) == weights).all()


def verify_ego_graph(graph, result, source=None, radius=1, sources=None):
    """The vertices that powers of the adjacency matrix reach, and all edges between them."""
    inside = np.zeros(graph.num_vertices, bool)
    inside[source if sources is None else sources] = True
    level = np.where(inside, 0, np.iinfo(np.int32).max)
    for step in range(1, min(radius, graph.num_vertices) + 1):
        found = (adjacency(graph).T @ inside > 0) & ~inside
        level[found] = step
        inside |= found
    src, dst, weights = (None if part is None else host(part) for part in graph.to_coo())
    kept = inside[src] & inside[dst]
    assert (host(result.src) == src[kept]).all() and (host(result.dst) == dst[kept]).all()
    assert (host(result.distance) == level).all() and host(result.vertices).tolist() == np.flatnonzero(inside).tolist()
    assert (result.weight is None) == (weights is None)
    assert weights is None or (host(result.weight) == weights[kept]).all()


# ---- graphs with times ----------------------------------------------------------------------------------------------


def timed_arcs(graph):
    """Each arc at each time at which it was seen: (src, dst, time, weight), as lists of Python numbers."""
    src, dst = (host(part) for part in graph.to_coo()[:2])
    data, ids = graph.edge_data, graph.edge_ids(src, dst)
    if graph.multi_edges == "all":
        data = graph.record_data
        offsets, ids = graph.records(src, dst)
        src, dst = (np.repeat(part, np.diff(host(offsets))) for part in (src, dst))
    times = host(data["time"][ids])
    weights = host(data["weight"][ids]).astype(np.float64) if graph.is_weighted else np.ones(src.size)
    if not graph.directed:
        src, dst = np.append(src, dst), np.append(dst, src)
        times, weights = np.append(times, times), np.append(weights, weights)
    return src.tolist(), dst.tolist(), times.tolist(), weights.tolist()


def verify_earliest_arrival(graph, result, source, start=None, end=None, strict=False):
    """Arrivals equal the result of a search that pops vertices from a heap, one by one. Predecessors form a tree."""
    never, n = np.iinfo(np.int64).max, graph.num_vertices
    begin = -(2**63) if start is None else start
    leaving, events = [[] for _ in range(n)], set()
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        if begin <= time < (never if end is None else end):
            leaving[u].append((time, v))
            events.add((u, v, time))
    expected, queue = [never] * n, [(begin, source)]
    done = set()
    while queue:
        now, u = heapq.heappop(queue)
        if u in done:
            continue
        done.add(u)
        expected[u] = now
        for time, v in leaving[u]:
            if time > now or (time == now and (u == source or not strict)):
                heapq.heappush(queue, (time, v))
    assert host(result.arrival).tolist() == expected
    if result.predecessor is None:
        return
    before = host(result.predecessor).tolist()
    for v in range(n):
        if v == source or expected[v] == never:
            assert before[v] == -1
            continue
        u = before[v]
        assert (u, v, expected[v]) in events
        assert u == source or expected[u] < expected[v] or (expected[u] == expected[v] and not strict)
        steps = 0
        while u != source:
            u, steps = before[u], steps + 1
            assert steps < n, "predecessors go round in a circle"


def verify_temporal_pagerank(
    graph, result, alpha=0.85, tol=1e-5, max_iter=100, half_life=None, decay=None, weighted=True
):  # fmt: skip
    """Ranks equal a walk whose steps are weighted by age. Ages are differences of Python integers."""
    n = graph.num_vertices
    src, dst, times, weights = timed_arcs(graph)
    weights = np.array(weights if weighted else [1.0] * len(src))
    newest = {}
    for u, time, weight in zip(src, times, weights, strict=True):
        newest[u] = max(newest.get(u, time), time) if weight > 0 else newest.get(u, time)
    rate = np.log(2) / half_life if decay is None else decay
    ages = np.array([float(newest[u] - time) for u, time in zip(src, times, strict=True)])
    fading = np.where(weights > 0, weights * np.exp(-rate * np.maximum(ages, 0)), 0)
    src, dst = np.array(src, np.int64), np.array(dst, np.int64)
    totals = np.bincount(src, fading, n)
    steps = csr_array((fading / np.where(totals[src] > 0, totals[src], 1), (dst, src)), shape=(n, n))
    exists = host(graph.has_vertices(graph.xp.arange(n)))
    ranks = spsolve((identity(n, format="csc") - alpha * steps).tocsc(), exists / max(exists.sum(), 1))
    found = host(result.pagerank)
    assert found.shape == (n,) and result.converged and result.error < tol
    assert np.abs(found - ranks / ranks.sum()).sum() <= tol * alpha / (1 - alpha) + 1e-9
    assert (found[~exists] == 0).all()


def verify_temporal_triangles(graph, result, delta):
    """Triangles are found as sets of three neighbors, and their times compared as Python integers, each with each."""
    times_of = {}
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        times_of.setdefault((u, v), []).append(time)
    near = neighbor_sets(graph)
    counts = np.zeros(graph.num_vertices, np.int64)
    for u, v in times_of:
        for w in near[u] & near[v] if u < v else ():
            if v < w:
                found = itertools.product(times_of[u, v], times_of[u, w], times_of[v, w])
                counts[[u, v, w]] += sum(max(times) - min(times) <= delta for times in found)
    assert (host(result.per_vertex) == counts).all() and result.total == counts.sum() // 3


def verify_temporal_motifs(graph, result, delta):
    """The first two events are taken one by one, and times of the third counted by its ends."""
    seconds, thirds = [(3, 2), (2, 3), (3, 1), (1, 3), (2, 1), (1, 2)], [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)]
    at, times_of, counts = {}, {}, np.zeros((6, 6), np.int64)
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        times_of.setdefault((u, v), []).append(time)
        for end in (u, v):
            at.setdefault(end, set()).add((u, v))
    for times in times_of.values():
        times.sort()
    for first in times_of:
        for second in at[first[0]] | at[first[1]]:
            three = list(dict.fromkeys(first + second))
            near = set.union(*map(at.get, first)) if len(three) == 2 else set(itertools.permutations(three, 2))
            found = dict.fromkeys(near & times_of.keys(), 0)
            for begin, then in itertools.product(times_of[first], times_of[second]):
                if begin < then <= begin + delta:
                    for third in found:
                        times = times_of[third]
                        found[third] += bisect_right(times, begin + delta) - bisect_right(times, then)
            for third, count in found.items():
                role = {end: i for i, end in enumerate(dict.fromkeys(first + second + third), 1)}
                row, column = (tuple(role[end] for end in edge) for edge in (second, third))
                counts[seconds.index(row), thirds.index(column)] += count
    assert (host(result.counts) == counts).all() and result.total == counts.sum()


def cycles_of(graph, delta, length_bound):
    """All temporal cycles, as lists of events (time, source, destination), by a search forward from each event."""
    leaving, found = {}, []
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        leaving.setdefault(u, []).append((time, u, v))

    def follow(path):
        for event in leaving.get(path[-1][2], ()):
            if path[-1][0] < event[0] <= path[0][0] + delta:
                if event[2] == path[0][1]:
                    found.append([*path, event])
                elif len(path) + 1 < length_bound and all(event[2] != other[2] for other in path):
                    follow([*path, event])

    for event in sorted(itertools.chain.from_iterable(leaving.values())):
        follow([event])
    return found


def verify_temporal_cycle_count(graph, result, delta, length_bound=4):
    """Cycles are found one by one."""
    found = cycles_of(graph, delta, length_bound)
    counts = np.bincount([event[1] for cycle in found for event in cycle], minlength=graph.num_vertices)
    assert result.total == len(found) and (host(result.per_vertex) == counts).all()
    lengths = [len(cycle) for cycle in found]
    assert result.by_length == {length: lengths.count(length) for length in result.by_length}
    assert list(result.by_length) == list(range(2, max(min(length_bound, graph.num_vertices), 2) + 1))


def verify_temporal_cycles(graph, result, delta, length_bound=4):
    """Cycles are found one by one, and their first events are in order."""
    listed = {}
    for number, *event in zip(*(host(part).tolist() for part in (
        result.cycle, result.time, result.src, result.dst
    )), strict=True):  # fmt: skip
        listed.setdefault(number, []).append(tuple(event))
    assert list(listed) == list(range(result.total))
    found = list(listed.values())
    assert [cycle[0] for cycle in found] == sorted(cycle[0] for cycle in found)
    assert sorted(found) == sorted(cycles_of(graph, delta, length_bound))
    data = graph.record_data if graph.multi_edges == "all" else graph.edge_data
    assert (host(data["time"][result.event]) == host(result.time)).all()


def verify_temporal_random_walks(
    graph, result, length=10, seed=0, starts=None, start_times=None, backward=False, strict=True, half_life=None
):  # fmt: skip
    """Each step is the draw among the edges that may follow, whose probabilities are added up one by one."""
    there, leaving = existing(graph), [[] for _ in range(graph.num_vertices)]
    for u, v, time, _ in zip(*timed_arcs(graph), strict=True):
        leaving[v if backward else u].append((-time if backward else time, u if backward else v))
    leaving = [sorted(edges) for edges in leaving]
    starts = np.where(there, np.arange(there.size), -1) if starts is None else np.asarray(starts)
    paths, times, ends = host(result.paths).tolist(), host(result.times).tolist(), host(result.ends).tolist()
    assert result.paths.dtype == result.ends.dtype == graph.vertex_dtype and result.steps.dtype == np.int32
    assert result.paths.shape == (starts.size, length + 1) and result.times.shape == (starts.size, length)
    for walk, count in enumerate(host(result.steps).tolist()):
        path, stamps = paths[walk], times[walk]
        at, now = int(starts[walk]), None
        if start_times is not None:
            now = int(np.broadcast_to(start_times, starts.size)[walk])
            now = -now + 1 if backward else now
        assert path[0] == at and path[count] == ends[walk]
        assert path[count + 1 :] == [-1] * (length - count) and stamps[count:] == [0] * (length - count)
        for step in range(length):
            first = now if step == 0 or not strict or now is None else now + 1
            rest = [] if at < 0 else [edge for edge in leaving[at] if first is None or edge[0] >= first]
            if not rest:
                assert step == count
                break
            taken = (-stamps[step] if backward else stamps[step], path[step + 1])
            chosen, behind = rest.index(taken), rest.index(taken) + rest.count(taken)  # several events may be alike
            if half_life is None or now is None:
                assert chosen <= fr.advanced.random_bits(seed, walk, step) * len(rest) >> 32 < behind
            else:
                weights = np.exp2([-(time - rest[0][0]) / half_life for time, _ in rest])
                beyond = np.append(np.cumsum(weights[::-1])[::-1], 0) / weights.sum()
                chance = 1 - fr.random(seed, walk, step)
                assert beyond[behind] < chance + 1e-9 and chance < beyond[chosen] + 1e-9
            now, at = rest[chosen]


# ---- layouts --------------------------------------------------------------------------------------------------------


def verify_layout(graph, result, max_iter, seed):
    """Vertices have positions of their own, and neighbors are not farther apart than random pairs."""
    x, y, there = host(result.x), host(result.y), existing(graph)
    assert x.shape == y.shape == there.shape and (np.isnan(x) == ~there).all() and (np.isnan(y) == ~there).all()
    found = x[there] + 1j * y[there]
    assert np.unique(found).size == found.size
    src, dst, _ = (None if part is None else host(part) for part in graph.to_coo())
    if src.size > 1:
        pairs = np.random.default_rng(1).choice(np.append(src, dst), (2, 10_000))
        near, far = (np.hypot(x[u] - x[v], y[u] - y[v]) for u, v in ((src, dst), pairs))
        assert near.mean() <= 1.3 * far[pairs[0] != pairs[1]].mean()


# ---- all of them ----------------------------------------------------------------------------------------------------

VERIFIERS = {
    "all_pairs_cosine": lambda graph, result, **settings: verify_all_pairs(graph, result, of_product, **settings),
    "all_pairs_jaccard": lambda graph, result, **settings: verify_all_pairs(graph, result, of_either, **settings),
    "all_pairs_overlap": lambda graph, result, **settings: verify_all_pairs(graph, result, of_smaller, **settings),
    "all_pairs_sorensen": lambda graph, result, **settings: verify_all_pairs(graph, result, of_both, **settings),
    "betweenness_centrality": verify_betweenness,
    "bfs": lambda graph, result, source: verify_bfs(graph, source, result),
    "biased_random_walks": verify_biased_walks,
    "cdlp": verify_cdlp,
    "closeness_centrality": verify_closeness,
    "coloring": verify_coloring,
    "connected_components": verify_components,
    "core_number": verify_core_number,
    "cosine": lambda graph, result: verify_similarity(graph, result, *map(host, graph.to_coo()[:2]), of_product),
    "degree_centrality": verify_degree_centrality,
    "earliest_arrival": verify_earliest_arrival,
    "ecg": verify_communities,
    "edge_betweenness_centrality": verify_edge_betweenness,
    "ego_graph": verify_ego_graph,
    "eigenvector_centrality": verify_eigenvector_centrality,
    "force_atlas2": verify_layout,
    "hits": verify_hits,
    "jaccard": lambda graph, result: verify_similarity(graph, result, *map(host, graph.to_coo()[:2]), of_either),
    "k_core": lambda graph, result, k: verify_k_core(graph, result),
    "k_truss": lambda graph, result, k: verify_k_truss(graph, result),
    "katz_centrality": verify_katz,
    "label_propagation": verify_label_propagation,
    "leiden": verify_leiden,
    "local_clustering": verify_local_clustering,
    "louvain": verify_louvain,
    "maximal_independent_set": verify_maximal_independent_set,
    "maximum_spanning_forest": lambda graph, result: verify_spanning_forest(graph, result, -1),
    "minimum_spanning_forest": verify_spanning_forest,
    "node2vec_random_walks": lambda graph, result, length, p, q, seed, starts=None: verify_biased_walks(
        graph, result, length, seed, starts, first_order=False
    ),
    "overlap": lambda graph, result: verify_similarity(graph, result, *map(host, graph.to_coo()[:2]), of_smaller),
    "pagerank": lambda graph, result, alpha, tol, max_iter: verify_pagerank(graph, result, alpha, tol),
    "personalized_pagerank": verify_personalized_pagerank,
    "random_walks": verify_random_walks,
    "shortest_path": verify_shortest_path,
    "sorensen": lambda graph, result: verify_similarity(graph, result, *map(host, graph.to_coo()[:2]), of_both),
    "sssp": lambda graph, result, source: verify_distances(graph, source, result),
    "strongly_connected_components": verify_strong_components,
    "temporal_cycle_count": verify_temporal_cycle_count,
    "temporal_cycles": verify_temporal_cycles,
    "temporal_motifs": verify_temporal_motifs,
    "temporal_pagerank": verify_temporal_pagerank,
    "temporal_random_walks": verify_temporal_random_walks,
    "temporal_triangle_count": verify_temporal_triangles,
    "triangle_count": verify_triangles,
    "truss_numbers": verify_truss_numbers,
}
"""By analytic of the catalogue: of a graph, the static result, and the parameters of the call."""
