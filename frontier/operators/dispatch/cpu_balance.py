"""How neighbor lists are shared out to the threads of a CPU. On GPUs ``frontier/cuda/expand.cuh`` does the same.

A kernel over the neighbors of some vertices is given a range of *positions*. By vertices, a position is one vertex, and
lists of more than `most` arcs are deferred to a second call. By arcs, a position is `UNIT` of all arcs, of which `ends`
are the running sums. Several threads may then walk one list, each with a share of its slots.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add, atomic_cas, atomic_exch
from frontier.runtime import jit, threads_for
from frontier.runtime.compile import warm_up
from frontier.runtime.values import one_of

from .gpu_balance import BALANCES
from .kernels import run_cpu
from .neighbor_loop import ALL

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph

    from ..frontiers.frontier import Frontier

UNIT = 16  # arcs: with pieces of 64 positions or more, as parallel kernels have, a thread gets 1024 at least
LONG_LIST = 8192  # arcs of a list that is worth being walked by several threads
SMALL_VERTICES = 2048  # fewer are walked by one thread, if they are shared out by vertices
LARGE_ARCS = 32768  # worth several threads
SMALL_SEGMENT = 64  # arcs: lists of many segments that have no more on average are shared out by whole segments


class Shares(NamedTuple):
    """The data by which kernels share lists out.

    `ends` has the number of arcs of all vertices up to each, and is empty for distribution by vertices. Positions of
    lists of more than `most` go to `long`, as far as it has space, and their number to `num_long`. `combine_share` uses
    the `lock`, an array of int64.
    """

    ends: Any
    most: Any
    long: Any
    num_long: Any
    lock: Any


@functools.cache
def make_deferral(iterator: ModuleType) -> Any:
    """A function that returns whether a list is deferred to a second call, and appends it to the deferred lists."""
    degree = iterator.degree

    @jit(forceinline=True)
    def deferred(view, shares, i, u):
        return degree(view, u) > shares.most and recorded(shares, i)

    @jit
    def recorded(shares, i):
        place = atomic_add(shares.num_long, 0, 1)
        if place < shares.long.size:
            shares.long[place] = i
        return place < shares.long.size

    return deferred


@jit
def begin_share(shares, begin, end):
    """The start of a range of positions, by arcs: the index of a vertex, the position, and the number of its arcs
    before that. Then the end of the range."""
    at = begin * UNIT
    low = 0
    high = shares.ends.size - 1
    while low < high:  # the first vertex that ends behind it
        middle = (low + high) >> 1
        if shares.ends[middle] > at:
            high = middle
        else:
            low = middle + 1
    return low, at, at - (shares.ends[low - 1] if low else 0), min(end * UNIT, shares.ends[-1])


@jit
def add_counts(own, tally, counters, total):
    """Add the counts of a worker, for each vertex if there is a tally, and in total."""
    if tally is not None:
        for v in range(own.size):
            if own[v]:
                atomic_add(tally, v, own[v])
    atomic_add(counters, 0, total)


@functools.cache
def make_next_share(iterator: ModuleType) -> Any:
    """A function that returns the next share of a list, by arcs."""
    degree, segments, segment, next_run = iterator.degree, iterator.segments, iterator.segment, iterator.next_run

    @jit
    def next_share(view, u, at, skipped, stop):
        """The share of u's list as loops over neighbors expect it, the position behind it, and whether it is only a
        part of the list.

        A share has its segments (first, and behind the last), its slots, counted along these, and its end.
        """
        count = np.int64(degree(view, u))
        pieces = np.int64(segments(view, u))
        behind = min(skipped + stop - at, count)
        if skipped == 0 and behind == count:
            return (np.int64(0), pieces, np.int64(0), np.int64(ALL)), at + count, False
        if pieces * SMALL_SEGMENT >= count:
            first, last = pieces * skipped // count, pieces * behind // count
            return (first, last, np.int64(0), np.int64(ALL)), at + behind - skipped, True
        slots = np.int64(0)
        for s in range(pieces):
            run, low, high = segment(view, u, s)
            while run >= 0:
                slots += high - low
                run, low, high = next_run(view, run)
        first, last = slots * skipped // count, slots * behind // count
        return (np.int64(0), pieces, first, last), at + behind - skipped, True

    return next_share


def make_combine_share(combine: Any) -> Any:
    """A function that combines the result of a share with the results of further shares of the same list."""

    def combine_share(shares, out, u, value):
        while atomic_cas(shares.lock, 0, 0, 1) != 0:
            pass
        out[u] = out.dtype.type(combine(out[u], value))
        atomic_exch(shares.lock, 0, 0)

    return jit(combine_share)


def cpu_balance(balance: str, frontier: Frontier) -> str:
    """The schedule for the user's `balance` on a CPU: "thread" (by vertices), "tile" (by vertices, long lists by arcs)
    or "merge" (by arcs)."""
    one_of(balance, "balance", BALANCES)
    if threads_for(ALL, 1) == 1:
        return "thread"
    if balance == "block":
        return "tile"
    if balance != "auto":
        return balance
    if frontier._walk_length() >= SMALL_VERTICES:
        return "tile"
    return "merge" if frontier._walk_arcs() >= LARGE_ARCS else "thread"


def run_shares(
    graph: BaseGraph, kernel: Any, functors: tuple, balance: str, vertices: Any, view: tuple, *args: Any
) -> None:  # fmt: skip
    """Call ``kernel(count, *view, vertices, shares, *args)`` by a schedule of `cpu_balance`, None for whole lists."""
    if balance == "merge":
        _run_by_arcs(graph, kernel, functors, vertices, view, args)
        return
    count = int(vertices.size)
    # A separate kernel is compiled for whole lists, the only ones in small graphs: a plain loop runs in half the time.
    if balance == "thread" and not (threads_for(ALL, 1) > 1 and warm_up.takes_alternative((run_shares, kernel))):
        run_cpu(kernel, functors, count, *view, vertices, None, *args)
        return
    long = np.empty(min(count, graph.num_arcs // LONG_LIST), np.int64)
    num_long = np.zeros(1, np.int64)
    run_cpu(kernel, functors, count, *view, vertices, Shares(_NONE, LONG_LIST, long, num_long, _NONE), *args)
    if num_long[0]:
        _run_by_arcs(graph, kernel, functors, vertices[long[: min(num_long[0], long.size)]], view, args)


def _run_by_arcs(graph: BaseGraph, kernel: Any, functors: tuple, vertices: Any, view: tuple, args: tuple) -> None:
    ends = np.cumsum(graph.store.degrees_of(vertices), dtype=np.int64)
    shares = Shares(ends, ALL, _NONE, _NONE, np.zeros(1, np.int64))
    if ends[-1]:
        run_cpu(kernel, functors, -(-int(ends[-1]) // UNIT), *view, vertices, shares, *args)


_NONE = np.empty(0, np.int64)
