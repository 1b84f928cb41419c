"""CPU kernels of the operators, made for a structure's iterator and a user's functors.

Each ``make_*`` returns a Numba kernel that walks a graph through the functions of the structure's ``cpu.py`` (see
`frontier.view`), captured here so that they are compiled into the loop. The loops over segments, runs and slots are
written out in each: a generator that yields the slots would do it once, but takes seven to ten times as long.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numba
import numpy as np

from ..atomics import atomic_add, atomic_exch
from ..runtime import cpu_kernel, parallel_kernel
from ..runtime.cpu import jit
from .weights import weight_at, weight_or_one

BUFFER = 256  # vertices that a thread gathers before it takes room in the shared output


@numba.njit(inline="always")
def has_bit(bits, v):
    """Whether vertex v is in a bitmap."""
    return (bits[v >> 5] >> np.uint32(v & 31)) & np.uint32(1) != 0


@functools.cache
def _make_flush(degree: Any) -> Any:
    """A function that appends a thread's buffer to the output, counting vertices and the arcs that leave them.

    `degree` is captured: passed as an argument, it would be an address that Numba cannot keep in its disk cache.
    There is one for each, so that it is compiled once for all functors.
    """

    @numba.njit
    def flush(buffer, held, view, out, counters):
        start = atomic_add(counters, 0, held)
        arcs = 0
        for i in range(held):
            out[start + i] = buffer[i]
            arcs += degree(view, buffer[i])
        atomic_add(counters, 1, arcs)

    return flush


@numba.njit
def _any_vertex(v, args):
    return True


@numba.njit
def _any_arc(src, dst, edge, weight, args):
    return True


def _vertex_test(condition: Any) -> Any:
    """A functor over vertices that takes its arguments as one tuple; true for all where there is none."""
    if condition is None:
        return _any_vertex
    return jit(lambda v, args: condition(v, *args))


@numba.njit
def _no_preparation(v, args):
    pass


def _preparation(prepare: Any) -> Any:
    """A functor for vertices whose edges come next, which takes its arguments as one tuple."""
    if prepare is None:
        return _no_preparation
    return jit(lambda v, args: prepare(v, *args))


def _arc_test(op: Any) -> Any:
    """The same, over arcs."""
    if op is None:
        return _any_arc
    return jit(lambda src, dst, edge, weight, args: op(src, dst, edge, weight, *args))


def make_push(iterator: ModuleType, op: Any, condition: Any, prepare: Any) -> Any:
    """advance from each vertex of a list to its neighbors."""
    segments, segment, next_run, degree = _functions(iterator)
    allowed = _vertex_test(condition)
    ready = _preparation(prepare)
    flush = _make_flush(degree)

    @parallel_kernel
    def push(begin, end, view, weights, vertices, stamps, epoch, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            u = vertices[i]
            ready(u, args)
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        if not allowed(v, args):
                            continue
                        weight = weight_at(weights, slot)
                        if op(u, v, slot, weight, *args) and atomic_exch(stamps, v, epoch) != epoch:
                            buffer[held] = v
                            held += 1
                            if held == BUFFER:
                                flush(buffer, held, view, out, counters)
                                held = 0
                    run, low, high = next_run(view, run)
        if held:
            flush(buffer, held, view, out, counters)

    return push


def make_visit(iterator: ModuleType, op: Any) -> Any:
    """visit_edges: a functor called for each listed arc."""
    degree = iterator.degree
    find = iterator.find
    flush = _make_flush(degree)

    @parallel_kernel
    def visit(begin, end, num_vertices, view, weights, src, dst, stamps, epoch, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            u = src[i]
            v = dst[i]
            if u < 0:
                continue
            if u >= num_vertices or v < 0 or v >= num_vertices:
                atomic_add(counters, 2, 1)
                continue
            slot = np.int64(find(view, u, v))
            weight = weight_or_one(weights, slot)
            if op(u, v, slot, weight, *args) and atomic_exch(stamps, v, epoch) != epoch:
                buffer[held] = v
                held += 1
                if held == BUFFER:
                    flush(buffer, held, view, out, counters)
                    held = 0
        if held:
            flush(buffer, held, view, out, counters)

    return visit


def make_match(iterator: ModuleType) -> Any:
    """match_keys: the slots of sorted keys, from one walk of each source's neighbors."""
    segments, segment, next_run, _ = _functions(iterator)

    @parallel_kernel
    def match(begin, end, view, keys, shift, slots):
        i = begin
        while 0 < i < end and keys[i - 1] >> shift == keys[i] >> shift:  # the piece before has this source
            i += 1
        while i < end:
            u = keys[i] >> shift
            behind = i
            while behind < keys.size and keys[behind] >> shift == u:
                slots[behind] = -1
                behind += 1
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        wanted = u << shift | np.int64(v)
                        first = i
                        last = behind
                        while first + 1 < last:
                            middle = (first + last) >> 1
                            if keys[middle] <= wanted:
                                first = middle
                            else:
                                last = middle
                        if keys[first] == wanted:
                            slots[first] = slot
                    run, low, high = next_run(view, run)
            i = behind

    return match


