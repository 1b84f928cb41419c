"""The CPU kernel of filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, parallel_kernel

from ..dispatch.members import member_call
from ..dispatch.output import BUFFER


def make_filter(op: Any, of_edges: bool) -> Any:
    """The members of a frontier for which a functor is true: vertices, or the places of edges in the frontier."""
    call = member_call(op, of_edges)
    kept = jit(lambda members, i: i) if of_edges else jit(lambda members, i: members[i])

    @parallel_kernel(few=1024)
    def keep(begin, end, members, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            if call(members, i, args):
                buffer[held] = kept(members, i)
                held += 1
            if held == BUFFER or (held and i + 1 == end):
                start = atomic_add(counters, 0, held)
                for k in range(held):
                    out[start + k] = buffer[k]
                held = 0

    return keep
