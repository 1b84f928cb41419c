"""Elements of arrays in compiled code: prefetching, and indices that are not negative."""

import numba
import numpy as np
import pytest

from frontier.runtime import cpu_kernel, nonnegative, prefetch

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


@cpu_kernel
def _sum_at(indices, values):
    total = 0.0
    for i in range(indices.size):
        total += values[nonnegative(indices[np.uint64(i)])]
    return total


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_indices_that_are_not_negative_stay_the_same(dtype):
    indices = np.array([3, 0, 4, 4], dtype)
    assert _sum_at(indices, 10.0 ** np.arange(5)) == _sum_at.py_func(indices, 10.0 ** np.arange(5)) == 21001


def test_they_do_not_count_from_the_end():
    compiled = numba.njit(_sum_at.py_func)
    compiled(np.zeros(3, np.int32), np.zeros(3))
    code = compiled.inspect_llvm(compiled.signatures[-1])
    body = code[: code.index("@_ZN7cpython")] if "@_ZN7cpython" in code else code
    assert "icmp slt i32" not in body
