"""The CPU kernel of reductions over neighbors with several columns."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from frontier.runtime import jit, parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.reductions import combiner
from ..dispatch.weights import edge_at, weight_at


def make_neighbor_columns(iterator: ModuleType, op: Any, reduce: str | Callable) -> Any:
    """For each vertex of a list and each column, the reduction of a functor's values over its neighbors."""
    each_neighbor = neighbor_loop(iterator).each
    combine = combiner(reduce)

    @jit(forceinline=True)
    def add(row, u, v, edge, weight, args):
        for column in range(row.size):
            value = row.dtype.type(op(u, v, edge, weight, column, *args))
            row[column] = combine(row[column], value)

    def reduce_rows(begin, end, view, weights, vertices, identity, out, args):
        for i in range(begin, end):
            u = vertices[i]
            row = out[u]
            row[:] = identity
            for v, slot in each_neighbor(view, u):
                add(row, u, v, edge_at(weights, slot), weight_at(weights, slot), args)

    # Counting references to the arguments' arrays would cost time, and prevent LLVM from using vector instructions.
    rows = jit(reduce_rows)

    @parallel_kernel
    def neighbor_columns(begin, end, view, weights, vertices, identity, out, args):
        rows(begin, end, view, weights, vertices, identity, out, args)

    return neighbor_columns
