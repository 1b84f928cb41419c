"""traverse: advance, again and again, until the frontier is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..frontier import Frontier
from .advance import (
    OP_PARAMETERS,
    advance_kernels,
    check_frontier,
    pull,
    pull_pays,
    push,
)  # fmt: skip
from .cpu import make_push_repeatedly
from .engine import check_op, cpu_kernel_for, functor_args, run_cpu, state_of

if TYPE_CHECKING:
    from ..graph import Graph

SMALL_COUNT = 4096
SMALL_ARCS = 8192
"""Frontiers within both bounds are advanced by one block of the GPU (one core of the CPU) in one launch after another
level: the waits between levels would cost more than the rest of the machine could save."""

MAX_STEPS = 2**31 - 2


@dataclass(frozen=True)
class Step:
    """An argument that counts: `traverse` hands functors `start` in the first advance, one more in each that follows.

    In functors it is an int32.
    """

    start: int = 1


def traverse(
    graph: Graph,
    frontier: Frontier,
    op: Callable,
    *args: Any,
    condition: Callable | None = None,
    max_steps: int | None = None,
) -> int:
    """Advance until the frontier is empty.

    The same as a loop of `advance`, without its overhead: while frontiers are small, many advances run in one launch,
    so that graphs with thousands of levels take microseconds a level.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
        Where to start.
    op, condition : functions
        As in `advance`, which may push or pull as it sees fit.
    *args : arrays, numbers and `Step`
        Handed to both. A `Step` stands for the number of the advance.
    max_steps : int, optional
        Stop after so many advances.

    Returns
    -------
    int
        Number of advances made; the last left an empty frontier, unless `max_steps` came first.

    Raises
    ------
    FunctorError, ValueError
        As `advance`; and for more than one `Step`.
    """
    check_frontier(graph, frontier)
    steps = [i for i, value in enumerate(args) if isinstance(value, Step)]
    if len(steps) > 1:
        raise ValueError(f"traverse takes one Step among its arguments, not {len(steps)}")
    position = steps[0] if steps else None
    values = list(functor_args(graph, op, tuple(np.int32(a.start) if isinstance(a, Step) else a for a in args)))
    check_op(op, "op", OP_PARAMETERS, args)
    if condition is not None:
        check_op(condition, "condition", ("dst",), args)
    limit = MAX_STEPS if max_steps is None else max_steps
    done = 0
    while frontier and done < limit:
        if len(frontier) <= SMALL_COUNT and frontier.num_arcs <= SMALL_ARCS:
            frontier, made = _push_repeatedly(graph, frontier, op, condition, values, position, limit - done)
        else:
            advance_once = pull if pull_pays(graph, frontier, condition) else push
            frontier = advance_once(graph, frontier, op, condition, tuple(values))
            made = 1
        done += made
        if position is not None:
            values[position] = np.int32(values[position] + made)
    return done


def _push_repeatedly(
    graph: Graph, frontier: Frontier, op: Callable, condition: Callable | None, values: list, step: int | None,
    limit: int,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push until the frontier is empty or no longer small; the frontier then, and how many pushes were made."""
    xp = graph.xp
    state = state_of(graph)
    # Any number of pushes may be made with fresh epochs each; SMALL_COUNT is no bound on what the last one puts out.
    steps = min(limit, 2**30)
    stamps, epoch = state.next_epochs(graph, steps)
    lists = xp.empty((2, graph.num_vertices), graph.vertex_dtype)
    lists[0, : len(frontier)] = frontier.vertices
    counters = state.counters
    args = tuple(values)
    view = graph.view()
    bounds = (np.int64(SMALL_COUNT), np.int64(SMALL_ARCS), np.int64(steps))
    if graph.device.is_gpu:
        kernels = advance_kernels(graph, op, condition, args, step)
        kernels.push_repeatedly(
            len(frontier), view, lists[0], lists[1], stamps, epoch, counters.array, *bounds, *args,
            blocks=1, threads=1024,
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_push_repeatedly, (op, condition), step)
        run_cpu(
            kernel, (op, condition), len(frontier), view, graph._weight_pool(), lists, stamps, epoch, counters.array,
            *bounds, *_around(args, step),
        )  # fmt: skip
    size, arcs, made = counters.read()[:3]
    state.used_epochs(made)
    return Frontier._of(graph, lists[made & 1, :size], arcs=arcs), made


def _around(args: tuple, step: int | None) -> tuple[tuple, Any, tuple]:
    """Arguments before the step, the step, and those after it."""
    return (args, np.int32(0), ()) if step is None else (args[:step], args[step], args[step + 1 :])
