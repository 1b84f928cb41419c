"""Every compiler of functors for GPUs: which one is used, and that its code computes what Python does.

The code that it makes is run on the host (tests/support/host_code.py), so no GPU is needed.
"""

from __future__ import annotations

import ast
import enum
import math
import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from host_code import CAPABILITIES, on_host
from random_functors import random_functor

import algorithms
import frontier as fr
from frontier.functor.checking import INDEX, LENGTH, RAISED, SITE, TABLE, sites
from frontier.functor.cuda import CHOICE, COMPILERS, chosen_compiler, compiler_version, compilers, installed_compilers
from frontier.operators.dispatch.signatures import ARC
from structures import CSR

NUMBERS = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
DTYPES = ["bool", "int8", "uint8", *NUMBERS]


@pytest.fixture(params=COMPILERS)
def compiler(request):
    if request.param not in installed_compilers():
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def compiled(compiler, monkeypatch):
    """Compiles a functor, and returns it as a function that the host can call."""
    return lambda op, result, *parameters, **options: on_host(monkeypatch, compiler, op, result, *parameters, **options)


def test_a_compiler_can_be_chosen(monkeypatch):
    monkeypatch.setattr(compilers, "_version", lambda name: "1.0")
    monkeypatch.delenv(CHOICE, raising=False)
    assert chosen_compiler() == "numba-cuda" and installed_compilers() == list(COMPILERS)
    for name in COMPILERS:
        monkeypatch.setenv(CHOICE, name)
        assert chosen_compiler() == name
    monkeypatch.setenv(CHOICE, "nvcc")
    with pytest.raises(ValueError, match=f"{CHOICE} must be numba-cuda or numba-cuda-mlir, not 'nvcc'"):
        chosen_compiler()


def test_compilers_that_are_not_there_are_named(monkeypatch):
    there = {"numba-cuda-mlir": "0.6.0"}
    monkeypatch.setattr(compilers, "_version", there.get)
    monkeypatch.delenv(CHOICE, raising=False)
    assert chosen_compiler() == "numba-cuda-mlir"
    monkeypatch.setenv(CHOICE, "numba-cuda")
    with pytest.raises(ImportError, match=f"{CHOICE} names numba-cuda, which is not installed"):
        chosen_compiler()
    monkeypatch.setenv(CHOICE, "")
    there.clear()
    with pytest.raises(ImportError, match="numba-cuda or numba-cuda-mlir, and neither is installed: the extras"):
        chosen_compiler()


def test_code_is_kept_by_compiler_and_version(monkeypatch):
    known = {name: compiler_version.__wrapped__(name) for name in COMPILERS}
    assert len(set(known.values())) == len(COMPILERS)
    monkeypatch.setattr(compilers, "_version", lambda name: "another")
    assert all(compiler_version.__wrapped__(name) != version for name, version in known.items())


class Color(enum.IntEnum):
    RED = 1
    BLUE = 5


LARGE = np.uint64(0xFFFFFFFFFFFFFFF0)
NEGATIVE = np.int32(-5)
PAIR = (3, 0.5)
NOT_A_NUMBER = float("nan")


def clipped(x, low=0.0, high=4.0):
    return min(max(x, low), high)


def apply(function, x):
    return function(x)


def set_early(x, v):
    if x[v] > 3:
        x[v] = 0
        return
    if x[v] > 1:
        x[v] += 1
        return
    x[v] = 7


def integers(v, f, i):
    i[0] = -v // 3
    i[1] = -v % 3
    i[2] = (v << 40) | 5
    i[3] = ~v
    i[4] = v**3
    i[5] = min(v, 2, 5)
    i[6] = max(v, -1)
    i[7] = abs(1 - v)
    i[8] = 1 if 0 <= v < 3 else 2
    f[0] = v / 2
    f[1] = v + 0.5


def unsigned(v, f, i):
    large = np.uint64(v) + np.uint64(1 << 63)
    i[0] = large >> np.uint64(60)
    i[1] = large > np.uint64(7)
    i[2] = max(large, np.uint64(5)) >> np.uint64(3)
    i[3] = np.int64(np.uint32(NEGATIVE)) + 1
    i[4] = np.uint32(4000000000) + v
    i[5] = np.uint8(255) > 0.5
    i[6] = np.uint32(0xFFFFFFFF) & np.int32(-1)
    f[0] = np.uint32(4000000000)
    f[1] = np.uint8(200) * 2.5


