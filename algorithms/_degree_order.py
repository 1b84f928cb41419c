"""Edges from the end of lower degree to the other, ties by id: so triangles are found once, from short lists."""

from __future__ import annotations

import numpy as np

UP, DOWN = np.bool_(True), np.bool_(False)
"""For `leads`: an argument, so that one kernel is compiled for both."""


def leads(src, dst, edge, weight, degrees, up):
    """Whether an arc leads to the end of higher degree, or to that of lower degree unless `up`. A functor."""
    a = degrees[src]
    b = degrees[dst]
    return (a < b or (a == b and src < dst)) == up
