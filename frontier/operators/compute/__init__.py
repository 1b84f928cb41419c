"""compute: a functor called for every member of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frontier.core.locking import reads

from ..dispatch.kernels import check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu
from ..dispatch.members import form_of, kernel_members, kernel_size
from ..frontiers.edge_frontier import EdgeFrontier
from ..frontiers.frontier import Frontier
from .cpu import make_compute

HEADER = "frontier/operators/compute/compute.cuh"


@reads
def compute(frontier: Frontier | EdgeFrontier, op: Callable[..., Any], *args: Any) -> None:
    """Call `op` for every member of a frontier.

    Parameters
    ----------
    frontier : Frontier or EdgeFrontier
    op : function ``op(v, *args)``, or ``op(src, dst, edge, weight, *args)`` for edges
        Updates its array arguments. Its return value is ignored.
    *args : arrays and numbers
        As in `advance`.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    filter : Select members.
    reduce : Reduce the returned values to a number.
    advance : Visit the edges of each member.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> def double(v, degrees, result):
    ...     result[v] = 2 * degrees[v]
    >>> degrees = graph.degrees()
    >>> result = graph.xp.zeros_like(degrees)
    >>> fr.compute(fr.Frontier.all(graph), double, degrees, result)
    >>> result.tolist()
    [4, 4, 6, 4, 2]
    """
    graph, form = form_of(frontier)
    check_op(op, "op", form.parameters, args)
    values = functor_args(graph, op, args)
    members = kernel_members(frontier, op)
    if graph.device.is_gpu:
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, form.kinds, None),), values, form.options)
        count, blocks = kernel_size(frontier)
        kernels.apply(count, *members, *values, blocks=blocks)
    else:
        run_cpu(cpu_kernel_for(None, make_compute, (op,), form.of_edges), (op,), len(frontier), *members, values)
