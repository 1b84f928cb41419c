"""The CPU kernel of neighbor_reduce."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ...runtime import parallel_kernel
from ..reductions import REDUCTIONS
from ..weights import weight_at


def make_neighbor_reduce(iterator: ModuleType, op: Any, reduce: str) -> Any:
    """For each vertex of a list, the reduction of a functor's values over its neighbors."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    kind = REDUCTIONS[reduce]

    @parallel_kernel
    def neighbor_reduce(begin, end, view, weights, vertices, identity, out, args):
        for i in range(begin, end):
            u = vertices[i]
            total = identity
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        value = out.dtype.type(op(u, v, slot, weight, *args))
                        if kind == 0:
                            total += value
                        elif kind == 1:
                            total = min(total, value)
                        else:
                            total = max(total, value)
                    run, low, high = next_run(view, run)
            out[u] = total

    return neighbor_reduce
