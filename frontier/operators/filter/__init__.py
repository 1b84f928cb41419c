"""filter: the part of a frontier for which a functor is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from frontier.core.locking import reads, workspace_of

from ..dispatch.capture_memory import recording
from ..dispatch.kernels import A_TRUTH, check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu
from ..dispatch.members import form_of, kernel_members, kernel_size
from ..dispatch.signatures import TRUTH
from ..frontiers.deferred import DeferredFrontier
from ..frontiers.edge_frontier import EdgeFrontier
from ..frontiers.frontier import Frontier
from .cpu import make_filter

HEADER = "frontier/operators/filter/filter.cuh"
AnyFrontier = TypeVar("AnyFrontier", Frontier, EdgeFrontier)


@reads
def filter(frontier: AnyFrontier, op: Callable[..., Any], *args: Any) -> AnyFrontier:
    """The members of a frontier for which `op` is true.

    Parameters
    ----------
    frontier : Frontier or EdgeFrontier
    op : function ``op(v, *args) -> bool``, or ``op(src, dst, edge, weight, *args) -> bool`` for edges
    *args : arrays and numbers
        As in `advance`.

    Returns
    -------
    Frontier or EdgeFrontier
        A frontier of the type of `frontier`.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    compute : Call a functor for its effects.
    reduce : Count members, for example.
    extract_subgraph : Select edges of a graph.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> def is_busy(v, degrees):
    ...     return degrees[v] > 2
    >>> list(fr.filter(fr.Frontier.all(graph), is_busy, graph.degrees()))
    [2]
    """
    graph, form = form_of(frontier)
    check_op(op, "op", form.parameters, args, A_TRUTH)
    values = functor_args(graph, op, args)
    members = kernel_members(frontier, op)
    count, blocks = kernel_size(frontier)
    memory = recording()
    if memory is not None and not form.of_edges:
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, form.kinds, TRUTH),), values, form.options)
        # If more were listed than its capacity, all vertices may be in the output.
        kept, number = memory.output(graph.num_vertices), memory.counters(2)
        kernels.keep(count, graph.view(), *members, kept, number, *values, blocks=blocks)
        return DeferredFrontier(graph, kept, number[:1])
    out = graph.xp.empty(count, np.int64 if form.of_edges else graph.vertex_dtype)
    counters = workspace_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, form.kinds, TRUTH),), values, form.options)
        view = () if form.of_edges else (graph.view(),)
        kernels.keep(count, *view, *members, out, counters.array, *values, blocks=blocks)
    else:
        kernel = cpu_kernel_for(None, make_filter, (op,), form.of_edges)
        run_cpu(kernel, (op,), count, *members, out, counters.array, values)
    size, arcs = counters.read()[:2]
    if isinstance(frontier, EdgeFrontier):
        return frontier._of(graph, frontier._sources[out[:size]], frontier._slots[out[:size]])
    return Frontier._of(graph, out[:size], arcs=arcs if graph.device.is_gpu else None)
