"""Filling arrays, and elementwise copies, with machine code from the package.

CuPy compiles a kernel for each function and each type on its first use, which costs the first batch on a new machine a
tenth of a second. On a CPU it is all NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.kernels import C_TYPES
from ..device import Device
from ..launch.recorder import recorder
from ..launch.streams import stream_getter

HEADER = "frontier/runtime/memory/elementwise.cuh"
IDS = "int", "i64"
"""Types of positions."""
WORDS = {1: "u8", 4: "u32", 8: "u64"}
"""Types of which kernels copy elements, by their size."""
CONVERSIONS = frozenset({("int", "i64"), ("i64", "int"), ("int", "double"), ("i64", "double"), ("float", "double")})
"""Types between which kernels convert (elementwise.cuh has the same)."""


def fill_with(array: Any, value: int) -> Any:
    """Fill a contiguous array of integers or truth values, and return it. The driver or a kernel from the package does
    it, as CuPy would compile one for each dtype."""
    of_bytes = value in (0, -1) or array.itemsize == 1
    if recorder.launches is not None and of_bytes:
        recorder.launches.add_fill(array, int(value) & 255)
    elif isinstance(array, np.ndarray):
        array.fill(value)
    elif of_bytes:
        array.data.memset_async(int(value) & 255, array.nbytes)
    elif array.dtype.kind in "iu" and array.itemsize == 4 and array.size:
        from cuda.bindings import driver

        stream = stream_getter()().ptr
        word = int(value) & 0xFFFFFFFF
        _check_driver("cuMemsetD32Async", driver.cuMemsetD32Async(array.data.ptr, word, array.size, stream))
    elif array.dtype.kind in "iu" and array.itemsize == 8 and array.size:
        _kernel("fill_u64")(int(array.size), int(value), array)
    else:
        array.fill(value)
    return array


def fill_column(array: Any, column: int, value: int) -> None:
    """Set a column of a contiguous matrix of integers of 32 or 64 bits."""
    if isinstance(array, np.ndarray):
        array[:, column] = value
    elif array.size:
        rows, columns = array.shape
        size = WORDS[array.itemsize]
        _kernel(f"fill_column_{size}")(rows, columns, column, value & (2 ** (8 * array.itemsize) - 1), array)


def _check_driver(function: str, returned: tuple[Any, ...]) -> None:
    """Raise RuntimeError if a function of the driver failed."""
    from cuda.bindings import driver

    (error,) = returned
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{function}: {error.name}")


def arange(device: Device, size: int, dtype: Any, first: int = 0) -> Any:
    """So many numbers, from `first` on."""
    name = _name(np.dtype(dtype))
    if not device.is_gpu or name not in IDS:
        return device.xp.arange(first, first + size, dtype=dtype)
    out = device.xp.empty(size, dtype)
    _kernel(f"count_up_{name}")(size, first, out)
    return out


def full(device: Device, size: int, value: Any, dtype: Any) -> Any:
    """An array of one value."""
    dtype = np.dtype(dtype)
    value = np.asarray(value, dtype)[()]  # or an error, where it does not fit
    out = device.xp.empty(size, dtype)
    if device.is_gpu and dtype.kind == "f" and value != 0 and dtype.itemsize in (4, 8):
        words = np.dtype(f"i{dtype.itemsize}")
        fill_with(out.view(words), int(value.view(words)))
    elif device.is_gpu and dtype.kind in "iub":
        fill_with(out, int(value))
    else:
        out.fill(value)
    return out


def from_host(device: Device, ids: np.ndarray) -> Any:
    """Move integers to the device. A single one, such as a search's source, is moved by a fill, which costs a fraction
    of a copy."""
    if device.is_gpu and ids.size == 1 and recorder.launches is None:
        return full(device, 1, ids[0], ids.dtype)
    return device.xp.asarray(ids)


def take(device: Device, values: Any, at: Any) -> Any:
    """``values[at]``, where `at` are valid positions, none of them negative."""
    size, kind = WORDS.get(values.dtype.itemsize), _name(at.dtype)
    is_plain = values.ndim == at.ndim == 1 and values.flags.c_contiguous and at.flags.c_contiguous
    if not device.is_gpu or not is_plain or size is None or kind not in IDS:
        return values[at]
    out = device.xp.empty(at.size, values.dtype)
    _kernel(f"take_{size}_{kind}")(int(at.size), values, at, out)
    return out


def put(device: Device, array: Any, at: Any, values: Any) -> None:
    """``array[at] = values``, where `at` are valid positions, none of them negative, and each once."""
    size, kind = WORDS.get(values.dtype.itemsize), _name(at.dtype)
    is_plain = all(part.ndim == 1 and part.flags.c_contiguous for part in (array, at, values))
    if not device.is_gpu or not is_plain or array.dtype != values.dtype or size is None or kind not in IDS:
        array[at] = values
    else:
        _kernel(f"put_{size}_{kind}")(int(at.size), values, at, array)


def joined(device: Device, *parts: Any) -> Any:
    """Concatenate arrays, in the dtype of the first."""
    if not device.is_gpu:
        return np.concatenate(parts, dtype=parts[0].dtype, casting="unsafe")
    out = device.xp.empty(sum(part.size for part in parts), parts[0].dtype)
    end = 0
    for part in parts:
        part = device.xp.ascontiguousarray(part, out.dtype)
        copy_to(out[end : end + part.size], part)
        end += part.size
    return out


def copy_to(out: Any, values: Any) -> None:
    """``out[:] = values``, of contiguous arrays of one size and dtype."""
    if isinstance(out, np.ndarray):
        out[:] = values
    elif out.size:  # by the driver: CuPy would compile a kernel to assign a single element
        out.data.copy_from_device_async(values.data, values.nbytes)


def copy_of(array: Any) -> Any:
    """`array.copy()`. The driver copies contiguous GPU memory without a kernel."""
    if isinstance(array, np.ndarray) or not array.flags.c_contiguous or not array.size:
        return array.copy()
    out = type(array)(array.shape, array.dtype)
    out.data.copy_from_device_async(array.data, array.nbytes)
    return out


def multiplied(device: Device, values: Any, by: int) -> Any:
    """``values * by``, of integers of 64 bits."""
    if not device.is_gpu or values.dtype != np.int64 or not values.flags.c_contiguous:
        return values * by
    out = device.xp.empty(values.shape, np.int64)
    _kernel("multiply_i64")(int(values.size), values, int(by), out)
    return out


def divided(device: Device, values: Any, by: float) -> Any:
    """``values / by``, of floats of 64 bits."""
    if not device.is_gpu or values.dtype != np.float64 or not values.flags.c_contiguous:
        return values / by
    out = device.xp.empty(values.shape, np.float64)
    _kernel("divide_double")(int(values.size), values, float(by), out)
    return out


def converted(device: Device, values: Any, dtype: Any) -> Any:
    """A copy of an array in another type, or in its own."""
    dtype = np.dtype(dtype)
    if not device.is_gpu or not values.flags.c_contiguous:
        return values.astype(dtype)
    out = device.xp.empty(values.shape, dtype)
    if dtype == values.dtype:
        if values.size:
            out.data.copy_from_device_async(values.data, values.nbytes)
        return out
    names = _name(values.dtype), _name(dtype)
    if names not in CONVERSIONS:
        return values.astype(dtype)
    _kernel("convert_{}_{}".format(*names))(int(values.size), values, out)
    return out


def list_below(ids: Any, key: int, limit: int, out: Any, number: Any) -> None:
    """List the ids on a GPU whose random numbers (`mixed`) for a key are below a limit, in any order.

    `number`, a uint64 that is zero, counts them all, also beyond the capacity of `out`.
    """
    name = _name(ids.dtype)
    _kernel(f"list_below_{name}")(int(ids.size), ids, key, limit, int(out.size), out, number)


def _name(dtype: np.dtype) -> str | None:
    return C_TYPES.get(dtype)


def _kernel(name: str) -> Any:
    from ..compile.cuda import load_kernel

    return load_kernel(HEADER, name, ())
