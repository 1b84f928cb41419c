"""The CPU kernel of filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...atomics import atomic_add
from ...runtime import parallel_kernel
from ..output import BUFFER


def make_filter(op: Any) -> Any:
    """The vertices of a list for which a functor is true."""

    @parallel_kernel(few=1024)
    def keep(begin, end, vertices, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            if op(vertices[i], *args):
                buffer[held] = vertices[i]
                held += 1
            if held == BUFFER or (held and i + 1 == end):
                start = atomic_add(counters, 0, held)
                for k in range(held):
                    out[start + k] = buffer[k]
                held = 0

    return keep
