"""CPU kernels of intersect and common_neighbors."""

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
        # The number of common neighbors goes to counts[i], if that is given.
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


def make_common_neighbors(iterator: ModuleType) -> Any:
    """Common neighbors of pairs, written from offsets[i] on."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    find = iterator.find

    @parallel_kernel(few=64, grain=16)
    def common_neighbors(begin, end, view, us, vs, offsets, members):
        for i in range(begin, end):
            u = us[i]
            v = vs[i]
            few, many = (v, u) if degree(view, u) > degree(view, v) else (u, v)
            held = offsets[i]
            if held == offsets[i + 1]:
                continue
            for s in range(segments(view, few)):
                run, low, high = segment(view, few, s)
                while run >= 0:
                    for slot in range(low, high):
                        w = view.neighbors[slot]
                        if w >= 0 and w != many and find(view, many, w) >= 0:
                            members[held] = w
                            held += 1
                    run, low, high = next_run(view, run)

    return common_neighbors