def make_pull(iterator: ModuleType, op: Any, condition: Any) -> Any:
    """advance to each vertex that still wants it, from its neighbors in a bitmap; stops when it wants no more."""
    segments, segment, next_run, degree = _functions(iterator)
    allowed = _vertex_test(condition)

    @parallel_kernel(few=64, grain=4)
    def pull(begin, end, num_vertices, view, weights, bits, out_bits, counters, args):
        for word in range(begin, end):
            joined = np.uint32(0)
            count = 0
            arcs = 0
            for v in range(word * 32, min(word * 32 + 32, num_vertices)):
                if not allowed(v, args):
                    continue
                joins = False
                wanted = True
                for s in range(segments(view, v)):
                    run, low, high = segment(view, v, s)
                    while run >= 0 and wanted:
                        for slot in range(low, high):
                            u = view.neighbors[slot]
                            if u < 0 or not has_bit(bits, u):
                                continue
                            weight = weight_at(weights, slot)
                            if op(u, v, slot, weight, *args):
                                joins = True
                            if not allowed(v, args):
                                wanted = False
                                break
                        run, low, high = next_run(view, run)
                    if not wanted:
                        break
                if joins:
                    joined |= np.uint32(1) << np.uint32(v & 31)
                    count += 1
                    arcs += degree(view, v)
            out_bits[word] = joined
            if count:
                atomic_add(counters, 0, count)
                atomic_add(counters, 1, arcs)

    return pull


@numba.njit(inline="always")
def _with_step(before, step, after):
    return (*before, step, *after)


@numba.njit(inline="always")
def _without_step(before, step, after):
    return before


def make_push_repeatedly(
    iterator: ModuleType, op: Any, condition: Any, prepare: Any, step: int | None
) -> Any:
    """Many small pushes, one after another, on one core; argument number `step` counts them."""
    segments, segment, next_run, degree = _functions(iterator)
    allowed = _vertex_test(condition)
    ready = _preparation(prepare)
    join = _without_step if step is None else _with_step

    @cpu_kernel
    def push_repeatedly(count, view, weights, vertices, lists, stamps, epoch, counters, max_count, max_arcs, max_steps,
                        before, first_step, after):  # fmt: skip
        # Functors' arguments are those before the step, the step, and those after it.
        steps = 0
        arcs = 0
        while True:
            held = 0
            arcs = 0
            args = join(before, np.int32(first_step + steps), after)
            for i in range(count):
                u = vertices[i] if steps == 0 else lists[steps & 1, i]
                ready(u, args)
                for s in range(segments(view, u)):
                    run, low, high = segment(view, u, s)
                    while run >= 0:
                        for slot in range(low, high):
                            v = view.neighbors[slot]
                            if v < 0:
                                continue
                            if not allowed(v, args):
                                continue
                            weight = weight_at(weights, slot)
                            if op(u, v, slot, weight, *args) and stamps[v] != epoch:
                                stamps[v] = epoch
                                lists[(steps + 1) & 1, held] = v
                                held += 1
                                arcs += degree(view, v)
                        run, low, high = next_run(view, run)
            count = held
            steps += 1
            epoch += np.int32(1)
            if count == 0 or count > max_count or arcs > max_arcs or steps >= max_steps:
                break
        counters[0] = count
        counters[1] = arcs
        counters[2] = steps

    return push_repeatedly


def make_filter(op: Any) -> Any:
    """The vertices of a list for which a functor is true."""

    @parallel_kernel(few=1024)
    def keep(begin, end, vertices, out, counters, args):
        buffer = np.empty(BUFFER, out.dtype)
        held = 0
        for i in range(begin, end):
            if op(vertices[i], *args):
                buffer[held] = vertices[i]
                held += 1
            if held == BUFFER or (held and i + 1 == end):
                start = atomic_add(counters, 0, held)
                for k in range(held):
                    out[start + k] = buffer[k]
                held = 0

    return keep


def make_compute(op: Any) -> Any:
    """A functor called for each vertex of a list."""

    @parallel_kernel(few=1024)
    def apply(begin, end, vertices, args):
        for i in range(begin, end):
            op(vertices[i], *args)

    return apply


