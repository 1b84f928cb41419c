"""neighbor_reduce with several values for each vertex, against NumPy over the edges of each."""

import functools

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier.operators.neighbor_columns import column_options
from structures import CSR, SlabGraph

N = 700


@pytest.fixture(params=[CSR, SlabGraph], ids=["csr", "slab"])
def graph(request, device, rng):
    """Hubs that are cut into pieces, vertices with one neighbor, and some with none, then changed by batches."""
    src = np.concatenate([rng.integers(0, 300, 2000), np.zeros(650, int), np.full(300, 7)])
    dst = np.concatenate([rng.integers(0, 300, 2000), np.arange(1, 651), np.arange(100, 400)])
    weights = rng.random(src.size).astype(np.float32)
    graph = request.param.from_edges(src, dst, weights, num_vertices=N, directed=True, device=device)
    graph.delete_edges(src[::5], dst[::5]) if isinstance(graph, fr.DynamicGraph) else None
    return graph


@pytest.fixture
def arcs(graph):
    return [host(part) for part in graph.to_coo()]


def feature(src, dst, edge, weight, column, x):
    return x[dst, column]


def scaled(src, dst, edge, weight, column, x):
    return weight * x[dst, column] + src


def reduced(arcs, values, ufunc, start):
    """The reduction of values by arc, for each source."""
    out = np.full((N, values.shape[1]), start, values.dtype)
    ufunc.at(out, arcs[0], values)
    return out


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 16, 33, 64, 100, 130])
def test_sums(graph, arcs, rng, columns):
    x = rng.random((N, columns))
    found = fr.neighbor_reduce(graph, None, scaled, graph.xp.asarray(x), columns=columns)
    assert found.shape == (N, columns) and found.dtype == np.float64
    np.testing.assert_allclose(
        host(found), reduced(arcs, arcs[2][:, None] * x[arcs[1]] + arcs[0][:, None], np.add, 0), rtol=1e-6
    )


CASES = {
    "sum-float32": ("sum", "float32", np.add, 0),
    "min-float64": ("min", "float64", np.minimum, np.inf),
    "max-int32": ("max", "int32", np.maximum, -(2**31)),
    "or-int64": ("or", "int64", np.bitwise_or, 0),
    "and-int32": ("and", "int32", np.bitwise_and, -1),
}


@pytest.mark.parametrize("case", CASES)
def test_reductions(graph, arcs, rng, case):
    reduce, dtype, ufunc, start = CASES[case]
    x = rng.integers(-1000, 1000, (N, 5)).astype(dtype)
    found = fr.neighbor_reduce(graph, None, feature, graph.xp.asarray(x), columns=5, reduce=reduce, dtype=dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(host(found), reduced(arcs, x[arcs[1]], ufunc, start), rtol=1e-6)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def test_functions_of_ones_own(graph, arcs, rng):
    x = rng.integers(1, 40, (N, 3)) * 6
    found = fr.neighbor_reduce(
        graph, None, feature, graph.xp.asarray(x), columns=3, reduce=gcd, identity=0, dtype=np.int64
    )
    rows = [[functools.reduce(gcd, column.tolist(), 0) for column in x[arcs[1][arcs[0] == u]].T] for u in range(N)]
    assert host(found).tolist() == rows


def test_only_members_are_written(graph, arcs, rng):
    x = rng.random((N, 4)).astype(np.float32)
    full = reduced(arcs, x[arcs[1]], np.add, 0)
    members = [0, 3, 7, 250, N - 1]
    out = graph.xp.ones((N, 4), np.float32)
    for _ in range(2):
        given = fr.neighbor_reduce(graph, fr.Frontier(graph, members), feature, graph.xp.asarray(x), columns=4, out=out)
        assert given is out
    others = np.setdiff1d(np.arange(N), members)
    np.testing.assert_allclose(host(out)[members], full[members], rtol=1e-4)
    assert (host(out)[others] == 1).all()
    assert fr.neighbor_reduce(graph, fr.Frontier(graph), feature, x, columns=4, out=out) is out if graph.xp is np else 1


def test_functors_are_checked_and_interpreted(graph, arcs):
    x = graph.xp.ones((N, 3))
    with fr.checking():
        assert fr.neighbor_reduce(graph, None, feature, x, columns=3).sum() == 3 * arcs[0].size
        with pytest.raises(fr.FunctorIndexError, match=r"reads x\[dst, column\] at index \(\d+, 3\), but its shape is"):
            fr.neighbor_reduce(graph, None, feature, x, columns=4)
    if not graph.device.is_gpu:
        with fr.interpreted():
            some = fr.Frontier(graph, [0, 7])
            found = fr.neighbor_reduce(graph, some, feature, x, columns=3)
            assert found[7].tolist() == [(arcs[0] == 7).sum()] * 3


WRONG = {
    "columns=0": (ValueError, "columns"),
    "columns=2.5": (TypeError, "columns"),
    "columns=2, reduce='any'": (ValueError, "columns is for sum, min, max, or, and and custom functions, not"),
    "columns=2, reduce='argmin'": (ValueError, "columns is for"),
    "columns=2, out=np.zeros(N)": (ValueError, r"out must be of shape \(700, 2\), not \(700,\)"),
    "columns=2, out=np.zeros((N, 3))": (ValueError, r"out must be of shape \(700, 2\), not \(700, 3\)"),
    "columns=2, out=np.zeros((2, N)).T": (ValueError, "out must be contiguous"),
    "columns=2, values=True": (ValueError, "values is for argmin, argmax and mode"),
    "": (fr.FunctorError, "takes 6 parameters"),
}  # fmt: skip


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_arguments(device, arguments):
    graph = CSR.from_edges([0], [1], num_vertices=N, device=device)
    error, message = WRONG[arguments]
    named = eval(f"dict({arguments})", globals() | {"np": graph.xp})
    with pytest.raises(error, match=message):
        fr.neighbor_reduce(graph, None, feature, graph.xp.ones((N, 2)), **named)


@pytest.mark.parametrize(
    ("columns", "tile", "lanes"),
    [(1, 8, "8 1 1 1"), (3, 4, "4 4 1 0"), (16, 8, "16 16 1 1"), (32, 8, "32 32 1 1"), (33, 4, "32 32 2 0"),
     (64, 8, "32 32 2 1"), (100, 8, "32 32 4 0"), (128, 8, "32 32 4 1"), (1000, 8, "32 32 4 0")],
)  # fmt: skip
def test_lanes_of_columns(columns, tile, lanes):
    """A tile's lanes, of which several process the columns of one neighbor, their numbers, and whether they are
    filled."""
    options = dict(column_options("sum", np.dtype(np.float32), columns, tile))
    assert " ".join(options[name] for name in ("TILE_SIZE", "COLUMN_LANES", "COLUMNS_EACH", "WHOLE")) == lanes
