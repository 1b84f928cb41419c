"""The gallery: algorithms that are short loops over public operators, on graphs of the shapes that matter.

On one structure: `test_catalogue` draws another one for each. Results compared with NetworkX have its names and
meanings. Communities are in test_communities.py.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from gallery_cases import CSR, SHAPES, build, check, networkx_graph
from graphs import GRAPHS
from verifiers import VERIFIERS, existing, host, neighbor_sets

import algorithms
from algorithms import analytics
from algorithms.catalogue import GALLERY

UNDIRECTED = (
    "label_propagation", "coloring", "maximal_independent_set", "local_clustering", "minimum_spanning_forest",
    "maximum_spanning_forest", "louvain", "leiden", "ecg",
)  # fmt: skip
SEEDED = ("label_propagation", "louvain", "leiden", "ecg", "coloring", "maximal_independent_set")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", GALLERY)
def test_shapes(name, shape, device):
    graph = build(shape, device)
    if graph.num_vertices or not analytics()[name].takes_source:
        check(name, graph)


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_deleted_vertices(name, device):
    graph = build("rmat", device)
    graph.delete_vertices([0, 3, 200])
    check(name, graph)


@pytest.mark.parametrize("name", [name for name in GALLERY if name not in UNDIRECTED])
@pytest.mark.parametrize("shape", ["none", "rmat", "path"])
def test_directed(name, shape, device):
    """With in-edges and without."""
    for options in ({}, {"in_edges": True}):
        graph = build(shape, device, directed=True, **options)
        if graph.num_vertices or not analytics()[name].takes_source:
            check(name, graph)


@pytest.mark.parametrize("name", UNDIRECTED)
def test_what_is_for_undirected_graphs_says_so(name):
    with pytest.raises(ValueError, match=f"{name} is defined for undirected graphs; make the graph with"):
        analytics()[name].compute(build("path", directed=True))


@pytest.mark.parametrize("name", SEEDED)
def test_seeds(name, device):
    """The same seed gives the same result, and another seed a different one. Any integer is a seed."""
    graph, known = build("rmat", device), analytics()[name]
    (first,), (again,), (other,) = (
        known.fetch(graph.device, check(name, graph, seed=seed)) for seed in (-(2**70), -(2**70), 4)
    )
    assert (first == again).all() and (first != other).any()
    with pytest.raises(TypeError, match="seed must be an integer"):
        known.compute(graph, seed=0.5)


@pytest.mark.parametrize("name", SEEDED)
def test_results_do_not_depend_on_the_device(name, device):
    known, results = analytics()[name], []
    for graph in (build("rmat", device), build("rmat", "cpu")):
        results += known.fetch(graph.device, known.compute(graph, seed=5))
    assert (results[0] == results[1]).all()


@pytest.mark.parametrize("directed", [False, True])
def test_cores_are_those_of_networkx(directed, device):
    graph = build("rmat", device, directed=directed)
    theirs = networkx_graph(graph)
    assert dict(enumerate(host(algorithms.core_number(graph).core_number).tolist())) == nx.core_number(theirs)
    for k in (None, 0, 2, 10**12):
        ours, expected = algorithms.k_core(graph, k), nx.k_core(theirs, k)
        assert set(zip(host(ours.src).tolist(), host(ours.dst).tolist(), strict=True)) == {
            edge if directed else (min(edge), max(edge)) for edge in expected.edges
        }
        assert type(ours.to_graph()) is CSR and ours.to_graph().directed == directed
    with pytest.raises(ValueError, match="k must be at least 0"):
        algorithms.k_core(graph, -1)
    with pytest.raises(TypeError, match="k must be an integer"):
        algorithms.k_core(graph, 2.5)


def test_levels_that_lie_far_apart(device):
    """Cliques of 40 and of 3 vertices: core numbers between do not occur."""
    src, dst, n = GRAPHS["clique"]
    graph = CSR.from_edges(np.append(src, [n, n, n + 1]), np.append(dst, [n + 1, n + 2, n + 2]), device=device)
    check("core_number", graph)


def test_coloring_has_few_colors(device):
    """No more than the degeneracy and one for a clique, and two for a star."""
    assert check("coloring", build("clique", device)).count == 40
    assert check("coloring", build("star", device)).count == 2


def greedy_colors(graph, priority):
    """One vertex after another gets the smallest color that none of its neighbors has."""
    near, color = neighbor_sets(graph), np.full(graph.num_vertices, -1)
    for v in sorted(np.flatnonzero(existing(graph)), key=lambda v: (-priority[v], v)):
        taken = {color[u] for u in near[v]}
        color[v] = next(c for c in range(len(near[v]) + 1) if c not in taken)
    return color


@pytest.mark.parametrize("shape", ["clique", "star", "path", "rmat", "empty"])
def test_coloring_by_a_priority_is_the_serial_one(device, shape):
    graph, rng = build(shape, device), np.random.default_rng(3)
    if shape == "rmat":
        graph.delete_vertices([0, 3, 200])
    for priority in (rng.permutation(graph.num_vertices), rng.integers(-3, 3, graph.num_vertices, np.int32)):
        given = graph.xp.asarray(priority)
        found = algorithms.coloring(graph, given)
        assert (host(found.color) == greedy_colors(graph, priority)).all()
        assert (host(given) == priority).all()
        assert (host(algorithms.coloring(graph, priority.tolist(), seed=5).color) == host(found.color)).all()


def test_priorities_of_colors_that_are_no_integers(device):
    graph = build("star", device)
    with pytest.raises(TypeError, match="priority must be an array of int32 or int64, not float64"):
        algorithms.coloring(graph, np.ones(graph.num_vertices))
    with pytest.raises(ValueError, match="priority must be of shape"):
        algorithms.coloring(graph, [1, 2])


def test_label_propagation_finds_communities(device):
    """It finds the communities of a planted partition, and stops at `max_iter`."""
    src, dst = np.array(nx.planted_partition_graph(6, 40, 0.5, 0.01, seed=3).edges).T
    graph = CSR.from_edges(src, dst, device=device)
    assert (host(check("label_propagation", graph).labels) == np.arange(240) // 40 * 40).all()
    stopped = algorithms.label_propagation(graph, max_iter=1)
    assert stopped.iterations == 1 and not stopped.converged
    with pytest.raises(ValueError, match="max_iter must be at least 1"):
        algorithms.label_propagation(graph, max_iter=0)


def test_cdlp_alternates_on_an_edge(device):
    """Both ends change at the same time. Vertices without neighbors, or without rounds, have their ids."""
    graph = CSR.from_edges([0], [1], num_vertices=3, device=device)
    for rounds, labels in enumerate([[0, 1, 2], [1, 0, 2], [0, 1, 2]]):
        assert host(check("cdlp", graph, max_iter=rounds).labels).tolist() == labels
    graph = CSR.from_edges([1, 2, 3, 3], [3, 3, 0, 1], directed=True, device=device)  # 1 and 3 count twice
    assert host(check("cdlp", graph, max_iter=1).labels).tolist() == [3, 3, 3, 1]
    with pytest.raises(ValueError, match="max_iter"):
        algorithms.cdlp(graph, max_iter=-1)


def test_clustering_is_that_of_networkx(device):
    graph = build("rmat", device)
    theirs, found = networkx_graph(graph), algorithms.local_clustering(graph)
    assert dict(enumerate(host(found.clustering).tolist())) == pytest.approx(nx.clustering(theirs))
    assert found.average == pytest.approx(nx.average_clustering(theirs))
    assert found.transitivity == pytest.approx(nx.transitivity(theirs))


def test_similarity_of_pairs(device):
    """Any pairs, neighbors or not, and a vertex with itself."""
    graph = build("disconnected", device)
    found = algorithms.jaccard(graph, [0, 5, 5, 9, 8], [1, 8, 5, 10, 0])
    assert host(found.coefficient).tolist() == pytest.approx([1 / 3, 1 / 2, 1, 0, 0])
    found = algorithms.overlap(graph, [0, 5, 8], [1, 8, 0])
    assert host(found.coefficient).tolist() == pytest.approx([1 / 2, 1, 0])
    with pytest.raises(TypeError, match="src and dst must be given together"):
        algorithms.jaccard(graph, [0])
    with pytest.raises(ValueError, match="dst"):
        algorithms.jaccard(graph, [0], [11])
    with pytest.raises(ValueError, match="src and dst"):
        algorithms.overlap(graph, [0, 1], [2])


@pytest.mark.parametrize("directed", [False, True])
def test_centralities_are_those_of_networkx(directed, device):
    src, dst = np.random.default_rng(2).integers(0, 60, (2, 150))
    graph = CSR.from_edges(src, dst, num_vertices=70, directed=directed, device=device)
    theirs = networkx_graph(graph)

    def compare(values, expected):
        assert dict(enumerate(host(values).tolist())) == pytest.approx(expected, rel=1e-6, abs=1e-9)

    for options in ({}, {"normalized": False}, {"endpoints": True}, {"normalized": False, "endpoints": True}):
        found = algorithms.betweenness_centrality(graph, **options)
        compare(found.betweenness_centrality, nx.betweenness_centrality(theirs, **options))
    for improved in (False, True):
        found = algorithms.closeness_centrality(graph, wf_improved=improved)
        compare(found.closeness_centrality, nx.closeness_centrality(theirs, wf_improved=improved))
    found = algorithms.hits(graph, tol=1e-12, max_iter=10**5)
    for ours, expected in zip((found.hubs, found.authorities), nx.hits(theirs), strict=True):
        compare(ours, expected)
    for options in ({"alpha": 0.05}, {"alpha": 0.05, "beta": 2.5, "normalized": False}):
        compare(algorithms.katz_centrality(graph, **options).katz_centrality, nx.katz_centrality(theirs, **options))
    compare(algorithms.degree_centrality(graph).degree_centrality, nx.degree_centrality(theirs))
    compare(algorithms.degree_centrality(graph, False).degree_centrality, dict(theirs.degree))
    for options in ({"max_iter": 1000}, {"tol": 1e-9, "max_iter": 1000, "nstart": {v: 1 + v % 3 for v in range(70)}}):
        found = algorithms.eigenvector_centrality(graph, **options)
        compare(found.eigenvector_centrality, nx.eigenvector_centrality(theirs, **options))
    for options in ({}, {"normalized": False}):
        found = algorithms.edge_betweenness_centrality(graph, **options)
        ends = zip(host(found.src).tolist(), host(found.dst).tolist(), strict=True)
        values = dict(zip(ends, host(found.betweenness_centrality).tolist(), strict=True))
        expected = nx.edge_betweenness_centrality(theirs, **options)
        assert values == pytest.approx({edge if edge in values else edge[::-1]: x for edge, x in expected.items()})


@pytest.mark.slow
@pytest.mark.parametrize("directed", [False, True])
def test_betweenness_where_paths_are_long(directed, device, rng):
    """A CPU searches from one source after another there."""
    ids = rng.permutation(160)
    v = np.arange(158)
    src, dst = ids[np.r_[v, v, v[::9]]], ids[np.r_[v + 1, v + 2, (v[::9] + 4) % 160]]
    graph = CSR.from_edges(src, dst, num_vertices=162, directed=directed, device=device)
    theirs = networkx_graph(graph)
    for options in ({}, {"normalized": False, "endpoints": True}):
        found = algorithms.betweenness_centrality(graph, **options)
        expected = nx.betweenness_centrality(theirs, **options)
        assert dict(enumerate(host(found.betweenness_centrality).tolist())) == pytest.approx(expected, abs=1e-9)
    deep = algorithms.betweenness_centrality(graph, [int(ids[0]), int(ids[7])], normalized=False)
    assert host(deep.betweenness_centrality).max() > 1000
    for options in ({"k": 10**6}, {"sources": [3, 7, int(ids[0])], "normalized": False}):
        check("edge_betweenness_centrality", graph, **options)


@pytest.mark.slow
def test_edge_betweenness_of_a_graph_with_edge_data(structure, device, directed):
    """Both directions of an edge have one id there."""
    src, dst, n = SHAPES["rmat"]
    graph = structure(n, device=device, directed=directed, edge_data={"time": "int64"})
    graph.insert_edges(src, dst, time=np.arange(len(src)))
    graph.delete_edges(src[:500], dst[:500])
    check("edge_betweenness_centrality", graph, k=5)


def test_weights_count_in_eigenvectors(structure, device, directed):
    """Weights count unless `weighted` is false. Equal weights do not."""
    src, dst, n = SHAPES["rmat"]
    weights = np.random.default_rng(8).integers(1, 9, len(src)).astype(np.float32)
    graph, plain, twos = (
        structure.from_edges(src, dst, given, num_vertices=n, directed=directed, device=device)
        for given in (weights, None, np.full(len(src), 2, np.float32))
    )
    check("eigenvector_centrality", graph)
    found, expected, ignored, equal = (
        host(algorithms.eigenvector_centrality(each, 1000, 1e-9, **options).eigenvector_centrality)
        for each, options in ((graph, {}), (plain, {}), (graph, {"weighted": False}), (twos, {}))
    )
    assert ignored == pytest.approx(expected, abs=1e-12) and equal == pytest.approx(expected, abs=1e-6)
    assert abs(found - expected).max() > 1e-3
    for bad in (-1, 1e200, np.inf):
        wrong = structure.from_edges([0, 1], [1, 2], np.array([1, bad]), device=device, weight_dtype="float64")
        with pytest.raises(ValueError, match="eigenvector_centrality needs weights that"):
            algorithms.eigenvector_centrality(wrong)


def test_degrees_of_few_vertices(device):
    """The only vertex has 1, as in NetworkX, also after all other vertices were deleted."""
    graph = CSR.from_edges([0, 1], [1, 2], num_vertices=3, directed=True, device=device)
    assert host(algorithms.degree_centrality(graph).degree_centrality).tolist() == [0.5, 1, 0.5]
    graph.delete_vertices([0, 2])
    assert host(algorithms.degree_centrality(graph).degree_centrality).tolist() == [0, 1, 0]
    assert host(algorithms.degree_centrality(graph, normalized=False).degree_centrality).tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match="normalized"):
        algorithms.degree_centrality(graph, 2)


@pytest.mark.parametrize("options", list(itertools.product([True, False], repeat=3)), ids=str)
def test_samples_of_sources_are_unbiased(options, device):
    """Over all samples of one size the mean is the exact value, of NaN aside: a vertex that is its only source."""
    directed, normalized, endpoints = options
    src, dst = [0, 0, 0, 3, 5], [1, 2, 3, 4, 0]  # the last one is deleted, vertex 6 is isolated
    graph = CSR.from_edges(src, dst, num_vertices=7, directed=directed, device=device)
    graph.delete_vertices([5])

    def estimate(sources):
        found = algorithms.betweenness_centrality(graph, sources, normalized=normalized, endpoints=endpoints)
        return host(found.betweenness_centrality)

    exact = estimate(None)
    for count in (1, 2, 5, 6):
        samples = [list(sample) for sample in itertools.combinations([0, 1, 2, 3, 4, 6], count)]
        found = np.array([estimate(sample) for sample in samples])
        unknown = [[not endpoints and sample == [v] for v in range(7)] for sample in samples]
        assert np.isnan(found).tolist() == unknown
        assert np.nanmean(found, axis=0) == pytest.approx(exact, abs=1e-12)
        assert not normalized or np.nanmax(found) <= 1


def test_a_source_is_none_of_its_own(device):
    """As in NetworkX, where the hub of a star is on all paths from a leaf to other vertices."""
    star = CSR.from_edges([0, 0, 0, 0], [1, 2, 3, 4], device=device)
    for normalized, expected in ((True, 1), (False, 6)):
        found = algorithms.betweenness_centrality(star, [1], normalized=normalized)
        assert host(found.betweenness_centrality).tolist() == pytest.approx([expected, np.nan, 0, 0, 0], nan_ok=True)
    pair = CSR.from_edges([0], [1], device=device)
    assert host(algorithms.betweenness_centrality(pair, [1]).betweenness_centrality).tolist() == [0, 0]
    assert host(algorithms.closeness_centrality(star, [0, 1]).closeness_centrality)[:3] == pytest.approx([1, 1, 2 / 3])


@pytest.mark.parametrize("name", ["betweenness_centrality", "closeness_centrality", "edge_betweenness_centrality"])
def test_samples_of_sources(name, device):
    """A number of sources, or a list. A number above the number of vertices selects all."""
    graph, known = build("rmat", device), analytics()[name]
    check(name, graph, k=5)
    check(name, graph, sources=[3, 7, 100])
    check(name, build("disconnected", device), k=10**6)
    for sample, error in (
        ({"k": 0}, ValueError), ({"k": 2.5}, TypeError), ({"sources": [10**6]}, ValueError),
        ({"sources": 3}, TypeError), ({"sources": [1], "k": 1}, ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match=next(iter(sample))):
            known.compute(graph, **sample)


@pytest.mark.parametrize("directed", [False, True])
def test_ranks_from_several_sources(directed, device):
    """Ranks reach the requested precision. A source may be isolated, or have only edges that enter it."""
    graph = CSR.from_edges([0, 1, 2, 3, 4], [1, 2, 0, 1, 0], num_vertices=7, directed=directed, device=device)
    for source in (0, 4, 6, [3], [0, 6, 1]):
        for tol in (0.5, 1e-9):
            check("personalized_pagerank", graph, source=source, tol=tol)
    assert host(algorithms.personalized_pagerank(graph, 6).pagerank).tolist() == [0] * 6 + [1]
    for options in ({"source": 7}, {"source": []}, {"source": 0, "alpha": 1}, {"source": 0, "tol": 0}):
        with pytest.raises(ValueError, match=list(options)[-1]):
            algorithms.personalized_pagerank(graph, **options)


def test_random_walks_from_given_starts(device):
    """Several walks from one vertex differ, and each neighbor is equally likely."""
    graph = build("star", device)
    starts = np.zeros(30_000, np.int64)
    found = check("random_walks", graph, starts=starts, length=3, seed=4)
    visits = np.bincount(host(found.paths)[:, 1], minlength=301)[1:]
    assert visits.min() > 50 and visits.max() < 160 and ((visits - 100) ** 2 / 100).sum() < 400
    assert (host(found.paths)[:, 2] == 0).all()
    assert algorithms.random_walks(graph, [0], 0).paths.tolist() == [[0]]
    assert algorithms.random_walks(graph, [], 5).paths.shape == (0, 6)
    for options, name in (({"length": -1}, "length"), ({"starts": [301]}, "starts"), ({"seed": 0.5}, "seed")):
        with pytest.raises((ValueError, TypeError), match=name):
            algorithms.random_walks(graph, **options)


@pytest.mark.parametrize("name", ["hits", "katz_centrality", "eigenvector_centrality"])
def test_what_does_not_converge_says_so(name):
    graph, known = build("rmat"), analytics()[name]
    with pytest.raises(algorithms.ConvergenceError, match=f"{name} did not reach tol=0 in max_iter=2 iterations"):
        known.compute(graph, tol=0, max_iter=2)
    found = known.static(graph, tol=0, max_iter=2, fail_on_nonconvergence=False)
    assert found.iterations == 2 and not found.converged
    for options in ({"tol": -1}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            known.compute(graph, **options)


@pytest.mark.slow
def test_spanning_forests_of_graphs_with_edge_data(device):
    """Weights are then found by the ids of edges."""
    src, dst, n = SHAPES["rmat"]
    graph = CSR(n, device=device, weight_dtype="float32", edge_data={"time": "int64"})
    weights = np.random.default_rng(4).random(len(src)).astype(np.float32)
    graph.insert_edges(src, dst, weights, time=np.arange(len(src)))
    graph.delete_edges(src[:500], dst[:500])
    check("minimum_spanning_forest", graph)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_spanning_forests_of_weighted_graphs(dtype, device):
    """With many equal weights, negative ones, and infinite ones. Integers that floats would round are refused."""
    src, dst, n = SHAPES["rmat"]
    weights = np.random.default_rng(3).integers(-9, 10, len(src)).astype(dtype)
    if dtype == "float32":
        weights[::7] = np.inf
    check("minimum_spanning_forest", CSR.from_edges(src, dst, weights, num_vertices=n, device=device))
    if dtype == "int64":
        weights[-1] = -(2**53) - 1
        graph = CSR.from_edges(src, dst, weights, num_vertices=n, device=device)
        with pytest.raises(ValueError, match="compares weights as float64, but this graph has some beyond"):
            algorithms.minimum_spanning_forest(graph)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["rmat", "disconnected"])
def test_spanning_forests_without_weights_are_those_of_equal_weights(shape, structure, device):
    """They are found in other ways, but of edges of equal weight the lowest joins the forest."""
    src, dst, n = SHAPES[shape]
    found = []
    for weights in (None, np.ones(len(src), np.float32)):
        graph = structure.from_edges(src, dst, weights, num_vertices=n, device=device)
        graph.delete_edges(src[::5], dst[::5])
        graph.delete_vertices([0, n // 2])
        found.append(algorithms.minimum_spanning_forest(graph))
    for name in ("src", "dst", "weight"):
        one, other = (host(getattr(forest, name)) for forest in found)
        assert one.dtype == other.dtype and (one == other).all()


WRONG = {
    "strongly_connected_components": ("labels", 1), "betweenness_centrality": ("betweenness_centrality", 0.01),
    "closeness_centrality": ("closeness_centrality", 0.01), "hits": ("hubs", 0.01),
    "katz_centrality": ("katz_centrality", 0.01), "degree_centrality": ("degree_centrality", 0.01),
    "eigenvector_centrality": ("eigenvector_centrality", 0.01),
    "edge_betweenness_centrality": ("betweenness_centrality", 0.01), "minimum_spanning_forest": ("dst", 1),
    "louvain": ("labels", 1), "leiden": ("labels", 1), "ecg": ("labels", 1),
    "personalized_pagerank": ("pagerank", 0.01), "cdlp": ("labels", 1),
    "core_number": ("core_number", 1), "coloring": ("color", 1), "label_propagation": ("labels", 1),
    "local_clustering": ("clustering", 0.01), "jaccard": ("coefficient", 0.01), "k_core": ("dst", 1),
    "sorensen": ("coefficient", 0.01), "cosine": ("coefficient", 0.01), "all_pairs_jaccard": ("coefficient", 0.01),
    "all_pairs_overlap": ("dst", 1), "maximum_spanning_forest": ("dst", 1), "biased_random_walks": ("ends", 1),
    "node2vec_random_walks": ("steps", 1), "shortest_path": ("distance", 1), "ego_graph": ("src", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_results_fail_their_verifiers(name):
    graph, known = build("rmat"), analytics()[name]
    settings = known.settings(graph)
    right = known.compute(graph, **settings)
    field, change = WRONG[name]
    for i in (0, -1):
        values = getattr(right, field).copy()
        values[i] += change
        with pytest.raises(AssertionError):
            VERIFIERS[name](graph, replace(right, **{field: values}), **settings)


def test_wrong_sets_fail_their_verifier():
    graph = build("rmat")
    right = algorithms.maximal_independent_set(graph)
    for v in (int(right.members.argmax()), int(graph.degrees().argmax())):  # a member less, and one more
        members = right.members.copy()
        members[v] = not members[v]
        with pytest.raises(AssertionError):
            VERIFIERS["maximal_independent_set"](graph, replace(right, members=members, count=int(members.sum())))
