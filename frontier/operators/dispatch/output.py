"""The list that CPU kernels put vertices or arcs into: gathered by each thread, and appended a buffer at a time.

On GPUs ``frontier/cuda/output.cuh`` does the same.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add, atomic_exch
from frontier.runtime import jit, nonnegative
from frontier.runtime.compile.caches import clearable

BUFFER = 256  # vertices that a thread gathers before it reserves a range of the shared output


@clearable
@functools.cache
def make_flush(degree: Any) -> Any:
    """A function that appends a thread's buffer to the output, counting vertices and the arcs that leave them.

    `degree` is captured: passed as an argument, it would be an address that Numba cannot store in its disk cache. One
    function for each `degree` is compiled once for all functors.
    """

    @jit
    def flush(buffer, held, view, out, counters):
        start = nonnegative(atomic_add(counters, 0, held))
        arcs = 0
        for i in range(held):
            v = nonnegative(buffer[nonnegative(i)])
            out[start + nonnegative(i)] = v
            arcs += degree(view, v)
        atomic_add(counters, 1, arcs)

    return flush


SET, LIST, EDGES, NOTHING = "set", "list", "edges", "nothing"
"""The output of advance: vertices, once or as often as they are reached, arcs, as sources and slots, or nothing."""


@numba.njit(inline="always")
def _vertex_buffer(out):
    return np.empty(BUFFER, out.dtype)


@jit(forceinline=True)
def _put_vertex(buffer, held, u, v, slot):
    buffer[nonnegative(held)] = v


@jit(forceinline=True)
def _joins_set(stamps, v, epoch):
    return atomic_exch(stamps, v, epoch) != epoch


@jit(forceinline=True)
def _joins_list(stamps, v, epoch):
    return True


@jit(forceinline=True)
def _joins_nothing(stamps, v, epoch):
    return False


@numba.njit(inline="always")
def _edge_buffer(out):
    return np.empty(BUFFER, out[0].dtype), np.empty(BUFFER, np.int64)


@jit(forceinline=True)
def _put_edge(buffer, held, u, v, slot):
    buffer[0][nonnegative(held)] = u
    buffer[1][nonnegative(held)] = slot


@jit
def _flush_edges(buffer, held, view, out, counters):
    start = atomic_add(counters, 0, held)
    for i in range(held):
        out[0][start + i] = buffer[0][i]
        out[1][start + i] = buffer[1][i]


def output_functions(kind: str, degree: Any) -> tuple[Any, Any, Any, Any]:
    """The functions with which kernels return a kind of output: a new buffer, whether an arc's destination belongs in
    the output, appending to the buffer, and emptying it."""
    if kind == EDGES:
        return _edge_buffer, _joins_list, _put_edge, _flush_edges
    joins = {SET: _joins_set, LIST: _joins_list, NOTHING: _joins_nothing}[kind]
    return _vertex_buffer, joins, _put_vertex, make_flush(degree)
