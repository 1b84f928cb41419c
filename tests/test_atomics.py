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


def test_outside_functors_they_work_on_numpy():
    x = np.array([5, 5, 5, 5, 5])
    assert [fr.atomic_add(x, 0, 2), fr.atomic_min(x, 1, 3), fr.atomic_max(x, 2, 8), fr.atomic_exch(x, 3, 1),
            fr.atomic_cas(x, 4, 5, 0)] == [5] * 5  # fmt: skip
    assert x.tolist() == [7, 3, 8, 1, 0]
