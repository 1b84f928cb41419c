"""Elements of arrays in compiled CPU code: their addresses, and prefetching them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable

from .compile.function_identity import replaced

READ, KEEP, DATA = 0, 3, 1  # of `llvm.prefetch`: for a read, into the nearest cache, not the instruction cache

AHEAD = 8
"""Iterations between a prefetch and the use of its data. A chain of two loads is prefetched twice as far ahead."""


def prefetch(array: Any, index: Any) -> None:
    """Load the cache line of ``array[index]`` in the background. Does nothing in uncompiled code.

    A loop whose addresses are random spends its time on cache misses, one after another. Prefetching the data of a
    later iteration lets the misses overlap. Inside the cache it costs an instruction.

    Parameters
    ----------
    index : int or tuple of int
        The nonnegative position of an element, one number for each dimension. An index outside the array does no harm,
        and nothing useful.
    """


def nonnegative(number: Any) -> Any:
    """The number itself, an integer that is not negative, which compiled code relies on.

    An index that may be negative is compared with 0, since it would count from the end of the array. Vertices are never
    negative: without the comparisons a loop over all vertices runs in half the time.
    """
    return number


replaced([prefetch, nonnegative])


def is_index(array: Any, index: Any) -> bool:
    """Whether `index` is the type of an index of an element of an array of this type."""
    parts = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    integers = all(isinstance(part, types.Integer) for part in parts)
    return isinstance(array, types.Array) and len(parts) == array.ndim and integers


def element_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """LLVM code of the address of an element. The first two arguments are the array and the index."""
    from numba.np.arrayobj import make_array  # imported at the first compilation: it costs a sixth of all imports

    kind, index_kind, *_ = signature.args
    array = make_array(kind)(context, builder, arguments[0])
    pair = isinstance(index_kind, types.BaseTuple)
    parts = cgutils.unpack_tuple(builder, arguments[1]) if pair else [arguments[1]]
    kinds = index_kind if pair else [index_kind]
    index = [context.cast(builder, part, kind, types.intp) for part, kind in zip(parts, kinds, strict=True)]
    return cgutils.get_item_pointer(context, builder, kind, array, index, wraparound=False)


@type_callable(prefetch)
def _type_prefetch(context: Any) -> Any:
    return lambda array, index: types.void if is_index(array, index) else None


@lower_builtin(prefetch, types.Array, types.Any)
def _lower_prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    address, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    function = ir.FunctionType(ir.VoidType(), [address, number, number, number])
    instruction = builder.module.declare_intrinsic("llvm.prefetch", [address], function)
    pointer = builder.bitcast(element_pointer(context, builder, signature, arguments), address)
    builder.call(instruction, [pointer, number(READ), number(KEEP), number(DATA)])
    return context.get_dummy_value()


@type_callable(nonnegative)
def _type_nonnegative(context: Any) -> Any:
    return lambda number: number if isinstance(number, types.Integer) else None


@lower_builtin(nonnegative, types.Integer)
def _lower_nonnegative(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = arguments[0]
    if not signature.args[0].signed:
        return number
    return builder.and_(number, number.type(2 ** (number.type.width - 1) - 1))  # LLVM forgets `llvm.assume`
