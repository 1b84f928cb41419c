"""Conversion of users' arrays, from any library, to arrays of a device, and the errors for unsuitable ones."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from .device import Device

WEIGHT_DTYPES = tuple(np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64))
VERTEX_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))
NAMES_HINT = "fr.VertexNames gives ids to names of any kind, and frontier.io.from_table to those of a table"
"""The advice for vertices that are no ids: hashes, negative numbers, words."""
DLPACK_GPU = (2, 13)
"""DLPack's numbers of the memory of CUDA devices, and of managed memory."""


def as_device_array(device: Device, values: Any, name: str) -> Any:
    """Return `values` as a one-dimensional contiguous array of `device`, copied only if needed.

    `values` may be a NumPy or CuPy array, a sequence, or have ``__dlpack__``, ``__cuda_array_interface__`` or
    ``__array__``, as PyTorch tensors and columns of pandas, Polars, Arrow and cuDF do. Data on the GPU, in managed
    memory too, stay there if the device is a GPU. TypeError if they are no numbers. ValueError for other dimensions, or
    a missing integer or truth value.
    """
    xp = device.xp
    if not isinstance(values, xp.ndarray):
        values = _foreign(device, values, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not {values.ndim}-dimensional (shape {values.shape})")
    values = xp.ascontiguousarray(values)
    return values if device.is_gpu or values.flags.writeable else np.asarray(_Memory(values))


class _Memory:
    """The memory of a read-only array, as a writable one.

    Numba recompiles kernels for read-only arrays, such as pandas' columns. No kernel writes to users' arrays.
    """

    def __init__(self, array: np.ndarray):
        self._held = array
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def has_dlpack(values: Any) -> bool:
    """Whether to read `values` through DLPack: arrays of other libraries, but no columns, which may have nulls."""
    return (
        hasattr(values, "__dlpack_device__") and not hasattr(values, "to_numpy") and not isinstance(values, np.ndarray)
    )


def is_cudf(values: Any) -> bool:
    """Whether `values` is a column or a frame of cuDF. Check this first: its other interfaces raise for some types."""
    return hasattr(type(values), "to_cupy")


def cudf_kind(column: Any) -> str:
    """NumPy's letter for the type of a column of cuDF, or ``"O"`` for types that NumPy lacks."""
    dtype = column.dtype
    return str(getattr(getattr(dtype, "numpy_dtype", dtype), "kind", "O"))


def cudf_null(column: Any, name: str) -> int | None:
    """The position of the first null of a column of cuDF, which may be NaN, too. None without nulls."""
    return int(_cupy(name).asarray(column.isna()).argmax()) if column.hasnans else None


def _of_cudf(column: Any, name: str) -> Any:
    """A column of cuDF as an array of CuPy, without a copy if it has no nulls. Nulls among floats are NaN."""
    kind = cudf_kind(column)
    if kind not in "iufb":
        raise TypeError(f"{name} must contain numbers, not {column.dtype} ({type(column).__name__} of cuDF)")
    row = cudf_null(column, name)
    if row is None:
        return column.to_cupy()
    if kind != "f":
        raise ValueError(f"{name}[{row}] is missing (null)")
    return column.to_cupy(na_value=np.nan)


def _foreign(device: Device, values: Any, name: str) -> Any:
    """An array of another library, or of the other device, as an array of this one."""
    if isinstance(values, np.ndarray | list | tuple | range):
        array = _host_array(values, name)
    elif is_cudf(values := _plain(values)):
        array = _of_cudf(values, name)
    elif has_dlpack(values):
        array = _from_dlpack(values, name)
    elif hasattr(values, "__cuda_array_interface__"):
        array = (device.xp if device.is_gpu else _cupy(name)).asarray(values)
    else:
        array = _host_array(values, name)
    if device.is_gpu:
        return device.xp.asarray(array)
    return array if isinstance(array, np.ndarray) else _cupy(name).asnumpy(array)


def _plain(values: Any) -> Any:
    """A PyTorch tensor reduced to its values: DLPack refuses one with a gradient, and loses a sign not yet applied."""
    if getattr(values, "requires_grad", False):
        values = values.detach()
    return values.resolve_neg() if hasattr(values, "resolve_neg") else values


def _from_dlpack(values: Any, name: str) -> Any:
    """Return an array of NumPy or CuPy that shares the memory. CuPy for managed memory, as it synchronizes with kernels
    that write it."""
    on_gpu = False
    try:
        on_gpu = int(values.__dlpack_device__()[0]) in DLPACK_GPU
        if not on_gpu:
            return np.from_dlpack(values)
        if hasattr(values, "cpu") and find_spec("cupy") is None:
            return np.from_dlpack(values.cpu())  # PyTorch copies it itself
        return _cupy(name).from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError, NotImplementedError) as error:
        if on_gpu:
            raise TypeError(f"{name} cannot be read as an array: {error}") from None
    return _host_array(values, name)  # of a type that DLPack, or NumPy, does not know


def _cupy(name: str) -> Any:
    try:
        import cupy
    except ImportError:
        package = "cupy-cuda13x (or cupy-cuda12x)"
        raise ImportError(f"{name} is on a GPU, and reading it there needs cupy: pip install {package}") from None
    return cupy


