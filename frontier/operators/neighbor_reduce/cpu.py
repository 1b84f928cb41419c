"""CPU kernels of neighbor_reduce."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...runtime import parallel_kernel
from ..reductions import combiner
from ..shares import begin_share, make_combine_share, make_next_share
from ..weights import edge_at, weight_at


def make_neighbor_reduce(iterator: ModuleType, op: Any, reduce: str | Callable) -> Any:
    """For each vertex of a list, the reduction of a functor's values over its neighbors."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    next_share = make_next_share(iterator.degree, segments, segment, next_run)
    combine = combiner(reduce)
    combine_share = make_combine_share(combine)

    @parallel_kernel
    def neighbor_reduce(begin, end, view, weights, vertices, shares, identity, out, args):
        i, at, stop = begin_share(shares, begin, end)
        while at < stop:
            u = vertices[i]
            total = identity
            first, last, whole, at = next_share(view, shares, i, u, at, stop)
            i += 1
            for s in range(segments(view, u)):
                if last <= 0:
                    break
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low + max(first, 0), min(high, low + last)):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                        total = out.dtype.type(combine(total, value))
                    first -= high - low
                    last -= high - low
                    run, low, high = next_run(view, run)
            if whole:
                out[u] = total
            else:
                combine_share(shares, out, u, total)

    return neighbor_reduce


def make_neighbor_search(iterator: ModuleType, op: Any, wanted: bool) -> Any:
    """For each vertex of a list, whether a functor is `wanted` for any of its neighbors; stops at the first.

    What is written is the reduction of which `wanted` decides: True if it was found for any, False for all.
    """
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run

    @parallel_kernel
    def neighbor_search(begin, end, view, weights, vertices, out, args):
        for i in range(begin, end):
            u = vertices[i]
            found = False
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0 and not found:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        if bool(op(u, v, edge_at(weights, slot), weight, *args)) == wanted:
                            found = True
                            break
                    run, low, high = next_run(view, run)
                if found:
                    break
            out[u] = found == wanted

    return neighbor_search


def make_neighbor_best(iterator: ModuleType, op: Any, reduce: str) -> Any:
    """For each vertex of a list, the neighbor with the lowest ("min") or highest value; of several the lowest id."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    lowest = reduce == "min"

    @parallel_kernel
    def neighbor_best(begin, end, view, weights, vertices, values, out, args):
        for i in range(begin, end):
            u = vertices[i]
            best = values[u]  # no value of an edge, as long as none is chosen
            chosen = out.dtype.type(-1)
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        value = values.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                        if value != value:  # not a number
                            continue
                        better = value < best if lowest else value > best
                        if chosen < 0 or better or (value == best and v < chosen):
                            best = value
                            chosen = v
                    run, low, high = next_run(view, run)
            values[u] = best
            out[u] = chosen

    return neighbor_best