def floats(v, f, i):
    x = f[2] + v
    i[0] = math.floor(x) // 2
    i[1] = round(v + 0.5)
    i[2] = int(-x)
    i[int(math.ceil(f[0])) + 1] = 3  # noqa: RUF046  # numba-cuda has a float for ceil
    i[4] = f[1] != NOT_A_NUMBER
    i[5] = NOT_A_NUMBER == NOT_A_NUMBER
    i[6] = f[3] != f[3]
    f[4] = x % 2.0
    f[5] = -x // 2.0
    f[6] = v**0.5 + 2.0**v
    f[7] = clipped(x) + clipped(x, 1.0) + clipped(x, high=2.5)
    f[8] = min(x, v, 1.5)


def functions_of_math(v, f, i):
    f[0] = math.sqrt(v) + 1
    f[1] = math.exp(-f[1]) + math.log(v + 1.5) + math.log2(8.0)
    f[2] = math.sin(f[2]) + math.cos(f[2]) + math.tanh(f[2])
    f[3] = math.pow(v, 2) + math.atan2(v, 3.0) + math.hypot(v, 4)
    f[4] = math.fabs(-v) + math.pi
    i[0] = math.isnan(f[5]) or math.isinf(math.inf)


def loops(v, f, i):
    total = 0
    for a in range(v, -v, -2):
        for b in range(3):
            if b > a:
                break
            if b == 1:
                continue
            total += a * 10 + b
    while total > 3:
        total //= 2
    i[0] = total
    a, b = 0, 1
    for _ in range(v):
        a, b = b, a + b
    i[1] = a
    x = np.float32(0)
    for j in range(v):
        x += np.float32(j)
    f[0] = x


def truths(v, f, i):
    a = v > 1
    b = a and v < 3
    i[0] = a + b
    i[1] = not a
    i[2] = a != b
    i[3] = a | (v == 1)
    f[0] = a * 2.5
    f[1] = 1 if b else 2.5
    i[4] = bool(v)
    i[5] = int(a) - 3


def constants(v, f, i):
    i[0] = Color.RED + v
    i[1] = 9 if v == Color.BLUE else Color.BLUE.value
    i[2] = np.int64(LARGE >> np.uint64(4))
    i[3] = NEGATIVE + v
    i[4] = PAIR[0]
    f[0] = PAIR[1]
    f[1] = LARGE
    q, r = divmod(v + 7, 4)
    i[5] = q * 10 + r


def helpers(v, f, i):
    f[0] = apply(clipped, v)
    set_early(i, 1)
    set_early(f, 2)
    i[0] = (lambda x: x + 1)(v)


def random_numbers(v, f, i):
    f[0] = fr.random(7, v)
    f[1] = fr.random(-3, v, 2**40)
    i[0] = fr.advanced.random_bits(1, v, 3) % 6


SNIPPETS = [
    integers, unsigned, floats, functions_of_math, loops, truths, constants, helpers, random_numbers,
]  # fmt: skip


@pytest.mark.parametrize("op", SNIPPETS, ids=lambda op: op.__name__)
def test_functors_compute_what_python_does(op, compiler, compiled):
    for capability in CAPABILITIES[compiler]:
        function = compiled(op, None, ("int32", 0), ("float64", 1), ("int64", 1), capability=capability)
        for v in (0, 1, 2, 3, 7):
            found, expected = ([np.array([1.5, 2.5, 3.5, np.nan, *range(5)]), np.arange(10)] for _ in range(2))
            op(v, *expected)
            function(v, *found)
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-14)
            assert found[1].tolist() == expected[1].tolist()


@pytest.mark.slow
def test_random_functors_compute_what_python_does(compiler, compiled, request):
    for seed in range(500 if request.config.getoption("--long") else 10):
        op = random_functor(random.Random(seed))
        function = compiled(op, None, ("int32", 0), ("float64", 1), ("int64", 1))
        for v in (0, 1, -3, 7):
            found, expected = ([np.linspace(-3, 4, 10), np.arange(-4, 6)] for _ in range(2))
            op(v, *expected)
            if np.abs(expected[0]).max() < 1e9:  # otherwise int() may overflow it
                function(v, *found)
                np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-9, err_msg=str(seed))
                assert found[1].tolist() == expected[1].tolist(), seed


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_and_arrays_of_all_types(dtype, compiled):
    """They are read, converted, written and returned, of either sign and of all sizes."""

    def op(v, number, x, y, wide):
        y[v] = x[v]
        y[v + 1] = number
        wide[v] = x[v]
        wide[v + 1] = number
        return x[v + 1]

    dtype = np.dtype(dtype)
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    low, high = (limits.min, limits.max) if limits else (-1.5, 2.5)
    x = np.array([low, high], dtype)
    wide = np.zeros(2, dtype if dtype == np.uint64 else np.float64 if dtype.kind == "f" else np.int64)
    y = np.zeros(2, dtype)
    function = compiled(op, dtype, ("int32", 0), (dtype, 0), (dtype, 1), (dtype, 1), (wide.dtype, 1))
    assert dtype.type(function(0, low, x, y, wide)) == x[1]
    assert y.tolist() == wide.tolist() == [x[0], dtype.type(low)]


