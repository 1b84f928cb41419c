"""Users' Python functions, compiled to run inside operators on either device.

A functor is a plain Python function over numbers and arrays. What it can hold is what Numba compiles: arithmetic,
comparisons, ``if``, loops, ``math``, the atomics of `frontier`, constants and functions of its module, and
``array[index]`` on its array arguments. On the GPU arrays come as raw pointers: they have no length or shape there, and
an index outside them is not noticed.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import inspect
import types as python_types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from .runtime import Device
from .runtime.kernels import C_TYPES

ARRAY_DTYPES = tuple(C_TYPES)


class FunctorError(TypeError):
    """A functor, or an argument for one, that cannot be compiled; the message shows the line and the reason."""


@dataclass(frozen=True)
class Functor:
    """A functor for the CPU: what Numba made of it, and a fingerprint for caches."""

    dispatcher: Any
    key: str


_in_memory: dict[Any, Any] = {}


def fingerprint(function: Callable) -> str:
    """A hash of everything that a function's compiled code depends on: its code, constants, globals and callees."""
    digest = hashlib.sha256()
    _feed(digest, function, set())
    return digest.hexdigest()


def _feed(digest: Any, value: Any, seen: set[int]) -> None:
    """Add `value` to a hash, following functions into what they use."""
    value = getattr(value, "py_func", value)
    if isinstance(value, python_types.FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        _feed_code(digest, value.__code__)
        captured = inspect.getclosurevars(value)
        for name, item in sorted({**captured.globals, **captured.nonlocals}.items()):
            digest.update(name.encode())
            _feed(digest, item, seen)
        for default in value.__defaults__ or ():
            _feed(digest, default, seen)
    elif isinstance(value, python_types.ModuleType):
        digest.update(f"{value.__name__} {getattr(value, '__version__', '')}".encode())
    elif isinstance(value, np.ndarray):
        digest.update(value.tobytes())
    else:
        digest.update(repr(value).encode())


def _feed_code(digest: Any, code: python_types.CodeType) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames, code.co_argcount)).encode())
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            _feed_code(digest, constant)
        else:
            digest.update(repr(constant).encode())


def identity(function: Callable) -> Any:
    """What tells functors apart within a process: the code, and the values it closes over."""
    closure = function.__closure__
    if closure is None:
        return function.__code__
    values = tuple(_hashable(cell.cell_contents) for cell in closure)
    return function.__code__, values


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value), value)


def check_functor(function: Any, name: str, parameters: tuple[str, ...], num_args: int) -> None:
    """Raise FunctorError unless `function` is a Python function that takes these parameters and `num_args` more."""
    if not isinstance(function, python_types.FunctionType):
        raise FunctorError(f"{name} must be a plain Python function, not {type(function).__name__}")
    code = function.__code__
    wanted = len(parameters) + num_args
    flexible = code.co_flags & inspect.CO_VARARGS
    defaults = len(function.__defaults__ or ())
    if code.co_kwonlyargcount or not (code.co_argcount - defaults <= wanted <= code.co_argcount or flexible):
        raise FunctorError(
            f"{name} {function.__name__}() takes {code.co_argcount} parameters, but is called with "
            f"({', '.join(parameters)}) and {num_args} more: {wanted}"
        )


def cpu_functor(function: Callable) -> Functor:
    """`function` compiled for the CPU, once per process and set of captured values."""
    key = ("cpu", identity(function))
    found = _in_memory.get(key)
    if found is None:
        found = Functor(numba.njit(function, error_model="numpy", nogil=True), fingerprint(function))
        _in_memory[key] = found
    return found


@functools.cache
def _numba_scalar(dtype: np.dtype) -> Any:
    return numba.from_dtype(dtype)


@dataclass(frozen=True)
class CudaFunctor:
    """A functor for CUDA: LTO-IR to be linked into a kernel."""

    ltoir: bytes


