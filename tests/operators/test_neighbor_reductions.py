"""neighbor_reduce with every reduction, against plain Python over the edges of each vertex."""

import collections
import functools
import math

import numpy as np
import pytest
from verifiers import host

import frontier as fr

N = 400


@pytest.fixture
def graph(structure, device, rng):
    """Hubs with many segments, vertices with one neighbor, and some with none, then changed by batches."""
    src = np.concatenate([rng.integers(0, 300, 900), np.zeros(260, int), np.full(120, 7)])
    dst = np.concatenate([rng.integers(0, 300, 900), np.arange(1, 261), np.arange(100, 220)])
    graph = structure.from_edges(src, dst, num_vertices=N, directed=True, device=device)
    if isinstance(graph, fr.DynamicGraph):
        graph.delete_edges(src[::5], dst[::5])
        graph.insert_edges(src[::10], dst[::10])
    return graph


@pytest.fixture
def rows(graph):
    """The neighbors of each vertex."""
    src, dst = (host(part).tolist() for part in graph.to_coo()[:2])
    found = [[] for _ in range(N)]
    for u, v in zip(src, dst, strict=True):
        found[u].append(v)
    return found


def value(src, dst, edge, weight, x):
    return x[dst]


def above(src, dst, edge, weight, x):
    return x[dst] > x[src]


def mixed(src, dst, edge, weight, x):
    return x[dst] * 3 - src


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("reduce", ["or", "and"])
@pytest.mark.sampled("reduce", "dtype", of=2)
def test_bits(graph, rows, rng, reduce, dtype):
    x = rng.integers(-(2**30), 2**30, N).astype(dtype)
    found = fr.neighbor_reduce(graph, None, value, graph.xp.asarray(x), reduce=reduce, dtype=dtype)
    combine, start = (np.bitwise_or, 0) if reduce == "or" else (np.bitwise_and, -1)
    assert found.dtype == dtype
    assert host(found).tolist() == [int(combine.reduce(x[row], initial=start)) for row in rows]
    default = fr.neighbor_reduce(graph, None, value, graph.xp.asarray(x), reduce=reduce)
    assert default.dtype == np.int64 and host(default).tolist() == host(found).tolist()


@pytest.mark.parametrize("limit", [-1.0, 0.02, 0.5, 2.0])
@pytest.mark.parametrize("reduce", ["any", "all"])
@pytest.mark.sampled("reduce", of=2)
def test_truth(graph, rows, rng, reduce, limit):
    x = rng.random(N)
    x[::3] = limit
    found = fr.neighbor_reduce(graph, None, above, graph.xp.asarray(x), reduce=reduce)
    decide = any if reduce == "any" else all
    assert found.dtype == np.bool_
    assert host(found).tolist() == [decide(x[v] > x[u] for v in row) for u, row in enumerate(rows)]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("reduce", ["argmin", "argmax"])
@pytest.mark.sampled("reduce", "dtype", of=3)
def test_best_neighbors(graph, rows, rng, reduce, dtype):
    """The neighbor with the lowest id counts if several have the best value."""
    x = rng.integers(-20, 20, N).astype(dtype)
    found = fr.neighbor_reduce(graph, None, mixed, graph.xp.asarray(x), reduce=reduce, dtype=dtype)
    sign = 1 if reduce == "argmin" else -1
    assert found.dtype == graph.vertex_dtype
    assert host(found).tolist() == [min(row, key=lambda v: (sign * x[v], v), default=-1) for row in rows]


@pytest.mark.parametrize("reduce", ["argmin", "argmax"])
@pytest.mark.sampled("reduce", of=2)
def test_best_of_extreme_values(graph, rows, reduce):
    """The largest number, or infinity, may be the best. NaN never is."""
    x = np.full(N, np.inf if reduce == "argmin" else -np.inf)
    x[::2] = np.nan
    found = fr.neighbor_reduce(graph, None, value, graph.xp.asarray(x), reduce=reduce)
    assert host(found).tolist() == [min((v for v in row if v % 2), default=-1) for row in rows]
    limits = np.iinfo(np.int64)
    y = np.full(N, limits.max if reduce == "argmin" else limits.min)
    found = fr.neighbor_reduce(graph, None, value, graph.xp.asarray(y), reduce=reduce, dtype=np.int64)
    assert host(found).tolist() == [min(row, default=-1) for row in rows]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("reduce", ["argmin", "argmax"])
