"""CPU kernel of sample_neighbors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ...runtime import parallel_kernel
from ..weights import weight_at


def make_sample(iterator: ModuleType, op: Any) -> Any:
    """A functor called for the first neighbors of each vertex of a list."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run

    @parallel_kernel
    def sample(begin, end, limit, view, weights, vertices, args):
        for i in range(begin, end):
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