def _host_array(values: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from None
    if array.dtype.kind in "fO" and array.ndim == 1 and (row := _missing(values)) is not None:
        raise ValueError(f"{name}[{row}] is missing (null)")
    if array.dtype.kind == "O" and hasattr(values, "isna") and _kind(values).startswith(("float", "double")):
        array = values.to_numpy(np.float64, na_value=np.nan)  # pandas' floats that may be missing
    if array.dtype.kind not in "iufb":
        if array.size == 0:
            return array.reshape(-1).astype(np.int64)
        raise TypeError(f"{name} must contain numbers, not {array.dtype} ({type(values).__name__})")
    return array


def _missing(values: Any) -> int | None:
    """The index of the first null in a column of integers or truth values, or None. Nulls among floats become NaN."""
    is_null = getattr(values, "is_null", None) or getattr(values, "isna", None)
    if is_null is None or not _kind(values).startswith(("int", "uint", "bool")):
        return None
    rows = np.flatnonzero(np.asarray(is_null()))
    return int(rows[0]) if rows.size else None


def _kind(column: Any) -> str:
    """A column's own name of its type."""
    return str(getattr(column, "dtype", None) or getattr(column, "type", None)).lower()


def is_on_gpu(values: Any) -> bool:
    """Whether `values` is an array in the memory of a GPU, or in managed memory."""
    values = _plain(values)
    if is_cudf(values):
        return True
    if has_dlpack(values) and int(values.__dlpack_device__()[0]) in DLPACK_GPU:
        return True
    return hasattr(values, "__cuda_array_interface__")


def as_ids(device: Device, values: Any, name: str) -> Any:
    """Return vertex ids as an int32 or int64 array of `device`. TypeError for other types, ValueError as
    `as_device_array`, or for an id beyond int64."""
    if type(values) is device.xp.ndarray and values.ndim == 1 and (device.is_gpu or values.flags.writeable):
        array = device.xp.ascontiguousarray(values)  # as `as_device_array` does
    else:
        try:
            array = as_device_array(device, values, name)
        except TypeError as error:
            raise TypeError(f"{error}; {NAMES_HINT}") from None
    if array.dtype in VERTEX_DTYPES:
        return array
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must contain integer vertex ids, not {array.dtype}; {NAMES_HINT}")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(
            f"{name} contains the id {int(array.max())}, which does not fit in 64 bits with a sign; {NAMES_HINT}"
        )
    return array.astype(np.int64)


def as_weights(device: Device, values: Any, name: str, dtype: np.dtype | None = None) -> Any:
    """Return weights as an array of `device`, of `dtype` if given. TypeError for other types, or floats for an integer
    type, ValueError for integers that do not fit."""
    array = as_device_array(device, values, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must contain numbers, not {array.dtype}")
    if dtype is None:
        if array.dtype in WEIGHT_DTYPES:
            return array
        if array.dtype.kind == "f":
            dtype = np.dtype(np.float32 if array.dtype.itemsize < 4 else np.float64)
        else:
            dtype = np.dtype(np.int32 if array.dtype.itemsize < 4 else np.int64)
    if dtype.kind == "i" and array.dtype.kind == "f":
        raise TypeError(f"{name} contains {array.dtype}, but the weights of this graph are {dtype}")
    return _in_dtype(array, name, dtype)


def as_numbers(device: Device, values: Any, name: str, dtype: np.dtype) -> Any:
    """Return numbers as an array of `device` and `dtype`, with the same values. TypeError for numbers of another kind,
    ValueError as `as_device_array`, or for integers that do not fit."""
    array = as_device_array(device, values, name)
    kinds = {"b": "b", "i": "iu", "u": "iu", "f": "iuf"}[dtype.kind]
    if array.size and array.dtype.kind not in kinds:
        raise TypeError(f"{name} contains {array.dtype}, which is not stored as {dtype}")
    return _in_dtype(array, name, dtype)


def _in_dtype(array: Any, name: str, dtype: np.dtype) -> Any:
    """The array in a dtype. ValueError if integers would change."""
    if dtype.kind in "iu" and array.size and not np.can_cast(array.dtype, dtype):
        low, high = int(array.min()), int(array.max())
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            raise ValueError(f"{name} contains {low if low < limits.min else high}, which does not fit in {dtype}")
    return array if array.dtype == dtype else array.astype(dtype)


def as_dtype(value: Any, name: str) -> np.dtype:
    """The dtype that `value` names. TypeError if it names none."""
    try:
        return np.dtype(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def one_dtype(value: Any, name: str, allowed: tuple[np.dtype, ...]) -> np.dtype:
    """The dtype that `value` names. TypeError if it is none of the allowed ones."""
    dtype = as_dtype(value, name)
    if dtype not in allowed:
        raise TypeError(f"{name} must be {'one of ' * (len(allowed) > 1)}{', '.join(map(str, allowed))}, not {dtype}")
    return dtype


def same_length(**arrays: Any) -> None:
    """Raise ValueError unless all arrays (None left out) have one length."""
    size = None
    for array in arrays.values():
        if array is None or array.size == size:
            continue
        if size is not None:
            text = ", ".join(f"{name} has {each.size}" for name, each in arrays.items() if each is not None)
            raise ValueError(f"arrays of one batch must have the same length, but {text}")
        size = array.size
