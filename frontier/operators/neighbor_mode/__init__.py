"""The part of neighbor_reduce for the most frequent value of each vertex's edges, or the value of the highest score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.runtime import fill_with
from frontier.runtime.compile.cuda import shared_memory
from frontier.runtime.compile.kernels import C_TYPES

from ..dispatch.gpu_balance import resident_blocks
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, read_view, run_cpu
from ..dispatch.signatures import ARC
from ..frontiers.frontier import Frontier
from .cpu import make_neighbor_choice, make_neighbor_mode

HEADER = "frontier/operators/neighbor_mode/neighbor_mode.cuh"
LARGE_THREADS, HUGE_THREADS = 512, 1024  # as in neighbor_mode.cuh
LARGE_SLOTS = {False: 8192, True: 4096}  # of the table of a vertex with many neighbors, as there
HUGE_SLOTS = 16384  # slots for a vertex with very many neighbors, at most
FILLED = 5 / 8  # of such a table: by as many neighbors, whose values may be distinct
COUNT, SCORE = np.dtype(np.int32), np.dtype(np.float64)
SCORE_PARAMETERS = ("src", "value", "total")


def scores_for(graph: BaseGraph, score: Callable | None) -> Any:
    """An array for the scores of all vertices, or for frequencies without a functor. Vertices without a value have no
    score."""
    n = graph.num_vertices
    return graph.xp.zeros(n, COUNT) if score is None else graph.xp.full(n, -np.inf, SCORE)


def find_modes(
    graph: BaseGraph, members: Frontier, op: Callable, score: Callable | None, values: tuple, out: Any, scores: Any
) -> None:
    """Write, for the members of a frontier, the value with the highest score (-1 if there is none) and its score."""
    if not graph.device.is_gpu:
        functors, make = ((op,), make_neighbor_mode) if score is None else ((op, score), make_neighbor_choice)
        kernel = cpu_kernel_for(graph.package, make, functors)
        read = read_view(graph, op, score is not None)
        run_cpu(kernel, functors, len(members), *read, members._members(), out, scores, values)
        return
    linked = mode_functors(op, score, out.dtype)
    kernels = cuda_kernels_for(graph, HEADER, linked, values, mode_options(score, out.dtype))
    # The short lists come first. Their kernel lists the vertices with more neighbors for the later ones.
    take, size = workspace_of(graph).scratch.get, len(members)
    medium, large = (take(name, size, graph.vertex_dtype) for name in ("medium", "large"))
    total = COUNT if score is None else SCORE
    each = out.dtype.itemsize + total.itemsize
    slots, fitting = _huge_table(each)
    most = np.uint32(graph.num_arcs * 2 // fitting + graph.num_arcs // (LARGE_SLOTS[score is not None] // 2))
    huge = take("huge", int(most) * PART_BYTES[graph.vertex_dtype.itemsize], np.uint8)
    found = take("found", int(most) * MODE_BYTES, np.uint8)
    sizes = fill_with(take("mode_sizes", 3, np.uint32), 0)
    view, blocks = graph.view(), resident_blocks()
    kernels.mode_short(
        size, view, members._members(), out, scores, medium, large, huge, most, fitting, sizes, *values, tile=32
    )  # fmt: skip
    kernels.mode_medium(1, view, medium, sizes, out, scores, *values, blocks=blocks)
    kernels.mode_large(
        1, view, large, sizes, out, scores, *values, blocks=blocks, threads=LARGE_THREADS,
        shared=LARGE_SLOTS[score is not None] * each,
    )  # fmt: skip
    if most:
        kernels.mode_huge(
            1, view, huge, most, np.uint32(slots), sizes, found, *values, blocks=blocks, threads=HUGE_THREADS,
            shared=slots * each,
        )  # fmt: skip
        kernels.best_of_parts(1, huge, most, sizes, found, out, scores, blocks=blocks)


PART_BYTES, MODE_BYTES = {4: 12, 8: 16}, 16
"""Bytes of ``struct Part`` of neighbor_mode.cuh, by the bytes of an id, and of ``struct Mode``, at most."""
STATIC_BYTES = 1024
"""Shared memory that kernels use in addition to a table, at most."""


def _huge_table(each: int) -> tuple[int, int]:
    """The number of slots, of `each` bytes, of the largest table of a block, and of the neighbors whose values it
    stores."""
    slots = HUGE_SLOTS
    while slots * each > shared_memory() - STATIC_BYTES:
        slots //= 2
    return slots, int(slots * FILLED)


def mode_functors(op: Callable, score: Callable | None, dtype: np.dtype) -> tuple:
    """The functors, as `cuda_kernels_for` expects them."""
    scores = () if score is None else (("score", score, ("vertex", dtype, SCORE), SCORE),)
    return (("op", op, ARC, dtype), *scores)


def mode_options(score: Callable | None, dtype: np.dtype) -> tuple:
    """The macros of the CUDA kernels."""
    return (("RESULT", C_TYPES[dtype]), *(() if score is None else (("HAS_SCORE", "1"),)))
