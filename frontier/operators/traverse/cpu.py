"""The CPU kernel of traverse."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numba
import numpy as np

from frontier.runtime import cpu_kernel, jit, nonnegative

from ..advance.cpu import has_bit, make_join
from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.signatures import vertex_functor
from ..dispatch.weights import edge_at, weight_at


@numba.njit(inline="always")
def _with_step(before, step, after):
    return (*before, step, *after)


@numba.njit(inline="always")
def _without_step(before, step, after):
    return before


@jit(forceinline=True)
def _set_bit(bits, v):
    bits[v >> 5] |= np.uint32(1) << np.uint32(v & 31)


def make_advance_repeatedly(
    iterator: ModuleType, op: Any, condition: Any, prepare: Any, step: int | None, pulls: bool
) -> Any:  # fmt: skip
    """Many advances, one after another, on one core. Argument number `step` counts them."""
    loop = neighbor_loop(iterator)
    each_neighbor, prefetch, degree = loop.each, loop.prefetch, iterator.degree
    allowed, joins = vertex_functor(condition), make_join(iterator, op, condition)
    ready = vertex_functor(prepare)
    join = _without_step if step is None else _with_step

    @jit
    def push(view, weights, members, out, bits, args):
        """Return the number of vertices in the output. Bits mark them, and are 0 before and after."""
        held = 0
        for i in range(members.size):
            u = nonnegative(members[nonnegative(i)])
            prefetch(view, members, i)
            ready(u, args)
            for v, slot in each_neighbor(view, u):
                if not allowed(v, args):
                    continue
                weight = weight_at(weights, slot)
                if op(u, v, edge_at(weights, slot), weight, *args) and not has_bit(bits, v):
                    _set_bit(bits, v)
                    out[nonnegative(held)] = v
                    held += 1
        for i in range(held):
            bits[nonnegative(out[nonnegative(i)]) >> 5] = 0
        return held

    @jit
    def pull(entering, weights, members, out, bits, num_vertices, args):
        """The same, to each vertex that still wants it. Bits mark the members."""
        for i in range(members.size):
            _set_bit(bits, nonnegative(members[nonnegative(i)]))
        held = 0
        for i in range(num_vertices):
            v = nonnegative(i)
            if joins(entering, weights, v, bits, args):
                out[nonnegative(held)] = v
                held += 1
        bits[:] = 0
        return held

    @jit
    def arcs_of(view, members):
        arcs = 0
        for i in range(members.size):
            arcs += degree(view, nonnegative(members[nonnegative(i)]))
        return arcs

    @cpu_kernel
    def advance_repeatedly(view, weights, entering, entering_weights, vertices, arcs, lists, bits, outcome,
                           max_count, max_arcs, max_steps, pull_count, pull_arcs, arcs_from,
                           before, first_step, after):  # fmt: skip
        # Functors' arguments are those before the step, the step, and those after it. Arcs are counted only for
        # frontiers of at least `arcs_from` vertices.
        steps = 0
        count = vertices.size
        for i in range(count):  # an assignment of slices would compile the text of an error, which lasts seconds
            lists[0, i] = vertices[i]
        while True:
            args = join(before, np.int32(first_step + steps), after)
            members, out = lists[steps & 1, :count], lists[(steps + 1) & 1]
            if pulls and count >= pull_count and arcs > pull_arcs:
                count = pull(entering, entering_weights, members, out, bits, lists.shape[1], args)
            else:
                count = push(view, weights, members, out, bits, args)
            steps += 1
            arcs = arcs_of(view, out[:count]) if count >= arcs_from else -1
            if count == 0 or count > max_count or arcs > max_arcs or steps >= max_steps:
                break
        outcome[0] = count
        outcome[1] = arcs
        outcome[2] = steps
        outcome[3] = steps & 1  # the list that they are in

    return advance_repeatedly
