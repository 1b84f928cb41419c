"""Neighbor lists (`intrinsics.neighbors`) in functors that numba-cuda compiles. Importing this registers them with it.

A graph is an address, and each function one of ``cuda/neighbors.cuh``, with 64-bit integers as parameters.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.cuda import types
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import core_models, register_model  # type: ignore[attr-defined]

from ..signatures import OF_GRAPHS, OF_RUNS, declare_neighbors, graph_type
from .arrays import NAMES

Graph = graph_type(NAMES)
declare_neighbors(NAMES, Graph)
I64 = ir.IntType(64)


@register_model(Graph)
class _Model(core_models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, I64)


def _call(builder: Any, symbol: str, result: Any, args: Any) -> Any:
    function = builder.module.globals.get(symbol)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(result, [I64] * len(args)), symbol)
    return builder.call(function, args)


def _lower(function: Any, count: int) -> None:
    @lowering_registry.lower(function, Graph, *[types.Any] * count)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        symbol = sig.args[0].form.symbol(function.__name__)
        if function not in OF_RUNS:
            return _call(builder, symbol, context.get_value_type(sig.return_type), args)
        parts = [_call(builder, symbol, I64, [*args, I64(part)]) for part in range(3)]
        return context.make_tuple(builder, sig.return_type, parts)


for _function, _count in (OF_GRAPHS | OF_RUNS).items():
    _lower(_function, _count)
