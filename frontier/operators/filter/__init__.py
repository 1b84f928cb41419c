"""filter: the part of a frontier for which a functor is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...access import reads
from ...frontier import Frontier, graph_of
from ..engine import A_TRUTH, check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu, state_of
from ..functors import TRUTH, VERTEX
from .cpu import make_filter

HEADER = "frontier/operators/filter/filter.cuh"


@reads
def filter(frontier: Frontier, op: Callable, *args: Any) -> Frontier:
    """The members of a frontier for which `op` is true.

    Parameters
    ----------
    frontier : Frontier
    op : function ``op(v, *args) -> bool``
    *args : arrays and numbers
        As in `advance`.

    Returns
    -------
    Frontier

    Raises
    ------
    FunctorError
        `op` cannot be compiled; the message shows the line.
    """
    graph = graph_of(frontier)
    check_op(op, "op", ("v",), args, A_TRUTH)
    values = functor_args(graph, op, args)
    vertices = frontier._members()
    count = len(frontier)
    out = graph.xp.empty(count, graph.vertex_dtype)
    counters = state_of(graph).counters
    counters.reset()
    if not graph.device.is_gpu:
        kernel = cpu_kernel_for(None, make_filter, (op,))
        run_cpu(kernel, (op,), count, vertices, out, counters.array, values)
        return Frontier._of(graph, out[: counters.read()[0]])
    functor = (("op", op, VERTEX, TRUTH),)
    kernels = cuda_kernels_for(graph, HEADER, functor, values)
    kernels.keep(count, graph.view(), vertices, out, counters.array, *values)
    size, arcs = counters.read()[:2]
    return Frontier._of(graph, out[:size], arcs=arcs)
