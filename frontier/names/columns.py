"""Columns of names in users' types: of NumPy, CuPy, pandas, Polars, Arrow, cuDF, or lists."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_device_array, cudf_kind, cudf_null, has_dlpack, is_cudf, is_on_gpu


class Texts(NamedTuple):
    """A column of text: `distinct` names by first occurrence, and `codes` (int64), each entry's index in them."""

    distinct: list[str]
    codes: np.ndarray

    @property
    def size(self) -> int:
        return self.codes.size

    def first(self) -> np.ndarray:
        """Return the position of the first occurrence of each distinct name."""
        if not self.codes.size:
            return np.empty(0, np.int64)
        return np.flatnonzero(np.diff(np.maximum.accumulate(self.codes), prepend=-1))


def as_names(values: Any, name: str, device: Device | None = None) -> Any:
    """Convert a column to an array of int64 or uint64, or to text.

    Integers on `device` stay there. All other names are copied to the host. TypeError for other or missing values,
    ValueError for more than one dimension.
    """
    device = device or resolve_device("cpu")
    if isinstance(values, str | bytes):
        raise TypeError(f"{name} must be a column of names, not one: put it into a list")
    if is_cudf(values):
        values = _of_cudf(values, name, device)
    elif hasattr(values, "__cuda_array_interface__") or has_dlpack(values):
        values = as_device_array(device if is_on_gpu(values) else resolve_device("cpu"), values, name)
    if device.is_gpu and isinstance(values, device.xp.ndarray):
        return _integers(device.xp, values, name)
    if hasattr(values, "dictionary_encode"):  # Arrow
        return _of_arrow(values, name)
    if hasattr(values, "replace_strict"):  # Polars
        return _of_polars(values, name)
    dtype = getattr(values, "dtype", None)
    is_numeric = isinstance(dtype, np.dtype) and dtype.kind in "iufb"
    if hasattr(values, "factorize") and not is_numeric:  # pandas
        codes, distinct = values.factorize()
        return _named(distinct.tolist(), codes, name)
    array = np.asarray(values)
    if array.dtype.kind == "f" and isinstance(values, list | tuple) and all(map(_is_integer, values)):
        array = np.array(values, object)  # some are too large for int64, and NumPy would round them
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if array.dtype.kind in "iu":
        return _integers(np, array, name)
    if not array.size:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "UOT":
        raise TypeError(f"{name} must contain integers or text, not {array.dtype}")
    known: dict[Any, int] = {}
    held = values if isinstance(values, list) else array.tolist()
    codes = np.fromiter((known.setdefault(each, len(known)) for each in held), np.int64, len(held))
    return _named(list(known), codes, name)


def _integers(xp: Any, array: Any, name: str) -> Any:
    """Convert an array of integers to 64 bits."""
    if array.dtype.kind not in "iu":
        if not array.size:
            return xp.empty(0, np.int64)
        raise TypeError(f"{name} must contain integers or text, not {array.dtype}")
    return xp.ascontiguousarray(array, np.uint64 if array.dtype == np.uint64 else np.int64)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _of_integers(values: list[Any], name: str) -> np.ndarray:
    """Convert Python's integers to an array of int64, or of uint64 if one needs it."""
    dtype = np.int64 if max(values) < 2**63 else np.uint64
    limits = np.iinfo(dtype)
    for value in (min(values), max(values)):
        if not limits.min <= value <= limits.max:
            raise TypeError(f"{name} contains {value}, which does not fit in {limits.dtype}; use names that are text")
    return np.array(values, dtype)


def _of_cudf(values: Any, name: str, device: Device) -> Any:
    """Convert integers to an array, and text to a dictionary of Arrow, encoded on the GPU: each name is copied once."""
    if cudf_kind(values) not in "iufb":
        named = values if hasattr(values.dtype, "categories") else values.astype("category")
        return named.cat.as_unordered().to_arrow()  # cuDF refuses an undefined order
    if (row := cudf_null(values, name)) is not None:
        raise TypeError(f"{name}[{row}] is missing: every vertex needs a name")
    return as_device_array(device, values, name)


def _of_arrow(values: Any, name: str) -> np.ndarray | Texts:
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
    if values.null_count:
        raise TypeError(f"{name} has {values.null_count} missing names")
    kind = str(values.type)
    if kind.startswith(("int", "uint")):
        return as_names(values.to_numpy(zero_copy_only=False), name)
    was_encoded = kind.startswith("dictionary")
    if not was_encoded:
        values = values.dictionary_encode()
    codes, distinct = values.indices.to_numpy(zero_copy_only=False), values.dictionary.to_pylist()
    if was_encoded:  # with names that may not occur, in any order
        used, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(used.size, np.int64)
        place[order] = np.arange(used.size)
        codes, distinct = place[codes], [distinct[i] for i in used[order].tolist()]
    return _named(distinct, codes, name)


def _of_polars(values: Any, name: str) -> np.ndarray | Texts:
    if values.null_count():
        raise TypeError(f"{name}[{values.is_null().arg_max()}] is missing: every vertex needs a name")
    if values.dtype.is_integer() or not len(values):
        return as_names(values.to_numpy(), name)
    if values.dtype.is_nested() or str(values.dtype) == "Object":
        raise TypeError(f"{name} must contain integers or text, not {values.dtype}")
    distinct = values.unique(maintain_order=True)
    codes = values.replace_strict(distinct, np.arange(len(distinct)))
    return _named(distinct.to_list(), codes.to_numpy(), name)


def _named(distinct: list[Any], codes: np.ndarray, name: str) -> np.ndarray | Texts:
    """Return the column of these distinct names, in the order of their first occurrence, by their positions."""
    codes = codes.astype(np.int64, copy=False)
    if codes.size and int(codes.min()) < 0:
        raise TypeError(f"{name}[{int(codes.argmin())}] is missing: every vertex needs a name")
    if distinct and all(map(_is_integer, distinct)):
        return _of_integers(distinct, name)[codes]
    kinds = set(map(type, distinct))
    for kind in kinds:
        if not issubclass(kind, str):
            raise TypeError(f"{name} must contain integers or text; among its names are some of type {kind.__name__}")
    return Texts(distinct if kinds <= {str} else list(map(str, distinct)), codes)
