"""Integer weights that float64 would round, through every operator and algorithm that reads weights."""

import numpy as np
import pytest
from centrality_verifiers import exact_ranks
from verifiers import host, verify_distances

import frontier as fr
from algorithms import DynamicPageRank, DynamicSSSP, pagerank, sssp
from algorithms.comparators import Distances

NANOSECONDS = 1_700_000_000_000_000_001
ODD = 2**53 + 1  # the first integer that float64 has not
WIDE = np.array([ODD, NANOSECONDS, -ODD, 3, ODD + 2, -(2**62) - 1], np.int64)
N = WIDE.size + 1  # vertices of a path with these weights


@pytest.fixture
def path(structure, device, directed):
    """The path 0, 1, ..., N - 1, whose edges have the weights WIDE."""
    return structure.from_edges(np.arange(N - 1), np.arange(1, N), WIDE, directed=directed, device=device)


def keep(src, dst, edge, weight, found):
    found[max(src, dst) - 1] = weight
    return weight & 1 == 1


def add(src, dst, edge, weight, sums):
    if src < dst:
        fr.atomic_add(sums, 0, weight)
        fr.atomic_min(sums, 1, weight)
        fr.atomic_max(sums, 2, weight)
    return False


def value(src, dst, edge, weight):
    return weight


def has_weight(src, dst, edge, weight, wanted):
    return weight == wanted


def forward(src, dst, edge, weight, found):
    if src < dst:
        found[src] = weight
    return src < dst


def look_up(src, dst, edge, weight, table, found):
    found[dst] = table[weight]
    return False


def member(v, values):
    return values[v]


def test_advance(path):
    found = path.xp.zeros(N - 1, np.int64)
    output = fr.advance(path, fr.Frontier.all(path), keep, found, direction="push")
    assert host(found).tolist() == WIDE.tolist()
    assert len(output) == (N - 1 if path.directed else N)


def test_advance_by_pull(structure, device):
    path = structure.from_edges(np.arange(N - 1), np.arange(1, N), WIDE, device=device)
    found = path.xp.zeros(N - 1, np.int64)
    fr.advance(path, fr.Frontier.all(path), keep, found, direction="pull")
    assert host(found).tolist() == WIDE.tolist()


def test_atomics(path):
    sums = path.xp.zeros(3, np.int64)
    fr.advance(path, fr.Frontier.all(path), add, sums, direction="push")
    assert host(sums).tolist() == [WIDE.sum(), WIDE.min(), WIDE.max()]


def test_traverse(path):
    found = path.xp.zeros(N - 1, np.int64)
    assert fr.traverse(path, fr.Frontier(path, [0]), forward, found) == N
    assert host(found).tolist() == WIDE.tolist()


def test_visit_edges(path):
    found = path.xp.zeros(N - 1, np.int64)
    fr.visit_edges(path, range(N - 1), range(1, N), keep, found)
    fr.visit_edges(path, [0], [2], keep, found)  # is not in the graph
    assert host(found).tolist() == [WIDE[0], 1, *WIDE[2:]]


def test_sample_neighbors(path):
    found = path.xp.zeros(N - 1, np.int64)
    fr.sample_neighbors(path, fr.Frontier.all(path), keep, found)
    assert host(found).tolist() == WIDE.tolist()


def test_weights_as_indices(structure, device):
    graph = structure.from_edges([0, 1], [1, 2], np.array([4, 2]), directed=True, device=device)
    table, found = graph.xp.arange(5) * 10, graph.xp.zeros(3, np.int64)
    fr.advance(graph, fr.Frontier.all(graph), look_up, table, found)
    assert host(found).tolist() == [0, 40, 20]


