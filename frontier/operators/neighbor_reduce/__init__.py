"""neighbor_reduce: one number per vertex, from all of its edges (a sparse matrix-vector product, generalised)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, check_output, flag, integer, number, one_of
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.functor import cpu_functor
from frontier.runtime.compile.cpu import interpreting
from frontier.runtime.compile.kernels import C_TYPES

from ..dispatch.cpu_balance import cpu_balance, run_shares
from ..dispatch.gpu_balance import BALANCES, balance_options, gpu_balance, launch_balanced
from ..dispatch.kernels import (
    A_NUMBER,
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
)
from ..dispatch.reductions import (
    BEST,
    BOOL,
    COMBINE,
    MODE,
    NEIGHBOR_REDUCTIONS,
    SEARCHES,
    default_dtype,
    dtypes_of,
    identity_of,
    result_dtype,
)
from ..dispatch.signatures import ARC, OP_PARAMETERS, TRUTH
from ..frontiers.frontier import Frontier, check_frontier
from ..neighbor_columns import reduce_columns
from ..neighbor_mode import SCORE_PARAMETERS, find_modes, scores_for
from .cpu import make_neighbor_best, make_neighbor_reduce, make_neighbor_search

HEADER = "frontier/operators/neighbor_reduce/neighbor_reduce.cuh"


@reads
def neighbor_reduce(
    graph: BaseGraph,
    frontier: Frontier | None,
    op: Callable[..., Any],
    *args: Any,
    reduce: str | Callable[..., Any] = "sum",
    identity: Any = None,
    dtype: Any = None,
    out: Any = None,
    columns: int | None = None,
    values: bool = False,
    score: Callable[..., Any] | None = None,
    balance: str = "auto",
) -> Any:
    """For every vertex of a frontier, reduce the values that `op` returns for its edges.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier or None
        None stands for all vertices.
    op : function ``op(src, dst, edge, weight, *args) -> number``
        The value of an edge that leaves `src`, the vertex of the frontier. With `columns`, the value in one column:
        ``op(src, dst, edge, weight, column, *args)``.
    *args : arrays and numbers
        As in `advance`.
    reduce : {"sum", "min", "max", "or", "and", "any", "all", "argmin", "argmax", "mode"} or function
        "or" and "and" combine bits. "any" and "all" are whether `op` is true for any or all edges. "argmin" and
        "argmax" name the neighbor with the best value, the lowest id of several, and ignore NaN. "mode" is the most
        frequent value, the smallest of several. A custom ``reduce(a, b) -> number`` must be associative and
        commutative.
    identity : number
        With a function: the value for which ``reduce(identity, b)`` is ``b``. Named reductions have their own.
    dtype : {int32, int64, float32, float64}, optional
        The type of values and results without `out`, by default float64. Use int64 for integers beyond 2**53, such as
        times in nanoseconds. For "or", "and" and "mode" int64 (the default) or int32. Results of "any" and "all" are
        bool. For "argmin" and "argmax" it is the type of values.
    out : array, shape (num_vertices,), or (num_vertices, columns), optional
        Output array. Entries outside the frontier are unchanged.
    columns : int, optional
        Reduce this many values for each vertex, such as the features of its neighbors. For "sum", "min", "max", "or",
        "and" and custom functions.
    values : bool
        With "argmin" and "argmax": return the best values, too. With "mode": return its frequencies, or scores.
    score : function ``score(src, value, total, *args) -> number``, optional
        With "mode": reduce to the value with the highest score, the smallest of several. `total` is the weight of the
        vertex's edges with the value, or their number. Values below 0, and NaN scores, are ignored.
    balance : {"auto", "thread", "tile", "block", "merge"}
        As in `advance`, for one value a vertex other than "mode". On a CPU "any", "all", "argmin" and "argmax" always
        use a thread for each vertex.

    Returns
    -------
    array of `dtype`, shape (num_vertices,), or (num_vertices, columns), on the graph's device
        `out`, or a new array. For "argmin" and "argmax" vertex ids, of the graph's vertex dtype. Vertices without
        edges, and in a new array the vertices outside the frontier, have the identity of the reduction. It is 0 (sum,
        or), all bits (and), the largest (min) or smallest (max) number of the type, False (any), True (all), or
        `identity`. Without a neighbor to name, or a most frequent value, it is -1. With `values`, a pair of arrays. For
        "argmin" and "argmax": ids, and their values, the identity of "min" or "max" for -1. For "mode": the most
        frequent values, and their frequencies (int32) or scores (float64, negative infinity without a value).

    Raises
    ------
    FunctorError
        `op` or `reduce` cannot be compiled. The message shows the line.
    ValueError, TypeError
        `reduce`, `identity`, `dtype`, `out`, `columns` or `values` is invalid.

    See Also
    --------
    SpMV : Weighted sums over neighbors, faster if repeated.
    reduce : Reduce over a frontier to one number.
    advance : Visit edges, with atomics for shared updates.

    Notes
    -----
    O(V + E) work for each column. Reads of ``x[dst, column]`` are coalesced on a GPU. Sums of integers are exact,
    modulo 2**32 or 2**64. Sums of floats may differ in their last digits from call to call on a GPU. On a CPU "any" and
    "all" leave a vertex at the first edge that decides. On a GPU "argmin", "argmax" and "mode" may call `op` more than
    once for an edge: it must not change its arguments.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 1, 2, 3], [1, 2, 2, 3, 4], [4, 2, 7, 1, 5], device="cpu"
    ... )
    >>> def length(src, dst, edge, weight):
    ...     return weight
    >>> fr.neighbor_reduce(graph, None, length, reduce="max").tolist()
    [4.0, 7.0, 7.0, 5.0, 5.0]
    >>> fr.neighbor_reduce(graph, None, length, reduce="argmin").tolist()
    [2, 0, 3, 2, 3]
    """
    check_graph(graph)
    one_of(balance, "balance", BALANCES)
    if frontier is not None:
        frontier = check_frontier(graph, frontier)
    named = isinstance(reduce, str)
    given = OP_PARAMETERS if columns is None else (*OP_PARAMETERS, "column")
    check_op(op, "op", given, args, A_TRUTH if named and reduce in SEARCHES else A_NUMBER)
    if callable(reduce):
        check_op(reduce, "reduce", ("a", "b"), (), A_NUMBER)
        if identity is None:
            raise TypeError("reduce is a function, so identity must be given: the value that changes no other")
    else:
        one_of(reduce, "reduce", NEIGHBOR_REDUCTIONS)
        if identity is not None:
            raise TypeError(f"identity is for custom functions only: omit it for reduce={reduce!r}")
    if columns is not None:
        columns = integer(columns, "columns", 1)
        if named and reduce not in COMBINE:
            raise ValueError(f"columns is for {', '.join(COMBINE)} and custom functions, not for {reduce!r}")
        if balance not in ("auto", "tile"):
            raise ValueError(f"balance={balance!r} is for one value per vertex: omit it with columns")
    if reduce == MODE and balance != "auto":
        raise ValueError(f"balance={balance!r} is not for mode, whose work is shared by the lengths of lists")
    if score is not None:
        if reduce != MODE:
            raise ValueError(f"score is for {MODE}, not for other reductions")
        check_op(score, "score", SCORE_PARAMETERS, args, A_NUMBER)
    if flag(values, "values") and not (named and reduce in (*BEST, MODE)):
        raise ValueError(f"values is for {', '.join(BEST)} and {MODE}, not for other reductions")
    passed = functor_args(graph, op, args)
    members = Frontier.all(graph) if frontier is None else frontier
    if named and reduce in BEST:
        kind = default_dtype(reduce) if dtype is None else result_dtype(dtype)
        found = _best_neighbors(graph, members, op, passed, BEST[reduce], kind, out, balance)
        return found if values else found[0]
    allowed = dtypes_of(reduce)
    if out is not None:
        check_output(graph, out, "out", graph.num_vertices, allowed, columns)
        dtype = out.dtype
    else:
        dtype = default_dtype(reduce) if dtype is None else result_dtype(dtype, allowed)
    if reduce == MODE:
        out = graph.xp.full(graph.num_vertices, -1, dtype) if out is None else out
        scores = scores_for(graph, score)
        if members:
            find_modes(graph, members, op, score, passed, out, scores)
        return (out, scores) if values else out
    start = identity_of(reduce, dtype) if isinstance(reduce, str) else _as_value(identity, dtype)
    shape = graph.num_vertices if columns is None else (graph.num_vertices, columns)
    out, fresh = (graph.xp.full(shape, start, dtype), True) if out is None else (out, False)
    if not members:
        return out
    if columns is not None:
        if graph.device.is_gpu and not fresh:
            _fill(graph, members, out, start)
        reduce_columns(graph, members, op, passed, reduce, start, out)
        return out
    if graph.device.is_gpu:
        if not fresh:
            _fill(graph, members, out, start)
        options = [("RESULT", C_TYPES[dtype]), ("VALUE", C_TYPES[TRUTH if dtype == BOOL else dtype])]
        functors = [("op", op, ARC, TRUTH if dtype == BOOL else dtype)]
        if isinstance(reduce, str):
            options.append(("REDUCE", reduce.capitalize()))
        else:
            options += [("REDUCE", "Combine"), ("HAS_COMBINE", "1")]
            functors.append(("combine", reduce, ("value", "value"), dtype))
        _launch(graph, members, tuple(functors), tuple(options), passed, balance, start, out)
        return out
    vertices = members._members()
    if named and reduce in SEARCHES:
        kernel = cpu_kernel_for(graph.package, make_neighbor_search, (op,), SEARCHES[reduce])
        run_cpu(kernel, (op,), len(members), *read_view(graph, op), vertices, out, passed)
        return out
    combine = reduce if isinstance(reduce, str) or interpreting.get() else cpu_functor(reduce)
    kernel = cpu_kernel_for(graph.package, make_neighbor_reduce, (op,), combine)
    functors = (op,) if isinstance(reduce, str) else (op, reduce)
    balance = cpu_balance(balance, members)
    if balance == "merge" and not fresh:  # the results of several threads are combined with the array's
        _fill(graph, members, out, start)
    run_shares(graph, kernel, functors, balance, vertices, read_view(graph, op), start, out, passed)
    return out


def _best_neighbors(
    graph: BaseGraph, members: Frontier, op: Callable[..., Any], values: tuple, reduce: str, kind: np.dtype, out: Any,
    balance: str,
) -> tuple[Any, Any]:  # fmt: skip
    """For each vertex, the neighbor whose value of type `kind` is best, or -1, and the values."""
    ids = graph.vertex_dtype
    start = identity_of(reduce, kind)
    best = graph.xp.full(graph.num_vertices, start, kind)
    if out is None:
        out = graph.xp.full(graph.num_vertices, -1, ids)
    else:
        check_output(graph, out, "out", graph.num_vertices, (ids,))
    if not members:
        return out, best
    if not graph.device.is_gpu:
        kernel = cpu_kernel_for(graph.package, make_neighbor_best, (op,), reduce)
        run_cpu(kernel, (op,), len(members), *read_view(graph, op), members._members(), best, out, values)
        return out, best
    # First the best value, then the lowest id that has it: no atomic operation changes both at once.
    functors = (("op", op, ARC, kind),)
    options = (("RESULT", C_TYPES[kind]), ("VALUE", C_TYPES[kind]), ("REDUCE", reduce.capitalize()))
    _launch(graph, members, functors, options, values, balance, start, best)
    unsigned = np.dtype(f"u{ids.itemsize}")  # of which the largest is -1
    _fill(graph, members, out, ids.type(-1))
    options = (
        ("RESULT", C_TYPES[unsigned]), ("VALUE", C_TYPES[kind]), ("REDUCE", "Min"),
        ("BEST", "<=" if reduce == "min" else ">="),
    )  # fmt: skip
    none = np.iinfo(unsigned).max
    _launch(graph, members, functors, options, values, balance, unsigned.type(none), out.view(unsigned), best)
    return out, best


def _launch(
    graph: BaseGraph, members: Frontier, functors: tuple, options: tuple, values: tuple, balance: str, identity: Any,
    *arrays: Any,
) -> None:  # fmt: skip
    """Launch the CUDA kernels for the members of a frontier, whose entries of the output contain the identity."""
    balance = gpu_balance(balance)
    kernels = cuda_kernels_for(graph, HEADER, functors, values, (*options, *balance_options(graph, balance)))
    launch_balanced(kernels, "reduce", balance, graph, len(members), members._members(), (identity, *arrays), values)


def _fill(graph: BaseGraph, members: Frontier, out: Any, value: Any) -> None:
    """Set the members' entries."""
    if len(members) == graph.num_vertices:
        clear(graph, out) if value == 0 else out.fill(value)
    else:
        out[members._members()] = value


def clear(graph: BaseGraph, out: Any) -> None:
    """Set all entries to 0."""
    if graph.xp is np:
        out.fill(0)
    else:
        out.data.memset_async(0, out.nbytes)  # `fill` is a kernel of CuPy's


def _as_value(identity: Any, dtype: np.dtype) -> Any:
    """A user's identity, of the type of the values."""
    number(identity, "identity")
    value = np.asarray(identity).item()
    try:
        found = dtype.type(value)
    except (OverflowError, ValueError):  # infinity, or beyond the type's range
        found = None
    if found is None or (dtype.kind == "i" and found != value):
        raise ValueError(f"identity is {value}, which {dtype} cannot represent")
    return found
