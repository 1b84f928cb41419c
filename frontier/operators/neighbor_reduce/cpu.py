"""CPU kernels of neighbor_reduce."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import parallel_kernel

from ..dispatch.cpu_balance import begin_share, make_combine_share, make_part_share
from ..dispatch.reductions import combiner
from ..dispatch.weights import edge_at, weight_at


def make_neighbor_reduce(iterator: ModuleType, op: Any, reduce: str | Callable) -> Any:
    """For each vertex of a list, the reduction of a functor's values over its neighbors."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    part_share = make_part_share(degree, segments, segment, next_run)
    combine = combiner(reduce)
    combine_share = make_combine_share(combine)

    @parallel_kernel
    def neighbor_reduce(begin, end, view, weights, vertices, shares, identity, out, args):
        i, at, skipped, stop = begin_share(shares, begin, end)
        by_arcs, most = shares.ends.size > 0, shares.most
        while at < stop:
            u = vertices[i]
            total = identity
            begun, ended, first, last = 0, np.int64(segments(view, u)), 0, 0
            count = np.int64(degree(view, u))
            behind = at + (count if by_arcs else 1)
            is_part = skipped > 0 or count > most or behind > stop
            if is_part:
                begun, ended, first, last, behind = part_share(view, shares, i, u, at, skipped, stop)
                skipped = 0
            at = behind
            i += 1
            for s in range(begun, ended):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    if is_part:
                        if last <= 0:
                            break
                        size = high - low
                        low, high = low + max(first, 0), min(high, low + last)
                        first, last = first - size, last - size
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                        total = out.dtype.type(combine(total, value))
                    run, low, high = next_run(view, run)
            if is_part and by_arcs:
                combine_share(shares, out, u, total)
            else:
                out[u] = total

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
