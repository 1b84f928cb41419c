"""Functors that several algorithms pass to operators."""

from __future__ import annotations


def value_of(v, values):
    """The value of a vertex."""
    return values[v]


def neighbor_value(src, dst, edge, weight, values):
    """The value of a neighbor."""
    return values[dst]


def weight_of(src, dst, edge, weight):
    """The weight of an edge."""
    return weight
