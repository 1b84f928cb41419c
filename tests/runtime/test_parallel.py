"""Kernels over many work items, on several threads."""

from __future__ import annotations

import pytest
from concurrency import needs_layer, run

PROGRAM = """
    from concurrent.futures import ThreadPoolExecutor
    import numba
    import numpy as np
    from frontier.runtime import parallel_kernel

    @parallel_kernel(few=64)
    def add(begin, end, out, pair, bad):
        for i in range(begin, end):
            out[i] += pair[0] + pair[1][i]
            if i == bad:
                raise ValueError("item is bad")

    n = 100_003
    items = np.arange(n)

    def every_item_once(_):
        out = np.zeros(n, np.int64)
        add(n, out, (3, items), -1)
        return (out == items + 3).all()

    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(every_item_once, range(30)))
    assert "_spread" in vars(add)  # several threads have worked
    for count in (3, n):  # on one thread, on all
        try:
            add(count, np.zeros(n, np.int64), (3, items), count - 1)
            raise AssertionError("no error")
        except ValueError as error:
            assert str(error) == "item is bad"
    print(numba.threading_layer())
"""


@pytest.mark.parametrize(
    "layer", ["omp", *(pytest.param(name, marks=pytest.mark.slow) for name in ("workqueue", "tbb"))]
)
def test_every_item_is_done_once_and_errors_are_raised(layer: str) -> None:
    needs_layer(layer)
    assert run(PROGRAM, NUMBA_THREADING_LAYER=layer, NUMBA_NUM_THREADS="3").strip() == layer
