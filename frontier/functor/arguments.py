"""Users' arguments of functors, as kernels take them."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..runtime import Device
from ..runtime.kernels import C_TYPES
from .errors import FunctorError

ARRAY_DTYPES = tuple(C_TYPES)


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
