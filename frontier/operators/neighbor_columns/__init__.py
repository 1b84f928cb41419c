"""The part of neighbor_reduce for several numbers per vertex, from all of its edges: a product with a dense matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.functor import cpu_functor
from frontier.runtime.compile.cpu import interpreting
from frontier.runtime.compile.kernels import C_TYPES

from ..dispatch.gpu_balance import Pieces, launch_expansion, tile_size
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, read_view, run_cpu
from ..dispatch.signatures import ARC
from ..frontiers.frontier import Frontier
from .cpu import make_neighbor_columns

HEADER = "frontier/operators/neighbor_columns/neighbor_columns.cuh"
WARP = 32
MAX_EACH = 4  # columns of a lane, whose sums are in registers


def reduce_columns(
    graph: BaseGraph, members: Frontier, op: Callable, values: tuple, reduce: str | Callable, identity: Any, out: Any
) -> None:
    """Write the rows of the members of a frontier. Before, they contain the identity."""
    if not graph.device.is_gpu:
        combine = reduce if isinstance(reduce, str) or interpreting.get() else cpu_functor(reduce)
        kernel = cpu_kernel_for(graph.package, make_neighbor_columns, (op,), combine)
        functors = (op,) if isinstance(reduce, str) else (op, reduce)
        run_cpu(kernel, functors, len(members), *read_view(graph, op), members._members(), identity, out, values)
        return
    columns = out.shape[1]
    functors = column_functors(op, reduce, out.dtype)
    options = column_options(reduce, out.dtype, columns, int(tile_size(graph)))
    kernels = cuda_kernels_for(graph, HEADER, functors, values, options)
    pieces = Pieces(graph)
    launch_expansion(
        kernels.reduce_columns, kernels.reduce_column_pieces, len(members), pieces, graph.view(), members._members(),
        identity, out, np.int64(columns), *pieces.args, *values,
    )  # fmt: skip


def column_functors(op: Callable, reduce: str | Callable, dtype: np.dtype) -> tuple:
    """The functors, as `cuda_kernels_for` expects them."""
    own = () if isinstance(reduce, str) else (("combine", reduce, ("value", "value"), dtype),)
    return (("op", op, (*ARC, "column"), dtype), *own)


def column_options(reduce: str | Callable, dtype: np.dtype, columns: int, tile: int) -> tuple:
    """Macros of CUDA kernels, for few numbers of columns: powers of two up to a warp, beyond two or four a lane."""
    lanes = min(1 << (columns - 1).bit_length(), WARP)
    each = min(1 << (-(-columns // lanes) - 1).bit_length(), MAX_EACH)
    own = () if isinstance(reduce, str) else (("HAS_COMBINE", "1"),)
    return (
        ("RESULT", C_TYPES[dtype]), ("REDUCE", reduce.capitalize() if isinstance(reduce, str) else "Combine"),
        ("TILE_SIZE", str(max(tile, lanes))), ("COLUMN_LANES", str(lanes)), ("COLUMNS_EACH", str(each)),
        ("WHOLE", str(int(columns % (lanes * each) == 0))), *own,
    )  # fmt: skip
