"""The CPU kernels of reduce."""

from __future__ import annotations

from typing import Any

from frontier.runtime import parallel_kernel

from ..dispatch.members import member_call
from ..dispatch.reductions import combiner


def make_reduce(op: Any, reduce: str, of_edges: bool) -> Any:
    """The reduction of a functor's values over the members of a frontier."""
    combine = combiner(reduce)
    call = member_call(op, of_edges)

    @parallel_kernel(few=None)
    def reduce_members(begin, end, size, members, partial, args):
        # The items are the entries of `partial`, each of which stands for a part of the members.
        parts = partial.size
        for part in range(begin, end):
            total = partial[part]
            for i in range(size * part // parts, size * (part + 1) // parts):
                value = partial.dtype.type(call(members, i, args))
                total = partial.dtype.type(combine(total, value))
            partial[part] = total

    return reduce_members


def make_reduce_columns(op: Any, reduce: str, of_edges: bool) -> Any:
    """The reductions of a functor's values, one for each column."""
    combine = combiner(reduce)
    call = member_call(op, of_edges)

    @parallel_kernel(few=None)
    def reduce_columns(begin, end, size, members, partial, args):
        parts, columns = partial.shape
        for part in range(begin, end):
            for i in range(size * part // parts, size * (part + 1) // parts):
                for column in range(columns):
                    value = partial.dtype.type(call(members, i, (column, *args)))
                    partial[part, column] = partial.dtype.type(combine(partial[part, column], value))

    return reduce_columns
