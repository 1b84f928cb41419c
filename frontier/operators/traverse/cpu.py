"""The CPU kernel of traverse."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numba
import numpy as np

from frontier.runtime import cpu_kernel, nonnegative

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.signatures import preparation, vertex_test
from ..dispatch.weights import edge_at, weight_at


@numba.njit(inline="always")
def _with_step(before, step, after):
    return (*before, step, *after)


@numba.njit(inline="always")
def _without_step(before, step, after):
    return before


def make_push_repeatedly(iterator: ModuleType, op: Any, condition: Any, prepare: Any, step: int | None) -> Any:
    """Many small pushes, one after another, on one core; argument number `step` counts them."""
    each_neighbor, degree = neighbor_loop(iterator).each, iterator.degree
    allowed = vertex_test(condition)
    ready = preparation(prepare)
    join = _without_step if step is None else _with_step

    @cpu_kernel
    def push_repeatedly(count, view, weights, vertices, lists, stamps, epoch, outcome, max_count, max_arcs, max_steps,
                        before, first_step, after):  # fmt: skip
        # Functors' arguments are those before the step, the step, and those after it.
        steps = 0
        arcs = 0
        while True:
            held = 0
            arcs = 0
            args = join(before, np.int32(first_step + steps), after)
            for i in range(count):
                u = nonnegative(vertices[i] if steps == 0 else lists[steps & 1, i])
                ready(u, args)
                for v, slot in each_neighbor(view, u):
                    if not allowed(v, args):
                        continue
                    weight = weight_at(weights, slot)
                    if op(u, v, edge_at(weights, slot), weight, *args) and stamps[v] != epoch:
                        stamps[v] = epoch
                        lists[(steps + 1) & 1, held] = v
                        held += 1
                        arcs += degree(view, v)
            count = held
            steps += 1
            epoch += np.int32(1)
            if count == 0 or count > max_count or arcs > max_arcs or steps >= max_steps:
                break
        outcome[0] = count
        outcome[1] = arcs
        outcome[2] = steps
        outcome[3] = steps & 1  # the list that they are in

    return push_repeatedly
