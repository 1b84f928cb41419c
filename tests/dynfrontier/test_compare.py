"""The comparison with other libraries: their adapters, its verdicts, and the rejection of wrong results."""

from __future__ import annotations

import importlib.machinery
import inspect
import json
import sys
from dataclasses import replace
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from drawn import names_for
from scipy.sparse.csgraph import connected_components as sparse_components
from scipy.sparse.csgraph import minimum_spanning_tree

import dynfrontier
import frontier as fr
from algorithms import analytics, find_analytic, register
from algorithms.comparators import Counts, Partition
from dynfrontier.peers import PEERS, TASKS, load_peer, usable_peers

pytestmark = pytest.mark.slow

N = 24
ALPHA = 0.85
CPU_PEERS = ("scipy", "igraph", "networkit", "networkx")


def make_edges(rng, weighted):
    """Distinct edges without loops, each once. Vertices from 20 on are isolated, and 17 to 19 are a separate
    component."""
    keys = np.concatenate([rng.choice(17 * 16 // 2, 40, replace=False), [-1]])
    low, high = np.triu_indices(17, 1)
    src, dst = np.append(low[keys[:-1]], [17, 18]), np.append(high[keys[:-1]], [18, 19])
    swap = rng.random(src.size) < 0.5
    src, dst = np.where(swap, dst, src).astype(np.int32), np.where(swap, src, dst).astype(np.int32)
    return src, dst, rng.integers(1, 9, src.size).astype(np.float32) if weighted else None


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def edges(request, rng):
    return make_edges(rng, request.param)


def dense(edges, directed):
    """The matrix of weights, 0 without an edge."""
    src, dst, weights = edges
    matrix = np.zeros((N, N))
    matrix[src, dst] = 1 if weights is None else weights
    return matrix if directed else np.maximum(matrix, matrix.T)


def shortest(matrix):
    """All distances, by Floyd and Warshall."""
    found = np.where(matrix > 0, matrix, np.inf)
    np.fill_diagonal(found, 0)
    for v in range(N):
        found = np.minimum(found, found[:, v : v + 1] + found[v])
    return found


def exact_ranks(matrix):
    """PageRank as the solution of its linear system."""
    sums = matrix.sum(axis=1, keepdims=True)
    steps = np.where(sums > 0, matrix / np.where(sums > 0, sums, 1), 1 / N)
    return np.linalg.solve(np.eye(N) - ALPHA * steps.T, np.full(N, (1 - ALPHA) / N))


def truss(matrix, k):
    """Edges of the k-truss, by deletion of edges with too few triangles."""
    links = matrix > 0
    while True:
        kept = links & ((links.astype(int) @ links) >= k - 2)
        if (kept == links).all():
            return {(int(u), int(v)) for u, v in np.argwhere(np.triu(links))}
        links = kept


# ---- adapters -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=CPU_PEERS)
def peer(request):
    pytest.importorskip(PEERS[request.param][1])
    return load_peer(request.param)


def check_peer(peer, edges, directed):
    """Every task that a peer offers, against results from the dense matrix."""
    src, dst, weights = edges
    matrix = dense(edges, directed)
    ones = (matrix > 0).astype(float)
    graph = peer.build(peer.prepare(N, src, dst, weights, directed=directed))
    plain = peer.build(peer.prepare(N, src, dst, directed=directed))

    def result(task):
        return task.read(task.run())

    source = int(src[0])
    hops = shortest(ones)[source]
    for name in ("bfs", "bfs_direction_optimizing"):
        task = peer.task(name, plain, {"source": source})
        if task is not None:
            assert (result(task) == np.where(np.isinf(hops), -1, hops)).all()
    assert (result(peer.sssp(graph, source)) == shortest(matrix)[source]).all()
    near = {"rtol": 1e-5, "atol": peer.rank_rounding}
    np.testing.assert_allclose(result(peer.pagerank(graph, ALPHA, 1e-10)), exact_ranks(matrix), **near)
    steps = peer.task("pagerank_steps", plain, {"alpha": ALPHA, "steps": 200})
    if steps is not None:
        np.testing.assert_allclose(result(steps), exact_ranks(ones), **near)
    if directed:
        return
    spmv = peer.task("spmv", graph, {"vector": np.arange(N, dtype=float)})
    if spmv is not None:
        np.testing.assert_allclose(result(spmv), matrix @ np.arange(N))
    labels = np.isfinite(shortest(ones)).argmax(axis=1)
    assert Partition().compare((labels,), (result(peer.connected_components(plain)),)).agrees
    triangles = np.rint(np.diag(ones @ ones @ ones) / 2).astype(np.int64)
    assert Counts(3).compare((triangles,), (result(peer.triangle_count(plain)),)).agrees
    for k in (3, 4):
        task = peer.task("k_truss", plain, {"k": k})
        if task is not None:
            ends = np.sort(np.stack(result(task), axis=1), axis=1)
            assert set(map(tuple, ends.tolist())) == truss(ones, k)


def test_adapters(peer, edges, directed):
    check_peer(peer, edges, directed)


class OnDevice(np.ndarray):
    """Stands in for an array of CuPy."""

    def get(self):
        return np.asarray(self)


def on_device(function):
    return lambda *args, **options: np.asarray(function(*args, **options)).view(OnDevice)


class SGGraph:
    """Replaces pylibcugraph's: the same parameters, with vertices in another order."""

    def __init__(
        self, resource_handle, graph_properties, src_or_offset_array, dst_or_index_array, weight_array=None,
        store_transposed=False, renumber=False, do_expensive_check=False, edge_id_array=None, edge_type_array=None,
        input_array_format="CSR", vertices_array=None,
    ):  # fmt: skip
        assert input_array_format == "COO" and renumber
        arrays = (src_or_offset_array, dst_or_index_array, vertices_array)
        assert len({array.dtype for array in arrays}) == 1 and all(isinstance(a, OnDevice) for a in arrays)
        assert weight_array is None or weight_array.dtype.kind == "f"
        src, dst, vertices = (np.asarray(array) for array in arrays)
        self.symmetric = graph_properties.is_symmetric
        assert not self.symmetric or set(zip(src, dst, strict=True)) == set(zip(dst, src, strict=True))
        self.vertices = np.random.default_rng(1).permutation(vertices)
        self.scipy = load_peer("scipy")
        weights = None if weight_array is None else np.asarray(weight_array)
        self.graph = self.scipy.build(self.scipy.prepare(vertices.size, src, dst, weights, directed=True))

    def values(self, task, dtype):
        """Vertices, and what SciPy finds for them."""
        return self.vertices.view(OnDevice), task.read(task.run())[self.vertices].astype(dtype).view(OnDevice)


def fake_bfs(resource_handle, graph, sources, direction_optimizing, depth_limit, compute_predecessors, expensive_check):
    assert sources.dtype == np.int32 and depth_limit == -1
    vertices, found = graph.values(graph.scipy.bfs(graph.graph, int(sources[0])), np.int32)
    return np.where(found < 0, np.iinfo(np.int32).max, found).view(OnDevice), None, vertices


def fake_sssp(resource_handle, graph, source, cutoff, compute_predecessors, do_expensive_check):
    assert compute_predecessors and cutoff == np.inf
    vertices, found = graph.values(graph.scipy.sssp(graph.graph, source), np.float32)
    return vertices, np.where(np.isinf(found), np.finfo(np.float32).max, found).view(OnDevice), None


def fake_pagerank(
    resource_handle, graph, precomputed_vertex_out_weight_vertices, precomputed_vertex_out_weight_sums,
    initial_guess_vertices, initial_guess_values, alpha, epsilon, max_iterations, do_expensive_check,
    fail_on_nonconvergence=True,
):  # fmt: skip
    assert not fail_on_nonconvergence and epsilon > 0
    return *graph.values(graph.scipy.pagerank(graph.graph, alpha, max(epsilon, 1e-12)), np.float32), True


def fake_components(resource_handle, graph, offsets, indices, weights, labels, do_expensive_check):
    assert graph.symmetric
    return graph.values(graph.scipy.connected_components(graph.graph), np.int32)


def fake_triangles(resource_handle, graph, start_list, do_expensive_check):
    matrix = (graph.graph.toarray() > 0).astype(int)
    return graph.vertices.view(OnDevice), (np.diag(matrix @ matrix @ matrix) // 2)[graph.vertices].view(OnDevice)


def fake_k_truss(resource_handle, graph, k, do_expensive_check):
    ends = np.array(sorted(truss(graph.graph.toarray(), k)), np.int32).reshape(-1, 2)
    src, dst = np.concatenate([ends, ends[:, ::-1]]).T
    return src.view(OnDevice), dst.view(OnDevice), None, None


def in_order(graph, values, dtype):
    """Vertices in another order, and their values."""
    return graph.vertices.view(OnDevice), np.asarray(values)[graph.vertices].astype(dtype).view(OnDevice)


def networkx_of(graph):
    """The graph in NetworkX."""
    networkx = pytest.importorskip("networkx")
    kind = networkx.Graph if graph.symmetric else networkx.DiGraph
    return networkx, networkx.from_scipy_sparse_array(graph.graph, create_using=kind)


def fake_core_number(resource_handle, graph, degree_type, do_expensive_check):
    networkx, theirs = networkx_of(graph)
    assert graph.symmetric and degree_type == "incoming"
    return in_order(graph, [networkx.core_number(theirs)[v] for v in range(N)], np.int32)


def fake_k_core(resource_handle, graph, k, degree_type, core_result, do_expensive_check):
    assert graph.symmetric and degree_type == "incoming"
    numbers = dict(zip(core_result["vertex"].tolist(), core_result["values"].tolist(), strict=True))
    ends = graph.graph.tocoo()
    kept = [(u, v) for u, v in zip(ends.row, ends.col, strict=True) if min(numbers[u], numbers[v]) >= k]
    src, dst = np.array(kept, np.int32).reshape(-1, 2).T
    return src.view(OnDevice), dst.view(OnDevice), None


def fake_betweenness(resource_handle, graph, k, random_state, normalized, include_endpoints, do_expensive_check):
    """Sums over the sources, and its own scale, in which the sources have one search less."""
    networkx, theirs = networkx_of(graph)
    assert isinstance(k, OnDevice) and k.dtype == np.int32 and random_state is None
    assert normalized and not include_endpoints
    sums = networkx.betweenness_centrality_subset(theirs, k.tolist(), list(theirs))
    searches = np.array([(len(k) - (v in k)) for v in range(N)])
    found = np.array([sums[v] for v in range(N)]) * (2 if graph.symmetric else 1) / (N - 2) / searches
    return in_order(graph, found, np.float32)


def fake_hits(
    resource_handle, graph, tol, max_iter, initial_hubs_guess_vertices, initial_hubs_guess_values, normalized,
    do_expensive_check,
):  # fmt: skip
    networkx, theirs = networkx_of(graph)
    assert normalized and initial_hubs_guess_vertices is None and initial_hubs_guess_values is None
    hubs, authorities = networkx.hits(theirs, max_iter=max_iter, tol=tol)
    vertices, hubs = in_order(graph, [hubs[v] for v in range(N)], np.float32)
    return vertices, hubs, in_order(graph, [authorities[v] for v in range(N)], np.float32)[1]


def fake_katz(resource_handle, graph, betas, alpha, beta, epsilon, max_iterations, do_expensive_check):
    networkx, theirs = networkx_of(graph)
    assert betas is None and beta == 1.0
    found = networkx.katz_centrality(theirs, alpha, max_iter=max_iterations, tol=epsilon / N)
    return in_order(graph, [found[v] for v in range(N)], np.float32)


def fake_degrees(resource_handle, graph, source_vertices, do_expensive_check):
    assert source_vertices is None
    links = graph.graph.toarray() > 0
    vertices, entering = in_order(graph, links.sum(axis=0), np.int32)
    return vertices, entering, in_order(graph, links.sum(axis=1), np.int32)[1]


def fake_eigenvector(resource_handle, graph, epsilon, max_iterations, do_expensive_check):
    networkx, theirs = networkx_of(graph)
    found = networkx.eigenvector_centrality(theirs, max_iterations, epsilon, weight="weight")
    return in_order(graph, [found[v] for v in range(N)], np.float32)


def fake_edge_betweenness(resource_handle, graph, k, random_state, normalized, do_expensive_check):
    """An undirected graph has a value for each direction."""
    networkx, _ = networkx_of(graph)
    assert isinstance(k, OnDevice) and k.dtype == np.int32 and random_state is None and normalized
    arcs = networkx.from_scipy_sparse_array(graph.graph, create_using=networkx.DiGraph)
    found = networkx.edge_betweenness_centrality_subset(arcs, k.tolist(), list(arcs))
    src, dst = np.array(list(found), np.int32).T
    values = np.array(list(found.values())) / (len(k) * (N - 1))
    return src.view(OnDevice), dst.view(OnDevice), values.astype(np.float32).view(OnDevice), None


def fake_personalized(
    resource_handle, graph, precomputed_vertex_out_weight_vertices, precomputed_vertex_out_weight_sums,
    initial_guess_vertices, initial_guess_values, personalization_vertices, personalization_values, alpha, epsilon,
    max_iterations, do_expensive_check, fail_on_nonconvergence=True,
):  # fmt: skip
    networkx, theirs = networkx_of(graph)
    assert not fail_on_nonconvergence and personalization_values.dtype == np.float32
    jumps = dict(zip(personalization_vertices.tolist(), personalization_values.tolist(), strict=True))
    found = networkx.pagerank(theirs, alpha, jumps, max_iter=max_iterations, tol=epsilon / N)
    return *in_order(graph, [found[v] for v in range(N)], np.float32), True


def fake_louvain(resource_handle, graph, max_level, threshold, resolution, do_expensive_check):
    networkx, theirs = networkx_of(graph)
    assert graph.symmetric and resolution == 1.0 and max_level > 1
    parts = networkx.community.louvain_communities(theirs, threshold=threshold, seed=0)
    labels = [next(i for i, part in enumerate(parts) if v in part) for v in range(N)]
    return *in_order(graph, labels, np.int32), 0.5


def fake_leiden(resource_handle, random_state, graph, max_level, resolution, theta, do_expensive_check):
    assert random_state is None and theta > 0
    return fake_louvain(resource_handle, graph, max_level, 1e-7, resolution, do_expensive_check)


def fake_ecg(
    resource_handle, random_state, graph, min_weight, ensemble_size, max_level, threshold, resolution, expensive_check
):
    assert random_state is None and 0 < min_weight < 1 < ensemble_size
    return fake_louvain(resource_handle, graph, max_level, threshold, resolution, expensive_check)


def fake_similarity(numerator):
    def compute(resource_handle, graph, first, second, use_weight, do_expensive_check):
        assert graph.symmetric and not use_weight and isinstance(first, OnDevice) and isinstance(second, OnDevice)
        links = graph.graph.toarray() > 0
        common = (links.astype(int) @ links)[first, second]
        degrees = links.sum(axis=1)
        found = common / numerator(degrees[first], degrees[second], common)
        return first, second, found.astype(np.float32).view(OnDevice)

    return compute


def fake_all_pairs(compute):
    """In both directions, the best first."""

    def best(resource_handle, graph, vertices, use_weight, topk, do_expensive_check):
        assert graph.symmetric and vertices is None and not use_weight
        links = graph.graph.toarray() > 0
        first, second = (part.view(OnDevice) for part in np.nonzero((links.astype(int) @ links) * (1 - np.eye(N))))
        _, _, found = compute(None, graph, first, second, False, False)
        order = np.argsort(-found)[:topk]
        return first[order], second[order], found[order]

    return best


def fake_ego(resource_handle, graph, source_vertices, radius, do_expensive_check):
    inside = shortest((graph.graph.toarray() > 0).astype(float))[source_vertices[0]] <= radius
    ends = graph.graph.tocoo()
    kept = inside[ends.row] & inside[ends.col]
    return ends.row[kept].view(OnDevice), ends.col[kept].view(OnDevice), None, None


def fake_strong(resource_handle, graph, offsets, indices, weights, labels, do_expensive_check):
    assert offsets is None and indices is None and weights is None and labels is None
    return in_order(graph, sparse_components(graph.graph, connection="strong")[1], np.int32)


def fake_forest(resource_handle, graph, do_expensive_check=False):
    """Both directions of every edge."""
    assert graph.symmetric
    found = minimum_spanning_tree(graph.graph).tocoo()
    src, dst = np.append(found.row, found.col), np.append(found.col, found.row)
    weights = np.append(found.data, found.data).astype(np.float32)
    return src.view(OnDevice), dst.view(OnDevice), weights.view(OnDevice), None


def fake_force_atlas2(
    resource_handle, random_state, graph, max_iter, start_vertices, x_start, y_start, outbound_attraction_distribution,
    lin_log_mode, prevent_overlapping, vertex_radius_vertices, vertex_radius_values, overlap_scaling_ratio,
    edge_weight_influence, jitter_tolerance, barnes_hut_optimize, barnes_hut_theta, scaling_ratio, strong_gravity_mode,
    gravity, vertex_mobility_vertices, vertex_mobility_values, vertex_mass_vertices, vertex_mass_values, verbose,
    do_expensive_check,
):  # fmt: skip
    networkx, theirs = networkx_of(graph)
    found = networkx.forceatlas2_layout(theirs, max_iter=max_iter, weight="weight", seed=random_state)
    vertices, x = in_order(graph, [found[v][0] for v in range(N)], np.float32)
    return vertices, x, in_order(graph, [found[v][1] for v in range(N)], np.float32)[1]


def fake_walks(resource_handle, input_graph, start_vertices, max_length, random_state=None, weighted=False):
    """Paths one after the other, -1 after their ends."""
    generator, found = np.random.default_rng(random_state), []
    for start in start_vertices.tolist():
        path = [start]
        while len(path) <= max_length and (row := input_graph.graph[[path[-1]]]).indices.size:
            path.append(int(generator.choice(row.indices, p=row.data / row.data.sum() if weighted else None)))
        found += path + [-1] * (max_length + 1 - len(path))
    return np.array(found, np.int32).view(OnDevice), None, max_length


@pytest.fixture
def fake_cugraph(monkeypatch):
    """Substitutes for pylibcugraph and CuPy where they are missing: the signatures are theirs, the work is SciPy's."""
    device = SimpleNamespace(Device=lambda: SimpleNamespace(synchronize=lambda: None))
    names = ("asarray", "array", "arange", "concatenate", "full", "where", "bincount")
    cupy = {**{name: on_device(getattr(np, name)) for name in names}, "int32": np.int32, "float32": np.float32}
    cupy["cuda"] = device
    plc = {
        "__version__": "0", "ResourceHandle": object, "SGGraph": SGGraph, "bfs": fake_bfs, "sssp": fake_sssp,
        "GraphProperties": lambda is_symmetric=False, is_multigraph=False: SimpleNamespace(is_symmetric=is_symmetric),
        "pagerank": fake_pagerank, "weakly_connected_components": fake_components, "triangle_count": fake_triangles,
        "k_truss_subgraph": fake_k_truss, "core_number": fake_core_number, "k_core": fake_k_core,
        "betweenness_centrality": fake_betweenness, "hits": fake_hits, "katz_centrality": fake_katz,
        "degrees": fake_degrees, "eigenvector_centrality": fake_eigenvector,
        "edge_betweenness_centrality": fake_edge_betweenness,
        "personalized_pagerank": fake_personalized, "louvain": fake_louvain, "leiden": fake_leiden, "ecg": fake_ecg,
        "force_atlas2": fake_force_atlas2,
        "minimum_spanning_tree": fake_forest,
        "jaccard_coefficients": fake_similarity(lambda a, b, common: a + b - common),
        "overlap_coefficients": fake_similarity(lambda a, b, common: np.minimum(a, b)),
        "sorensen_coefficients": fake_similarity(lambda a, b, common: (a + b) / 2),
        "ego_graph": fake_ego, "biased_random_walks": partial(fake_walks, weighted=True),
        "node2vec_random_walks": lambda handle, graph, starts, length, p, q, random_state=None: fake_walks(
            handle, graph, starts, length, random_state, weighted=True
        ),
        "strongly_connected_components": fake_strong, "uniform_random_walks": fake_walks,
    }  # fmt: skip
    for name in ("jaccard", "sorensen", "overlap"):
        plc[f"all_pairs_{name}_coefficients"] = fake_all_pairs(plc[f"{name}_coefficients"])
    for name, members in (("cupy", cupy), ("pylibcugraph", plc)):
        module = ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, module)
    adapter = "dynfrontier.peers.cugraph_peer"
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    yield
    sys.modules.pop(adapter, None)


NOT_ON_DIRECTED = {
    "triangle_count", "k_truss(4)", "core_number", "k_core(4)", "jaccard", "overlap", "minimum_spanning_forest",
    "louvain", "leiden", "ecg", "sorensen",
    "all_pairs_jaccard(100)", "all_pairs_sorensen(100)", "all_pairs_overlap(100)",
}  # fmt: skip
ON_CUGRAPH = NOT_ON_DIRECTED | {
    "bfs", "connected_components", "pagerank", "sssp", "strongly_connected_components", "betweenness_centrality",
    "edge_betweenness_centrality", "degree_centrality", "eigenvector_centrality", "hits", "katz_centrality",
    "personalized_pagerank", "random_walks",
    "ego_graph(1)", "force_atlas2",
}  # fmt: skip


def test_the_adapter_of_cugraph_calls_it_as_it_wants_to_be_called(fake_cugraph, edges, directed):
    check_peer(load_peer("cugraph"), edges, directed)


def test_comparison_with_cugraph(fake_cugraph, edges, directed):
    src, dst, weights = edges
    graph = fr.structures()["csr"].from_edges(src, dst, weights, N, directed, device="cpu")
    rows = check(dynfrontier.compare(graph, against="cugraph", repeat=1))
    compared = {row.algorithm for row in rows if row.agrees and row.against == "cugraph 0"}
    of_weights = set() if weights is None else {"biased_random_walks", "node2vec_random_walks"}
    assert compared == ON_CUGRAPH - (NOT_ON_DIRECTED if directed else set()) | of_weights
    assert all(row.agrees or "not offered" in row.agreement or "undirected" in row.agreement for row in rows)


def test_integer_weights_are_floats_for_cugraph(fake_cugraph, edges):
    src, dst, _ = edges
    graph = fr.structures()["csr"].from_edges(src, dst, np.arange(src.size), N, device="cpu")
    assert dynfrontier.compare(graph, "sssp", "cugraph", repeat=1).rows[0].agreement == "exact"


# ---- the comparison -------------------------------------------------------------------------------------------------


def check(comparison):
    """Rows of a comparison, in which nothing may differ."""
    assert comparison.agrees, str(comparison)
    for row in comparison.rows:
        assert row.agreement
        if row.agrees:
            assert row.ours_ms > 0 and row.theirs_ms > 0 and row.conversion_ms > 0
            assert row.ratio == pytest.approx(row.theirs_ms / row.ours_ms)
    return comparison.rows


def test_all_structures_agree(structure, device, rng, directed):
    """With isolated vertices, and deleted ones. On a GPU with cuGraph, where it is installed."""
    src, dst, weights = make_edges(rng, weighted=True)
    graph = structure.from_edges(src, dst, weights, N, directed, device=device)
    graph.delete_vertices([3, 21])
    names = names_for(structure)
    comparison = dynfrontier.compare(graph, names, ks=(3, 4), repeat=1)
    rows = check(comparison)
    known = [find_analytic(name) for name in names]
    labels = [
        (f"{each.name}(3)", f"{each.name}(4)") if each.varied == "k" else (each.label(**each.settings(source=0)),)
        for each in known
    ]
    assert [row.algorithm for row in rows] == [label for several in labels for label in several]
    for row in rows:
        if row.agrees is None:
            reasons = ["not offered", "strongly_connected_components: CUGRAPH_UNKNOWN_ERROR"]  # of cuGraph 26.10
            reasons += ["undirected graphs"] * directed
            assert any(reason in row.agreement for reason in reasons)
    assert "2 deleted vertices" in str(comparison)
    assert structure.name in str(comparison) and all(name in str(comparison) for name in names)


def test_named_peers(peer):
    edges = fr.io.rmat(6, 6)
    graph = fr.structures()["csr"].from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="cpu")
    name = next(name for name in PEERS if type(peer).__module__.endswith(f"{name}_peer"))
    for row in check(dynfrontier.compare(graph, against=name, repeat=1)):
        assert row.against == f"{name} {peer.version}" or f"not offered by {name}" in row.agreement


def test_a_file(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("src,dst,weight\n" + "".join(f"{u},{v},{u % 3 + 1}\n" for u in range(12) for v in range(u)))
    comparison = dynfrontier.compare(path, ["bfs", "sssp"], structure="csr", device="cpu", repeat=1)
    check(comparison)
    assert "CSR(12 vertices, 66 edges" in comparison.graph
    frame = comparison.to_dataframe() if pytest.importorskip("pandas") else None
    assert frame["algorithm"].tolist() == ["bfs", "sssp"]
    assert json.loads(json.dumps(comparison.to_dict()))["agrees"] is True


def test_no_vertices():
    comparison = dynfrontier.compare(fr.structures()["csr"](0, device="cpu"))
    assert comparison.agrees and all("no vertices" in row.agreement for row in comparison.rows)


def test_what_is_wrong_is_named(tmp_path):
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], device="cpu")
    with pytest.raises(ValueError, match="nosuch"):
        dynfrontier.compare(graph, "nosuch")
    with pytest.raises(ValueError, match="nosuch"):
        dynfrontier.compare(graph, against="nosuch")
    with pytest.raises(ValueError, match="source 7"):
        dynfrontier.compare(graph, source=7)
    with pytest.raises(ValueError, match="structure"):
        dynfrontier.compare(graph, structure="csr")
    with pytest.raises(ValueError, match="alpha"):
        dynfrontier.compare(graph, alpha=1.0)
    (tmp_path / "graph.txt").write_text("0 1\n")
    with pytest.raises(ValueError, match="tree"):
        dynfrontier.compare(tmp_path / "graph.txt", structure="tree")
    assert "cugraph" not in usable_peers(on_gpu=False)


def test_a_peer_that_is_not_installed(monkeypatch):
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], device="cpu")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="needs the package igraph"):
        dynfrontier.compare(graph, against="igraph")
    with pytest.raises(ImportError, match="nothing to compare with"):
        dynfrontier.compare(graph)


