"""The path of code from Numba to LLVM: code that is never or rarely executed is not optimized.

Numba has LLVM optimize whatever it compiles, and make machine code of it. The callees of kernels are compiled again
within the kernel, and the first result is not used.
"""

from __future__ import annotations

import functools
from typing import Any

import llvmlite.binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

ENVIRONMENT = "NumbaEnv"
"""In the name of the variable by which compiled code finds Python objects, for example to print. It is defined in each
function's code, and set where there is machine code."""


WRAPPER = "_ZN7cpython"
"""The prefix of the names of functions that Python calls."""


class _NoEnvironments:
    """Replaces Numba's code generator at the point that sets a function's environment."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing, since no code reads it."""


class _Linked(JITCodeLibrary):
    """Code that is linked into its callers, which optimize it. It has no machine code."""

    _emitted = False

    @property
    def codegen(self) -> Any:
        return self._codegen if self._emitted else _NoEnvironments

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        if _reads_environments(str(self._final_module)):
            self._emitted = True
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return super().get_pointer_to_function(name) if self._emitted else 0


def _reads_environments(code: str) -> bool:
    """Whether LLVM's code names an environment beyond defining it: its own, or the environment of a function in it.

    Only functions that read one get machine code, which is not optimized. Kernels that the same process compiles would
    call it instead of an optimized copy.
    """
    return code.count(ENVIRONMENT) > sum(line.startswith("@") and ENVIRONMENT in line for line in code.splitlines())


class _Kernel(JITCodeLibrary):
    """A function that Python calls.

    The code that unpacks its arguments from Python's objects is not optimized: long code, executed once a call.
    Optimizing it cost an eighth of the compilation time, and made calls no faster.
    """

    def add_llvm_module(self, ll_module: Any) -> None:
        for function in ll_module.functions if marks_functions() else ():
            if function.name.startswith(WRAPPER) and not function.is_declaration:
                function.add_function_attribute("noinline")
                function.add_function_attribute("optnone")
        super().add_llvm_module(ll_module)


@functools.cache
def marks_functions() -> bool:
    """Whether llvmlite can give functions attributes. Older versions give them to the return value, an error."""
    module = llvmlite.binding.parse_assembly("define i32 @f(i32 %x) { ret i32 %x }")
    module.get_function("f").add_function_attribute("noinline")
    try:
        module.verify()
    except RuntimeError:
        return False
    return True


class _Assembled(_Kernel):
    """Little code around a call of other code, which was optimized before."""

    def _optimize_final_module(self) -> None:
        pass


class _Compiler(Compiler):
    """Numba's compiler, with another kind of library."""

    library: type[JITCodeLibrary]

    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()


class LinkedCompiler(_Compiler):
    """The compiler of functions that only compiled functions call."""

    library = _Linked


class KernelCompiler(_Compiler):
    """The compiler of functions that Python calls."""

    library = _Kernel


class AssembledCompiler(_Compiler):
    """The compiler of functions that do little but call one that was compiled before."""

    library = _Assembled
