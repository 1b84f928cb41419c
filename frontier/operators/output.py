"""The list that CPU kernels put vertices into: gathered by each thread, and appended a buffer at a time.

On GPUs ``frontier/cuda/output.cuh`` does the same.
"""

from __future__ import annotations

import functools
from typing import Any

import numba

from ..atomics import atomic_add

BUFFER = 256  # vertices that a thread gathers before it takes room in the shared output


@functools.cache
def make_flush(degree: Any) -> Any:
    """A function that appends a thread's buffer to the output, counting vertices and the arcs that leave them.

    `degree` is captured: passed as an argument, it would be an address that Numba cannot keep in its disk cache.
    There is one for each, so that it is compiled once for all functors.
    """

    @numba.njit
    def flush(buffer, held, view, out, counters):
        start = atomic_add(counters, 0, held)
        arcs = 0
        for i in range(held):
            out[start + i] = buffer[i]
            arcs += degree(view, buffer[i])
        atomic_add(counters, 1, arcs)

    return flush
