"""The CPU kernel of reduce."""

from __future__ import annotations

from typing import Any

from ...runtime import parallel_kernel
from ..reductions import combiner


def make_reduce(op: Any, reduce: str) -> Any:
    """The reduction of a functor's values over a list of vertices."""
    combine = combiner(reduce)

    @parallel_kernel(few=None)
    def reduce_vertices(begin, end, size, vertices, partial, args):
        # The items are the entries of `partial`, each of which stands for a part of the vertices.
        parts = partial.size
        for part in range(begin, end):
            total = partial[part]
            for i in range(size * part // parts, size * (part + 1) // parts):
                value = partial.dtype.type(op(vertices[i], *args))
                total = partial.dtype.type(combine(total, value))
            partial[part] = total

    return reduce_vertices
