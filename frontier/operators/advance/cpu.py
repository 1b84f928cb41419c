"""CPU kernels of advance."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, parallel_kernel

from ..dispatch.cpu_balance import begin_share, make_part_share
from ..dispatch.output import BUFFER, output_functions
from ..dispatch.signatures import preparation, vertex_test
from ..dispatch.weights import edge_at, weight_at


def make_push(iterator: ModuleType, op: Any, condition: Any, prepare: Any, output: str) -> Any:
    """advance from each vertex of a list to its neighbors; `output` is one of the kinds of `output_functions`."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    part_share = make_part_share(degree, segments, segment, next_run)
    allowed = vertex_test(condition)
    ready = preparation(prepare)
    new_buffer, joins, put, flush = output_functions(output, degree)

    @parallel_kernel
    def push(begin, end, view, weights, vertices, shares, stamps, epoch, out, counters, args):
        buffer = new_buffer(out)
        held = 0
        i, at, skipped, stop = begin_share(shares, begin, end)
        by_arcs, most = shares.ends.size > 0, shares.most
        while at < stop:
            u = vertices[i]
            if not by_arcs:  # otherwise all are prepared before any is walked
                ready(u, args)
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
                        if not allowed(v, args):
                            continue
                        weight = weight_at(weights, slot)
                        if op(u, v, edge_at(weights, slot), weight, *args) and joins(stamps, v, epoch):
                            put(buffer, held, u, v, slot)
                            held += 1
                            if held == BUFFER:
                                flush(buffer, held, view, out, counters)
                                held = 0
                    run, low, high = next_run(view, run)
        if held:
            flush(buffer, held, view, out, counters)

    return push


@jit(forceinline=True)
def has_bit(bits, v):
    """Whether vertex v is in a bitmap."""
    return (bits[v >> 5] >> np.uint32(v & 31)) & np.uint32(1) != 0


def make_pull(iterator: ModuleType, op: Any, condition: Any) -> Any:
    """advance to each vertex that still wants it, from its neighbors in a bitmap; stops when it wants no more."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    degree = iterator.degree
    allowed = vertex_test(condition)

    @parallel_kernel(few=64, grain=4)
    def pull(begin, end, num_vertices, view, weights, leaving, bits, out_bits, counters, args):
        # `view` holds the edges that enter each vertex, `leaving` those that leave it, which are counted.
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
                            if op(u, v, edge_at(weights, slot), weight, *args):
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
                    arcs += degree(leaving, v)
            out_bits[word] = joined
            if count:
                atomic_add(counters, 0, count)
                atomic_add(counters, 1, arcs)

    return pull
