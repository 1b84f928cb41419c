"""The compiler for GPUs, as `freeze` knows it; compiling needs no GPU."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from numba.cuda.compiler import compile_cuda
from numba.cuda.descriptor import cuda_target
from numba.cuda.dispatcher import CUDADispatcher

from .. import atomics_cuda  # noqa: F401  (teaches numba-cuda our atomics)


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


class _Compiler:
    def __init__(self, capability: tuple[int, int]):
        self._capability = capability

    def knows(self, value: Any) -> bool:
        context = cuda_target.typing_context
        context.refresh()
        try:
            context.resolve_value_type(value)
        except ValueError:
            return False
        return True

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        return _Helper(function, self._capability)


@functools.cache
def cuda_compiler(capability: tuple[int, int]) -> _Compiler:
    """The compiler for one capability."""
    return _Compiler(capability)
