"""The CPU kernels of visit_edges."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add, atomic_exch
from frontier.runtime import jit, parallel_kernel

from ..dispatch.output import BUFFER, make_flush
from ..dispatch.weights import edge_or_none, weight_or_one


@jit(forceinline=True)
def _not_looked_up(view, u, v):
    return -1


def make_visit(iterator: ModuleType, op: Any, look_up: bool) -> Any:
    """visit_edges: a functor called for each listed arc."""
    degree = iterator.degree
    find = iterator.find if look_up else _not_looked_up
    flush = make_flush(degree)

    @parallel_kernel
    def visit(begin, end, num_vertices, view, weights, src, dst, stamps, epoch, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            u = src[i]
            v = dst[i]
            if u < 0:
                continue
            if u >= num_vertices or v < 0 or v >= num_vertices:
                atomic_add(counters, 2, 1)
                continue
            slot = np.int64(find(view, u, v))
            weight = weight_or_one(weights, slot)
            if op(u, v, edge_or_none(weights, slot), weight, *args) and atomic_exch(stamps, v, epoch) != epoch:
                buffer[held] = v
                held += 1
                if held == BUFFER:
                    flush(buffer, held, view, out, counters)
                    held = 0
        if held:
            flush(buffer, held, view, out, counters)

    return visit


def make_visit_only(iterator: ModuleType, op: Any, look_up: bool) -> Any:
    """visit_edges without an output, which skips ids out of range."""
    find = iterator.find if look_up else _not_looked_up

    @parallel_kernel
    def visit_only(begin, end, num_vertices, view, weights, src, dst, args):
        for i in range(begin, end):
            u = src[i]
            v = dst[i]
            if 0 <= u < num_vertices and 0 <= v < num_vertices:
                slot = np.int64(find(view, u, v))
                op(u, v, edge_or_none(weights, slot), weight_or_one(weights, slot), *args)

    return visit_only
