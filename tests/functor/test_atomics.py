"""Atomics, in functors on every device, for every type."""

import numpy as np
import pytest

import frontier as fr
from structures import CSR

DTYPES = [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64]
N = 5000


def add(v, out, old):
    old[v] = fr.atomic_add(out, 0, 1)


def extremes(v, out, low):
    fr.atomic_max(out, 0, v)
    fr.atomic_min(out, low, v)


def exchange(v, out, old):
    old[v] = fr.atomic_exch(out, 0, v)


def first(v, out, won):
    if fr.atomic_cas(out, 0, 0, 7) == 0:
        fr.atomic_add(won, 0, 1)


@pytest.fixture
def everyone(device):
    return fr.Frontier.all(CSR(N, device=device))


@pytest.fixture(params=DTYPES, ids=lambda t: np.dtype(t).name)
def dtype(request):
    return request.param


def test_add_returns_the_old_value(everyone, dtype):
    xp = everyone.graph.xp
    out, old = xp.zeros(1, dtype), xp.zeros(N, dtype)
    fr.compute(everyone, add, out, old)
    assert int(out[0]) == N
    assert sorted(old.tolist()) == list(range(N))


def test_min_and_max(everyone, dtype):
    out = everyone.graph.xp.asarray(np.array([3, 9999], dtype))
    fr.compute(everyone, extremes, out, 1)
    assert out.tolist() == [N - 1, 0]


def test_exchange_loses_nothing(everyone, dtype):
    xp = everyone.graph.xp
    out, old = xp.full(1, N, dtype), xp.zeros(N, dtype)
    fr.compute(everyone, exchange, out, old)
    assert sorted([*old.tolist(), *out.tolist()]) == list(range(N + 1))


def test_compare_and_swap_has_one_winner(everyone, dtype):
    xp = everyone.graph.xp
    out, won = xp.zeros(1, dtype), xp.zeros(1, np.int64)
    fr.compute(everyone, first, out, won)
    assert int(out[0]) == 7 and int(won[0]) == 1


def bits(v, out, old):
    old[v] = fr.atomic_or(out, 0, 1 << (v % 20)) & 0
    fr.atomic_and(out, 1, ~(1 << (v % 7)))


def test_bits_are_set_and_cleared(everyone, dtype):
    xp = everyone.graph.xp
    out, old = xp.asarray(np.array([2**20, 2**20 - 1], dtype)), xp.ones(N, dtype)
    if np.dtype(dtype).kind == "f":
        with pytest.raises(fr.FunctorError, match="atomic_or changes bits: its array must contain integers, not float"):
            fr.compute(everyone, bits, out, old)
        return
    fr.compute(everyone, bits, out, old)
    assert out.tolist() == [2**21 - 1, 2**20 - 2**7]
    assert not old.any()


def set_bit(v, out, old):
    old[v] = fr.atomic_or(out, v >> 5, 1 << (v & 31)) >> (v & 31)


def test_a_bit_is_set_once(everyone):
    """Bits of one word are set by different threads: each sees the earlier bits."""
    xp = everyone.graph.xp
    out, old = xp.zeros((N + 31) // 32, np.uint32), xp.ones(N, np.int64)
    fr.compute(everyone, set_bit, out, old)
    assert not (old & 1).any()
    assert int(np.unpackbits(everyone.graph.device.to_host(out).view(np.uint8)).sum()) == N


def test_bits_of_floats_are_refused_by_python_too():
    x = np.array([5, 5])
    assert [fr.atomic_or(x, 0, 2), fr.atomic_and(x, 1, 4)] == [5, 5] and x.tolist() == [7, 4]
    for function in (fr.atomic_or, fr.atomic_and):
        with pytest.raises(TypeError, match="must contain integers, not float64"):
            function(np.zeros(1), 0, 1)
        with pytest.raises(TypeError, match="would lose the fraction"):
            function(np.zeros(1, np.int32), 0, 1.5)


def test_outside_functors_they_work_on_numpy():
    x = np.array([5, 5, 5, 5, 5])
    assert [fr.atomic_add(x, 0, 2), fr.atomic_min(x, 1, 3), fr.atomic_max(x, 2, 8), fr.atomic_exch(x, 3, 1),
            fr.atomic_cas(x, 4, 5, 0)] == [5] * 5  # fmt: skip
    assert x.tolist() == [7, 3, 8, 1, 0]
