"""reduce: one number, or a few, from all members of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import check_output, integer, one_of
from frontier.core.locking import reads
from frontier.runtime.compile.kernels import C_TYPES

from ..dispatch.gpu_balance import parts_for
from ..dispatch.kernels import A_NUMBER, check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu
from ..dispatch.members import form_of, kernel_members
from ..dispatch.reductions import DTYPES, REDUCTIONS, identity_of, result_dtype
from ..frontiers.edge_frontier import EdgeFrontier
from ..frontiers.frontier import Frontier
from ..neighbor_reduce import clear
from .cpu import make_reduce, make_reduce_columns

HEADER = "frontier/operators/reduce/reduce.cuh"
MAX_COLUMNS = 32  # sums of a thread, which are in registers


@reads
def reduce(
    frontier: Frontier | EdgeFrontier, op: Callable[..., Any], *args: Any, reduce: str = "sum", dtype: Any = np.float64,
    out: Any = None, columns: int | None = None,
) -> Any:  # fmt: skip
    """Call `op` for every member of a frontier and reduce the returned values to one number.

    Parameters
    ----------
    frontier : Frontier or EdgeFrontier
    op : function ``op(v, *args) -> number``, or ``op(src, dst, edge, weight, *args) -> number`` for edges
        May also change its array arguments, as in `compute`. With `columns`, the value in one column, a number from 0:
        ``op(v, column, *args)``, called for the columns of a member in ascending order.
    *args : arrays and numbers
        As in `advance`.
    reduce : {"sum", "min", "max"}
    dtype : {int32, int64, float32, float64}
        The dtype of the values and the result, if `out` is not given. Use int64 if `op` returns integers that float64
        would round, those beyond 2**53.
    out : array, shape (1,) or (columns,), optional
        Output array.
    columns : int, optional
        Reduce this many values for each member, at most 32: several numbers from one pass over the members.

    Returns
    -------
    array of `dtype`, shape (1,) or (columns,), on the graph's device
        `out`, or a new array, which stays on the device for the next operator. ``float()`` or ``int()`` reads it. For
        an empty frontier 0, or the largest (min) or smallest (max) number of the type.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.
    ValueError, TypeError
        `reduce`, `dtype`, `out` or `columns` is invalid.

    See Also
    --------
    neighbor_reduce : Reduce over the edges of each vertex.
    compute : Call a functor without a result.

    Notes
    -----
    Sums of integers are exact, modulo 2**32 or 2**64. Sums of floats may differ in their last digits from call to call
    on a GPU.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> def degree_of(v, degrees):
    ...     return degrees[v]
    >>> fr.reduce(fr.Frontier.all(graph), degree_of, graph.degrees()).tolist()
    [10.0]
    """
    graph, form = form_of(frontier)
    xp = graph.xp
    one_of(reduce, "reduce", REDUCTIONS)
    parameters, kinds, options = form.parameters, form.kinds, form.options
    if columns is not None:
        columns = integer(columns, "columns", 1)
        if columns > MAX_COLUMNS:
            raise ValueError(f"columns must be at most {MAX_COLUMNS}, got {columns}")
        parameters, kinds = (*parameters, "column"), (*kinds, "column")
        options = (*options, ("COLUMNS", str(columns)))
    size = columns or 1
    check_op(op, "op", parameters, args, A_NUMBER)
    if out is not None:
        check_output(graph, out, "out", size, DTYPES)
    dtype = result_dtype(dtype) if out is None else out.dtype
    values = functor_args(graph, op, args)
    identity = identity_of(reduce, dtype)
    out = xp.empty(size, dtype) if out is None else out
    clear(graph, out) if identity == 0 else out.fill(identity)
    count = len(frontier)
    members = kernel_members(frontier, op)
    if graph.device.is_gpu:
        options = (("REDUCE", reduce.capitalize()), ("RESULT", C_TYPES[dtype]), *options)
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, kinds, dtype),), values, options)
        kernels.reduce_members(count, *members, identity, out, *values)
    elif count:
        partial = np.full((parts_for(count), size)[: 1 if columns is None else 2], identity, dtype)
        make = make_reduce if columns is None else make_reduce_columns
        kernel = cpu_kernel_for(None, make, (op,), reduce, form.of_edges)
        run_cpu(kernel, (op,), len(partial), count, *members, partial, values)
        out[:] = getattr(partial, reduce)(axis=0)
    return out
