"""Atomics (`intrinsics.atomics`) in functors that numba-cuda compiles. Importing this registers them with it."""

from __future__ import annotations

from typing import Any

from numba.cuda import nvvmutils, types
from numba.cuda.cudaimpl import registry as lowering_registry

from ...intrinsics.atomics import READ_MODIFY_WRITE, atomic_cas, compare_and_swap
from ..signatures import declare_atomics
from .arrays import ARRAYS, NAMES, element_pointer

_FLOAT_CALLS = {
    "add": (nvvmutils.declare_atomic_add_float32, nvvmutils.declare_atomic_add_float64),
    "min": (nvvmutils.declare_atomic_min_float32, nvvmutils.declare_atomic_min_float64),
    "max": (nvvmutils.declare_atomic_max_float32, nvvmutils.declare_atomic_max_float64),
}

declare_atomics(NAMES, ARRAYS)


def _lower_rmw(function: Any, name: str) -> None:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        dtype, pointer = sig.args[0].dtype, element_pointer(context, builder, sig.args[0], *args[:2])
        if not isinstance(dtype, types.Float):
            unsigned = name in ("min", "max") and not dtype.signed
            return builder.atomic_rmw(f"u{name}" if unsigned else name, pointer, args[2], "monotonic")
        if name == "xchg":
            bits = nvvmutils.ir.IntType(dtype.bitwidth)
            pointer = builder.bitcast(pointer, bits.as_pointer())
            old = builder.atomic_rmw("xchg", pointer, builder.bitcast(args[2], bits), "monotonic")
            return builder.bitcast(old, args[2].type)
        declare = _FLOAT_CALLS[name][dtype.bitwidth == 64]
        return builder.call(declare(builder.module), (pointer, args[2]))

    for array in ARRAYS.all:
        lowering_registry.lower(function, array, types.Any, types.Any)(lower)


for _function, _name in READ_MODIFY_WRITE.items():
    _lower_rmw(_function, _name)


def _lower_cas(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = element_pointer(context, builder, sig.args[0], *args[:2])
    return compare_and_swap(builder, pointer, args[2], args[3])


for _array in ARRAYS.all:
    lowering_registry.lower(atomic_cas, _array, types.Any, types.Any, types.Any)(_lower_cas)
