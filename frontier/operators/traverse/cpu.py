"""The CPU kernel of traverse."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numba
import numpy as np

from frontier.runtime import cpu_kernel, jit, nonnegative

from ..advance.cpu import make_join
from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.signatures import vertex_functor
from ..dispatch.weights import edge_at, weight_at


@numba.njit(inline="always")
def _with_step(before, step, after):
    return (*before, step, *after)


@numba.njit(inline="always")
def _without_step(before, step, after):
    return before


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
    def push(view, weights, members, out, stamps, epoch, args):
        """Return the number of vertices in the output, and the number of arcs that leave them."""
        held = 0
        arcs = 0
        for i in range(members.size):
            u = nonnegative(members[i])
            prefetch(view, members, i)
            ready(u, args)
            for v, slot in each_neighbor(view, u):
                if not allowed(v, args):
                    continue
                weight = weight_at(weights, slot)
                if op(u, v, edge_at(weights, slot), weight, *args) and stamps[v] != epoch:
                    stamps[v] = epoch
                    out[held] = v
                    held += 1
                    arcs += degree(view, v)
        return held, arcs

    @jit
    def pull(view, entering, weights, members, out, bits, num_vertices, args):
        """The same, to each vertex that still wants it."""
        bits[:] = 0
        for i in range(members.size):
            u = nonnegative(members[i])
            bits[u >> 5] |= np.uint32(1) << np.uint32(u & 31)
        held = 0
        arcs = 0
        for i in range(num_vertices):
            v = nonnegative(i)
            if joins(entering, weights, v, bits, args):
                out[held] = v
                held += 1
                arcs += degree(view, v)
        return held, arcs

    @cpu_kernel
    def advance_repeatedly(view, weights, entering, entering_weights, vertices, arcs, lists, stamps, epoch, bits,
                           outcome, max_count, max_arcs, max_steps, pull_count, pull_arcs,
                           before, first_step, after):  # fmt: skip
        # Functors' arguments are those before the step, the step, and those after it.
        steps = 0
        count = vertices.size
        for i in range(count):  # an assignment of slices would compile the text of an error, which lasts seconds
            lists[0, i] = vertices[i]
        while True:
            args = join(before, np.int32(first_step + steps), after)
            members, out = lists[steps & 1, :count], lists[(steps + 1) & 1]
            if pulls and count >= pull_count and arcs > pull_arcs:
                count, arcs = pull(view, entering, entering_weights, members, out, bits, stamps.size, args)
            else:
                count, arcs = push(view, weights, members, out, stamps, epoch, args)
            steps += 1
            epoch += np.int32(1)
            if count == 0 or count > max_count or arcs > max_arcs or steps >= max_steps:
                break
        outcome[0] = count
        outcome[1] = arcs
        outcome[2] = steps
        outcome[3] = steps & 1  # the list that they are in

    return advance_repeatedly