@pytest.mark.parametrize("reduce", ["sum", "min", "max"])
def test_neighbor_reduce(path, reduce):
    found = fr.neighbor_reduce(path, None, value, reduce=reduce, dtype=np.int64)
    lists = [[weight] for weight in WIDE.tolist()] + [[]]
    if not path.directed:
        lists = [mine + before for mine, before in zip(lists, [[], *lists], strict=False)]
    nothing = {"sum": 0, "min": np.iinfo(np.int64).max, "max": np.iinfo(np.int64).min}[reduce]
    of = {"sum": sum, "min": min, "max": max}[reduce]
    assert host(found).tolist() == [of(some) if some else nothing for some in lists]


@pytest.mark.parametrize("reduce", ["sum", "min", "max"])
def test_reduce(path, reduce):
    found = fr.reduce(fr.Frontier(path, np.arange(N - 1)), member, path.xp.asarray(WIDE), reduce=reduce, dtype=np.int64)
    assert int(found[0]) == int(getattr(WIDE, reduce)())


def test_extract_subgraph(path):
    found = fr.extract_subgraph(path, has_weight, ODD)
    assert found.num_arcs == (1 if path.directed else 2)


def test_products_are_those_of_float64(structure, device):
    """Also of float32 weights with a float32 vector."""
    weights = np.array([1.1, 2.3], np.float32)
    graph = structure.from_edges([0, 0], [1, 2], weights, directed=True, device=device)
    product, x = fr.SpMV(graph), graph.xp.asarray(np.array([0, 1.7, 0.9], np.float32))
    found = host(product.restore(product(product.arrange(x))))
    assert np.isclose(found[0], weights.astype(np.float64) @ host(x)[1:].astype(np.float64), rtol=1e-15)


def test_what_graphs_hand_out(path):
    src, dst, weights = map(host, path.to_coo())
    assert weights.dtype == np.int64 and weights.tolist() == WIDE.tolist()
    assert host(path.edge_weights(src, dst)).tolist() == WIDE.tolist()
    assert host(path.to_csr().edge_weights(src, dst)).tolist() == WIDE.tolist()
    assert host(path.copy().edge_weights(src, dst)).tolist() == WIDE.tolist()
    assert host(path.successors([1])[2]).tolist()[-1] == NANOSECONDS
    assert host(path.predecessors([2])[2]).tolist()[0] == NANOSECONDS


def test_saved_weights(path, tmp_path):
    path.save(tmp_path / "graph.npz")
    found = fr.Graph.load(tmp_path / "graph.npz", device=path.device.kind)
    assert host(found.to_coo()[2]).tolist() == WIDE.tolist()


def test_the_last_of_duplicates_counts(structure, device):
    graph = structure.from_edges([0, 0, 1], [1, 1, 0], np.array([ODD + 2, 3, ODD]), device=device)
    assert host(graph.edge_weights([0], [1])).tolist() == [ODD]
    graph.insert_edges([0, 1], [1, 0], [1, NANOSECONDS])
    assert host(graph.edge_weights([1], [0])).tolist() == [NANOSECONDS]


# ---- sums that do not fit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("is_observed", [False, True])
def test_sums_that_do_not_fit_are_refused(structure, device, dtype, sign, is_observed):
    limits = np.iinfo(dtype)
    edge = limits.max if sign > 0 else limits.min
    graph = structure.from_edges([0, 1], [1, 2], np.array([edge, 5], dtype), num_vertices=4, device=device)
    observer = fr.UpdateObserver()
    if is_observed:
        graph.attach(observer)
    with pytest.raises(ValueError, match=f"weights: on_existing='add' makes 1 sum that does not fit in {dtype}"):
        graph.insert_edges([0, 1, 2], [1, 2, 3], np.array([sign, 2, 4], dtype), on_existing="add")
    assert host(graph.to_coo()[2]).tolist() == [edge, 5]
    assert graph.num_edges == 2
    graph.insert_edges([0, 1, 2], [1, 2, 3], np.array([-3 * sign, 2, 4], dtype), on_existing="add")
    left = [edge - 3] if sign > 0 else []  # what falls below 0 is deleted
    assert host(graph.to_coo()[2]).tolist() == [*left, 7, 4]


