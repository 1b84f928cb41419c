"""visit_common: the common neighbors of pairs of vertices, where the neighbors of one of each pair are listed.

For distributed graphs, whose lists of neighbors come from other parts. `intersect` is for all other graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.sort import accumulate

from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, functor_args, readable_weights, run_cpu
from ..intersect import check_functors, cuda_functors
from .cpu import make_visit_common

HEADER = "frontier/operators/visit_common/visit_common.cuh"
THREADS, BLOCKS_EACH = 256, 8
"""Threads of a block, and blocks of a multiprocessor: warps process pieces of the lists until none are left."""


def visit_common(
    graph: BaseGraph, known: Any, listed: Any, swapped: Any, rows: Any, offsets: Any, neighbors: Any, first_edge: int,
    op: Callable | None = None, *args: Any, per_pair: Callable | None = None, numbered: bool = False, ends: Any = None,
) -> Any:  # fmt: skip
    """Count the common neighbors of pairs (int64, shape (m,)), or pass them to `op` as `intersect` does.

    The graph has the neighbors of `known`, one end of each pair. Neighbors of the other end, ``listed[i]``, are
    ``neighbors[offsets[rows[i]]:offsets[rows[i] + 1]]``, none for a negative row. ``neighbors[k]`` is found by the edge
    ``first_edge + k``. `swapped` (bool) marks pairs whose first end is `known`. `per_pair` and `numbered` are as in
    `intersect`. On a GPU, `ends` may have the running sums of list lengths. Lists then need not be adjacent.
    """
    count = int(known.size)
    counts = graph.xp.zeros(count, np.int64) if op is None else None
    check_functors(op, per_pair, numbered, args)
    values = functor_args(graph, op, args) if op is not None else ()
    arrays = known, listed, swapped.view(np.uint8), rows, offsets, neighbors
    if count and neighbors.size and graph.device.is_gpu:
        from frontier.runtime.compile.cuda import multiprocessors

        functors, options = cuda_functors(op, per_pair, numbered)
        kernels = cuda_kernels_for(graph, HEADER, functors, values, options)
        if ends is None:
            ends = graph.xp.empty(count, np.int64)
            kernels.count_listed(count, rows, offsets, ends)
            accumulate(graph.device, ends)
        kernels.visit_common(
            count, graph.view(), *arrays, np.int64(first_edge), ends, counts, *values, threads=THREADS,
            blocks=BLOCKS_EACH * multiprocessors(),
        )  # fmt: skip
    elif count and not graph.device.is_gpu:
        functors = op, per_pair
        kernel = cpu_kernel_for(graph.package, make_visit_common, functors, numbered)
        edges = None if op is None or graph.payload.table is None else readable_weights(graph, weighted=False)
        run_cpu(kernel, functors, count, graph.store.bare_view(), edges, *arrays, first_edge, counts, values)
    return counts
