"""numba-cuda-mlir, as the seam wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, ClassVar

import numpy as np
from numba_cuda_mlir import __version__ as VERSION
from numba_cuda_mlir import cuda, decorators, mlir_compiler, mlir_optimization, tools, types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir.descriptor import MLIRDispatcher, mlir_target
from numba_cuda_mlir.extending import refresh_registries
from numba_cuda_mlir.mlir_lowering import ERROR_CODE_GLOBAL_NAME
from numba_cuda_mlir.numba_cuda.core.compiler_lock import global_compiler_lock
from numba_cuda_mlir.numba_cuda.core.errors import NumbaError

from ...bounds import length_of
from ...freeze import MODULE, is_known
from ...graphs import GraphForm
from ..compilers import CHOICE
from . import atomics  # noqa: F401  # which teaches numba-cuda-mlir about them
from .arithmetic import SUBSTITUTES
from .arrays import Pointer, length, matrix
from .corrections import UnsupportedError, corrected, replaced
from .neighbors import Graph

refresh_registries(include_uninitialized_cuda=False)


@contextmanager
def _of_capability(capability: tuple[int, int]) -> Iterator[None]:
    """Make numba-cuda-mlir use this as the current GPU's capability, which it queries for every compilation."""
    with global_compiler_lock, corrected(), replaced(tools, "_cached_cc", capability):
        yield


def _takes_function(expression: Any, caller: Any, callee: Any) -> bool:
    """Whether a function must be inlined before it is lowered, as it calls its argument. MLIR inlines all other
    functions."""
    inlined = getattr(callee, "func_ir", callee)
    return decorators._has_dispatcher_argument(expression, caller) or decorators._calls_own_argument(inlined)


def _type_of(dtype: Any) -> Any:
    if isinstance(dtype, GraphForm):
        return Graph(dtype)
    return types.boolean if dtype == np.bool_ else getattr(types, dtype.name)


RECURSIVE = "calls are re-entrant"


class Compiler:
    """numba-cuda-mlir for GPUs of one capability. See `FunctorCompiler`."""

    substitutes: ClassVar = {length_of: length, **SUBSTITUTES}

    def __init__(self, capability: tuple[int, int]):
        self._capability = capability

    def knows(self, value: Any) -> bool:
        return is_known(mlir_target.typing_context, value)

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        return cuda.jit(device=True, chip=tools.format_arch(self._capability), inline=_takes_function)(function)

    def compile(
        self, function: FunctionType, symbol: str, result: np.dtype | None, parameters: tuple[tuple[np.dtype, int], ...]
    ) -> bytes:
        returned = types.none if result is None else _type_of(result)
        entry, arguments = _with_c_parameters(function, self.helper, parameters)
        options = dict(self.helper(entry, {}).targetoptions, abi_info={"abi_name": symbol}, lto=True)
        try:
            with _of_capability(self._capability):
                found = mlir_compiler.compile_mlir(entry, returned, tuple(arguments), options)
                _hide_all_but(symbol, found.metadata["mlir_module"])
                found.metadata["linker"] = _NoLinker()
                mlir_optimization.optimize(found)
        except (NumbaError, UnsupportedError):
            raise
        except Exception as error:  # of many kinds, which describe the compiler's failure
            reason = f"not supported by numba-cuda-mlir {VERSION}, perhaps by numba-cuda ({CHOICE}=numba-cuda)"
            raise UnsupportedError(f"{RECURSIVE if _calls_itself(function) else reason}\n{error}") from error
        return bytes(found.metadata["ltoir"])


def _hide_all_but(symbol: str, module: Any) -> None:
    """Make a functor's callees and its error code private to its module: other functors of a kernel have such names."""
    with module.context:
        for operation in module.body.operations[0].regions[0].blocks[0].operations:
            name = operation.attributes["sym_name"].value
            if name == ERROR_CODE_GLOBAL_NAME:
                operation.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
            elif name != symbol:
                operation.attributes["sym_visibility"] = ir.StringAttr.get("private")


def _calls_itself(function: FunctionType, outer: tuple = ()) -> bool:
    """Whether a frozen function calls itself, directly or through callees."""
    if function in outer:
        return True
    named = [*function.__globals__.values(), *(cell.cell_contents for cell in function.__closure__ or ())]
    called = [value.py_func for value in named if isinstance(value, MLIRDispatcher)]
    return any(_calls_itself(other, (*outer, function)) for other in called)


def _with_c_parameters(
    function: FunctionType, helper: Callable, parameters: tuple[tuple[np.dtype, int], ...]
) -> tuple[FunctionType, list]:
    """A function of the C function's parameters, and their types: a truth is a byte, a matrix three parameters."""
    names, arguments, kinds = [], [], []
    for i, (dtype, ndim) in enumerate(parameters):
        scalar, name = _type_of(dtype), f"p{i}"
        names.append(name)
        kinds.append(Pointer(scalar) if ndim else types.uint8 if dtype == np.bool_ else scalar)
        if ndim == 2:
            shape = [f"{name}_rows", f"{name}_columns"]
            names += shape
            kinds += [types.int64, types.int64]
            name = f"matrix({name}, {', '.join(shape)})"
        elif not ndim and dtype == np.bool_:
            name = f"{name} != 0"
        arguments.append(name)
    if arguments == names:
        return function, kinds
    scope: dict[str, Any] = {"function": helper(function, {}), "matrix": matrix, "__name__": MODULE}
    exec(f"def entry({', '.join(names)}):\n    return function({', '.join(arguments)})\n", scope)
    return scope["entry"], kinds


class _NoLinker:
    """Receives the code of numba-cuda-mlir, which would make a kernel of it, while the kernel is made of our code."""

    code = b""

    def recreate_with_lto(self, **options: Any) -> _NoLinker:
        return self

    def complete(self) -> _NoLinker:
        return self