REDUCTIONS = {"sum": 0, "min": 1, "max": 2}


def make_reduce(op: Any, reduce: str) -> Any:
    """The reduction of a functor's values over a list of vertices."""
    kind = REDUCTIONS[reduce]

    @parallel_kernel(few=None)
    def reduce_vertices(begin, end, size, vertices, partial, args):
        # The items are the entries of `partial`, each of which stands for a part of the vertices.
        parts = partial.size
        for part in range(begin, end):
            total = partial[part]
            for i in range(size * part // parts, size * (part + 1) // parts):
                value = partial.dtype.type(op(vertices[i], *args))
                if kind == 0:
                    total += value
                elif kind == 1:
                    total = min(total, value)
                else:
                    total = max(total, value)
            partial[part] = total

    return reduce_vertices


def make_neighbor_reduce(iterator: ModuleType, op: Any, reduce: str) -> Any:
    """For each vertex of a list, the reduction of a functor's values over its neighbors."""
    segments, segment, next_run, _ = _functions(iterator)
    kind = REDUCTIONS[reduce]

    @parallel_kernel
    def neighbor_reduce(begin, end, view, weights, vertices, identity, out, args):
        for i in range(begin, end):
            u = vertices[i]
            total = identity
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        value = out.dtype.type(op(u, v, slot, weight, *args))
                        if kind == 0:
                            total += value
                        elif kind == 1:
                            total = min(total, value)
                        else:
                            total = max(total, value)
                    run, low, high = next_run(view, run)
            out[u] = total

    return neighbor_reduce


def make_intersect(iterator: ModuleType, op: Any) -> Any:
    """Common neighbors of pairs: counted, or each handed to a functor."""
    segments, segment, next_run, degree = _functions(iterator)
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


def make_intersect_arcs(iterator: ModuleType) -> Any:
    """For all arcs x -> y of one graph, the common neighbors of x and y in another: their number, and tallies.

    Both views are of snapshots: each vertex has its neighbors in one run without gaps.
    """
    segment = iterator.segment

    @parallel_kernel(few=None)
    def intersect_arcs(begin, end, num_vertices, view, pairs, tally, tickets, counters):
        grain = 64
        for _worker in range(begin, end):
            mark = np.full(num_vertices, -1, view.neighbors.dtype)
            # Each worker keeps a tally of its own: an atomic for every common neighbor would take most of the time.
            own = np.zeros(0 if tally is None else num_vertices, np.int64)
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
                        mark[view.neighbors[slot]] = x
                    of_x = 0
                    for pair in range(low_pair, high_pair):
                        y = pairs.neighbors[pair]
                        _run, low_y, high_y = segment(view, y, 0)
                        of_y = 0
                        for slot in range(low_y, high_y):
                            w = view.neighbors[slot]
                            common = np.int64(mark[w] == x)
                            of_y += common
                            if tally is not None:
                                own[w] += common  # always, since a branch would often be mispredicted
                        if tally is not None:
                            own[y] += of_y
                        of_x += of_y
                    if tally is not None:
                        own[x] += of_x
                    total += of_x
            if tally is not None:
                for v in range(num_vertices):
                    if own[v]:
                        atomic_add(tally, v, own[v])
            atomic_add(counters, 0, total)

    return intersect_arcs


def make_extract(iterator: ModuleType, op: Any) -> Any:
    """Arcs that leave the vertices of a list, those for which a functor is true: counted, or written out."""
    segments, segment, next_run, _ = _functions(iterator)
    chosen = _arc_test(op)

    @parallel_kernel
    def extract(begin, end, counting, view, weights, vertices, offsets, out_dst, out_slots, relabel, args):
        # Counting: offsets[i + 1] becomes the number of arcs of vertices[i]. Else arcs go to offsets[i] and on; slots
        # and new names only if there are any.
        with_slots = out_slots.size > 0
        renamed = relabel.size > 0
        for i in range(begin, end):
            u = vertices[i]
            held = 0
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        weight = weight_at(weights, slot)
                        if chosen(u, v, slot, weight, args):
                            if not counting:
                                out_dst[offsets[i] + held] = relabel[v] if renamed else v
                                if with_slots:
                                    out_slots[offsets[i] + held] = slot
                            held += 1
                    run, low, high = next_run(view, run)
            if counting:
                offsets[i + 1] = held

    return extract


def _functions(iterator: ModuleType) -> tuple[Any, Any, Any, Any]:
    return iterator.segments, iterator.segment, iterator.next_run, iterator.degree
