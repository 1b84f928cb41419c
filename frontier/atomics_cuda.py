"""The atomics of `frontier.atomics` on CUDA, typed and lowered for the arrays that functors get there.

Importing this module teaches numba-cuda about them. It needs no GPU.
"""

from __future__ import annotations

from typing import Any

from numba.cuda import nvvmutils, types
from numba.cuda.core.errors import TypingError
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.typing.templates import AbstractTemplate, signature

from .atomics import OF_BITS, READ_MODIFY_WRITE, atomic_cas, compare_and_swap, fraction_lost, no_bits
from .functor.shaped_cuda import Shaped, element_pointer, index_type

_FLOAT_CALLS = {
    "add": (nvvmutils.declare_atomic_add_float32, nvvmutils.declare_atomic_add_float64),
    "min": (nvvmutils.declare_atomic_min_float32, nvvmutils.declare_atomic_min_float64),
    "max": (nvvmutils.declare_atomic_max_float32, nvvmutils.declare_atomic_max_float64),
}


def _declare(function: Any, values: int, of_bits: bool = False) -> None:
    """Type ``function(array, index, value, ...)`` with `values` values of the array's type."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != 2 + values:
                return None
            array = args[0]
            index = index_type(array, args[1])
            if index is None:
                return None
            if of_bits and not isinstance(array.dtype, types.Integer):
                raise TypingError(no_bits(function.__name__, array.dtype))
            for value in args[2:]:
                if isinstance(array.dtype, types.Integer) and isinstance(value, types.Float):
                    raise TypingError(fraction_lost(function.__name__, array.dtype, value))
            return signature(array.dtype, array, index, *[array.dtype] * values)

    typing_registry.register(Template)
    typing_registry.register_global(function, types.Function(Template))


ARRAYS = (types.CPointer, Shaped)


def _lower_rmw(function: Any, name: str) -> None:
    _declare(function, 1, name in OF_BITS)

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

    for array in ARRAYS:
        lowering_registry.lower(function, array, types.Any, types.Any)(lower)


for _function, _name in READ_MODIFY_WRITE.items():
    _lower_rmw(_function, _name)

_declare(atomic_cas, 2)


def _lower_cas(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = element_pointer(context, builder, sig.args[0], *args[:2])
    return compare_and_swap(builder, pointer, args[2], args[3])


for _array in ARRAYS:
    lowering_registry.lower(atomic_cas, _array, types.Any, types.Any, types.Any)(_lower_cas)
