"""The compiler for GPUs, as `freeze` knows it; compiling needs no GPU."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, ClassVar

from numba.cuda import types
from numba.cuda.compiler import compile_cuda
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.descriptor import cuda_target
from numba.cuda.dispatcher import CUDADispatcher
from numba.cuda.typing.templates import AbstractTemplate, signature

from ..atomics_cuda import ARRAYS  # which teaches numba-cuda our atomics
from .bounds import find_length, length_of
from .freeze import is_known
from .shaped_cuda import Shaped, lower_len


class _Helper(CUDADispatcher):
    """A device function for GPUs of one capability. Numba's own asks the current GPU, which may not be there."""

    def __init__(self, function: FunctionType, capability: tuple[int, int]):
        super().__init__(function, targetoptions={"device": True, "opt": True})
        self._capability = capability

    def compile_device(self, args: tuple, return_type: Any = None) -> Any:
        found = self.overloads.get(args)
        if found is None:
            options = {"opt": 3, "fastmath": None}
            found = compile_cuda(self.py_func, return_type, args, nvvm_options=options, cc=self._capability)
            self.overloads[args] = found
            found.target_context.insert_user_function(found.entry_point, found.fndesc, [found.library])
        return found


def _address(array: Any) -> int:
    """The address of an argument of a functor."""
    raise NotImplementedError("there are addresses on GPUs alone")


class _AddressTemplate(AbstractTemplate):
    key = _address

    def generic(self, args: Any, kws: Any) -> Any:
        known = len(args) == 1 and not kws and isinstance(args[0], ARRAYS)
        return signature(types.int64, *args) if known else None


typing_registry.register(_AddressTemplate)
typing_registry.register_global(_address, types.Function(_AddressTemplate))


@lowering_registry.lower(_address, types.CPointer)
@lowering_registry.lower(_address, Shaped)
def _lower_address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    pointer = args[0] if isinstance(kind, types.CPointer) else context.make_helper(builder, kind, value=args[0]).data
    return builder.ptrtoint(pointer, context.get_value_type(types.int64))


def _rows(array: Any) -> int:
    """The length of an argument of a functor that knows it; -1 of others."""
    raise NotImplementedError("there are arrays of both kinds on GPUs alone")


class _RowsTemplate(AbstractTemplate):
    key = _rows

    def generic(self, args: Any, kws: Any) -> Any:
        known = len(args) == 1 and not kws and isinstance(args[0], ARRAYS)
        return signature(types.int64, *args) if known else None


typing_registry.register(_RowsTemplate)
typing_registry.register_global(_rows, types.Function(_RowsTemplate))


@lowering_registry.lower(_rows, types.CPointer)
def _lower_no_rows(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.int64, -1)


lowering_registry.lower(_rows, Shaped)(lower_len)


def _length_of(array: Any, report: Any) -> int:
    rows = _rows(array)
    return find_length(_address(array), report) if rows < 0 else rows


class _Compiler:
    substitutes: ClassVar = {length_of: _length_of}

    def __init__(self, capability: tuple[int, int]):
        self._capability = capability

    def knows(self, value: Any) -> bool:
        return is_known(cuda_target.typing_context, value)

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        return _Helper(function, self._capability)


@functools.cache
def cuda_compiler(capability: tuple[int, int]) -> _Compiler:
    """The compiler for one capability."""
    return _Compiler(capability)
