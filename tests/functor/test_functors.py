"""A functor means its Python meaning at the moment of the call, on both devices. Others are refused."""

import collections
import enum
import gc
import itertools
import math
import os
import subprocess
import sys
import types
import weakref
from pathlib import Path

import numpy as np
import pytest

import frontier as fr
from structures import CSR

ROOT = Path(__file__).parents[2]
LIMIT = 0
N = 10


@pytest.fixture
def everyone(device):
    return fr.Frontier.all(CSR(N, device=device))


def count(everyone, op, *args):
    return len(fr.filter(everyone, op, *args))


def above_limit(v):
    return v >= LIMIT


def test_globals_have_the_value_of_now(everyone, monkeypatch):
    for limit in (4, 2, 4, 7):
        monkeypatch.setattr(sys.modules[__name__], "LIMIT", limit)
        assert count(everyone, above_limit) == N - limit


def test_defaults_tell_functors_apart(everyone):
    assert [count(everyone, lambda v, t=k: v >= t) for k in (0, 4, 8, 4)] == [10, 6, 2, 6]


def test_defaults_may_be_given_or_not(everyone):
    def op(v, low=2, high=5):
        return low <= v < high

    assert [count(everyone, op), count(everyone, op, 1), count(everyone, op, 1, 9)] == [3, 4, 8]


def test_a_default_that_is_replaced_is_noticed(everyone):
    def op(v, t=1):
        return v >= t

    assert count(everyone, op) == 9
    op.__defaults__ = (3,)
    assert count(everyone, op) == 7


def test_closures_have_the_value_of_now(everyone):
    def op(v):
        return v >= limit

    for limit in (1, 8, 1):
        assert count(everyone, op) == N - limit


TEXT = "LIMIT = {limit}\n\n\ndef op(v):\n    return v >= LIMIT\n"


def module_of(name, text):
    module = types.ModuleType(name)
    exec(text, module.__dict__)
    return module


def test_modules_with_the_same_text_are_told_apart(everyone):
    modules = [module_of(f"settings{limit}", TEXT.format(limit=limit)) for limit in (2, 5)]
    assert [count(everyone, module.op) for module in modules] == [8, 5]


def test_attributes_of_modules_have_the_value_of_now(everyone):
    settings = types.ModuleType("settings")
    settings.inner = types.ModuleType("inner")

    def op(v):
        return v >= settings.limit + settings.inner.more

    for settings.limit, settings.inner.more in itertools.product((1, 3), (0, 2)):
        assert count(everyone, op) == N - settings.limit - settings.inner.more


@pytest.mark.slow
def test_a_constant_of_an_imported_module_is_noticed_by_a_later_process(tmp_path):
    script = (
        "import settings\nimport frontier as fr\nfrom structures import CSR\n"
        "g = CSR(10, device='cpu')\nprint(len(fr.filter(fr.Frontier.all(g), lambda v: v >= settings.K)))\n"
    )
    (tmp_path / "script.py").write_text(script)
    environment = os.environ | {"DYNFRONTIER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    for k in (3, 6, 3):
        (tmp_path / "settings.py").write_text(f"K = {k}\n")
        for old in tmp_path.glob("__pycache__/*"):
            old.unlink()
        done = subprocess.run(
            [sys.executable, tmp_path / "script.py"], env=environment, capture_output=True, text=True, check=True
        )
        assert int(done.stdout) == N - k


def add_limit(v):
    return v + LIMIT


def twice(v):
    return 2 * add_limit(v)


def test_functions_that_functors_call_are_compiled_along(everyone, monkeypatch):
    def op(v, bound):
        return twice(v) >= bound

    for limit in (0, 1, 0):
        monkeypatch.setattr(sys.modules[__name__], "LIMIT", limit)
        assert count(everyone, op, 10) == 5 + limit
    monkeypatch.setattr(sys.modules[__name__], "add_limit", lambda v: v + 3)
    assert count(everyone, op, 10) == 8


def test_functions_of_modules_can_be_called(everyone):
    tools = module_of("tools", "def shifted(v):\n    return v + 4\n")
    assert count(everyone, lambda v: tools.shifted(v) >= 7) == 7
    tools.shifted = lambda v: v
    assert count(everyone, lambda v: tools.shifted(v) >= 7) == 3


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def test_functions_may_call_themselves_on_a_cpu(everyone):
    out = everyone.graph.xp.zeros(N, np.int64)

    def op(v, out):
        out[v] = factorial(v)

    if everyone.graph.device.is_gpu:
        with pytest.raises(fr.FunctorError, match="a function that calls itself cannot be compiled for a GPU"):
            fr.compute(everyone, op, out)
        return
    fr.compute(everyone, op, out)
    assert out.tolist() == [math.factorial(v) for v in range(N)]


def lower(label, v, value):
    return fr.atomic_min(label, v, value) > value


def test_functions_take_arrays_and_use_atomics(everyone):
    label = everyone.graph.xp.full(N, 5, np.int32)
    assert count(everyone, lambda v, label: lower(label, v, v), label) == 5
    assert label.tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]