def change(x, i, v, w, old):
    old[0] = fr.atomic_add(x, i, v)
    old[1] = fr.atomic_min(x, i + 1, v)
    old[2] = fr.atomic_min(x, i + 1, w)
    old[3] = fr.atomic_max(x, i + 2, w)
    old[4] = fr.atomic_max(x, i + 2, v)
    old[5] = fr.atomic_exch(x, i + 3, v)
    old[6] = fr.atomic_cas(x, i + 4, v, w)
    old[7] = fr.atomic_cas(x, i + 4, w, v)


def change_pairs(x, i, v, w, old):
    old[0] = fr.atomic_add(x, (i, 1), v)
    old[1] = fr.atomic_min(x, (i + 1, 0), v)
    old[2] = fr.atomic_max(x, (i, 0), w)
    old[3] = fr.atomic_exch(x[i + 1], 1, v)
    old[4] = fr.atomic_cas(x, (i + 2, 0), w, v)


def change_bits(x, i, v, w, old):
    old[0] = fr.atomic_or(x, i, v)
    old[1] = fr.atomic_and(x, i + 1, w)
    old[2] = fr.atomic_or(x, i + 2, 5)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", [change, change_pairs, change_bits])
def test_atomics(op, dtype, compiler, compiled):
    if op is change_bits and dtype.startswith("float"):
        pytest.skip("floats have no bits to change")
    dtype = np.dtype(dtype)
    shape = (3, 2) if op is change_pairs else (6,)
    # An unsigned integer that would be negative with a sign.
    v, w = dtype.type(np.iinfo(dtype).max - 1 if dtype.kind == "u" else -2), dtype.type(3)
    start = np.array([1, 3, w, v, 2, w], dtype).reshape(shape)
    for capability in CAPABILITIES[compiler]:
        parameters = ((dtype, len(shape)), ("int64", 0), (dtype, 0), (dtype, 0), (dtype, 1))
        function = compiled(op, None, *parameters, capability=capability)
        found, expected = ([start.copy(), np.zeros(8, dtype)] for _ in range(2))
        function(found[0], 0, v, w, found[1])
        with np.errstate(over="ignore"):
            op(expected[0], 0, v, w, expected[1])
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


def test_float_atomics_replace_what_is_no_number(compiled):
    def op(x, v):
        fr.atomic_min(x, 0, v)
        fr.atomic_max(x, 1, v)
        return fr.atomic_min(x, 2, NOT_A_NUMBER)

    x = np.array([np.nan, np.nan, 4])
    assert compiled(op, "float64", ("float64", 1), ("float64", 0))(x, 2.5) == 4
    assert x.tolist() == [2.5, 2.5, 4]


def test_matrices(compiled):
    def total(row):
        found = 0.0
        for j in range(len(row)):
            found += row[j]
        return found

    def op(v, x, flags, sums):
        rows, columns = x.shape
        row = x[v]
        sums[v] = total(row) + row.shape[0] * 100 + len(x) * 1000
        x[v, columns - 1] = -1.5
        x[v][0] = rows
        flags[v, 1] = not flags[v, 0]
        return flags[v][1] and columns == 3

    x, sums = np.arange(12.0).reshape(4, 3), np.zeros(4)
    flags = np.array([[False, False], [True, True], [False, True], [True, False]])
    function = compiled(op, "int32", ("int32", 0), ("float64", 2), ("bool", 2), ("float64", 1))
    assert [function(v, x, flags, sums) for v in range(4)] == [1, 0, 1, 0]
    assert sums.tolist() == [4303 + 9 * v for v in range(4)]
    assert flags.tolist() == [[False, True], [True, False], [False, True], [True, False]]
    assert x.tolist() == [[4, 3 * v + 1, -1.5] for v in range(4)]


def through_a_helper(x, at):
    return x[at]


def shifted(v, x, y):
    fr.atomic_add(y, v, 1)
    y[v] = through_a_helper(x, v + 1)


def shifted_rows(v, x, y):
    y[v] = x[v + 1, 0]


