"""The CPU kernel of compute."""

from __future__ import annotations

from typing import Any

from frontier.runtime import parallel_kernel

from ..dispatch.members import member_call


def make_compute(op: Any, of_edges: bool = False) -> Any:
    """A functor called for each member of a frontier."""
    call = member_call(op, of_edges)

    @parallel_kernel(few=1024)
    def apply(begin, end, members, args):
        for i in range(begin, end):
            call(members, i, args)

    return apply