class Kind(enum.IntEnum):
    SMALL = 3
    LARGE = 7


def test_values_of_all_kinds(device, everyone):
    pair = (2, 6)
    exact, nan = np.float64(2.5), math.nan
    if device == "cpu":  # Numba's compiler for GPUs knows no tuples and enums from outside
        assert count(everyone, lambda v: pair[0] <= v < pair[1]) == 4
        assert count(everyone, lambda v: v >= Kind.LARGE) == 3
    assert count(everyone, lambda v: v > exact) == 7
    assert count(everyone, lambda v: v > nan) == 0
    assert count(everyone, lambda v: v >= -math.inf) == N


def test_zero_and_minus_zero_are_two_values(everyone):
    found = []
    for zero in (0.0, -0.0):
        found.append(count(everyone, lambda v: math.copysign(1.0, zero) > 0))  # noqa: B023  (it is called at once)
    assert found == [N, 0]


@pytest.mark.parametrize("make", [lambda xp: xp.zeros(N), lambda xp: [0] * N], ids=["array", "list"])
def test_arrays_from_outside_are_refused(everyone, make):
    table = make(everyone.graph.xp)

    def op(v):
        return table[v] > 0

    with pytest.raises(fr.FunctorError, match=r"op\(\) names table, an? .* that is not among its parameters"):
        fr.filter(everyone, op)

    def helper(v):
        return table[v]

    with pytest.raises(fr.FunctorError, match="names table"):
        fr.filter(everyone, lambda v: helper(v) > 0)


def no_return(v):
    v + 1


def partly_returns(v):
    if v > 3:
        return True


def test_the_form_of_a_functor_is_checked_for_each_operator(everyone):
    def op(v):
        return v > 3

    fr.compute(everyone, op)
    with pytest.raises(fr.FunctorError, match=r"op op\(\) takes 1 parameters, but is called with"):
        fr.sample_neighbors(everyone.graph, everyone, op)


@pytest.mark.parametrize("op", [no_return, partly_returns])
def test_a_functor_has_to_return_what_the_operator_needs(everyone, op):
    line = op.__code__.co_firstlineno + 1
    message = rf"{op.__name__}\(\) can end without returning anything(.|\n)*line {line}"
    with pytest.raises(fr.FunctorError, match=message):
        fr.filter(everyone, op)
    with pytest.raises(fr.FunctorError, match="must return a number"):
        fr.reduce(everyone, op)
    graph = everyone.graph
    for operator in (fr.advance, fr.traverse):
        with pytest.raises(fr.FunctorError, match="must return True or False"):
            operator(graph, everyone, lambda src, dst, edge, weight: None)


def test_a_functor_may_return_nothing_where_nobody_looks(device):
    graph = CSR.from_edges([0, 1], [1, 2], device=device)
    seen = graph.xp.zeros(3, np.int32)

    def see(src, dst, edge, weight, seen):
        fr.atomic_add(seen, dst, 1)

    fr.sample_neighbors(graph, fr.Frontier.all(graph), see, seen)
    assert seen.tolist() == [1, 2, 1]


