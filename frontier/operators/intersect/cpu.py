"""The CPU kernel of intersect."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ...runtime import parallel_kernel


def make_intersect(iterator: ModuleType, op: Any) -> Any:
    """Common neighbors of pairs: counted, or each handed to a functor."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    find = iterator.find

    @parallel_kernel(few=64, grain=16)
    def intersect(begin, end, view, us, vs, counts, args):
        for i in range(begin, end):
            u = us[i]
            v = vs[i]
            swapped = degree(view, u) > degree(view, v)
            few, many = (v, u) if swapped else (u, v)
            found = 0
            for s in range(segments(view, few)):
                run, low, high = segment(view, few, s)
                while run >= 0:
                    for slot in range(low, high):
                        w = view.neighbors[slot]
                        if w < 0 or w == many:
                            continue
                        other = find(view, many, w)
                        if other >= 0:
                            if counts is not None:
                                found += 1
                            if op is not None:
                                if swapped:
                                    op(u, v, w, other, slot, *args)
                                else:
                                    op(u, v, w, slot, other, *args)
                    run, low, high = next_run(view, run)
            if counts is not None:
                counts[i] = found

    return intersect
