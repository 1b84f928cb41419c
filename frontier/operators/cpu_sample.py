"""CPU kernel of sample_neighbors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numba

from ..runtime import cpu_kernel
from .weights import weight_at


def make_sample(iterator: ModuleType, op: Any) -> Any:
    """A functor called for the first neighbors of each vertex of a list."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run

    @cpu_kernel(parallel=True)
    def sample(count, chunks, limit, view, weights, vertices, args):
        for chunk in numba.prange(chunks):
            for i in range(count * chunk // chunks, count * (chunk + 1) // chunks):
                u = vertices[i]
                left = limit
                for s in range(segments(view, u)):
                    run, low, high = segment(view, u, s)
                    while run >= 0 and left > 0:
                        for slot in range(low, high):
                            v = view.neighbors[slot]
                            if v < 0:
                                continue
                            weight = weight_at(weights, slot)
                            op(u, v, slot, weight, *args)
                            left -= 1
                            if left == 0:
                                break
                        run, low, high = next_run(view, run)
                    if left == 0:
                        break

    return sample