@pytest.mark.parametrize("atomic", [fr.atomic_add, fr.atomic_min, fr.atomic_max, fr.atomic_exch])
def test_atomics_do_not_drop_a_fraction(everyone, atomic):
    counts = everyone.graph.xp.zeros(N, np.int64)

    def op(v, counts):
        atomic(counts, v, 0.5)

    with pytest.raises(fr.FunctorError, match="would lose the fraction"):
        fr.compute(everyone, op, counts)
    with pytest.raises(TypeError, match="would lose the fraction"):
        atomic(np.zeros(1, np.int64), 0, 0.5)


def test_errors_are_short_and_name_the_function_that_is_called(everyone):
    def broken(v):
        return v.size

    def op(v):
        return broken(v) > 0

    with pytest.raises(fr.FunctorError) as caught:
        fr.filter(everyone, op)
    error = caught.value
    assert str(error).startswith("op() cannot be compiled for ") and "in broken()" in str(error)
    assert str(error).endswith("return v.size") and "\x1b" not in str(error)
    assert error.__cause__ is None and error.__suppress_context__ and error.original is not None


def test_a_tuple_type_and_an_enumeration_that_are_redefined_have_their_new_meaning(everyone):
    for fields in ("a b", "b a"):
        pair = collections.namedtuple("Pair", fields)(1, 2)
        assert count(everyone, lambda v: v >= pair.a) == N - pair.a  # noqa: B023
    for other in (1, 2):
        kind = enum.IntEnum("Kind", {"ONE": 1, "TWO": 2, "OTHER": other})
        assert count(everyone, lambda v: v >= kind.OTHER.value) == N - other  # noqa: B023


def test_a_module_that_stands_for_itself_is_refused(everyone):
    settings = types.ModuleType("settings")
    settings.limit = 3

    def through_another_name(v):
        other = settings
        return v >= other.limit

    with pytest.raises(fr.FunctorError, match="uses the module settings as a value: write settings"):
        count(everyone, through_another_name)


def test_a_functor_is_freed_when_nobody_else_has_it(everyone):
    if everyone.graph.device.is_gpu:
        pytest.skip("functions that call themselves are refused on a GPU; what is held is the same on both devices")

    def make(limit):
        def down(v):
            return v if v < limit else down(v - 1)

        return lambda v: v >= limit, lambda v: down(v) == v

    held = [weakref.ref(op) for limit in (2, 3) for op in make(limit) if count(everyone, op)]
    gc.collect()
    assert [ref() for ref in held] == [None] * 4


def test_the_meaning_of_a_functor_is_found_quickly(everyone):
    from frontier.functor import functor_identity

    assert functor_identity(twice) is functor_identity(twice)
    before = functor_identity(lower).digest
    copy = types.FunctionType(lower.__code__, {"fr": fr})
    assert functor_identity(copy).digest == before


@pytest.mark.slow
@pytest.mark.parametrize("weight", [2**53 + 1, -(2**53) - 1, 1_700_000_000_000_000_001])
def test_integer_weights_stay_integers(device, structure, weight):
    weights = np.array([weight, 5, 7], np.int64)
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], weights, directed=True, device=device)
    everyone = fr.Frontier.all(graph)
    xp = graph.xp
    out = xp.zeros(4, np.int64)

    def keep(src, dst, edge, w, out):
        fr.atomic_exch(out, src, w)
        return w & 1 == 1

    for run in (
        lambda: fr.advance(graph, everyone, keep, out),
        lambda: fr.traverse(graph, everyone, keep, out, max_steps=1),
        lambda: fr.visit_edges(graph, [0, 1, 2], [1, 2, 3], keep, out),
        lambda: fr.sample_neighbors(graph, everyone, keep, out),
    ):
        out.fill(0)
        run()
        assert out.tolist() == [weight, 5, 7, 0]
    sums = fr.neighbor_reduce(graph, None, lambda src, dst, edge, w: w, dtype=np.int64)
    assert sums.tolist() == [weight, 5, 7, 0]
    chosen = fr.extract_subgraph(graph, lambda src, dst, edge, w: w == weight)
    assert chosen.num_edges == 1
    table = xp.arange(8)

    def look_up(src, dst, edge, w, table, out):
        return fr.atomic_exch(out, src, table[w]) < 0

    fr.visit_edges(graph, [1, 2], [2, 3], look_up, table, out)
    assert out.tolist() == [weight, 5, 7, 0]
