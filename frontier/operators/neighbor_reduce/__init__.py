"""neighbor_reduce: one number per vertex, from all of its edges (a sparse matrix-vector product, generalised)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import check_graph, check_output, one_of
from ...frontier import Frontier, check_frontier
from ...runtime.kernels import C_TYPES
from ..engine import (
    A_NUMBER,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
)
from ..functors import ARC, OP_PARAMETERS
from ..launch import Pieces, launch_expansion, tile_size
from ..reductions import DTYPES, REDUCTIONS, identity_of, result_dtype
from .cpu import make_neighbor_reduce

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/neighbor_reduce/neighbor_reduce.cuh"


@reads
def neighbor_reduce(
    graph: Graph,
    frontier: Frontier | None,
    op: Callable,
    *args: Any,
    reduce: str = "sum",
    dtype: Any = np.float64,
    out: Any = None,
) -> Any:
    """For every vertex of a frontier, reduce the values that `op` returns for its edges.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier or None
        None stands for all vertices.
    op : function ``op(src, dst, edge, weight, *args) -> number``
        The value of an edge that leaves `src`, the vertex of the frontier.
    *args : arrays and numbers
        As in `advance`.
    reduce : {"sum", "min", "max"}
    dtype : {int32, int64, float32, float64}
        Of values and results, if `out` is not given. Use int64 if `op` returns integers that float64 would round: those
        beyond 2**53, such as times in nanoseconds.
    out : array, shape (num_vertices,), optional
        Output array; entries outside the frontier are unchanged.

    Returns
    -------
    array of `dtype`, shape (num_vertices,), on the graph's device
        `out`, or a new array. Vertices without edges, and in a new array those outside the frontier, hold the identity
        of the reduction: 0, or the largest (min) or smallest (max) number of the type.

    Raises
    ------
    FunctorError
        `op` cannot be compiled; the message shows the line.
    ValueError, TypeError
        `reduce`, `dtype` or `out` is invalid.

    Notes
    -----
    O(V + E) work. Sums of integers are exact, modulo 2**32 or 2**64; sums of floats may differ in their last digits
    from call to call on a GPU.
    """
    check_graph(graph)
    if frontier is not None:
        frontier = check_frontier(graph, frontier)
    one_of(reduce, "reduce", REDUCTIONS)
    check_op(op, "op", OP_PARAMETERS, args, A_NUMBER)
    values = functor_args(graph, op, args)
    xp = graph.xp
    fresh = out is None
    if not fresh:
        check_output(graph, out, "out", graph.num_vertices, DTYPES)
    dtype = result_dtype(dtype) if fresh else out.dtype
    identity = identity_of(reduce, dtype)
    if fresh:
        out = xp.full(graph.num_vertices, identity, dtype)
    if frontier is None:
        frontier = Frontier.all(graph)
    count = len(frontier)
    if not count:
        return out
    vertices = frontier._members()
    if graph.device.is_gpu:
        view = graph.view()
        if not fresh and count == graph.num_vertices:
            out.fill(identity)
        elif not fresh:
            out[vertices] = identity
        functor = (("op", op, ARC, dtype),)
        options = (("REDUCE", reduce.capitalize()), ("RESULT", C_TYPES[dtype]), ("TILE_SIZE", tile_size(graph)))
        kernels = cuda_kernels_for(graph, HEADER, functor, values, options)
        pieces = Pieces(graph)
        launch_expansion(
            kernels.reduce, kernels.reduce_pieces, count, pieces, view, vertices, identity, out, *pieces.args, *values
        )
    else:
        kernel = cpu_kernel_for(graph.package, make_neighbor_reduce, (op,), reduce)
        run_cpu(kernel, (op,), count, *read_view(graph, op), vertices, identity, out, values)
    return out
