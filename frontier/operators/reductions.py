"""Reductions: their names, identities and result types."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import as_dtype

REDUCTIONS = {"sum": 0, "min": 1, "max": 2}

DTYPES = tuple(np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64))


def result_dtype(dtype: Any) -> np.dtype:
    """The dtype that users name for results; TypeError if it is none of `DTYPES`."""
    dtype = as_dtype(dtype, "dtype")
    if dtype not in DTYPES:
        raise TypeError(f"dtype must be one of {', '.join(map(str, DTYPES))}, not {dtype}")
    return dtype


def identity_of(reduce: str, dtype: np.dtype) -> Any:
    """The identity of a reduction: 0, the largest or the smallest number."""
    if reduce == "sum":
        return dtype.type(0)
    sign = 1 if reduce == "min" else -1
    if dtype.kind == "f":
        return dtype.type(sign * np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if sign > 0 else limits.min)