# ---- algorithms -----------------------------------------------------------------------------------------------------


def test_sssp(structure, device, directed):
    graph = structure.from_edges([0, 1], [1, 2], np.array([NANOSECONDS, 1]), directed=directed, device=device)
    assert host(sssp(graph, 0).distance).tolist() == [0, NANOSECONDS, NANOSECONDS + 1]


@pytest.mark.slow
def test_shortest_paths_differ_by_one(structure, device, directed, rng):
    src, dst = rng.integers(0, 60, (2, 240))
    weights = ODD + rng.integers(0, 3, src.size)
    graph = structure.from_edges(src, dst, weights, num_vertices=60, directed=directed, device=device)
    verify_distances(graph, 0, sssp(graph, 0))
    kept = DynamicSSSP(graph, 0)
    for _ in range(5):
        src, dst = rng.integers(0, 60, (2, 12))
        graph.insert_edges(src, dst, ODD + rng.integers(0, 3, src.size))
        verify_distances(graph, 0, kept)
        src, dst, _ = map(host, graph.to_coo())
        graph.delete_edges(src[::9], dst[::9])
        verify_distances(graph, 0, kept)


def test_lengths_of_edges_may_add_up_to_more_than_a_distance_may_be(structure, device, directed):
    """Only a distance has to fit in int64, not the sum of all weights, nor a longer path."""
    leaves = np.arange(1, 41)
    graph = structure.from_edges(np.zeros(40, int), leaves, np.full(40, NANOSECONDS), directed=directed, device=device)
    assert (host(sssp(graph, 0).distance)[1:] == NANOSECONDS).all()
    kept = DynamicSSSP(graph, 0)
    graph.insert_edges([1, 2], [2, 3], [2**63 - 1, 2**62])
    assert (host(kept.distance)[1:] == NANOSECONDS).all()
    assert (host(sssp(graph, 0).distance)[1:] == NANOSECONDS).all()


@pytest.mark.slow
def test_distances_that_do_not_fit_are_refused(structure, device, directed):
    weights = np.array([2**62, 2**62 - 2, 1, 5])
    graph = structure.from_edges([0, 1, 2, 0], [1, 2, 3, 3], weights, directed=directed, device=device)
    right = [0, 2**62, 2**63 - 2 if directed else 6, 5]
    kept = DynamicSSSP(graph, 0)
    assert host(sssp(graph, 0).distance).tolist() == right == host(kept.distance).tolist()
    graph.delete_edges([0], [3])  # the path to 3 is then too long
    for ask in (lambda: sssp(graph, 0), lambda: kept.distance, lambda: kept.predecessor):
        with pytest.raises(ValueError, match="the distance of vertex 3 does not fit in int64"):
            ask()
    graph.insert_edges([0], [3], [7])
    assert host(kept.distance).tolist()[3] == 7
    assert (host(kept.distance) == host(sssp(graph, 0).distance)).all()


@pytest.mark.slow
def test_ranks(structure, device, directed):
    src, dst = np.arange(N - 1), np.arange(1, N)
    graph = structure.from_edges(src, dst, np.abs(WIDE), directed=directed, device=device)
    kept = DynamicPageRank(graph, tol=1e-10)
    graph.insert_edges([0, 3], [4, 5], [NANOSECONDS, 1])
    for found in (pagerank(graph, tol=1e-10, max_iter=1000).pagerank, kept.pagerank):
        assert np.abs(host(found) - exact_ranks(graph)).sum() < 1e-10 * 0.85 / 0.15


def test_a_peers_rounded_lengths_are_no_disagreement():
    ours, theirs = np.array([0, NANOSECONDS]), np.array([0.0, NANOSECONDS])
    compare = Distances().compare
    assert compare((ours,), (theirs * (1 + 2**-52),)).agrees and not compare((ours,), (theirs * 2,)).agrees