@pytest.mark.sampled("reduce", "dtype", of=4)
def test_best_values(graph, rows, rng, reduce, dtype):
    """The neighbors with their values, and the worst value for vertices without a neighbor."""
    x = rng.integers(-20, 20, N).astype(dtype)
    given = graph.xp.asarray(x)
    found, best = fr.neighbor_reduce(graph, None, mixed, given, reduce=reduce, dtype=dtype, values=True)
    alone = fr.neighbor_reduce(graph, None, mixed, given, reduce=reduce, dtype=dtype)
    plain = fr.neighbor_reduce(graph, None, mixed, given, reduce=reduce[3:], dtype=dtype)
    assert host(found).tolist() == host(alone).tolist() and best.dtype == dtype
    assert host(best).tolist() == host(plain).tolist()


def most_frequent(values):
    """The most frequent value, the smallest of several, and its frequency."""
    counts = collections.Counter(values)
    return min(((-count, value) for value, count in counts.items()), default=(0, -1))[::-1]


@pytest.mark.parametrize("distinct", [1, 3, 40, 10**6], ids=lambda n: f"{n}-values")
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.sampled("dtype", of=2)
def test_modes(graph, rows, rng, dtype, distinct):
    x = (rng.integers(0, distinct, N) - distinct // 2).astype(dtype)
    x[rng.integers(0, N, 5)] = np.iinfo(dtype).min
    given = graph.xp.asarray(x)
    found, counts = fr.neighbor_reduce(graph, None, value, given, reduce="mode", dtype=dtype, values=True)
    expected = [most_frequent(x[v].item() for v in row) for row in rows]
    assert found.dtype == dtype and counts.dtype == np.int32
    assert host(found).tolist() == [mode for mode, _ in expected]
    assert host(counts).tolist() == [-count for _, count in expected]


def same(src, dst, edge, weight, x):
    return x[dst]


@pytest.mark.parametrize("distinct", [5, 2000, 20000])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_modes_of_hubs(device, rng, dtype, distinct):
    """More neighbors, and more distinct values, than a table's capacity."""
    n = 30_000
    hubs = np.repeat([0, 1, 2, 3], [n - 9, 9000, 1100, 900])
    others = np.concatenate([np.arange(9, n), *(rng.choice(np.arange(9, n), k, False) for k in (9000, 1100, 900))])
    graph = fr.structures()["csr"].from_edges(hubs, others, num_vertices=n, directed=True, device=device)
    x = (rng.integers(0, distinct, n) * 1000003 % 2**31).astype(dtype)
    found, counts = fr.neighbor_reduce(graph, None, same, graph.xp.asarray(x), reduce="mode", dtype=dtype, values=True)
    for hub in range(4):
        mode, count = most_frequent(x[others[hubs == hub]].tolist())
        assert (int(found[hub]), int(counts[hub])) == (mode, -count)


def fair(src, value, total, x):
    """A score that does not depend only on frequency, and that is NaN for some values."""
    return math.nan if value % 11 == 3 else total / (value % 7 + 1) - src % 3


def fairest(src, totals):
    """The value of the highest score, the smallest of several, and that score."""
    scores = ((-fair(src, value, total, None), value) for value, total in totals.items() if value >= 0)
    score, value = min((pair for pair in scores if pair[0] == pair[0]), default=(math.inf, -1))
    return value, -score


@pytest.mark.parametrize("distinct", [1, 3, 40, 10**6], ids=lambda n: f"{n}-values")
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.sampled("dtype", of=2)
def test_scores(graph, rows, rng, dtype, distinct):
    """Values are weighed by their number of edges; values below 0 do not count."""
    x = (rng.integers(0, distinct, N) - distinct // 4).astype(dtype)
    found, scores = fr.neighbor_reduce(
        graph, None, value, graph.xp.asarray(x), reduce="mode", score=fair, dtype=dtype, values=True
    )  # fmt: skip
    expected = [fairest(u, collections.Counter(x[v].item() for v in row)) for u, row in enumerate(rows)]
    assert found.dtype == dtype and scores.dtype == np.float64
    assert host(found).tolist() == [value for value, _ in expected]
    assert host(scores).tolist() == [score for _, score in expected]


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [5, 2000, 20000])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_scores_of_hubs_with_weights(device, rng, dtype, distinct):
    """Sums of weights, of more neighbors and more distinct values than a table's capacity."""
    n = 30_000
    hubs = np.repeat([0, 1, 2, 3, 4], [n - 9, 9000, 1100, 900, 20])
    parts = (rng.choice(np.arange(9, n), k, False) for k in (9000, 1100, 900, 20))
    others = np.concatenate([np.arange(9, n), *parts])
    weights = rng.integers(1, 9, others.size).astype(np.float32)
    graph = fr.structures()["csr"].from_edges(hubs, others, weights, num_vertices=n, directed=True, device=device)
    x = (rng.integers(0, distinct, n) * 1000003 % 2**31 - 2**20).astype(dtype)
    members = fr.Frontier(graph, [0, 1, 2, 3, 4])
    found, scores = fr.neighbor_reduce(
        graph, members, same, graph.xp.asarray(x), reduce="mode", score=fair, dtype=dtype, values=True
    )
    for hub in range(5):
        names, which = np.unique(x[others[hubs == hub]], return_inverse=True)
        totals = np.bincount(which, weights[hubs == hub])
        expected = fairest(hub, dict(zip(names.tolist(), totals.tolist(), strict=True)))
        assert (int(found[hub]), float(scores[hub])) == expected
    assert host(scores)[5:].tolist() == [-math.inf] * (n - 5)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def product(a, b):
    return a * b


def longer(a, b):
    return math.sqrt(a * a + b * b)


@pytest.mark.parametrize(
    ("reduce", "identity", "dtype", "low", "high"),
    [(gcd, 0, "int64", 1, 500), (gcd, 0, "int32", 1, 500), (product, 1, "float64", 0.9, 1.1),
     (longer, 0, "float64", 0, 9), (product, 1.0, "float32", 0.9, 1.1), (lambda a, b: a ^ b, 0, "int64", 0, 2**40)],
    ids=["gcd", "gcd-int32", "product", "norm", "product-float32", "xor"],
)  # fmt: skip
@pytest.mark.sampled("reduce", "dtype", of=3)
def test_functions_of_ones_own(graph, rows, rng, reduce, identity, dtype, low, high):
    x = rng.integers(low, high, N) if np.dtype(dtype).kind == "i" else rng.uniform(low, high, N)
    x = x.astype(dtype)
    found = fr.neighbor_reduce(
        graph, None, value, graph.xp.asarray(x), reduce=reduce, identity=identity, dtype=dtype
    )  # fmt: skip
    expected = [functools.reduce(reduce, (x[v].item() for v in row), identity) for row in rows]
    assert found.dtype == dtype
    np.testing.assert_allclose(host(found), expected, rtol=1e-4 if dtype == "float32" else 1e-12)


NAMED = ("sum", "min", "max", "or", "and", "any", "all", "argmin", "argmax", "mode")
ALL = [*((name, None) for name in NAMED), (product, 1)]


@pytest.mark.parametrize(("reduce", "identity"), ALL)
@pytest.mark.sampled("reduce", of=2)
def test_only_members_are_written(graph, rows, reduce, identity):
    x = graph.xp.arange(N) % 5 + 1
    full = fr.neighbor_reduce(graph, None, value, x, reduce=reduce, identity=identity)
    members = [0, 3, 7, 250, N - 1]
    some = fr.Frontier(graph, members)
    out = graph.xp.ones_like(full)
    given = fr.neighbor_reduce(graph, some, value, x, reduce=reduce, identity=identity, out=out)
    assert given is out
    new = fr.neighbor_reduce(graph, some, value, x, reduce=reduce, identity=identity)
    lonely = int(next(u for u, row in enumerate(rows) if not row))
    for v in range(N):
        assert host(out)[v] == pytest.approx(host(full)[v] if v in members else 1, rel=1e-12)
        assert host(new)[v] == pytest.approx(host(full)[v if v in members else lonely], rel=1e-12)
    nobody = fr.neighbor_reduce(graph, fr.Frontier(graph), value, x, reduce=reduce, identity=identity, out=out)
    assert nobody is out
    again = fr.neighbor_reduce(graph, None, value, x, reduce=reduce, identity=identity, out=out)
    np.testing.assert_allclose(host(again), host(full), rtol=1e-12)


def test_functors_are_checked_and_interpreted(graph, rows):
    x = graph.xp.arange(N) % 7 + 1
    expected = [functools.reduce(gcd, (v % 7 + 1 for v in row), 0) for row in rows]
    with fr.checking():
        found = fr.neighbor_reduce(graph, None, value, x, reduce=gcd, identity=0, dtype=np.int64)
        assert host(found).tolist() == expected
        with pytest.raises(fr.FunctorIndexError):
            fr.neighbor_reduce(graph, None, value, x[:100], reduce="any")
    if not graph.device.is_gpu:
        with fr.interpreted():
            some = fr.Frontier(graph, [0, 7])
            found = fr.neighbor_reduce(graph, some, value, x, reduce=gcd, identity=0, dtype=np.int64)
            assert found[0] == expected[0] and found[7] == expected[7]
            assert fr.neighbor_reduce(graph, some, value, x, reduce="argmax")[0] in rows[0]
            assert fr.neighbor_reduce(graph, some, value, x, reduce="any")[0]
            mode, count = most_frequent(v % 7 + 1 for v in rows[0])
            found = fr.neighbor_reduce(graph, some, value, x, reduce="mode", values=True)
            assert (found[0][0], found[1][0]) == (mode, -count)
            found = fr.neighbor_reduce(graph, some, value, x, reduce="mode", score=fair, values=True)
            expected = fairest(0, collections.Counter(v % 7 + 1 for v in rows[0]))
            assert (found[0][0], found[1][0]) == expected


WRONG = {
    "reduce='mean'": (ValueError, "reduce must be"),
    "reduce=3": (ValueError, "reduce must be"),
    "reduce=gcd": (TypeError, "identity must be given"),
    "reduce=gcd, identity='0'": (TypeError, "identity must be"),
    "reduce=gcd, identity=0.5, dtype=np.int64": (ValueError, "identity is 0.5, which int64 cannot represent"),
    "reduce=gcd, identity=2**40, dtype=np.int32": (ValueError, "identity is 1099511627776, which int32 cannot"),
    "reduce='sum', identity=0": (TypeError, "identity is for custom functions only"),
    "reduce=lambda a: a, identity=0": (fr.FunctorError, "takes 1 parameters"),
    "reduce=lambda a, b: a.no, identity=0": (fr.FunctorError, "cannot be compiled"),
    "reduce='or', dtype=np.float64": (TypeError, "dtype must be one of int32, int64, not float64"),
    "reduce='any', dtype=np.int32": (TypeError, "dtype must be bool, not int32"),
    "reduce='any', out=np.zeros(N)": (TypeError, "out"),
    "reduce='argmin', out=np.zeros(N)": (TypeError, "out"),
    "reduce='mode', out=np.zeros(N)": (TypeError, "out must be an array of int32 or int64, not float64"),
    "reduce='mode', dtype=np.float32": (TypeError, "dtype must be one of int32, int64, not float32"),
    "reduce='max', score=fair": (ValueError, "score is for mode, not for other reductions"),
    "reduce='mode', score=gcd": (fr.FunctorError, "takes 2 parameters"),
    "values=True": (ValueError, "values is for argmin, argmax and mode, not for other reductions"),
    "reduce='max', values=1": (TypeError, "values must be True or False"),
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_arguments(device, arguments):
    graph = fr.structures()["csr"].from_edges([0], [1], num_vertices=N, device=device)
    error, message = WRONG[arguments]
    named = eval(f"dict({arguments})", globals() | {"np": graph.xp})
    with pytest.raises(error, match=message):
        fr.neighbor_reduce(graph, None, value, graph.xp.ones(N), **named)
