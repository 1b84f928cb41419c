"""CPU kernels of intersect and common_neighbors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.core.sort import END
from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, parallel_kernel

from ..dispatch.weights import edge_at

MERGE = 64  # sorted lists are merged unless one is so many times longer than the other


def call_of(op: Any, numbered: bool) -> Any:
    """`op` as a function that always takes the number of the pair, and users' arguments as one tuple."""
    if numbered:
        return jit(lambda i, u, v, w, edge_uw, edge_vw, args: op(i, u, v, w, edge_uw, edge_vw, *args))
    return jit(lambda i, u, v, w, edge_uw, edge_vw, args: op(u, v, w, edge_uw, edge_vw, *args))


def make_intersect(iterator: ModuleType, op: Any, per_pair: Any, scans: bool, numbered: bool = False) -> Any:
    """Common neighbors of pairs: counted, or each handed to a functor, perhaps with the number of the pair. What that
    returns is summed up and handed to `per_pair`, if there is one.

    The members of one list of each pair, the shorter one, are looked up in the other. Pairs may come in groups with the
    same longer list: then, if it is worth it, its members' slots are written to an array by vertex first, where each is
    found in one access.

    Parameters
    ----------
    scans : bool
        Whether `find` looks through a list.
    """
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    find = iterator.find
    ordered = iterator.SORTED
    called = call_of(op, numbered)

    @jit(forceinline=True)
    def first_from(view, u, w, piece, run, low, high, slot, seen):
        """Walk u's sorted list on, from the neighbor `seen`, to the first one that is not below w (END if none is)."""
        while seen < w:
            if low < high:
                if view.neighbors[low] >= 0:
                    slot, seen = low, np.int64(view.neighbors[low])
                low += 1
                continue
            if run >= 0:
                run, low, high = next_run(view, run)
                if run >= 0:
                    continue
            if piece == segments(view, u):
                seen = END
                break
            run, low, high = segment(view, u, piece)
            piece += 1
        return piece, run, low, high, slot, seen

    if not ordered:  # then nothing is merged, and there is less to compile

        @jit(forceinline=True)
        def first_from(view, u, w, piece, run, low, high, slot, seen):
            return piece, run, low, high, slot, seen

    @jit
    def set_places(view, u, place, present):
        """Write the slots of u's neighbors to `place`, or -1."""
        for s in range(segments(view, u)):
            run, low, high = segment(view, u, s)
            while run >= 0:
                for slot in range(low, high):
                    if view.neighbors[slot] >= 0:
                        place[view.neighbors[slot]] = slot if present else -1
                run, low, high = next_run(view, run)

    @jit
    def is_worth_it(view, many, us, vs, group):
        """Whether so many members are looked up that the places of all should be written: to write and clear one takes
        half the time of a look-up in a hash table, or twice that of a step of merging."""
        if scans:
            return True
        if ordered:
            return group.size > 2
        members = 0
        for i in group:
            members += degree(view, vs[i] if us[i] == many else us[i])
        return 2 * members > degree(view, many)

    @parallel_kernel(few=None)
    def intersect(begin, end, view, weights, us, vs, longer, order, starts, places, tickets, counts, args):
        # The number of common neighbors goes to counts[i], if that is given. Pairs are in groups if `longer` is. Those
        # with a negative u are skipped.
        grouped = longer.size > 0
        for worker in range(begin, end):
            place = places[worker]
            while True:
                number = atomic_add(tickets, 0, 1)
                if number >= starts.size - 1:
                    break
                group = order[starts[number] : starts[number + 1]]
                many = longer[group[0]] if grouped else us[group[0]]
                placed = grouped and many >= 0 and is_worth_it(view, many, us, vs, group)
                if placed:
                    set_places(view, many, place, placed)
                for i in group:
                    u, v = us[i], vs[i]
                    if u < 0:
                        continue
                    swapped = longer[i] == u if grouped else degree(view, u) > degree(view, v)
                    few, many = (v, u) if swapped else (u, v)
                    found = 0
                    merging = not placed and ordered and degree(view, many) <= MERGE * degree(view, few)
                    piece, at, start, end_of_run = 0, np.int64(-1), np.int64(0), np.int64(0)
                    other, seen = np.int64(-1), np.int64(-1)
                    for s in range(segments(view, few)):
                        run, low, high = segment(view, few, s)
                        while run >= 0:
                            for slot in range(low, high):
                                w = view.neighbors[slot]
                                if w < 0 or w == many:
                                    continue
                                if placed:
                                    other = place[w]
                                elif merging:
                                    piece, at, start, end_of_run, other, seen = first_from(
                                        view, many, w, piece, at, start, end_of_run, other, seen
                                    )
                                    if seen != w:
                                        continue
                                else:
                                    other = find(view, many, w)
                                if other >= 0:
                                    if counts is not None:
                                        found += 1
                                    if op is not None:
                                        here, there = edge_at(weights, slot), edge_at(weights, other)
                                        if swapped:
                                            here, there = there, here
                                        if per_pair is not None:
                                            found += called(i, u, v, w, here, there, args)
                                        else:
                                            called(i, u, v, w, here, there, args)
                            run, low, high = next_run(view, run)
                    if counts is not None:
                        counts[i] = found
                    if per_pair is not None and found != 0:
                        per_pair(u, v, np.int64(found), *args)
                if placed:
                    set_places(view, many, place, not placed)

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
