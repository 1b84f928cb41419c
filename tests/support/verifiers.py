"""Independent verifiers.

Each accepts any right answer, computes nothing the way the library does, and fails a wrong one. Verifiers of
centralities, communities and graphs with times have their own modules.
"""

from __future__ import annotations

import itertools

import numpy as np
from centrality_verifiers import (
    verify_betweenness,
    verify_closeness,
    verify_degree_centrality,
    verify_edge_betweenness,
    verify_eigenvector_centrality,
    verify_hits,
    verify_katz,
    verify_pagerank,
    verify_personalized_pagerank,
)
from community_verifiers import verify_cdlp, verify_communities, verify_label_propagation, verify_leiden, verify_louvain
from host_graphs import adjacency, existing, host, neighbor_sets, weighted_neighbors
from scipy.sparse.csgraph import connected_components as component_numbers
from temporal_verifiers import (
    verify_earliest_arrival,
    verify_temporal_cycle_count,
    verify_temporal_cycles,
    verify_temporal_motifs,
    verify_temporal_pagerank,
    verify_temporal_random_walks,
    verify_temporal_triangles,
)

import frontier as fr


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


# ---- the gallery ----------------------------------------------------------------------------------------------------


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
