"""Arrays of two dimensions in functors, on every device."""

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier.functor.arguments import c_parameters, parameter_types
from structures import CSR, SlabGraph

ROWS, COLUMNS = 300, 3
DTYPES = [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64]


@pytest.fixture
def everyone(device):
    return fr.Frontier.all(CSR(ROWS, device=device))


@pytest.fixture(params=DTYPES, ids=lambda t: np.dtype(t).name)
def dtype(request):
    return request.param


def dot(a, b):
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


def shift(v, x, y, sums):
    last = x.shape[1] - 1
    for j in range(x.shape[1]):
        y[v, j] = 2 * x[v, last - j]
    y[v, 0] += 1
    sums[v] = dot(x[v], y[v]) + x.shape[0] + len(x)


def test_elements_rows_and_shapes(everyone, rng):
    xp = everyone.graph.xp
    x = rng.random((ROWS, COLUMNS)).astype(np.float32)
    y, sums = xp.zeros((ROWS, COLUMNS)), xp.zeros(ROWS)
    fr.compute(everyone, shift, xp.asarray(x), y, sums)
    expected = 2.0 * x[:, ::-1]
    expected[:, 0] += 1
    np.testing.assert_allclose(host(y), expected, rtol=1e-6)
    np.testing.assert_allclose(host(sums), (x * expected).sum(1) + 2 * ROWS, rtol=1e-6)


def of_all_types(v, x, y):
    y[v, 1] = x[v, 0] + x[v, 1]


@pytest.mark.parametrize("kind", [*DTYPES, np.bool_, np.int8, np.uint8], ids=lambda t: np.dtype(t).name)
def test_types(everyone, kind):
    xp = everyone.graph.xp
    x, y = xp.ones((ROWS, 2), kind), xp.zeros((ROWS, 2), kind)
    fr.compute(everyone, of_all_types, x, y)
    assert host(y).tolist() == [[0, True if kind is np.bool_ else 2]] * ROWS


def gather(src, dst, edge, weight, x, total):
    for j in range(x.shape[1]):
        fr.atomic_add(total, (dst, j), weight * x[src, j])
    fr.atomic_max(total[src], 0, 0)
    return True


def test_features_are_pushed_along_edges(device, rng):
    src, dst = rng.integers(0, ROWS, (2, 900))
    weights = rng.random(900)
    graph = SlabGraph.from_edges(src, dst, weights, num_vertices=ROWS, directed=True, device=device)
    x, expected = rng.random((ROWS, COLUMNS)), np.zeros((ROWS, COLUMNS))
    arcs = [host(part) for part in graph.to_coo()]
    np.add.at(expected, arcs[1], arcs[2][:, None] * x[arcs[0]])
    total = graph.xp.zeros((ROWS, COLUMNS))
    fr.advance(graph, fr.Frontier.all(graph), gather, graph.xp.asarray(x), total)
    np.testing.assert_allclose(host(total), expected, rtol=1e-5)


def change(v, out, old):
    at = (v % 2, 1)
    old[v, 0] = fr.atomic_add(out, at, 1)
    fr.atomic_max(out, (2, 0), v)
    fr.atomic_min(out, (2, 1), v)
    old[v, 1] = fr.atomic_exch(out, (3, 0), v)
    if fr.atomic_cas(out, (3, 1), 0, 7) == 0:
        fr.atomic_add(out[4], 0, 1)


