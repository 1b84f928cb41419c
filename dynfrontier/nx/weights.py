"""Edge attributes as weights: which values are supported, and of which type they are together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

EXACT = 2**53  # integers up to here are floats too
LARGEST = 2**63 - 1


def plain(value: Any) -> int | float | None:
    """A weight as a Python number; None if it is no number, not finite, or an integer that int64 does not hold."""
    kind = type(value)
    if kind is not int and kind is not float:
        if isinstance(value, bool | np.bool_ | np.integer | int):
            value = int(value)
        elif isinstance(value, np.floating | float):
            value = float(value)
        else:
            return None
    if type(value) is float:
        return value if math.isfinite(value) else None
    return value if -LARGEST <= value <= LARGEST else None


def type_of(weights: Sequence[int | float]) -> np.dtype | None:
    """The narrowest type of a structure for `plain` weights: None if all are the integer 1, else int64 or float64."""
    kinds = set(map(type, weights))
    if float in kinds:
        return np.dtype(np.float64)
    return np.dtype(np.int64) if any(weight != 1 for weight in weights) else None


def fits(weight: int | float, dtype: np.dtype | None) -> bool:
    """Whether a `plain` weight keeps its value in a structure of this type, at least as narrow as its own."""
    return dtype != np.float64 or type(weight) is float or -EXACT <= weight <= EXACT
