"""Random numbers by counter, and neighbors drawn with them: the same for every structure and on both devices."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier.functor.intrinsics.random import philox, random_pair, scaled

N = 300
# From the test vectors of Random123 (kat_vectors: philox4x32 10): counter, key, words.
VECTORS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
PLACES = [(0, 0, 0), (1, 5, 0), (-1, -5, 7), (2**63 - 1, 2**40 + 3, -(2**50)), (-(2**63), 1, 2**31), (7, 2**32, 1)]


@pytest.mark.parametrize(("counter", "key", "words"), VECTORS)
def test_the_generator_is_philox(counter, key, words):
    def numbers(text):
        return [np.uint64(int(word, 16)) for word in text.split()]

    assert [int(w) for w in philox(*numbers(counter), *numbers(key))] == [int(w) for w in numbers(words)]


def test_numbers_are_made_of_the_generators_words():
    """A seed is the key, and a position the counter, lower half first. 53 bits of the first two words."""
    seed, i, j = 0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E  # the third vector
    assert fr.advanced.random_bits(seed, i, j) == 0xD16CFE09
    assert fr.random(seed, i, j) == ((0xD16CFE09 >> 5) * 2**26 + (0x94FDCCEB >> 6)) / 2**53
    assert fr.random(0, 0) == ((0x6627E8D5 >> 5) * 2**26 + (0xE169C58D >> 6)) / 2**53
    assert fr.advanced.random_bits(0, 0) == 0x6627E8D5


def test_pairs_have_all_words():
    seed, i, j = 0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E
    assert [int(word) for word in random_pair(seed, i, j)] == [0x94FDCCEBD16CFE09, 0x24126EA15001E420]


@pytest.mark.parametrize("size", [1, 2, 3, 10, 2**31 - 1, 2**32 - 1, 2**32, 2**32 + 1, 10**15 + 7, 2**63 - 1])
def test_numbers_are_scaled_exactly(size):
    words = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, *(int(word) for i in range(50) for word in random_pair(3, i))]
    assert [int(scaled(np.uint64(word), size)) for word in words] == [word * size >> 64 for word in words]


def draw(v, seeds, firsts, seconds, numbers, bits):
    numbers[v] = fr.random(seeds[v], firsts[v], seconds[v])
    bits[v] = fr.advanced.random_bits(seeds[v], firsts[v], seconds[v])


def draw_by_vertex(v, seed, numbers, dice):
    numbers[v] = fr.random(seed, v)
    dice[v] = fr.advanced.random_bits(seed, v) % 6 + 1


@pytest.mark.parametrize("mode", ["compiled", "checked", "interpreted"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_functors_draw_what_python_draws(device, dtype, mode):
    if mode == "interpreted" and device == "gpu":
        pytest.skip("functors are interpreted only on CPU graphs")
    graph = fr.structures()["csr"](len(PLACES), device=device)
    places = np.array([[number % 2**64 for number in place] for place in PLACES], np.uint64).astype(dtype)
    seeds, firsts, seconds = (graph.xp.asarray(np.ascontiguousarray(column)) for column in places.T)
    numbers, bits = graph.xp.zeros(len(PLACES)), graph.xp.zeros(len(PLACES), np.int64)
    with {"compiled": nullcontext, "checked": fr.checking, "interpreted": fr.interpreted}[mode]():
        fr.compute(fr.Frontier.all(graph), draw, seeds, firsts, seconds, numbers, bits)
    asked = [tuple(int(number) for number in place) for place in places]
    assert host(numbers).tolist() == [fr.random(*place) for place in asked]
    assert host(bits).tolist() == [int(fr.advanced.random_bits(*place)) for place in asked]


def test_numbers_of_vertices(structure, device):
    graph = structure(2000, device=device)
    numbers, dice = graph.xp.zeros(2000), graph.xp.zeros(2000, np.int32)
    fr.compute(fr.Frontier.all(graph), draw_by_vertex, 42, numbers, dice)
    numbers, dice = host(numbers), host(dice)
    assert numbers.tolist() == [fr.random(42, v) for v in range(2000)]
    assert (numbers >= 0).all() and (numbers < 1).all() and np.unique(numbers).size == 2000
    assert abs(numbers.mean() - 0.5) < 0.03 and abs(numbers.var() - 1 / 12) < 0.01
    assert set(dice.tolist()) == {1, 2, 3, 4, 5, 6}
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.1


# ---- samples of neighbors ----------------------------------------------------------------------------------------


@pytest.fixture
def edges(rng):
    """Hubs, vertices with a few neighbors, and some with none, with weights, some of them 0 or below."""
    src = np.concatenate([rng.integers(0, 200, 500), np.zeros(220, int), np.full(100, 7)])
    dst = np.concatenate([rng.integers(0, 200, 500), np.arange(1, 221), np.arange(100, 200)])
    keep = np.unique(src * N + dst, return_index=True)[1]
    keep = keep[src[keep] != dst[keep]]
    weights = rng.integers(-1, 6, keep.size).astype(np.float64)
    return src[keep], dst[keep], weights


def note(src, dst, edge, weight, counts, picked, edges, stride):
    picked[src * stride + fr.atomic_add(counts, src, 1)] = dst
    edges[src * stride + dst] = edge
    return True


def compare(src, dst, edge, weight, edges, stride, wrong):
    if edges[src * stride + dst] != edge:
        fr.atomic_add(wrong, 0, 1)
    return False


def sample(graph, frontier, count, **options):
    """The neighbors that are drawn for each vertex."""
    n = graph.num_vertices
    counts, wrong = graph.xp.zeros(n, np.int64), graph.xp.zeros(1, np.int64)
    picked, slots = graph.xp.full(n * n, -1, np.int64), graph.xp.full(n * n, -1, np.int64)
    fr.sample_neighbors(graph, frontier, note, counts, picked, slots, n, count=count, **options)
    lengths, picked = host(counts), host(picked).reshape(n, n)
    rows = [picked[v, : lengths[v]].tolist() for v in range(n)]
    src, dst = np.repeat(np.arange(n), lengths), np.concatenate([[], *rows]).astype(int)
    fr.visit_edges(graph, src, dst, compare, slots, n, wrong)
    assert int(wrong[0]) == 0
    return rows


def expected_sample(graph, edges, vertices, count, method, seed):
    rows = [[] for _ in range(graph.num_vertices)]
    for u, v, w in zip(*(part.tolist() for part in edges), strict=True):
        if u in vertices and (method == "uniform" or w > 0):
            key = fr.random(seed, u, v)
            rows[u].append((key if method == "uniform" else -math.log(1 - key) / w, v))
    return [sorted(v for _, v in sorted(row)[:count]) for row in rows]


@pytest.mark.parametrize("count", [1, 3, 50, 10**6])
@pytest.mark.parametrize("method", ["uniform", "weighted"])
def test_samples_are_the_lowest_keys(structure, device, edges, method, count):
    if not structure.can_store_weights and method == "weighted":
        edges = (*edges[:2], np.ones(edges[0].size))
    weights = edges[2] if structure.can_store_weights else None
    graph = structure.from_edges(*edges[:2], weights, num_vertices=N, directed=True, device=device)
    vertices = set(range(0, 250))
    frontier = fr.Frontier(graph, sorted(vertices))
    for seed in (0, -3, 2**63):
        rows = sample(graph, frontier, count, method=method, seed=seed)
        assert [sorted(row) for row in rows] == expected_sample(graph, edges, vertices, count, method, seed)


def test_graphs_without_weights_are_sampled_uniformly(structure, device, edges):
    graph = structure.from_edges(*edges[:2], num_vertices=N, directed=True, device=device)
    everything = fr.Frontier.all(graph)
    ones = (*edges[:2], np.ones(edges[0].size))
    rows = sample(graph, everything, 4, method="weighted", seed=9)
    assert [sorted(row) for row in rows] == expected_sample(graph, ones, set(range(N)), 4, "weighted", 9)


@pytest.mark.parametrize("method", ["uniform", "weighted"])
def test_how_often_neighbors_are_drawn(device, method):
    """One of ten neighbors of many vertices is drawn in proportion to its weight, or three uniformly."""
    sources, ends = 4000, 10
    weights = np.tile(np.arange(1, ends + 1, dtype=np.float64), sources)
    src, dst = np.repeat(np.arange(sources), ends) + ends, np.tile(np.arange(ends), sources)
    graph = fr.structures()["csr"].from_edges(src, dst, weights, directed=True, device=device)
    frontier = fr.Frontier(graph, np.arange(ends, ends + sources))
    hits = graph.xp.zeros(graph.num_vertices, np.int64)
    count = 1 if method == "weighted" else 3
    fr.sample_neighbors(graph, frontier, hit, hits, count=count, method=method, seed=11)
    share = weights[:ends] / weights[:ends].sum() if method == "weighted" else np.full(ends, count / ends)
    assert int(hits.sum()) == count * sources
    assert (np.abs(host(hits)[:ends] - sources * share) < 5 * np.sqrt(sources * share * (1 - share))).all()


def hit(src, dst, edge, weight, hits):
    fr.atomic_add(hits, dst, 1)
    return False


def test_samples_outlive_updates(device):
    """Remaining neighbors stay at their positions. A new one may displace the last."""
    graph = fr.structures()["slab"].from_edges(np.zeros(200, int), np.arange(1, 201), num_vertices=N, device=device)
    frontier = fr.Frontier(graph, [0])
    before = set(sample(graph, frontier, 20, method="uniform", seed=5)[0])
    gone = sorted(before)[:5]
    graph.delete_edges(np.zeros(5, int), gone)
    after = set(sample(graph, frontier, 20, method="uniform", seed=5)[0])
    assert len(after) == 20 and before - set(gone) < after
    assert set(sample(graph, frontier, 20, method="uniform", seed=6)[0]) != after


WRONG = {
    "method='random'": (ValueError, "method must be one of 'first', 'uniform', 'weighted'"),
    "method='uniform'": (TypeError, "method='uniform' needs a seed"),
    "seed=3": (TypeError, "method='first' draws nothing: it takes no seed"),
    "method='weighted', seed=0.5": (TypeError, "seed must be an integer"),
    "method='uniform', seed=1, count=0": (ValueError, "count must be at least 1"),
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_arguments(device, arguments):
    graph = fr.structures()["csr"].from_edges([0], [1], device=device)
    error, message = WRONG[arguments]
    hits = graph.xp.zeros(2, np.int64)
    with pytest.raises(error, match=message):
        fr.sample_neighbors(graph, fr.Frontier(graph, [0]), hit, hits, **eval(f"dict({arguments})"))


# ---- samples of neighbors by the type of the edge ----------------------------------------------------------------


COLUMNS = {"kind": "int64", "amount": "float32"}


def typed_graph(structure, device, src, dst, weights, kinds, **options):
    """A weighted graph with a type for each edge."""
    graph = structure(N, device=device, weight_dtype="float32", edge_data=COLUMNS, **options)
    weights = np.asarray(weights, np.float32)
    graph.insert_edges(src, dst, weights, kind=kinds, amount=weights)
    return graph


@pytest.fixture
def typed(structure, device, edges):
    """A graph whose edges have types from 0 to 3, and a few of 7, after deletions, its edges, and their types."""
    src, dst, _ = edges
    kinds = (src * 5 + dst * 3) % 41 % 4
    kinds[::50] = 7
    graph = typed_graph(structure, device, *edges, kinds, directed=True)
    graph.delete_edges(src[::7], dst[::7])
    left = np.arange(src.size) % 7 > 0
    return graph, tuple(part[left] for part in edges), kinds[left]


COUNTS = {0: 3, 1: 0, 2: -1, 3: 10**6, 7: 1}


def check_types(graph, edges, kinds, vertices, counts, **draws):
    """A sample, which must be the samples of graphs of one type each."""
    rows = sample(graph, fr.Frontier(graph, sorted(vertices)), counts, edge_type="kind", **draws)
    expected = [[] for _ in range(N)]
    for kind, count in counts.items():
        of_kind = tuple(part[kinds == kind] for part in edges)
        found = expected_sample(graph, of_kind, vertices, count if count >= 0 else N, **draws)
        expected = [a + b for a, b in zip(expected, found, strict=True)]
    assert [sorted(row) for row in rows] == [sorted(row) for row in expected]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("method", ["uniform", "weighted"])
def test_each_type_has_its_sample(typed, method):
    for seed in (0, -3):
        check_types(*typed, set(range(250)), COUNTS, method=method, seed=seed)


@pytest.mark.slow
def test_first_neighbors_of_each_type(typed):
    graph, (src, dst, _), kinds = typed
    order = sample(graph, fr.Frontier.all(graph), N)
    rows = sample(graph, fr.Frontier.all(graph), COUNTS, edge_type="kind")
    kind_of = dict(zip(zip(src.tolist(), dst.tolist(), strict=True), kinds.tolist(), strict=True))
    for u, row in enumerate(order):
        by_kind = {kind: [v for v in row if kind_of[u, v] == kind] for kind in COUNTS}
        first = [v for kind, count in COUNTS.items() for v in by_kind[kind][: count if count >= 0 else N]]
        assert sorted(rows[u]) == sorted(first)


def test_types_are_drawn_by_weight(device):
    """One neighbor of each of two types for many vertices, in proportion to its weight among neighbors of the type."""
    ends, sources = 10, N - 10
    weights = np.tile(np.arange(1, ends + 1, dtype=np.float64), sources)
    kinds = np.tile(np.arange(ends) % 3, sources)
    src, dst = np.repeat(np.arange(sources), ends) + ends, np.tile(np.arange(ends), sources)
    graph = typed_graph(fr.structures()["slab"], device, src, dst, weights, kinds, directed=True)
    hits, tries, vertices = np.zeros(ends), 20, set(range(N))
    for seed in range(tries):
        rows = check_types(graph, (src, dst, weights), kinds, vertices, {0: 1, 2: 1}, method="weighted", seed=seed)
        hits += np.bincount(np.concatenate(rows).astype(int), minlength=ends)[:ends]
    of_kind, weight = np.arange(ends) % 3, weights[:ends]
    share = np.array([weight[v] / weight[of_kind == of_kind[v]].sum() if of_kind[v] != 1 else 0 for v in range(ends)])
    drawn = tries * sources
    assert (np.abs(hits - drawn * share) <= 5 * np.sqrt(drawn * share * (1 - share))).all()


def test_types_of_odd_graphs(device, directed):
    """No vertices, no edges, a hub with one edge of a type, deleted vertices, predecessors, and types below 0."""
    slab = fr.structures()["slab"]
    draws = dict(method="uniform", seed=1, edge_type="kind")
    for vertices in (0, 1, 5):
        empty = slab(vertices, directed=directed, device=device, weight_dtype="float32", edge_data=COLUMNS)
        assert sample(empty, fr.Frontier.all(empty), {0: -1, 3: 2}, **draws) == [[] for _ in range(vertices)]
    leaves = np.arange(1, N)
    kinds, ones = np.where(leaves == 200, -5, 3), np.ones(leaves.size)
    hub = typed_graph(slab, device, 0 * leaves, leaves, ones, kinds, directed=directed, in_edges=directed)
    everyone, center = fr.Frontier.all(hub), fr.Frontier(hub, [0])
    assert sample(hub, everyone, {-5: 4, 9: 2}, **draws)[0] == [200]
    assert sample(hub, everyone, {}, **draws)[0] == []
    rows = sample(hub.reverse, everyone, {3: -1}, **draws)
    assert sorted(map(len, rows)) == ([0, 0] + [1] * (N - 2) if directed else [0] + [1] * (N - 2) + [N - 2])
    hub.delete_vertices([200, 201])
    assert sample(hub, center, {-5: -1}, **draws)[0] == []
    assert len(set(sample(hub, center, {3: -1}, **draws)[0])) == N - 3


WRONG_TYPES = {
    "edge_type='kind'": (TypeError, "count must be a dict with a number for each type in edge_type, not int"),
    "count={0: 1}": (TypeError, "count must be an integer, not dict"),
    "count={0: 1}, edge_type='sort'": (ValueError, "edge_type must be one of 'weight', 'kind', 'amount', not 'sort'"),
    "count={0: 1}, edge_type=3": (ValueError, "edge_type must be one of 'weight', 'kind', 'amount', not 3"),
    "count={0: 1}, edge_type='amount'": (TypeError, "edge_type must name a column of integers, and 'amount'"),
    "count={300: 1}, edge_type='kind'": (ValueError, "count has type 300, and 'kind' contains int8"),
    "count={'card': 1}, edge_type='kind'": (TypeError, "a type in count must be an integer, not str"),
    "count={2: -2}, edge_type='kind'": (ValueError, r"count\[2\] must be at least 0, or -1 for all neighbors, got -2"),
    "count={2: 0.5}, edge_type='kind'": (TypeError, r"count\[2\] must be an integer, not float"),
}


@pytest.mark.parametrize("arguments", WRONG_TYPES)
def test_wrong_types(arguments):
    columns = {"kind": "int8", "amount": "float32"}
    graph = fr.structures()["slab"](2, device="cpu", weight_dtype="float32", edge_data=columns)
    error, message = WRONG_TYPES[arguments]
    hits = graph.xp.zeros(2, np.int64)
    with pytest.raises(error, match=message):
        fr.sample_neighbors(graph, fr.Frontier(graph, [0]), hit, hits, **eval(f"dict({arguments})"))
    plain = fr.structures()["slab"](2, device="cpu")
    with pytest.raises(ValueError, match="edge_type needs a graph with edge data; make it with edge_data="):
        fr.sample_neighbors(plain, fr.Frontier(plain, [0]), hit, hits, count={0: 1}, edge_type="kind")
