"""reduce: one number from all members of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...access import reads
from ...arguments import check_output, one_of
from ...edge_frontier import EdgeFrontier
from ...frontier import Frontier
from ...runtime.kernels import C_TYPES
from ..engine import A_NUMBER, check_op, cpu_kernel_for, cuda_kernels_for, functor_args, run_cpu
from ..launch import parts_for
from ..members import form_of, kernel_members
from ..neighbor_reduce import clear
from ..reductions import DTYPES, REDUCTIONS, identity_of, result_dtype
from .cpu import make_reduce

HEADER = "frontier/operators/reduce/reduce.cuh"


@reads
def reduce(
    frontier: Frontier | EdgeFrontier, op: Callable, *args: Any, reduce: str = "sum", dtype: Any = np.float64,
    out: Any = None,
) -> Any:  # fmt: skip
    """Call `op` for every member of a frontier and reduce the returned values to one number.

    Parameters
    ----------
    frontier : Frontier or EdgeFrontier
    op : function ``op(v, *args) -> number``, or ``op(src, dst, edge, weight, *args) -> number`` for edges
        May also change its array arguments, as in `compute`.
    *args : arrays and numbers
        As in `advance`.
    reduce : {"sum", "min", "max"}
    dtype : {int32, int64, float32, float64}
        Of the values and the result, if `out` is not given. Use int64 if `op` returns integers that float64 would
        round, those beyond 2**53.
    out : array, shape (1,), optional
        Output array.

    Returns
    -------
    array of `dtype`, shape (1,), on the graph's device
        `out`, or a new array. It stays on the device, so that it can be passed to the next operator without a host
        synchronization; ``float()`` or ``int()`` reads it. For an empty frontier 0, or the largest (min) or smallest
        (max) number of the type.

    Raises
    ------
    FunctorError
        `op` cannot be compiled; the message shows the line.
    ValueError, TypeError
        `reduce`, `dtype` or `out` is invalid.

    Notes
    -----
    Sums of integers are exact, modulo 2**32 or 2**64; sums of floats may differ in their last digits from call to call
    on a GPU.
    """
    graph, form = form_of(frontier)
    xp = graph.xp
    one_of(reduce, "reduce", REDUCTIONS)
    check_op(op, "op", form.parameters, args, A_NUMBER)
    if out is not None:
        check_output(graph, out, "out", 1, DTYPES)
    dtype = result_dtype(dtype) if out is None else out.dtype
    values = functor_args(graph, op, args)
    identity = identity_of(reduce, dtype)
    out = xp.empty(1, dtype) if out is None else out
    clear(graph, out) if identity == 0 else out.fill(identity)
    count = len(frontier)
    members = kernel_members(frontier, op)
    if graph.device.is_gpu:
        options = (("REDUCE", reduce.capitalize()), ("RESULT", C_TYPES[dtype]), *form.options)
        functor = (("op", op, form.kinds, dtype),)
        kernels = cuda_kernels_for(graph, HEADER, functor, values, options)
        kernels.reduce_members(count, *members, identity, out, *values)
    elif count:
        partial = np.full(parts_for(count), identity, dtype)
        kernel = cpu_kernel_for(None, make_reduce, (op,), reduce, form.of_edges)
        run_cpu(kernel, (op,), partial.size, count, *members, partial, values)
        out[0] = partial.sum() if reduce == "sum" else partial.min() if reduce == "min" else partial.max()
    return out
