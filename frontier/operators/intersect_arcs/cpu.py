"""The CPU kernel of intersect_arcs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import parallel_kernel

from ..dispatch.cpu_balance import add_counts


def make_intersect_arcs(iterator: ModuleType) -> Any:
    """For all arcs x -> y of one graph, the common neighbors of x and y in another: their number, and tallies.

    Both views are of static copies: each vertex has its neighbors in one run without gaps. Each worker has a row of
    `marks` (the vertex, plus one, whose neighbor each vertex is) and of `tallies`: an atomic for every common neighbor
    would dominate the time. They start as 0. Sorted lists are read only up to the last
    neighbor of x.
    """
    segment = iterator.segment

    @parallel_kernel(few=None)
    def intersect_arcs(begin, end, num_vertices, is_sorted, view, pairs, marks, tallies, tally, tickets, counters):
        grain = 64
        for worker in range(begin, end):
            mark, own = marks[worker], tallies[worker]
            total = 0
            while True:
                first = atomic_add(tickets, 0, grain)
                if first >= num_vertices:
                    break
                for x in range(first, min(first + grain, num_vertices)):
                    _run, low, high = segment(view, x, 0)
                    _run, low_pair, high_pair = segment(pairs, x, 0)
                    if low == high or low_pair == high_pair:
                        continue
                    for slot in range(low, high):
                        mark[view.neighbors[slot]] = x + 1
                    last = view.neighbors[high - 1] if is_sorted else num_vertices
                    of_x = 0
                    for pair in range(low_pair, high_pair):
                        y = pairs.neighbors[pair]
                        _run, low_y, high_y = segment(view, y, 0)
                        of_y = 0
                        for slot in range(low_y, high_y):
                            w = view.neighbors[slot]
                            if w > last:
                                break
                            common = np.int64(mark[w] == x + 1)
                            of_y += common
                            if tally is not None:
                                own[w] += common  # always, since a branch would often be mispredicted
                        if tally is not None:
                            own[y] += of_y
                        of_x += of_y
                    if tally is not None:
                        own[x] += of_x
                    total += of_x
            add_counts(own, tally, counters, total)

    return intersect_arcs