def cuda_functor(
    function: Callable,
    symbol: str,
    result: np.dtype | None,
    parameters: tuple[tuple[np.dtype, bool], ...],
    capability: tuple[int, int],
) -> CudaFunctor:
    """`function` compiled to LTO-IR, as the C function `symbol`.

    Parameters
    ----------
    result : dtype or None
        What it returns; None for nothing.
    parameters : tuple of (dtype, is_array)
    capability : (int, int)
        Of the GPU, such as ``(9, 0)``.

    Raises
    ------
    FunctorError
    """
    key = ("cuda", identity(function), symbol, result, parameters, capability)
    found = _in_memory.get(key)
    if found is None:
        from numba import cuda
        from numba.cuda import types

        from . import atomics_cuda  # noqa: F401  (teaches numba-cuda our atomics)

        def numba_type(dtype: np.dtype, is_array: bool) -> Any:
            scalar = types.boolean if dtype == np.bool_ else getattr(types, dtype.name)
            return types.CPointer(scalar) if is_array else scalar

        arguments = [numba_type(*parameter) for parameter in parameters]
        returned = types.void if result is None else numba_type(result, False)
        try:
            code, _ = cuda.compile(
                function, returned(*arguments), device=True, abi="c", abi_info={"abi_name": symbol},
                output="ltoir", cc=capability,
            )  # fmt: skip
        except Exception as error:
            raise explain(function, error, "the GPU") from error
        found = _in_memory[key] = CudaFunctor(bytes(code))
    return found


def explain(function: Callable, error: Exception, where: str) -> FunctorError:
    """An error that shows which line of a functor cannot be compiled, and why."""
    text = str(error)
    reason = _reason(text)
    source = _source_line(function, error, text)
    return FunctorError(f"{function.__name__}() cannot be compiled for {where}: {reason}\n{source}")


def _reason(text: str) -> str:
    """The part of Numba's message that tells a user what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if "CPointer" in line and ("Unknown attribute" in line or "len" in line or "No implementation" in line):
            return "arrays have no length, shape or methods inside a functor; pass what is needed as an argument"
        if line.startswith(("Unknown attribute", "No implementation", "Use of unsupported", "Untyped global", "NameError")):
            return line
        if "not supported" in line or "Unsupported" in line or "Cannot unify" in line or "undefined" in line:
            return line
    plain = [line for line in lines if not line.startswith("Failed in")]
    return plain[0] if plain else text


def _source_line(function: Callable, error: Exception, text: str) -> str:
    """File, line number and text of the line that an error is about."""
    import re

    name = function.__code__.co_filename
    number = None
    location = getattr(error, "loc", None)
    if location is not None and getattr(location, "filename", "").endswith(name.rsplit("/", 1)[-1]):
        number = location.line
    else:
        found = re.findall(r'File "[^"]*", line (\d+)', text) or re.findall(r"\((\d+)\)", text)
        number = int(found[-1]) if found else function.__code__.co_firstlineno
    import linecache

    line = linecache.getline(name, number).strip()
    return f'  File "{name}", line {number}\n    {line}' if line else f'  File "{name}", line {number}'


def functor_arguments(device: Device, function_name: str, args: tuple) -> tuple:
    """Users' arguments as kernels take them: arrays of the device, NumPy scalars.

    Python ints become int64, floats float64 and bools bool.

    Raises
    ------
    FunctorError
        An argument is no number and no array of the graph's device, or an array is not contiguous or of a type that
        kernels do not know.
    """
    return tuple(_argument(device, function_name, i, value) for i, value in enumerate(args))


def _argument(device: Device, function_name: str, i: int, value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return np.int64(value)
    if kind is float:
        return np.float64(value)
    if kind is bool:
        return np.bool_(value)
    if isinstance(value, device.xp.ndarray):
        if value.dtype not in ARRAY_DTYPES:
            raise FunctorError(f"argument {i} of {function_name}() is an array of {value.dtype}, which is not supported")
        if value.ndim != 1 or not value.flags.c_contiguous:
            raise FunctorError(
                f"argument {i} of {function_name}() must be a one-dimensional contiguous array, not of shape "
                f"{value.shape} with strides {value.strides}"
            )
        return value
    if isinstance(value, np.generic) and value.dtype in ARRAY_DTYPES:
        return value
    if isinstance(value, np.ndarray) and device.is_gpu:
        raise FunctorError(f"argument {i} of {function_name}() is a NumPy array, but the graph is on the GPU: pass CuPy's")
    text = f"{kind.__module__}.{kind.__name__}" if kind.__module__ != builtins.__name__ else kind.__name__
    raise FunctorError(f"argument {i} of {function_name}() is a {text}; functors take numbers and arrays")


def parameter_types(args: tuple) -> tuple[tuple[np.dtype, bool], ...]:
    """The ``(dtype, is_array)`` of each of `functor_arguments`' results."""
    return tuple((value.dtype, not isinstance(value, np.generic)) for value in args)
