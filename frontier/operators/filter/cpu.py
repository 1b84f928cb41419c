"""The CPU kernel of filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, nonnegative, parallel_kernel

from ..dispatch.members import member_call
from ..dispatch.output import BUFFER


def make_filter(op: Any, of_edges: bool) -> Any:
    """The members of a frontier for which a functor is true: vertices, or the positions of edges in the frontier."""
    call = member_call(op, of_edges)
    kept = jit(lambda members, i: i) if of_edges else jit(lambda members, i: members[nonnegative(i)])

    @parallel_kernel(few=1024)
    def keep(begin, end, members, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        for first in range(begin, end, BUFFER):
            held = 0
            for i in range(first, min(first + BUFFER, end)):
                buffer[nonnegative(held)] = kept(members, i)
                held += 1 if call(members, i, args) else 0  # without a branch, which would often be mispredicted
            if held:
                start = nonnegative(atomic_add(counters, 0, held))
                for k in range(held):
                    out[start + nonnegative(k)] = buffer[nonnegative(k)]

    return keep
