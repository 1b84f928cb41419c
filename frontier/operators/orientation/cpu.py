"""CPU kernels over an orientation: triangles counted, in total, for each vertex, or for each edge."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import parallel_kernel

from ..dispatch.cpu_balance import add_counts
from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.weights import edge_at


def make_triangles(iterator: ModuleType) -> Any:
    """All triangles y, x, w, where y is the lowest and w the highest: found at x, whose upper neighbors are marked."""
    each_neighbor = neighbor_loop(iterator).each

    @parallel_kernel(few=None)
    def triangles(begin, end, view, order, rank, members, longest, first, lists, tally, tickets, counters):
        listed = first.size - 1
        grain = 64
        for _worker in range(begin, end):
            mark = np.full(rank.size, -1, order.dtype)
            partners = np.empty(longest, order.dtype)
            # Each worker has a separate tally: an atomic for every triangle would dominate the time.
            own = np.zeros(0 if tally is None else rank.size, np.int64)
            total = 0
            while True:
                start = atomic_add(tickets, 0, grain)
                if start >= order.size:
                    break
                for x in order[start : min(start + grain, order.size)]:
                    of_rank = rank[x]
                    waiting = 0
                    for v, _slot in each_neighbor(view, x):
                        if rank[v] < of_rank:
                            mark[v] = x
                        elif rank[v] < members:
                            partners[waiting] = v
                            waiting += 1
                    of_x = 0
                    for y in partners[:waiting]:
                        of_y = 0
                        place = rank[y]
                        if place < listed:
                            for w in lists[first[place] : first[place + 1]]:
                                common = np.int64(mark[w] == x)
                                of_y += common
                                if tally is not None:
                                    own[w] += common  # always, since a branch would often be mispredicted
                        else:
                            for w, _slot in each_neighbor(view, y):
                                if mark[w] == x:
                                    of_y += 1
                                    if tally is not None:
                                        own[w] += 1
                        if tally is not None:
                            own[y] += of_y
                        of_x += of_y
                    if tally is not None:
                        own[x] += of_x
                    total += of_x
            add_counts(own, tally, counters, total)

    return triangles


def make_triangles_by_id(iterator: ModuleType, is_sorted: bool) -> Any:
    """All triangles x > y > w, found at x, in a graph whose lists are short: the order of the ids suffices.

    In sorted lists the lower ids come first, and lists are merged. Otherwise the neighbors of x are marked.
    """
    each_neighbor = neighbor_loop(iterator).each

    @parallel_kernel(few=None)
    def triangles_by_id(begin, end, view, size, longest, tally, tickets, counters):
        grain = 1024
        for _worker in range(begin, end):
            mark = np.full(0 if is_sorted else size, -1, view.neighbors.dtype)
            lower = np.empty(longest, view.neighbors.dtype)
            own = np.zeros(0 if tally is None else size, np.int64)
            total = 0
            while True:
                start = atomic_add(tickets, 0, grain)
                if start >= size:
                    break
                for x in range(start, min(start + grain, size)):
                    count = 0
                    for v, _slot in each_neighbor(view, x):
                        if v < x:
                            lower[count] = v
                            count += 1
                        elif is_sorted:
                            break
                    if count < 2:
                        continue
                    if not is_sorted:
                        for y in lower[:count]:
                            mark[y] = x
                    of_x = 0
                    for j in range(1 if is_sorted else 0, count):  # the first of all has no lower one
                        y = lower[j]
                        of_y = 0
                        place = 0
                        for w, _slot in each_neighbor(view, y):
                            if w >= y:
                                if is_sorted:
                                    break
                                continue
                            if is_sorted:
                                while lower[place] < w:  # up to y, at the latest
                                    place += 1
                            if (lower[place] == w) if is_sorted else (mark[w] == x):
                                of_y += 1
                                if tally is not None:
                                    own[w] += 1
                        if tally is not None:
                            own[y] += of_y
                        of_x += of_y
                    if tally is not None:
                        own[x] += of_x
                    total += of_x
            add_counts(own, tally, counters, total)

    return triangles_by_id


def make_support(iterator: ModuleType) -> Any:
    """The same triangles, counted for the three arcs that lead up, y -> x, y -> w and x -> w, by their edges.

    The positions of x and of its upper neighbors in a copied list are listed first, as a branch would often be
    mispredicted.
    """
    each_neighbor = neighbor_loop(iterator).each

    @parallel_kernel(few=None)
    def support(begin, end, view, weights, order, rank, members, longest, first, lists, slots, found, tickets):
        listed = first.size - 1
        grain = 64
        for _worker in range(begin, end):
            place_of = np.full(rank.size, -1, np.int32)  # of an upper neighbor of x: its position in `upper`
            upper = np.empty(longest, np.int64)  # slots of the arcs x -> w
            own = np.zeros(longest + 1, np.int32)  # of these arcs: an atomic less for every triangle
            matches = np.empty(longest + 2, np.int64)
            partners = np.empty(longest, order.dtype)
            while True:
                start = atomic_add(tickets, 0, grain)
                if start >= order.size:
                    break
                for x in order[start : min(start + grain, order.size)]:
                    of_rank = rank[x]
                    waiting = 0
                    above = 0
                    for v, slot in each_neighbor(view, x):
                        if rank[v] < of_rank:
                            place_of[v] = above
                            upper[above] = slot
                            above += 1
                        elif rank[v] < members:
                            partners[waiting] = v
                            waiting += 1
                    place_of[x] = longest
                    for y in partners[:waiting]:
                        of_y = 0
                        edge = np.int64(-1)
                        place = rank[y]
                        if place < listed:
                            size = 0
                            for i in range(first[place], first[place + 1]):
                                matches[size] = i
                                size += np.int64(place_of[lists[i]] >= 0)
                            of_y = size - 1
                            for i in matches[: size if of_y > 0 else 0]:
                                at = place_of[lists[i]]
                                own[at] += 1
                                atomic_add(found, edge_at(weights, slots[i]), of_y if at == longest else 1)
                        else:
                            for w, slot in each_neighbor(view, y):
                                if w == x:
                                    edge = slot
                                elif place_of[w] >= 0:
                                    of_y += 1
                                    own[place_of[w]] += 1
                                    atomic_add(found, edge_at(weights, slot), 1)
                            if of_y:
                                atomic_add(found, edge_at(weights, edge), of_y)
                    place_of[x] = -1
                    for i in range(above):
                        place_of[view.neighbors[upper[i]]] = -1
                        if own[i]:
                            atomic_add(found, edge_at(weights, upper[i]), own[i])
                            own[i] = 0

    return support
