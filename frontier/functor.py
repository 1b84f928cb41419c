"""Users' Python functions, compiled to run inside operators on either device.

A functor is a plain Python function over numbers and arrays. What it can hold is what Numba compiles: arithmetic,
comparisons, ``if``, loops, ``math``, the atomics of `frontier`, constants and functions of its module, and
``array[index]`` on its array arguments. Globals are constants, read when it is first compiled, and each new value that
it closes over is compiled anew: what changes from call to call is passed as an argument. On the GPU arrays come as raw
pointers: they have no length or shape there, and an index outside them is not noticed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import inspect
import linecache
import os
import re
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


def uses_parameter(function: Callable, position: int) -> bool:
    """Whether the text of a functor names one of its parameters at all; True where that cannot be told."""
    return _names(function.__code__, position)


@functools.lru_cache(4096)
def _names(code: python_types.CodeType, position: int) -> bool:
    if position >= code.co_argcount:
        return True
    name = code.co_varnames[position]
    return any(
        name == part.argval or (isinstance(part.argval, tuple) and name in part.argval)
        for part in dis.get_instructions(code)
    )


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
        # Without _nrt=False, functors with a branch count references to their arrays: two atomics an array and call.
        options: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
        found = Functor(numba.njit(function, **options), fingerprint(function))
        _in_memory[key] = found
    return found


def cuda_functor(
    function: Callable,
    symbol: str,
    result: np.dtype | None,
    parameters: tuple[tuple[np.dtype, bool], ...],
    capability: tuple[int, int],
) -> bytes:
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
        found = _in_memory[key] = bytes(code)
    return found


def blamed(functors: tuple, error: Exception) -> Callable | None:
    """Which of several functors an error of Numba's is about."""
    given = [f for f in functors if f is not None]
    named = [f for f in given if f'File "{_shown_name(f)}"' in str(error) or f"<function {f.__name__} " in str(error)]
    return (named or given or [None])[0]


def explain(function: Callable, error: Exception, where: str) -> FunctorError:
    """An error that shows which line of a functor cannot be compiled, and why."""
    text = str(error)
    number = _line_number(function, error)
    line = linecache.getline(function.__code__.co_filename, number).strip()
    place = f'File "{function.__code__.co_filename}", line {number}'
    return FunctorError(
        f"{function.__name__}() cannot be compiled for {where}: {_reason(text)}\n  {place}"
        + (f"\n    {line}" if line else "")
    )


_ARRAY_MISUSE = re.compile(
    r"(Unknown attribute '\w+' of type \w+\*|function len>\) found for signature:.*\*)", re.DOTALL
)
_TELLING = (
    "Unknown attribute", "No implementation", "Use of unsupported", "Untyped global", "NameError", "Cannot unify",
    "undefined", "not supported", "nsupported", "Cannot determine", "No conversion", "No definition",
)  # fmt: skip


def _reason(text: str) -> str:
    """The part of Numba's message that tells a user what is wrong."""
    if _ARRAY_MISUSE.search(text) or "CPointer" in text:
        return "arrays have no length, shape or methods inside a functor; pass what is needed as an argument"
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    for line in lines:
        if any(word in line for word in _TELLING):
            return line.removesuffix(" found for signature:")
    return lines[0] if lines else text


def _shown_name(function: Callable) -> str:
    """The functor's file as Numba's messages write it."""
    name = function.__code__.co_filename
    try:
        relative = os.path.relpath(name)
    except ValueError:  # another drive
        return name
    return name if relative.startswith("../../../..") else relative


def _line_number(function: Callable, error: Exception) -> int:
    """The line of a functor that an error is about; its first line if the error does not say."""
    unknown = re.search(r"name '(\w+)' is not defined", str(error))
    if unknown:
        lines = [i.positions.lineno for i in dis.get_instructions(function) if i.argval == unknown[1] and i.positions]
        if lines and lines[0]:
            return lines[0]
    first = function.__code__.co_firstlineno
    last = max((line for _, _, line in function.__code__.co_lines() if line), default=first)
    candidates = [int(n) for n in re.findall(r'File "[^"]*", line (\d+)', str(error))]
    candidates += [int(n) for n in re.findall(r"\((\d+)\)", str(error))]
    location = getattr(error, "loc", None)
    if location is not None and location.line:
        candidates.append(location.line)
    inside = [n for n in candidates if first <= n <= last]
    return max(inside) if inside else first


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
            raise FunctorError(
                f"argument {i} of {function_name}() is an array of {value.dtype}, which is not supported"
            )
        if value.ndim != 1 or not value.flags.c_contiguous:
            raise FunctorError(
                f"argument {i} of {function_name}() must be a one-dimensional contiguous array, not of shape "
                f"{value.shape} with strides {value.strides}"
            )
        return value
    if isinstance(value, np.generic) and value.dtype in ARRAY_DTYPES:
        return value
    if isinstance(value, np.ndarray) and device.is_gpu:
        raise FunctorError(
            f"argument {i} of {function_name}() is a NumPy array, but the graph is on the GPU: pass CuPy's"
        )
    text = f"{kind.__module__}.{kind.__name__}" if kind.__module__ != builtins.__name__ else kind.__name__
    raise FunctorError(f"argument {i} of {function_name}() is a {text}; functors take numbers and arrays")


def parameter_types(args: tuple) -> tuple[tuple[np.dtype, bool], ...]:
    """The ``(dtype, is_array)`` of each of `functor_arguments`' results."""
    return tuple((value.dtype, not isinstance(value, np.generic)) for value in args)
