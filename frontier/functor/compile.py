"""Functors compiled for either device."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, ClassVar, NamedTuple

import numba
import numpy as np
from numba.core.registry import cpu_target

from frontier.runtime.compile import progress, workers
from frontier.runtime.compile.caches import clearable
from frontier.runtime.compile.cpu import LINKED_OPTIONS
from frontier.runtime.compile.disk_cache import cached, text_fingerprint
from frontier.runtime.compile.function_identity import MutableGlobalError, known
from frontier.runtime.log import logger

from .check import returns
from .cuda import COMPILERS, chosen_compiler, compiler_version, functor_compiler
from .cuda.compilers import source_files
from .errors import FunctorError, explain
from .freeze import caller, freeze, is_known, with_report_last
from .graphs import dtype_name
from .intrinsics.atomics import IN_TURN
from .rewrite import rewrite

CPU_OPTIONS: dict[str, Any] = {"nogil": True, **LINKED_OPTIONS}

HELPER_OPTIONS = ("fastmath", "inline", "boundscheck", "forceinline")
"""The options that a function already compiled by Numba retains when a functor calls it."""

_in_memory: dict[Any, Any] = clearable({})


def functor_identity(function: Callable | None) -> Any:
    """The identity of a functor: its code, and the values of everything it names. None for an absent one.

    Raises FunctorError if it names an array, a list or a whole module, whose contents may change.
    """
    if function is None:
        return None
    try:
        return known(function).identity  # type: ignore[arg-type]
    except MutableGlobalError as error:
        kind = type(error.value).__name__
        if isinstance(error.value, ModuleType):
            raise FunctorError(
                f"{function.__name__}() uses the module {error.name} as a value: "
                f"write {error.name}.name where the name is needed"
            ) from None
        remedy = "pass it to the operator as an argument" if hasattr(error.value, "dtype") else (
            "use a tuple, or pass an array to the operator as an argument"
        )  # fmt: skip
        raise FunctorError(
            f"{function.__name__}() names {error.name}, a {kind} that is not among its parameters: {remedy}"
        ) from None


class _CPU:
    """The compiler for CPUs, as `freeze` knows it."""

    substitutes: ClassVar[dict] = {}

    def knows(self, value: Any) -> bool:
        return is_known(cpu_target.typing_context, value)

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        kept = {name: options[name] for name in HELPER_OPTIONS if options.get(name)}
        return numba.njit(function, **CPU_OPTIONS, **kept)


class _OneThread(_CPU):
    """The same where no other thread calls functors."""

    substitutes = IN_TURN


_CPU_TARGET = _CPU()
_ONE_THREAD = _OneThread()


def cpu_functor(function: Any, *, checked: bool = False, alone: bool = False) -> Any:
    """Numba's dispatcher for a functor as it is now, once for each identity.

    If its indices are `checked`, its last argument is a report (see `checking`). If it is called `alone`, by one
    thread, it has no atomic instructions.
    """
    key = ("cpu", functor_identity(function), checked, alone)
    found = _in_memory.get(key)
    if found is None:
        if checked:
            function = with_report_last(rewrite(function, _CPU_TARGET))
        target = _ONE_THREAD if alone else _CPU_TARGET
        found = _in_memory[key] = numba.njit(freeze(function, target), **CPU_OPTIONS)
    return found


class CudaFunctor(NamedTuple):
    """A functor as the C function `symbol` that kernels call, which is compiled when its code is asked for.

    Its result is a dtype, or None for nothing. Each parameter has a dtype and a number of dimensions. If its indices
    are `checked`, the last of its parameters is a report (see `checking`).
    """

    function: Any
    symbol: str
    result: np.dtype | None
    parameters: tuple[tuple[np.dtype, int], ...]
    checked: bool = False

    def code(self, capability: tuple[int, int]) -> bytes:
        """Its LTO-IR: see `cuda_functor`."""
        return cuda_functor(*self[:4], capability, checked=self.checked)

    @property
    def name(self) -> str | None:
        """A name that identifies it in any process and version of Python, by which it is found among the package's
        machine code. None without one, or if its indices are checked."""
        meaning = None if self.checked else functor_identity(self.function).portable
        if meaning is None:
            return None
        types = [(dtype_name(dtype), ndim) for dtype, ndim in self.parameters]
        return repr((meaning, self.symbol, None if self.result is None else self.result.name, types, _own_text()))


@functools.cache
def _own_text() -> str:
    """A hash of the compilers that make LTO-IR of functors."""
    return text_fingerprint(*sorted({file for name in COMPILERS for file in source_files(name)}))


def cuda_functor(
    function: Any,
    symbol: str,
    result: np.dtype | None,
    parameters: tuple[tuple[np.dtype, int], ...],
    capability: tuple[int, int],
    *,
    checked: bool = False,
) -> bytes:
    """`function` compiled to LTO-IR, as the C function `symbol`. Raises FunctorError if that fails.

    The result, the parameters and `checked` are as in `CudaFunctor`. `capability` is the GPU's, such as ``(9, 0)``.
    """
    found_identity = functor_identity(function)
    name = chosen_compiler()
    key = (name, found_identity, symbol, result, parameters, capability, checked)
    found = _in_memory.get(key)
    if found is None:
        lasting = found_identity.digest
        build = functools.partial(_compile_for_cuda, name, function, symbol, result, parameters, capability, checked)
        if checked:
            rewrite(function, _CPU_TARGET)  # compiled code may be found on disk, but not what its reports mean
        if lasting is None:
            found = build()
        else:
            made_by = compiler_version(name)
            parts = (lasting, symbol, str(result), repr(parameters), repr(capability), str(checked), made_by)
            found = cached("cuda", "ltoir", parts, build)
        _in_memory[key] = found
    return found


def _compile_for_cuda(
    name: str, function: Any, symbol: str, result: np.dtype | None, parameters: tuple, capability: tuple[int, int],
    checked: bool,
) -> bytes:  # fmt: skip
    with _compiling:
        return _compile_alone(name, function, symbol, result, parameters, capability, checked)


_compiling = threading.RLock()
"""The compilers for GPUs modify global registries while they compile, so only one thread may compile at a time."""


def _get_ready() -> None:
    """Import the compiler for GPUs, and compile something: the first functor costs a second more."""
    from frontier.runtime.compile.cuda import current_arch

    try:
        arch = current_arch()
        with _compiling:
            compiler = functor_compiler(chosen_compiler(), (int(arch[3:-1]), int(arch[-1])))
            compiler.compile(freeze(_example, compiler), "example", np.dtype(np.int64), ((np.dtype(np.int64), 1),))
    except Exception as error:  # raised again for the first caller that needs a functor
        logger.debug("the compiler of functors is not ready: %r", error)


def _example(values):  # type: ignore[no-untyped-def]
    return values[0] + 1


workers.when_first_used.append(_get_ready)


def _compile_alone(
    name: str, function: Any, symbol: str, result: np.dtype | None, parameters: tuple, capability: tuple[int, int],
    checked: bool,
) -> bytes:  # fmt: skip
    compiler = functor_compiler(name, capability)
    form, count = returns(function.__code__), len(parameters)
    copy = freeze(rewrite(function, compiler) if checked else function, compiler)
    outcome = "value"
    if result is None:
        outcome = "nothing"
    elif form.nothing is not None:
        outcome = "false"
    if checked or count != function.__code__.co_argcount or outcome != ("value" if form.something else "nothing"):
        copy = caller(compiler.helper(copy, {}), count, result=outcome, report=checked)
    try:
        with progress.timed(f"{function.__name__}()", "functor"):
            return compiler.compile(copy, symbol, result, parameters)
    except Exception as error:
        raise explain(function, error, "the GPU") from None
