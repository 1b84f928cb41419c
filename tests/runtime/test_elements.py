"""Prefetching elements of arrays in compiled code."""

import numba
import numpy as np
import pytest

from frontier.runtime import cpu_kernel, prefetch

DTYPES = ("int32", "int64", "uint8", "bool", "float32", "float64", "complex128")


@cpu_kernel
def _count_ahead(count, row, table, counts):
    for i in range(count):
        prefetch(row, i + 1)  # the last one is that after the end
        prefetch(table, (i, 1))
        if row[i] == table[i, 1]:
            counts[i] += 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_prefetching_changes_nothing(dtype):
    row = np.arange(10).astype(dtype)
    table = np.repeat(row, 3).reshape(10, 3)
    counts = np.zeros(10, np.int64)
    _count_ahead(10, row, table, counts)
    assert (counts == 1).all()
    assert (row == np.arange(10).astype(dtype)).all()
    assert (table == row[:, None]).all()


def test_compiled_code_prefetches():
    table = np.zeros((10, 6), np.int32)
    compiled = numba.njit(_count_ahead.py_func)  # code from the cache cannot be inspected
    compiled(10, np.zeros(10, np.int32), table[:, ::2], np.zeros(10, np.int64))
    code = compiled.inspect_llvm(compiled.signatures[-1])
    assert code.count("call void @llvm.prefetch") >= 2


def test_uncompiled_code_ignores_it():
    assert prefetch(np.zeros(3), 5) is None
