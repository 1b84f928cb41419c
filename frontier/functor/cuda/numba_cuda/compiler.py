"""numba-cuda, as the seam wants it."""

from __future__ import annotations

from types import FunctionType
from typing import Any, ClassVar

import numpy as np
from numba import cuda
from numba.cuda import types
from numba.cuda.compiler import compile_cuda
from numba.cuda.descriptor import cuda_target
from numba.cuda.dispatcher import CUDADispatcher

from ...bounds import length_of
from ...freeze import is_known
from ...graphs import GraphForm
from . import atomics  # noqa: F401  # which teaches numba-cuda about them
from .arrays import Pointer, Shaped, length
from .neighbors import Graph


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


def _type_of(dtype: Any, ndim: int) -> Any:
    if isinstance(dtype, GraphForm):
        return Graph(dtype)
    scalar = types.boolean if dtype == np.bool_ else getattr(types, dtype.name)
    return (scalar, Pointer(scalar), Shaped(scalar, 2))[ndim]


class Compiler:
    """numba-cuda for GPUs of one capability. See `FunctorCompiler`."""

    substitutes: ClassVar = {length_of: length}

    def __init__(self, capability: tuple[int, int]):
        self._capability = capability

    def knows(self, value: Any) -> bool:
        return is_known(cuda_target.typing_context, value)

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        return _Helper(function, self._capability)

    def compile(
        self, function: FunctionType, symbol: str, result: np.dtype | None, parameters: tuple[tuple[np.dtype, int], ...]
    ) -> bytes:
        returned = types.void if result is None else _type_of(result, 0)
        arguments = [_type_of(*parameter) for parameter in parameters]
        code, _ = cuda.compile(
            function, returned(*arguments), device=True, abi="c", abi_info={"abi_name": symbol}, output="ltoir",
            cc=self._capability,
        )  # fmt: skip
        return bytes(code)
