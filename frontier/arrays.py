"""Users' arrays, whatever made them, as arrays of a device; and what is said when they do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .runtime import Device

WEIGHT_DTYPES = tuple(np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64))
VERTEX_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))


def as_device_array(device: Device, values: Any, name: str) -> Any:
    """`values` as a one-dimensional contiguous array of `device`, copied only where it must be.

    Takes NumPy and CuPy arrays, sequences, and anything with ``__cuda_array_interface__``, ``__dlpack__`` or
    ``__array__``: pandas, Arrow and cuDF columns, PyTorch tensors.

    Raises
    ------
    TypeError
        `values` cannot be read as an array of numbers.
    ValueError
        It has other than one dimension.
    """
    xp = device.xp
    if not isinstance(values, xp.ndarray):
        values = _foreign(device, values, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not {values.ndim}-dimensional (shape {values.shape})")
    return xp.ascontiguousarray(values)


def _foreign(device: Device, values: Any, name: str) -> Any:
    """An array of another library, or of the other device, as an array of this one."""
    xp = device.xp
    if hasattr(values, "__cuda_array_interface__"):
        if device.is_gpu:
            return xp.asarray(values)
        import cupy

        return cupy.asnumpy(values)
    if isinstance(values, np.ndarray | list | tuple | range):
        return xp.asarray(_host_array(values, name))
    if hasattr(values, "__dlpack_device__") and not hasattr(values, "to_numpy"):
        kind = values.__dlpack_device__()[0]
        on_gpu = kind == 2
        if on_gpu == device.is_gpu:
            return xp.from_dlpack(values)
        if on_gpu:
            import cupy

            return cupy.asnumpy(cupy.from_dlpack(values))
        return xp.asarray(np.from_dlpack(values))
    if device.is_gpu and hasattr(values, "values") and hasattr(values.values, "__cuda_array_interface__"):
        return xp.asarray(values.values)
    return xp.asarray(_host_array(values, name))


def _host_array(values: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from None
    if array.dtype.kind not in "iufb":
        if array.size == 0:
            return array.reshape(-1).astype(np.int64)
        raise TypeError(f"{name} must hold numbers, not {array.dtype} ({type(values).__name__})")
    return array


def as_ids(device: Device, values: Any, name: str) -> Any:
    """Vertex ids as an int32 or int64 array of `device`.

    Raises
    ------
    TypeError
        `values` does not hold integers.
    ValueError
        It is not one-dimensional, or holds an id that 64 bits with a sign cannot.
    """
    array = as_device_array(device, values, name)
    if array.dtype in VERTEX_DTYPES:
        return array
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integer vertex ids, not {array.dtype}")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds the id {int(array.max())}, which does not fit in 64 bits with a sign")
    return array.astype(np.int64)


def as_weights(device: Device, values: Any, name: str, dtype: np.dtype | None = None) -> Any:
    """Edge weights as an array of `device`, of `dtype` where one is given.

    Raises
    ------
    TypeError
        `values` does not hold numbers, or holds floats where the graph keeps integers.
    ValueError
        It holds an integer that the graph's type cannot.
    """
    array = as_device_array(device, values, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, not {array.dtype}")
    if dtype is None:
        if array.dtype in WEIGHT_DTYPES:
            return array
        if array.dtype.kind == "f":
            dtype = np.dtype(np.float32 if array.dtype.itemsize < 4 else np.float64)
        else:
            dtype = np.dtype(np.int32 if array.dtype.itemsize < 4 else np.int64)
    if dtype.kind == "i" and array.dtype.kind == "f":
        raise TypeError(f"{name} holds {array.dtype}, but the weights of this graph are {dtype}")
    if dtype.kind == "i" and array.size and not np.can_cast(array.dtype, dtype):
        low, high = int(array.min()), int(array.max())
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            raise ValueError(f"{name} holds {low if low < limits.min else high}, which does not fit in {dtype}")
    return array.astype(dtype, copy=False)


def as_numbers(device: Device, values: Any, name: str, dtype: np.dtype) -> Any:
    """Numbers as an array of `device` of a type that functors know, whose values they keep.

    Raises
    ------
    TypeError
        `values` does not hold numbers of this kind: floats where integers are wanted, or anything but bools for bools.
    ValueError
        It is not one-dimensional, or holds an integer that `dtype` cannot.
    """
    array = as_device_array(device, values, name)
    kinds = {"b": "b", "i": "iu", "u": "iu", "f": "iuf"}[dtype.kind]
    if array.size and array.dtype.kind not in kinds:
        raise TypeError(f"{name} holds {array.dtype}, which is not stored as {dtype}")
    if dtype.kind in "iu" and array.size and not np.can_cast(array.dtype, dtype):
        low, high = int(array.min()), int(array.max())
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            raise ValueError(f"{name} holds {low if low < limits.min else high}, which does not fit in {dtype}")
    return array.astype(dtype, copy=False)


def as_dtype(value: Any, name: str) -> np.dtype:
    """The dtype that `value` stands for; TypeError if it stands for none."""
    try:
        return np.dtype(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def same_length(**arrays: Any) -> None:
    """Raise ValueError unless all arrays (None left out) have one length."""
    sizes = {name: array.size for name, array in arrays.items() if array is not None}
    if len(set(sizes.values())) > 1:
        text = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"arrays of one batch must have the same length, but {text}")
