"""Parallel regions of CPU kernels, as LLVM code that calls Numba's threading layer.

`numba.prange` would do the same, but compiling a loop with a single call in it is slower than compiling most kernels.
With it, the first use of four incremental analytics lasted half as long again.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

COUNT, PIECES, CODE, EXCEPTION, VALUES = range(5)  # shared by the threads. The code is 0 while none has failed


def threading_layer() -> tuple[int, int]:
    """The number of threads, and the address of the threading layer's loop, which is started if it was not."""
    return numba.get_num_threads(), llvmlite.binding.address_of_symbol("numba_parallel_for")


@intrinsic
def in_parallel(
    typing_context: Any, kernel: Any, count: Any, pieces: Any, threads: Any, layer: Any, values: Any
) -> Any:
    """Call ``kernel(begin, end, *values)`` for the `pieces` of ``range(count)``, on several threads.

    A call's exception is raised here when all have ended. `threads` and `layer` are from `threading_layer`.
    """
    if not isinstance(kernel, types.Dispatcher) or not isinstance(values, types.BaseTuple):
        raise TypingError("a parallel region requires a compiled function and a tuple of its arguments")
    called = kernel.get_call_type(typing_context, (types.int64, types.int64, *values.types), {})

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size, convention = _size(), context.call_conv
        _, count, pieces, threads, layer, held = args
        compiled = kernel.dispatcher.overloads[called.args]
        context.add_linking_libs([compiled.library])
        exception = convention._get_excinfo_argument(builder.function).type.pointee
        shared = ir.LiteralStructType([size, size, ir.IntType(32), exception, held.type])
        body = _body(context, builder.module, shared, compiled.fndesc, called)

        data = cgutils.alloca_once(builder, shared)
        nothing = ir.IntType(32)(0), ir.Constant(exception, None)
        for place, value in enumerate((count, pieces, *nothing, held)):
            builder.store(value, cgutils.gep_inbounds(builder, data, 0, place))
        start = cgutils.alloca_once_value(builder, ir.Constant(_bytes(), None))
        length = cgutils.alloca_once_value(builder, pieces)
        step = cgutils.alloca_once_value(builder, size(1))
        builder.call(
            builder.inttoptr(layer, _layer_type().as_pointer()),
            [body, start, length, step, builder.bitcast(data, _bytes()), size(0), size(1), threads],
        )  # fmt: skip
        code, raised = (builder.load(cgutils.gep_inbounds(builder, data, 0, place)) for place in (CODE, EXCEPTION))
        status = convention._get_return_status(builder, code, raised)
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(kernel, types.int64, types.int64, types.int64, types.int64, values), codegen


def _size() -> Any:
    return ir.IntType(64)


def _bytes() -> Any:
    return ir.IntType(8).as_pointer()


def _body_type() -> Any:
    """The function type that a threading layer calls for a range of items. The first pointer is the start of the range,
    the first size its length, and the last pointer the caller's data."""
    sizes = _size().as_pointer()
    return ir.FunctionType(ir.VoidType(), [_bytes().as_pointer(), sizes, sizes, _bytes()])


def _layer_type() -> Any:
    """The threading layer's loop."""
    sizes = _size().as_pointer()
    return ir.FunctionType(
        ir.VoidType(),
        [_body_type().as_pointer(), _bytes().as_pointer(), sizes, sizes, _bytes(), _size(), _size(), _size()],
    )


def _body(context: Any, module: Any, shared: Any, fndesc: Any, called: Any) -> Any:
    """The function that the threading layer calls: the kernel, for some of the pieces."""
    body = ir.Function(module, _body_type(), module.get_unique_name("pieces"))
    body.linkage = "internal"
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    starts, lengths, _, data = body.args
    data = builder.bitcast(data, shared.as_pointer())
    count, pieces, held = (
        builder.load(cgutils.gep_inbounds(builder, data, 0, place)) for place in (COUNT, PIECES, VALUES)
    )
    first = builder.ptrtoint(builder.load(starts), _size())
    last = builder.add(first, builder.load(lengths))
    bounds = [builder.sdiv(builder.mul(count, piece), pieces) for piece in (first, last)]
    function = context.declare_function(module, fndesc)
    status, _ = context.call_conv.call_function(
        builder, function, called.return_type, called.args, [*bounds, *cgutils.unpack_tuple(builder, held)]
    )
    with builder.if_then(status.is_error, likely=False):
        builder.store(status.excinfoptr, cgutils.gep_inbounds(builder, data, 0, EXCEPTION))
        builder.store(status.code, cgutils.gep_inbounds(builder, data, 0, CODE))
    builder.ret_void()
    return body
