"""Weights of arcs as CPU kernels read them: of the graph's weight type.

These are functions with one implementation for each kind of graph. A branch in the kernels would not do: Numba gives a
variable a type that holds the values of all branches, and float32 and int64 together are float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload


def weight_at(weights: Any, slot: Any) -> Any:
    """The weight in a slot; 1 (float32) in graphs without weights."""
    return np.float32(1) if weights is None else weights[slot]


def weight_or_one(weights: Any, slot: Any) -> Any:
    """The same, and 1 for an arc that is not in the graph, whose slot is negative."""
    return weight_at(weights, slot) if weights is None or slot >= 0 else weights.dtype.type(1)


@overload(weight_at, inline="always")
def _weight_at(weights, slot):
    if isinstance(weights, types.NoneType):
        return lambda weights, slot: np.float32(1)
    return lambda weights, slot: weights[slot]


@overload(weight_or_one)
def _weight_or_one(weights, slot):
    if isinstance(weights, types.NoneType):
        return lambda weights, slot: np.float32(1)
    return lambda weights, slot: weights[slot] if slot >= 0 else weights.dtype.type(1)