def test_atomics_take_pairs(everyone, dtype):
    xp = everyone.graph.xp
    start = np.array([[0, 0], [0, 0], [3, 9999], [ROWS, 0], [0, 0]], dtype)
    out, old = xp.asarray(start), xp.zeros((ROWS, 2), dtype)
    fr.compute(everyone, change, out, old)
    assert out[:3].tolist() == [[0, ROWS // 2], [0, ROWS // 2], [ROWS - 1, 0]] and out[3:].tolist()[0][1] == 7
    assert int(out[4, 0]) == 1
    assert sorted(old[:, 0].tolist()) == sorted([*range(ROWS // 2)] * 2)
    assert sorted([*old[:, 1].tolist(), int(out[3, 0])]) == list(range(ROWS + 1))


def bits(v, out):
    fr.atomic_or(out, (v % 2, 0), 1 << (v % 20))
    fr.atomic_and(out[v % 2], 1, ~(1 << (v % 7)))


def test_bits(device):
    everyone = fr.Frontier.all(CSR(40, device=device))
    out = everyone.graph.xp.asarray(np.array([[0, 127], [0, 127]]))
    fr.compute(everyone, bits, out)
    even = sum(1 << i for i in range(0, 20, 2))
    assert out.tolist() == [[even, 0], [2 * even, 0]]
    with pytest.raises(fr.FunctorError, match="must contain integers, not float64"):
        fr.compute(everyone, bits, out.astype(np.float64))


def test_outside_functors_atomics_take_pairs():
    x = np.zeros((2, 2), np.int64)
    assert fr.atomic_add(x, (1, 0), 5) == 0 and fr.atomic_cas(x, (1, 0), 5, 6) == 5 and x.tolist() == [[0, 0], [6, 0]]


def read(v, x):
    return x[v, v % 4] >= 0


def write(v, x):
    x[v + 1, 0] = 0


def negative(v, x):
    return x[v, -1] >= 0


def chained(v, x):
    x[v][v] += 1


def row(v, x):
    values = x[v + 1]
    return values[0] >= 0


def column(v, x):
    values = x[v]
    return values[3] >= 0


def helper(v, x):
    return element(x[v], 3) >= 0


def element(a, j):
    return a[j]


def atomic(v, x):
    fr.atomic_add(x, (v, 3), 1)


def atomic_of_row(v, x):
    fr.atomic_add(x[v], 3, 1)


def named(v, x):
    at = (v, 3)
    return x[at] >= 0


OUTSIDE = {
    read: r"read\(\) reads x\[v, v % 4\] at index \(\d+, 3\), but its shape is \(300, 3\)",
    write: r"write\(\) writes x\[v \+ 1, 0\] at index \(300, 0\), but its shape is \(300, 3\)",
    negative: r"negative\(\) reads x\[v, -1\] at index \(\d+, -1\), but",
    chained: r"chained\(\) writes x\[v, v\] at index \(\d+, \d+\), but its shape is \(300, 3\)",
    row: r"row\(\) reads x\[v \+ 1\] at index 300, but its length is 300",
    column: r"column\(\) reads values\[3\] at index 3, but its length is 3",
    helper: r"element\(\) reads a\[j\] at index 3, but its length is 3",
    atomic: r"atomic\(\) writes x\[v, 3\] at index \(\d+, 3\), but its shape is \(300, 3\)",
    atomic_of_row: r"atomic_of_row\(\) writes x\[v, 3\] at index \(\d+, 3\), but",
    named: r"named\(\) reads x\[at\] at index \(\d+, 3\), but its shape is",
}


@pytest.mark.slow
@pytest.mark.parametrize("op", OUTSIDE, ids=lambda op: op.__name__)
def test_indices_outside_are_found(everyone, op):
    run = fr.compute if op in (write, chained, atomic, atomic_of_row) else fr.filter
    xp = everyone.graph.xp
    with fr.checking():
        with pytest.raises(fr.FunctorIndexError, match=OUTSIDE[op]):
            run(everyone, op, xp.zeros((ROWS, COLUMNS)))
        if op is not negative:
            run(everyone, op, xp.zeros((ROWS + 1, ROWS)))


@pytest.mark.parametrize("shape", [(0, 3), (300, 0)])
def test_empty_arrays_are_checked(everyone, shape):
    with fr.checking(), pytest.raises(fr.FunctorIndexError, match=rf"but its shape is \({shape[0]}, {shape[1]}\)"):
        fr.filter(everyone, read, everyone.graph.xp.zeros(shape))


WRONG = {
    "three": (lambda xp: xp.zeros((4, 4, 4)), "an array of one or two dimensions, not of shape \\(4, 4, 4\\)"),
    "none": (lambda xp: xp.zeros(()), "an array of one or two dimensions, not of shape \\(\\)"),
    "transposed": (lambda xp: xp.zeros((4, 5)).T, "a contiguous array in C order, not one of shape \\(5, 4\\)"),
    "cut": (lambda xp: xp.zeros((4, 5))[:, 1:], "a contiguous array in C order.*ascontiguousarray"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arrays(everyone, case):
    make, message = WRONG[case]
    with pytest.raises(fr.FunctorError, match=rf"argument 0 of read\(\) must be {message}"):
        fr.filter(everyone, read, make(everyone.graph.xp))


def step_beside(src, dst, edge, weight, x, step, level):
    if level[dst] < 0:
        level[dst] = step
        x[dst, 1] = step
    return level[dst] == step


def test_steps_behind_matrices(device):
    """Arguments behind a matrix have the right positions."""
    graph = CSR.from_edges(range(9), range(1, 10), device=device)
    level = graph.xp.full(10, -1, np.int32)
    level[0] = 0
    x = graph.xp.zeros((10, 2))
    fr.traverse(graph, fr.Frontier(graph, [0]), step_beside, x, fr.advanced.StepCounter(1), level)
    assert level.tolist() == x[:, 1].tolist() == list(range(10))


def test_a_matrix_is_three_parameters():
    types = parameter_types((np.zeros((2, 3), np.float32), np.int64(3), np.zeros(2)))
    declared, named = c_parameters(types)
    assert declared == ", float* a0, i64 a0_rows, i64 a0_columns, i64 a1, double* a2"
    assert named == ", a0, a0_rows, a0_columns, a1, a2"


@pytest.mark.parametrize(
    ("op", "checked"), [(shift, False), (gather, False), (change, False), *((op, True) for op in OUTSIDE)],
    ids=lambda value: value.__name__ if callable(value) else "checked" if value else "unchecked",
)  # fmt: skip
def test_functors_compile_for_gpus(op, checked):
    pytest.importorskip("cuda.core")
    pytest.importorskip("numba.cuda")
    from frontier.functor import cuda_functor

    int32, int64, float64 = (np.dtype(name) for name in ("int32", "int64", "float64"))
    kinds = {"edge": (int64, 0), "weight": (float64, 0), "sums": (float64, 1)}
    kinds |= {name: (float64, 2) for name in ("x", "y", "total", "out", "old")}
    parameters = tuple(kinds.get(name, (int32, 0)) for name in op.__code__.co_varnames[: op.__code__.co_argcount])
    result = int32 if op in (gather, read, negative, row, column, helper, named) else None
    report = ((int64, 1),) if checked else ()
    assert cuda_functor(op, "op", result, (*parameters, *report), (9, 0), checked=checked)


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_kernels_link_with_functors_of_matrices(vertex_dtype):
    pytest.importorskip("cuda.core")
    pytest.importorskip("numba.cuda")
    from compile_cases import check_compiles

    args = (np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2))
    case = ((("op", shift, ("vertex",), None),), args, ())
    check_compiles(CSR, "compute", lambda graph: case, "sm_90", vertex_dtype, None)