@pytest.mark.parametrize("weight", [-1.0, np.inf])
def test_bad_weights_are_left_out(weight):
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], [weight, 1.0], device="cpu")
    for row in dynfrontier.compare(graph, ["sssp", "pagerank"], "scipy", repeat=1).rows:
        assert row.agrees is None and row.agreement == "left out: weights must be finite and not negative"


def test_a_peer_that_fails_is_a_finding(monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("no luck")

    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], device="cpu")
    monkeypatch.setattr("scipy.sparse.csgraph.connected_components", fail)
    (row,) = dynfrontier.compare(graph, "connected_components", "scipy", repeat=1).rows
    assert row.agrees is None and row.agreement == "RuntimeError: no luck" and row.ours_ms > 0


ONLY_CUGRAPH = (
    "overlap", "all_pairs_jaccard", "all_pairs_sorensen", "all_pairs_overlap", "random_walks", "biased_random_walks",
    "node2vec_random_walks", "ecg",
)  # fmt: skip
LEFT_OUT = (*ONLY_CUGRAPH, "force_atlas2")
"""These, and layouts, which are as good after a small change of one value."""


@pytest.mark.parametrize("name", [name for name in analytics() if name in TASKS and name not in LEFT_OUT])
def test_wrong_results_do_not_agree(name, monkeypatch):
    peers = "networkx", "igraph"
    for peer in peers:
        pytest.importorskip(peer)
    src, dst = np.triu_indices(6, 1)
    weights = np.ones(src.size, np.float32)
    graph = fr.structures()["csr"].from_edges(src, dst, weights, num_vertices=8, device="cpu")
    analytic = find_analytic(name)

    def wrong(graph, *args, **options):
        found = analytic.static(graph, *args, **options)
        values = dict(zip(analytic.values, analytic.read(found), strict=True))
        changed = list(values)[-1]
        spoiled = values[changed].copy()
        kind = spoiled.dtype.kind
        spoiled[2] = not spoiled[2] if kind == "b" else spoiled[2] * 1.01 + 0.01 if kind == "f" else 7 - spoiled[2]
        return SimpleNamespace(**values | {changed: spoiled})

    wrong.__signature__ = inspect.signature(analytic.static)
    assert dynfrontier.compare(graph, name, peers, repeat=1).rows[0].agrees
    monkeypatch.setattr("algorithms.analytic._catalogue", dict(analytics()))
    register(replace(analytic, static=wrong), replace=True)
    comparison = dynfrontier.compare(graph, name, peers, repeat=1)
    assert not comparison.agrees and comparison.rows[0].agrees is False and "NO, " in str(comparison)
