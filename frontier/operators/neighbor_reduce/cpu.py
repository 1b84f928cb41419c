"""CPU kernels of neighbor_reduce."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import nonnegative, parallel_kernel

from ..dispatch.cpu_balance import begin_share, make_combine_share, make_deferral, make_next_share
from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.reductions import combiner
from ..dispatch.weights import edge_at, weight_at


def make_neighbor_reduce(iterator: ModuleType, op: Any, reduce: str | Callable) -> Any:
    """For each vertex of a list, the reduction of a functor's values over its neighbors."""
    each_neighbor, each_of_share, *_ = neighbor_loop(iterator)
    deferred, next_share = make_deferral(iterator), make_next_share(iterator)
    combine = combiner(reduce)
    combine_share = make_combine_share(combine)

    @parallel_kernel
    def neighbor_reduce(begin, end, view, weights, vertices, shares, identity, out, args):
        if shares is None or shares.ends.size == 0:
            for i in range(begin, end):
                u = nonnegative(vertices[np.uint64(i)])
                if shares is not None and deferred(view, shares, i, u):
                    out[u] = identity  # with which the second call combines its parts
                    continue
                total = identity
                for v, slot in each_neighbor(view, u):
                    weight = weight_at(weights, slot)
                    value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                    total = out.dtype.type(combine(total, value))
                out[u] = total
        else:
            i, at, skipped, stop = begin_share(shares, begin, end)
            while at < stop:
                u = nonnegative(vertices[i])
                total = identity
                share, at, is_part = next_share(view, u, at, skipped, stop)
                i += 1
                skipped = 0
                for v, slot in each_of_share(view, u, share):
                    weight = weight_at(weights, slot)
                    value = out.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                    total = out.dtype.type(combine(total, value))
                if is_part:
                    combine_share(shares, out, u, total)
                else:
                    out[u] = total

    return neighbor_reduce


def make_neighbor_search(iterator: ModuleType, op: Any, wanted: bool) -> Any:
    """For each vertex of a list, whether a functor is `wanted` for any of its neighbors. Stops at the first.

    The result is the reduction that `wanted` decides: True if it was found for any, False for all.
    """
    each_neighbor = neighbor_loop(iterator).each

    @parallel_kernel
    def neighbor_search(begin, end, view, weights, vertices, out, args):
        for i in range(begin, end):
            u = vertices[i]
            found = False
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                if bool(op(u, v, edge_at(weights, slot), weight, *args)) == wanted:
                    found = True
                    break
            out[u] = found == wanted

    return neighbor_search


def make_neighbor_best(iterator: ModuleType, op: Any, reduce: str) -> Any:
    """For each vertex of a list, the neighbor with the lowest ("min") or highest value. Ties go to the lowest id."""
    each_neighbor = neighbor_loop(iterator).each
    lowest = reduce == "min"

    @parallel_kernel
    def neighbor_best(begin, end, view, weights, vertices, values, out, args):
        for i in range(begin, end):
            u = vertices[i]
            best = values[u]  # no value of an edge, as long as none is chosen
            chosen = out.dtype.type(-1)
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                value = values.dtype.type(op(u, v, edge_at(weights, slot), weight, *args))
                if value != value:  # not a number
                    continue
                better = value < best if lowest else value > best
                if chosen < 0 or better or (value == best and v < chosen):
                    best = value
                    chosen = v
            values[u] = best
            out[u] = chosen

    return neighbor_best
