"""sample_neighbors: a functor called for a few neighbors of each member of a frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from frontier.core.arguments import integer, one_of, sample_size
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.runtime.compile.kernels import C_TYPES
from frontier.runtime.values import kind_of

from ..dispatch.kernels import (
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    readable_weights,
    run_cpu,
)
from ..dispatch.signatures import ARC, OP_PARAMETERS, TRUTH
from ..frontiers.frontier import Frontier, check_frontier
from .cpu import make_sample, make_sample_randomly

HEADER = "frontier/operators/sample_neighbors/sample_neighbors.cuh"
METHODS = ("first", "uniform", "weighted")


@reads
def sample_neighbors(
    graph: BaseGraph,
    frontier: Frontier,
    op: Callable[..., Any],
    *args: Any,
    count: int | Mapping[int, int] = 2,
    method: str = "first",
    seed: int | None = None,
    edge_type: str | None = None,
) -> None:
    """Call `op` for a few neighbors of every member of a frontier: the first, or some drawn at random.

    For vertices with fewer neighbors, `op` is called for all of them. With `edge_type`, each type has its own sample.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        As in `advance`, so one function can serve both. Its return value is ignored.
    *args : arrays and numbers
        As in `advance`.
    count : int, or dict of int to int
        Neighbors per vertex, at least 1, or -1 for all. With `edge_type`, such a number for each type, or 0. Edges of
        types that are not in the dict are not sampled.
    method : {"first", "uniform", "weighted"}
        ``"first"``: in the order of the structure, the smallest ids if that is ascending. ``"uniform"``: drawn without
        replacement, with equal probabilities. ``"weighted"``: drawn one after another without replacement, with
        probabilities in proportion to the remaining weights, of which only positive ones count.
    seed : int, optional
        Required for random samples. A sample depends on the seed and the edges only, for every structure and device.
        Remaining neighbors stay in it after an update.
    edge_type : str, optional
        The column of edge data with the type of each edge, of an integer type. `op` reads it as it reads other columns,
        at `edge`.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.
    TypeError, ValueError
        `count` is invalid, or no dict with `edge_type`. The graph has no such column, or it contains no integers, or
        cannot contain a type in `count`. `method` or `seed` is invalid, or the frontier belongs to another graph.

    See Also
    --------
    sample_temporal_neighbors : Samples of events before some time.
    advance : All neighbors.

    Notes
    -----
    The first: O(count) work per vertex, and per skipped gap. At random: each edge has a random key, and the lowest keys
    are chosen. This is O(degree) work per vertex on a CPU, O(degree * count) by the 32 lanes of a warp on a GPU. With
    weights, keys follow Efraimidis and Spirakis (Information Processing Letters 97, 2006).

    With `edge_type`, each type of a count other than 0 costs a pass over the neighbors, in which only edges of the type
    get keys. Passes for the first and for all neighbors end when enough are found.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 0], [1, 2, 3], directed=True, device="cpu")
    >>> def mark(src, dst, edge, weight, drawn):
    ...     drawn[dst] = 1
    ...     return False
    >>> drawn = graph.xp.zeros(graph.num_vertices, "int32")
    >>> frontier = fr.Frontier(graph, [0])
    >>> fr.sample_neighbors(graph, frontier, mark, drawn, count=2, method="uniform", seed=1)
    >>> int(drawn.sum())
    2
    """
    frontier = check_frontier(graph, frontier)
    types, quotas = _quotas(graph, count, edge_type)
    one_of(method, "method", METHODS)
    if (seed is None) != (method == "first"):
        raise TypeError(f"method={method!r} {'needs a seed' if seed is None else 'draws nothing: it takes no seed'}")
    key = _as_int64(0 if seed is None else integer(seed, "seed"))
    check_op(op, "op", OP_PARAMETERS, args)
    values = functor_args(graph, op, args)
    size = len(frontier)
    if not size:
        return
    vertices = frontier._members()
    typed, weighted = types is not None, method == "weighted"
    for kind, quota in quotas.items():
        chosen = types, _as_int64(kind)
        draws = () if method == "first" or quota >= graph.num_vertices else (key,)  # whatever is drawn, it may be all
        if graph.device.is_gpu:
            typing = (("TYPE", C_TYPES[types.dtype]),) if typed else ()
            options = (*typing, ("WEIGHTED", "1")) if weighted else typing
            kernels = cuda_kernels_for(graph, HEADER, (("op", op, ARC, TRUTH),), values, options)
            sample, tile = (kernels.sample_randomly, 32) if draws else (kernels.sample, 32 if options else 1)
            sample(size, np.int64(quota), *draws, *chosen, graph.view(), vertices, *values, tile=tile)
        else:
            make = make_sample_randomly if draws else make_sample
            kernel = cpu_kernel_for(graph.package, make, (op,), typed, weighted)
            view, stored = read_view(graph, op), readable_weights(graph, weighted) if typed or weighted else None
            run_cpu(kernel, (op,), size, np.int64(quota), *draws, *chosen, *view, stored, vertices, values)


def _quotas(graph: BaseGraph, count: Any, edge_type: Any) -> tuple[Any, dict[int, int]]:
    """The column with the types of edges, or None, and the number of neighbors to sample of each type."""
    if edge_type is None:
        return None, {0: sample_size(count, "count")}
    if graph.edge_data is None:
        raise ValueError(f"edge_type needs a graph with edge data; make it with edge_data={{{edge_type!r}: ...}}")
    types = graph.edge_data[one_of(edge_type, "edge_type", graph.edge_data)]
    if types.dtype.kind not in "iu":
        raise TypeError(f"edge_type must name a column of integers, and {edge_type!r} contains {types.dtype}")
    if not isinstance(count, Mapping):
        raise TypeError(f"count must be a dict with a number for each type in edge_type, not {kind_of(count)}")
    quotas, bounds = {}, np.iinfo(types.dtype)
    for kind, number in count.items():
        if not bounds.min <= integer(kind, "a type in count") <= bounds.max:
            raise ValueError(f"count has type {kind}, and {edge_type!r} contains {types.dtype}")
        quotas[int(kind)] = sample_size(number, f"count[{kind}]", least=0)
    return types, {kind: quota for kind, quota in quotas.items() if quota}


def _as_int64(number: int) -> np.int64:
    """A number's lowest 64 bits."""
    return np.uint64(number & (2**64 - 1)).astype(np.int64)
