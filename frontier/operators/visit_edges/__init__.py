"""visit_edges: a functor called for a list of edges, such as the edges of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads, workspace_of
from frontier.runtime.arrays import as_ids, same_length

from ..dispatch.capture_memory import recording, refuse_to_convert
from ..dispatch.kernels import (
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    reads_of,
    run_cpu,
    view_and_weights,
)
from ..dispatch.signatures import ARC, OP_PARAMETERS, TRUTH
from ..frontiers.deferred import DeferredFrontier
from ..frontiers.frontier import Frontier
from .cpu import make_visit, make_visit_only

HEADER = "frontier/operators/visit_edges/visit_edges.cuh"


@reads
def visit_edges(
    graph: BaseGraph, src: Any, dst: Any, op: Callable[..., Any], *args: Any, output: bool = True
) -> Frontier | None:
    """Call `op` for every listed arc. The destinations for which it returns True form a frontier.

    Incremental analytics use it to process the edges of a batch, without visiting the rest of the graph.

    Parameters
    ----------
    graph : Graph
    src, dst : array-like of int, shape (m,)
        Entries with a negative source are skipped, as in arrays for observers. List both directions of an undirected
        edge to visit both.
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        Whether `dst` joins the output. For an arc that is not in the graph, `edge` is -1 and `weight` is 1.
    *args : arrays and numbers
        As in `advance`.
    output : bool
        False calls `op` for its effects only: the host does not synchronize with the device, and arcs with ids out of
        range are skipped without an error.

    Returns
    -------
    Frontier, or None without `output`

    Raises
    ------
    ValueError
        An id is out of range. All arcs with valid ids have been visited.
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    advance : Visit the edges that leave a frontier.
    EdgeFrontier : A set of edges, for several operators.
    capture : Capture a step per batch, with ``batches=True``.

    Notes
    -----
    O(m) look-ups, or none if `op` reads neither the edge nor the weight.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> def mark(src, dst, edge, weight, touched):
    ...     touched[dst] = True
    ...     return True
    >>> touched = np.zeros(graph.num_vertices, np.bool_)
    >>> list(fr.visit_edges(graph, [0, 3], [2, 4], mark, touched))
    [2, 4]
    """
    check_graph(graph)
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH if output else None)
    src, dst = _graphs_ids(graph, src, "src"), _graphs_ids(graph, dst, "dst")
    if src.size != dst.size:
        same_length(src=src, dst=dst)
    values = functor_args(graph, op, args)
    count, n = int(src.size), np.int64(graph.num_vertices)
    if not count:
        return Frontier._of(graph, graph.xp.empty(0, graph.vertex_dtype), arcs=0) if output else None
    if not output:
        if graph.device.is_gpu:
            options = (("NO_OUTPUT", "1"), *_lookup_options(op))
            kernels = cuda_kernels_for(graph, HEADER, (("op", op, ARC, None),), values, options)
            kernels.visit_only(count, n, graph.view(), src, dst, *values)
        else:
            _run_on_cpu(graph, make_visit_only, op, count, n, src, dst, values)
        return None
    memory = recording()
    if memory is not None:
        joined, number = memory.output(count), memory.counters(3)
        stamps, below, latest = memory.visit_epoch()
        kernels = _visit_kernels(graph, op, values)
        kernels.visit(count, n, graph.view(), src, dst, stamps, below, joined, number, latest, *values)
        return DeferredFrontier(graph, joined, number[:1])
    state = workspace_of(graph)
    stamps, epoch = state.next_stamps(graph)
    out = graph.xp.empty(min(count, graph.num_vertices), graph.vertex_dtype)
    counters = state.counters
    counters.reset()
    if graph.device.is_gpu:
        kernels = _visit_kernels(graph, op, values)
        kernels.visit(count, n, graph.view(), src, dst, stamps, epoch, out, counters.array, None, *values)
    else:
        _run_on_cpu(graph, make_visit, op, count, n, src, dst, stamps, epoch, out, counters.array, values)
    size, arcs, bad = counters.read()[:3]
    if bad:
        raise ValueError(f"{bad} of the {count} arcs in src and dst name ids outside 0..{graph.num_vertices - 1}")
    return Frontier._of(graph, out[:size], arcs=arcs)


def _visit_kernels(graph: BaseGraph, op: Callable[..., Any], values: tuple) -> Any:
    return cuda_kernels_for(graph, HEADER, (("op", op, ARC, TRUTH),), values, _lookup_options(op))


def _run_on_cpu(graph: BaseGraph, make: Callable, op: Callable[..., Any], count: int, n: np.int64, *args: Any) -> None:
    edge, weight = reads_of(op)
    kernel = cpu_kernel_for(graph.package, make, (op,), edge or weight)
    run_cpu(kernel, (op,), count, n, *view_and_weights(graph, edge, weight), *args)


def _lookup_options(op: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    """The macro for functors that read neither the edge nor the weight, for which arcs need not be found."""
    return () if any(reads_of(op)) else (("NO_LOOKUP", "1"),)


def _graphs_ids(graph: BaseGraph, ids: Any, name: str) -> Any:
    """Ids in the graph's type. Ids out of its range stay out of range, on the same side."""
    plain = type(ids) is graph.xp.ndarray and ids.dtype == graph.vertex_dtype and ids.ndim == 1
    if plain and ids.flags.c_contiguous and (graph.device.is_gpu or ids.flags.writeable):
        return ids  # as observers get them
    refuse_to_convert(graph, ids)
    ids = as_ids(graph.device, ids, name)
    if ids.dtype == graph.vertex_dtype:
        return ids
    return graph.xp.clip(ids, -1, graph.num_vertices).astype(graph.vertex_dtype)
