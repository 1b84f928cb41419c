"""The parameters of functors, and functors as CPU kernels call them."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import jit

OP_PARAMETERS = ("src", "dst", "edge", "weight")
"""Parameters of a functor over arcs, which users' arguments follow."""

ARC = ("vertex", "vertex", "edge", "weight")
"""Their kinds, as `cuda_kernels_for` expects them."""

VERTEX = ("vertex",)
"""The kinds of a functor over vertices."""

TRUTH = np.dtype(np.int32)
"""The result type of functors that return a truth value on a GPU."""


@jit
def _any_vertex(v, args):
    return True


def vertex_functor(function: Any) -> Any:
    """A functor over vertices that receives its arguments as one tuple. Without one, it is always true."""
    if function is None:
        return _any_vertex
    return jit(lambda v, args: function(v, *args))


@jit
def _any_arc(src, dst, edge, weight, args):
    return True


def arc_test(op: Any) -> Any:
    """The same, over arcs."""
    if op is None:
        return _any_arc
    return jit(lambda src, dst, edge, weight, args: op(src, dst, edge, weight, *args))
