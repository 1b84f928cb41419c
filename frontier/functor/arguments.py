"""Users' arguments of functors, as kernels expect them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.compile.kernels import C_TYPES
from frontier.runtime.launch.arguments import Matrix, Number

from .errors import FunctorError
from .graphs import FunctorGraph, GraphForm

ARRAY_DTYPES = tuple(C_TYPES)
NUMBERS: dict[type, Callable[[Any], Any]] = {
    int: np.int64, float: np.float64, bool: np.bool_, **{dtype.type: dtype.type for dtype in ARRAY_DTYPES}
}  # fmt: skip
"""The types that functors have numbers in, by the types that users pass."""


def functor_argument(device: Device, function_name: str, i: int, value: Any, graph_argument: Callable) -> Any:
    """A functor's i-th argument as kernels expect it: an array of the device, a `Matrix` on a GPU, or a NumPy number.

    `graph_argument` converts graphs. FunctorError for other values or devices, and arrays of unknown types or not
    contiguous.
    """
    kind = type(value)
    if isinstance(value, device.xp.ndarray):
        if value.dtype not in ARRAY_DTYPES:
            raise FunctorError(
                f"argument {i} of {function_name}() is an array of {value.dtype}, which is not supported"
            )
        if value.ndim not in (1, 2):
            raise FunctorError(
                f"argument {i} of {function_name}() must be an array of one or two dimensions, not of shape "
                f"{value.shape}"
            )
        if not value.flags.c_contiguous:
            raise FunctorError(
                f"argument {i} of {function_name}() must be a contiguous array in C order, not one of shape "
                f"{value.shape} with strides {value.strides}: copy it with {device.xp.__name__}.ascontiguousarray()"
            )
        return Matrix(value) if device.is_gpu and value.ndim == 2 else value
    if isinstance(value, np.generic | Number) and value.dtype in ARRAY_DTYPES:
        return value
    if isinstance(value, FunctorGraph):
        if value.in_parts:
            raise FunctorError(
                f"argument {i} of {function_name}() is a graph over several workers, none of which has all neighbors: "
                "functors cannot walk it"
            )
        if value.device != device:
            raise FunctorError(
                f"argument {i} of {function_name}() is a graph on {value.device}, but the operator's is on {device}"
            )
        return graph_argument(value)
    if isinstance(value, np.ndarray) and device.is_gpu:
        raise FunctorError(
            f"argument {i} of {function_name}() is a NumPy array, but the graph is on the GPU: pass CuPy's"
        )
    text = f"{kind.__module__}.{kind.__name__}" if kind.__module__ != builtins.__name__ else kind.__name__
    raise FunctorError(f"argument {i} of {function_name}() is a {text}; functors accept numbers, arrays and graphs")


def parameter_types(args: tuple) -> tuple[tuple[Any, int], ...]:
    """Each argument's ``(dtype, ndim)`` as kernels expect it: 0 dimensions for a number, `GraphForm` for a graph."""
    return tuple((value.dtype, value.ndim) for value in args)


def c_parameters(types: tuple[tuple[Any, int], ...]) -> tuple[str, str]:
    """`parameter_types` as parameters in C, and their names, each behind a comma: a matrix is three of them, a graph an
    address."""
    texts, names = [], []
    for i, (dtype, ndim) in enumerate(types):
        shape = [f"a{i}_rows", f"a{i}_columns"] if ndim == 2 else []
        text = "i64" if isinstance(dtype, GraphForm) else C_TYPES[dtype]
        texts += [f"{text}{'*' if ndim else ''} a{i}", *(f"i64 {name}" for name in shape)]
        names += [f"a{i}", *shape]
    return "".join(f", {text}" for text in texts), "".join(f", {name}" for name in names)
