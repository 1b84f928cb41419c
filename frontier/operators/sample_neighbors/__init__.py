"""sample_neighbors: a functor called for a few neighbors of each member of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import integer
from ...frontier import Frontier, check_frontier
from ..engine import check_op, cpu_kernel_for, cuda_kernels_for, functor_args, read_view, run_cpu
from ..functors import ARC, OP_PARAMETERS, TRUTH
from .cpu import make_sample

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/sample_neighbors/sample_neighbors.cuh"


@reads
def sample_neighbors(graph: Graph, frontier: Frontier, op: Callable, *args: Any, count: int = 2) -> None:
    """Call `op` for the first few neighbors of every member of a frontier.

    The structure defines which neighbors come first: the smallest ids if it stores them in order. For vertices with
    fewer neighbors, `op` is called for all of them.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        As in `advance`, so that one function can serve both; its return value is ignored.
    *args : arrays and numbers
        As in `advance`.
    count : int
        Neighbors per vertex, at least 1.

    Raises
    ------
    FunctorError
        `op` cannot be compiled; the message shows the line.
    TypeError, ValueError
        `count` is not a positive integer, or the frontier belongs to another graph.

    Notes
    -----
    O(count) work per vertex, plus as much for each gap skipped on the way.
    """
    frontier = check_frontier(graph, frontier)
    integer(count, "count", 1)
    check_op(op, "op", OP_PARAMETERS, args)
    values = functor_args(graph, op, args)
    size = len(frontier)
    if not size:
        return
    limit = np.int64(count)
    vertices = frontier._members()
    if graph.device.is_gpu:
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, ARC, TRUTH),), values)
        kernels.sample(size, limit, graph.view(), vertices, *values)
    else:
        kernel = cpu_kernel_for(graph.package, make_sample, (op,))
        run_cpu(kernel, (op,), size, limit, *read_view(graph, op), vertices, values)
