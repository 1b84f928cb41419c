"""CPU kernels of intersect and common_neighbors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.core.sort import END
from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.weights import edge_at

MERGE = 64  # sorted lists are merged unless their lengths differ by at least this factor


def call_of(op: Any, numbered: bool) -> Any:
    """`op` as a function that always receives the number of the pair, and users' arguments as one tuple."""
    if numbered:
        return jit(lambda i, u, v, w, edge_uw, edge_vw, args: op(i, u, v, w, edge_uw, edge_vw, *args))
    return jit(lambda i, u, v, w, edge_uw, edge_vw, args: op(u, v, w, edge_uw, edge_vw, *args))


def make_intersect(iterator: ModuleType, op: Any, per_pair: Any, scans: bool, numbered: bool = False) -> Any:
    """Common neighbors of pairs: counted, or each handed to a functor, perhaps with the number of the pair. The
    functor's results are summed up and passed to `per_pair`, if given.

    The members of the shorter list of each pair are looked up in the longer one. Pairs may come in groups with the same
    longer list. If it is worth it, the slots of its members are written to an array by vertex first, so each is found
    in one access.

    Parameters
    ----------
    scans : bool
        Whether `find` looks through a list.
    """
    each_neighbor, _, start, step, _ = neighbor_loop(iterator)
    degree, find, ordered = iterator.degree, iterator.find, iterator.SORTED
    called = call_of(op, numbered)

    @jit(forceinline=True)
    def first_from(view, u, w, seen, slot, state):
        """Walk u's sorted list on, from the neighbor `seen`, to the first one that is not below w (END if none is)."""
        while seen < w:
            more, v, slot, state = step(view, u, state)
            seen = np.int64(v) if more else END
        return seen, slot, state

    if not ordered:  # then nothing is merged, and there is less to compile

        @jit(forceinline=True)
        def first_from(view, u, w, seen, slot, state):
            return seen, slot, state

    @jit
    def set_places(view, u, place, present):
        """Write the slots of u's neighbors to `place`, or -1."""
        for v, slot in each_neighbor(view, u):
            place[v] = slot if present else -1

    @jit
    def is_worth_it(view, many, us, vs, group):
        """Whether enough members are looked up to write the positions of all. Writing and clearing one costs half the
        time of a look-up in a hash table, or twice the time of a step of merging."""
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
        # The number of common neighbors goes to counts[i], if that is given. Pairs are in groups if `longer` is. Pairs
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
                    other, seen, state = np.int64(-1), np.int64(-1), start(view, many)
                    for w, slot in each_neighbor(view, few):
                        if w == many:
                            continue
                        if placed:
                            other = place[w]
                        elif merging:
                            seen, other, state = first_from(view, many, w, seen, other, state)
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
                    if counts is not None:
                        counts[i] = found
                    if per_pair is not None and found != 0:
                        per_pair(u, v, np.int64(found), *args)
                if placed:
                    set_places(view, many, place, not placed)

    return intersect


def make_common_neighbors(iterator: ModuleType) -> Any:
    """Common neighbors of pairs, written from offsets[i] on."""
    each_neighbor, degree, find = neighbor_loop(iterator).each, iterator.degree, iterator.find

    @parallel_kernel(few=64, grain=16)
    def common_neighbors(begin, end, view, us, vs, offsets, members):
        for i in range(begin, end):
            u = us[i]
            v = vs[i]
            few, many = (v, u) if degree(view, u) > degree(view, v) else (u, v)
            held = offsets[i]
            if held == offsets[i + 1]:
                continue
            for w, _slot in each_neighbor(view, few):
                if w != many and find(view, many, w) >= 0:
                    members[held] = w
                    held += 1

    return common_neighbors
