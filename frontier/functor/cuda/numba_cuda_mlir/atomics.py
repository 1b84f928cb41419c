"""Atomics (`intrinsics.atomics`) in functors that numba-cuda-mlir compiles. Importing this registers them with it."""

from __future__ import annotations

from typing import Any

from numba_cuda_mlir import types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import arith, llvm, scf
from numba_cuda_mlir._mlir.extras import types as T
from numba_cuda_mlir.extending import lowering_registry

from ...intrinsics.atomics import READ_MODIFY_WRITE, atomic_cas
from ..signatures import declare_atomics
from .arrays import ARRAYS, NAMES, element_pointer, load_as

RELAXED = llvm.AtomicOrdering.monotonic
_OF_UNSIGNED = {"min": "umin", "max": "umax"}
_PYTHON_WORDS = {"or": "_or", "and": "_and"}

declare_atomics(NAMES, ARRAYS)


def _operation(name: str, dtype: Any) -> Any:
    if isinstance(dtype, types.Float):
        name = f"f{name}"
    elif not dtype.signed:
        name = _OF_UNSIGNED.get(name, name)
    return getattr(llvm.AtomicBinOp, _PYTHON_WORDS.get(name, name))


def _as_bits(dtype: Any, value: Any) -> Any:
    """A number as an integer: before compute capability 10.0, floats are not swapped as such."""
    bits = T.i64() if dtype.bitwidth == 64 else T.i32()
    return llvm.bitcast(bits, value) if isinstance(dtype, types.Float) else value


def _from_bits(builder: Any, dtype: Any, value: Any) -> Any:
    return llvm.bitcast(builder.get_mlir_type(dtype), value) if isinstance(dtype, types.Float) else value


def _read_now(dtype: Any, pointer: Any) -> Any:
    """The present contents of memory, even if it was read before. Not every volatile load stays volatile."""
    kind, registers = (T.i64(), "=l,l") if dtype.bitwidth == 64 else (T.i32(), "=r,l")
    text = f"ld.volatile.b{dtype.bitwidth} $0, [$1];"
    return llvm.inline_asm(kind, [pointer], text, registers, has_side_effects=True)


def _lowest_or_highest(builder: Any, name: str, dtype: Any, pointer: Any, value: Any) -> Any:
    """Swap a float in while it is lower, or higher, than the present one, or the present one is NaN.

    No such instruction exists. The loop that numba-cuda-mlir makes itself may start with a value that was read before.
    """
    kind = builder.get_mlir_type(dtype)
    better = arith.CmpFPredicate.OLT if name == "min" else arith.CmpFPredicate.OGT
    seen = _from_bits(builder, dtype, _read_now(dtype, pointer))
    loop = scf.WhileOp([kind, T.bool()], [seen, arith.constant(T.bool(), True)])
    with ir.InsertionPoint(loop.before.blocks.append(kind, T.bool())) as at:
        seen, refused = at.block.arguments
        wanted = arith.ori(arith.cmpf(better, value, seen), arith.cmpf(arith.CmpFPredicate.UNO, seen, seen))
        scf.condition(arith.andi(wanted, refused), [seen, refused])
    with ir.InsertionPoint(loop.after.blocks.append(kind, T.bool())) as at:
        expected, new = (_as_bits(dtype, number) for number in (at.block.arguments[0], value))
        pair = llvm.cmpxchg(pointer, expected, new, RELAXED, RELAXED)
        swapped = llvm.extractvalue(T.bool(), pair, [1])
        seen = _from_bits(builder, dtype, llvm.extractvalue(new.type, pair, [0]))
        scf.yield_([seen, arith.xori(swapped, arith.constant(T.bool(), True))])
    return loop.results[0]


def _lower_rmw(function: Any, name: str) -> None:
    def lower(builder: Any, target: Any, args: Any, kws: Any) -> None:
        dtype = builder.get_numba_type(args[0].name).dtype
        pointer, value = element_pointer(builder, *args[:2]), load_as(builder, args[2], dtype)
        if isinstance(dtype, types.Float) and name in ("min", "max"):
            builder.store_var(target, _lowest_or_highest(builder, name, dtype, pointer, value))
        elif name == "xchg":
            old = llvm.atomicrmw(llvm.AtomicBinOp.xchg, pointer, _as_bits(dtype, value), RELAXED)
            builder.store_var(target, _from_bits(builder, dtype, old))
        else:
            builder.store_var(target, llvm.atomicrmw(_operation(name, dtype), pointer, value, RELAXED))

    for array in ARRAYS.all:
        lowering_registry.lower(function, array, types.Any, types.Any)(lower)


for _function, _name in READ_MODIFY_WRITE.items():
    _lower_rmw(_function, _name)


def _lower_cas(builder: Any, target: Any, args: Any, kws: Any) -> None:
    dtype = builder.get_numba_type(args[0].name).dtype
    pointer = element_pointer(builder, *args[:2])
    expected, value = (_as_bits(dtype, load_as(builder, variable, dtype)) for variable in args[2:])
    pair = llvm.cmpxchg(pointer, expected, value, RELAXED, RELAXED)
    builder.store_var(target, _from_bits(builder, dtype, llvm.extractvalue(value.type, pair, [0])))


for _array in ARRAYS.all:
    lowering_registry.lower(atomic_cas, _array, types.Any, types.Any, types.Any)(_lower_cas)
