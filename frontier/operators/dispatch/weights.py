"""The values that CPU kernels pass to functors of an arc: its `edge`, and its weight, which has the graph's weight
type.

In graphs without edge data these are the arc's slot, and the entry of an array of weights at the slot. With edge data
the slot has the id of the edge, by which the weight is found (`ByEdge`).

These are functions with one implementation for each kind of graph. A branch in the kernels would not do: Numba gives a
variable a type that fits the values of all branches, which is float64 for float32 and int64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload

from frontier.runtime import prefetch
from frontier.runtime.compile.cpu import LINKED_OPTIONS


class ByEdge(NamedTuple):
    """The weights of a graph with edge data: the id of the edge in each slot, and the weight of each edge, or None."""

    ids: Any
    weights: Any


def edge_at(weights: Any, slot: Any) -> Any:
    """The value that functors see as `edge` (int64) of the arc in a slot."""
    return np.int64(weights.ids[slot]) if isinstance(weights, ByEdge) else slot


def edge_or_none(weights: Any, slot: Any) -> Any:
    """The same, and -1 for an arc that is not in the graph, whose slot is negative."""
    return edge_at(weights, slot) if slot >= 0 else np.int64(-1)


def weight_at(weights: Any, slot: Any) -> Any:
    """The weight in a slot, 1 (float32) in graphs without weights."""
    if isinstance(weights, ByEdge):
        return np.float32(1) if weights.weights is None else weights.weights[weights.ids[slot]]
    return np.float32(1) if weights is None else weights[slot]


def weight_or_one(weights: Any, slot: Any) -> Any:
    """The same, and 1 for an arc that is not in the graph, whose slot is negative."""
    held = weights.weights if isinstance(weights, ByEdge) else weights
    return weight_at(weights, slot) if held is None or slot >= 0 else held.dtype.type(1)


def prefetch_weight(weights: Any, slot: Any) -> None:
    """Load the weight in a slot in the background, or the id of its edge."""


LINKED: dict[str, Any] = {"jit_options": {"forceinline": True, **LINKED_OPTIONS}}


def _is_by_edge(weights: Any) -> bool:
    return isinstance(weights, types.BaseNamedTuple) and weights.instance_class is ByEdge


@overload(edge_at, **LINKED)
def _edge_at(weights, slot):
    if _is_by_edge(weights):
        return lambda weights, slot: np.int64(weights.ids[slot])
    return lambda weights, slot: slot


@overload(edge_or_none, **LINKED)
def _edge_or_none(weights, slot):
    if _is_by_edge(weights):
        return lambda weights, slot: np.int64(weights.ids[slot]) if slot >= 0 else np.int64(-1)
    return lambda weights, slot: slot


@overload(weight_at, **LINKED)
def _weight_at(weights, slot):
    if _is_by_edge(weights):
        if isinstance(weights[1], types.NoneType):
            return lambda weights, slot: np.float32(1)
        return lambda weights, slot: weights.weights[weights.ids[slot]]
    if isinstance(weights, types.NoneType):
        return lambda weights, slot: np.float32(1)
    return lambda weights, slot: weights[slot]


@overload(prefetch_weight, **LINKED)
def _prefetch_weight(weights, slot):
    if _is_by_edge(weights):
        return lambda weights, slot: prefetch(weights.ids, slot)
    if isinstance(weights, types.NoneType):
        return lambda weights, slot: None
    return lambda weights, slot: prefetch(weights, slot)


@overload(weight_or_one, **LINKED)
def _weight_or_one(weights, slot):
    if _is_by_edge(weights):
        if isinstance(weights[1], types.NoneType):
            return lambda weights, slot: np.float32(1)
        return lambda weights, slot: weights.weights[weights.ids[slot]] if slot >= 0 else weights.weights.dtype.type(1)
    if isinstance(weights, types.NoneType):
        return lambda weights, slot: np.float32(1)
    return lambda weights, slot: weights[slot] if slot >= 0 else weights.dtype.type(1)
