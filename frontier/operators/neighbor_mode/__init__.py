"""The part of neighbor_reduce for the most frequent value of each vertex's edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...frontier import Frontier
from ...runtime import fill_with
from ...runtime.kernels import C_TYPES
from ..engine import cpu_kernel_for, cuda_kernels_for, read_view, run_cpu
from ..functors import ARC
from ..launch import resident_blocks
from .cpu import make_neighbor_mode

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/neighbor_mode/neighbor_mode.cuh"
LARGE_THREADS = 512  # as in neighbor_mode.cuh
LARGE_SLOTS = 8192  # of the table of a vertex with very many neighbors, as there
COUNT = np.dtype(np.int32)


def find_modes(graph: Graph, members: Frontier, op: Callable, values: tuple, out: Any, counts: Any) -> None:
    """Write, for the members of a frontier, the most frequent value (-1 if there is none) and its frequency."""
    if not graph.device.is_gpu:
        kernel = cpu_kernel_for(graph.package, make_neighbor_mode, (op,))
        run_cpu(kernel, (op,), len(members), *read_view(graph, op), members._members(), out, counts, values)
        return
    functors, options = mode_functors(op, out.dtype), mode_options(out.dtype)
    kernels = cuda_kernels_for(graph, HEADER, functors, values, options)
    # The short lists come first; that kernel lists the vertices with more neighbors for the others.
    medium, large = (graph._scratch.get(name, len(members), graph.vertex_dtype) for name in ("medium", "large"))
    sizes = graph._scratch.get("mode_sizes", 2, np.uint32)
    fill_with(sizes, 0)
    view = graph.view()
    kernels.mode_short(
        len(members), view, members._members(), out, counts, medium, large, sizes, *values, tile=32
    )  # fmt: skip
    kernels.mode_medium(1, view, medium, sizes, out, counts, *values, blocks=resident_blocks())
    kernels.mode_large(
        1, view, large, sizes, out, counts, *values, blocks=resident_blocks(), threads=LARGE_THREADS,
        shared=LARGE_SLOTS * (out.dtype.itemsize + COUNT.itemsize),
    )  # fmt: skip


def mode_functors(op: Callable, dtype: np.dtype) -> tuple:
    """The functor, as `cuda_kernels_for` takes it."""
    return (("op", op, ARC, dtype),)


def mode_options(dtype: np.dtype) -> tuple:
    """The macros of the CUDA kernels."""
    return (("RESULT", C_TYPES[dtype]),)
