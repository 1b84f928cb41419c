"""Neighbor lists (`intrinsics.neighbors`) in functors that numba-cuda-mlir compiles. An import registers them with it.

A graph is an address, and each function one of ``cuda/neighbors.cuh``, with 64-bit integers as parameters.
"""

from __future__ import annotations

from typing import Any

from numba_cuda_mlir import types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import arith, func
from numba_cuda_mlir._mlir.extras import types as T
from numba_cuda_mlir.extending import lowering_registry, register_model
from numba_cuda_mlir.lowering_utilities import get_or_insert_function
from numba_cuda_mlir.models import PrimitiveModel

from ..signatures import OF_GRAPHS, OF_RUNS, declare_neighbors, graph_type
from .arrays import NAMES, load_as

Graph = graph_type(NAMES)
declare_neighbors(NAMES, Graph)


@register_model(Graph)
class _Model(PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, T.i64())


def _call(builder: Any, symbol: str, result: Any, args: list) -> Any:
    kind = ir.FunctionType.get([T.i64()] * len(args), [result])
    function = get_or_insert_function(symbol, kind, builder.mlir_gpu_module)
    return func.call(result=[result], callee=function.name.value, operands_=args)


def _lower(function: Any, count: int) -> None:
    @lowering_registry.lower(function, Graph, *[types.Integer] * count)
    def lower(builder: Any, target: Any, args: Any, kws: Any) -> None:
        graph, *numbers = args
        form, kind = builder.get_numba_type(graph.name).form, builder.get_numba_type(target.name)
        symbol = form.symbol(function.__name__)
        given = [builder.load_var(graph), *(load_as(builder, number, types.int64) for number in numbers)]
        if function in OF_RUNS:
            parts = (arith.constant(T.i64(), part) for part in range(3))
            builder.store_var(target, tuple(_call(builder, symbol, T.i64(), [*given, part]) for part in parts))
        else:
            builder.store_var(target, _call(builder, symbol, builder.get_mlir_type(kind), given))


for _function, _count in (OF_GRAPHS | OF_RUNS).items():
    _lower(_function, _count)