@pytest.mark.parametrize(("op", "ndim"), [(shifted, 1), (shifted_rows, 2)])
def test_checked_functors_report_bad_indices(op, ndim, compiled):
    x, y = np.arange(4).reshape((4,) if ndim == 1 else (4, 1)), np.zeros(4, np.int64)
    table = [number for array in (x, y) if array.ndim == 1 for number in (array.ctypes.data, array.size)]
    report = np.array([0] * TABLE + [*table, 0, 0], np.int64)
    function = compiled(op, None, ("int32", 0), (x.dtype, ndim), (y.dtype, 1), ("int64", 1), checked=True)
    for v in range(3):
        function(v, x, y, report)
    assert report[RAISED] == 0 and y.tolist() == [1, 2, 3, 0]
    function(3, x, y, report)
    assert report[[RAISED, INDEX, LENGTH]].tolist() == [1, 4, 4]
    assert sites[int(report[SITE])].access == ("reads x[at]" if ndim == 1 else "reads x[v + 1, 0]")


def calls_itself(n):
    return 1 if n < 2 else n * calls_itself(n - 1)


def recursive(v, x):
    x[v] = calls_itself(v)


def takes_length(v, x):
    x[v] = len(x)


def adds_fraction(v, x):
    fr.atomic_add(x, v, 0.5)


@pytest.mark.parametrize(
    ("op", "reason"), [(recursive, "calls itself"), (takes_length, "no length"), (adds_fraction, "lose the fraction")]
)
def test_errors_name_the_reason(op, reason, compiled):
    with pytest.raises(fr.FunctorError, match=rf"{op.__name__}\(\) cannot be compiled for the GPU: .*{reason}"):
        compiled(op, None, ("int32", 0), ("int64", 1))


class Pair(NamedTuple):
    """Arguments with names."""

    first: Any
    second: Any


def several(*numbers):
    return numbers[0] + len(numbers)


def named(v, *args):
    pair = Pair(*args)
    pair.first[v] = several(v, 1) + pair.second[v, 1]


def test_arguments_have_names(compiled):
    x = np.zeros(3, np.int64)
    y = np.arange(6.0).reshape(3, 2)
    compiled(named, None, ("int32", 0), ("int64", 1), ("float64", 2))(2, x, y)
    assert x.tolist() == [0, 0, 9]


def read(v, *args):
    return Pair(*args).first[v]


def starred(v, *args):
    Pair(*args).second[v] = read(v, *args)


def test_stars_behind_other_arguments(compiler, compiled):
    x, parameters = np.arange(4), (("int32", 0), ("int64", 1), ("int64", 1))
    if compiler == "numba-cuda-mlir":
        with pytest.raises(fr.FunctorError, match=rf"starred\(\) cannot .*not supported by {compiler}"):
            compiled(starred, None, *parameters)
    else:
        compiled(starred, None, *parameters)(1, x[:2], x[2:])
        assert x.tolist() == [0, 1, 2, 1]


def test_algorithms_use_no_stars_behind_other_arguments():
    found = []
    for path in Path(algorithms.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found += [f"{path.name}: {ast.unparse(node)}" for each in node.args[1:] if ast.unparse(each) == "*args"]
    assert not found


def test_what_a_compiler_lacks_is_said_with_its_name(compiler, compiled):
    def op(v, x):
        found = None
        if v > 2:
            found = None
        x[v] = found is None

    def raises(v, x):
        if v > 2:
            raise ValueError
        x[v] = 3

    if compiler == "numba-cuda-mlir":
        with pytest.raises(fr.FunctorError, match=rf"supported by {compiler} \d.*, perhaps by numba-cuda \({CHOICE}"):
            compiled(op, None, ("int32", 0), ("int64", 1))
        with pytest.raises(fr.FunctorError, match="exceptions are not supported on a GPU"):
            compiled(raises, None, ("int32", 0), ("int64", 1))
    else:
        x = np.zeros(2, np.int64)
        compiled(op, None, ("int32", 0), ("int64", 1))(1, x)
        assert x.tolist() == [0, 1]


def grow(src, dst, edge, weight, x, y):
    return clipped(x[src] + 1) + y[dst, 0] * weight


def combine(a, b):
    return clipped(a + b)


def test_functors_link_with_a_kernel(compiler, monkeypatch):
    """Two that call the same function, which must not meet."""
    from compile_cases import check_compiles

    monkeypatch.setenv(CHOICE, compiler)
    kind = np.dtype(np.float64)
    functors = (("op", grow, ARC, kind), ("combine", combine, ("value", "value"), kind))
    macros = {"REDUCE": "Combine", "RESULT": "double", "VALUE": "double", "TILE_SIZE": "8", "HAS_COMBINE": "1"}
    case = (functors, (np.zeros(1), np.zeros((1, 1))), tuple(macros.items()))
    check_compiles(CSR, "neighbor_reduce", lambda graph: case, "sm_90", "int32", None)
