"""The CPU kernel of compute."""

from __future__ import annotations

from typing import Any

from ...runtime import parallel_kernel


def make_compute(op: Any) -> Any:
    """A functor called for each vertex of a list."""

    @parallel_kernel(few=1024)
    def apply(begin, end, vertices, args):
        for i in range(begin, end):
            op(vertices[i], *args)

    return apply
