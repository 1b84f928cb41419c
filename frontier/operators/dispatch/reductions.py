"""Reductions: their names, identities and result types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.runtime import jit
from frontier.runtime.arrays import one_dtype

DTYPES = tuple(np.dtype(t) for t in (np.int32, np.int64, np.float32, np.float64))
INTEGERS = DTYPES[:2]
BOOL = np.dtype(np.bool_)


def _sum(a, b):  # type: ignore[no-untyped-def]
    return a + b


def _min(a, b):  # type: ignore[no-untyped-def]
    return min(a, b)


def _max(a, b):  # type: ignore[no-untyped-def]
    return max(a, b)


def _or(a, b):  # type: ignore[no-untyped-def]
    return a | b


def _and(a, b):  # type: ignore[no-untyped-def]
    return a & b


COMBINE = {"sum": _sum, "min": _min, "max": _max, "or": _or, "and": _and}
"""Reductions that combine two values into one of their type."""

REDUCTIONS = ("sum", "min", "max")
"""The reductions of a frontier."""

SEARCHES = {"any": True, "all": False}
"""Reductions of truth, and the value that decides one."""

BEST = {"argmin": "min", "argmax": "max"}
"""Reductions to the neighbor with the best value, and to that value."""

MODE = "mode"
"""The reduction to the most frequent value."""

NEIGHBOR_REDUCTIONS = (*COMBINE, *SEARCHES, *BEST, MODE)


def dtypes_of(reduce: str | Callable) -> tuple[np.dtype, ...]:
    """The types that results of a reduction may have (of the values compared, for argmin and argmax)."""
    return INTEGERS if reduce in ("or", "and", MODE) else (BOOL,) if reduce in SEARCHES else DTYPES


def default_dtype(reduce: str | Callable) -> np.dtype:
    """The type of the results if users name none."""
    return dtypes_of(reduce)[-1]


def result_dtype(dtype: Any, allowed: tuple[np.dtype, ...] = DTYPES) -> np.dtype:
    """The dtype that users name for results. TypeError if it is not allowed."""
    return one_dtype(dtype, "dtype", allowed)


def identity_of(reduce: str, dtype: np.dtype) -> Any:
    """The identity of a reduction: the value that changes nothing."""
    if reduce in ("sum", "or", "any"):
        return dtype.type(0)
    if reduce in ("and", "all"):
        return dtype.type(True) if dtype == BOOL else dtype.type(-1)
    sign = 1 if reduce == "min" else -1
    if dtype.kind == "f":
        return dtype.type(sign * np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if sign > 0 else limits.min)


def combiner(reduce: str | Callable) -> Any:
    """The function of a reduction, as CPU kernels call it."""
    return jit(COMBINE[reduce]) if isinstance(reduce, str) else reduce
