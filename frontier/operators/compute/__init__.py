"""compute: a functor called for every member of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...access import reads
from ...frontier import Frontier, graph_of
from ..engine import check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu
from ..functors import VERTEX
from .cpu import make_compute

HEADER = "frontier/operators/compute/compute.cuh"


@reads
def compute(frontier: Frontier, op: Callable, *args: Any) -> None:
    """Call `op` for every member of a frontier.

    Parameters
    ----------
    frontier : Frontier
    op : function ``op(v, *args)``
        Updates its array arguments; its return value is ignored.
    *args : arrays and numbers
        As in `advance`.

    Raises
    ------
    FunctorError
        `op` cannot be compiled; the message shows the line.
    """
    graph = graph_of(frontier)
    check_op(op, "op", ("v",), args)
    values = functor_args(graph, op, args)
    vertices = frontier._members()
    if graph.device.is_gpu:
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, VERTEX, None),), values)
        kernels.apply(len(frontier), vertices, *values)
    else:
        run_cpu(cpu_kernel_for(None, make_compute, (op,)), (op,), len(frontier), vertices, values)
