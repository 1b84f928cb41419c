"""Functors that several algorithms pass to operators."""

from __future__ import annotations

import math

import numpy as np


def value_of(v, values):
    """The value of a vertex."""
    return values[v]


def is_negative(v, values):
    """Whether the value of a vertex is below 0."""
    return values[v] < 0


def is_not_negative(v, values):
    """Whether the value of a vertex is 0 or more."""
    return values[v] >= 0


def always(src, dst, edge, weight):
    """True for every edge."""
    return True


def neighbor_value(src, dst, edge, weight, values):
    """The value of a neighbor."""
    return values[dst]


def faded(late, early, rate):
    """The share left after the interval between two times, even if the difference overflows int64."""
    return math.exp(-rate * np.float64(np.uint64(late) - np.uint64(early)))


def weight_of(src, dst, edge, weight):
    """The weight of an edge."""
    return weight
