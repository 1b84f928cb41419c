"""sample_neighbors: a functor called for a few neighbors of each member of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import integer, one_of, sample_size
from frontier.core.base import BaseGraph
from frontier.core.locking import reads

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
    count: int = 2,
    method: str = "first",
    seed: int | None = None,
) -> None:
    """Call `op` for a few neighbors of every member of a frontier: the first, or some drawn at random.

    For vertices with fewer neighbors, `op` is called for all of them.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        As in `advance`, so one function can serve both. Its return value is ignored.
    *args : arrays and numbers
        As in `advance`.
    count : int
        Neighbors per vertex, at least 1, or -1 for all.
    method : {"first", "uniform", "weighted"}
        ``"first"``: in the order of the structure, the smallest ids if that is ascending. ``"uniform"``: drawn without
        replacement, with equal probabilities. ``"weighted"``: drawn one after another without replacement, with
        probabilities in proportion to the remaining weights, of which only positive ones count.
    seed : int, optional
        Required for random samples. A sample depends on the seed and the edges only, for every structure and device.
        Remaining neighbors stay in it after an update.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.
    TypeError, ValueError
        `count` is neither positive nor -1, `method` or `seed` is invalid, or the frontier belongs to another graph.

    Notes
    -----
    The first: O(count) work per vertex, and per skipped gap. At random: each edge has a random key, and the lowest keys
    are chosen: O(degree) work per vertex on a CPU, O(degree * count) by the 32 lanes of a warp on a GPU. With weights,
    keys follow Efraimidis and Spirakis (Information Processing Letters 97, 2006).
    """
    frontier = check_frontier(graph, frontier)
    count = sample_size(count, "count")
    one_of(method, "method", METHODS)
    if (seed is None) != (method == "first"):
        raise TypeError(f"method={method!r} {'needs a seed' if seed is None else 'draws nothing: it takes no seed'}")
    check_op(op, "op", OP_PARAMETERS, args)
    values = functor_args(graph, op, args)
    size = len(frontier)
    if not size:
        return
    vertices = frontier._members()
    if method == "first" or (method == "uniform" and count >= graph.num_vertices):  # whatever is drawn, it is all
        if graph.device.is_gpu:
            kernels = cuda_kernels_for(graph, HEADER, (("op", op, ARC, TRUTH),), values)
            kernels.sample(size, np.int64(count), graph.view(), vertices, *values)
        else:
            kernel = cpu_kernel_for(graph.package, make_sample, (op,))
            run_cpu(kernel, (op,), size, np.int64(count), *read_view(graph, op), vertices, values)
        return
    weighted = method == "weighted"
    draws = (np.int64(min(count, graph.num_vertices)), _as_int64(integer(seed, "seed")))
    if graph.device.is_gpu:
        options = (("WEIGHTED", "1"),) if weighted else ()
        kernels = cuda_kernels_for(graph, HEADER, (("op", op, ARC, TRUTH),), values, options)
        kernels.sample_randomly(size, *draws, graph.view(), vertices, *values, tile=32)
    else:
        kernel = cpu_kernel_for(graph.package, make_sample_randomly, (op,), weighted)
        keys = readable_weights(graph) if weighted else None
        run_cpu(kernel, (op,), size, *draws, *read_view(graph, op), keys, vertices, values)


def _as_int64(seed: int) -> np.int64:
    """A seed's lowest 64 bits."""
    return np.uint64(seed & (2**64 - 1)).astype(np.int64)
