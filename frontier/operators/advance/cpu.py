"""CPU kernels of advance."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import jit, nonnegative, parallel_kernel

from ..dispatch.cpu_balance import begin_share, make_deferral, make_next_share
from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.output import BUFFER, output_functions
from ..dispatch.signatures import vertex_functor
from ..dispatch.weights import edge_at, weight_at


def make_push(iterator: ModuleType, op: Any, condition: Any, prepare: Any, output: str) -> Any:
    """advance from each vertex of a list to its neighbors. `output` is one of the kinds of `output_functions`."""
    each_neighbor, each_of_share, _, _, prefetch = neighbor_loop(iterator)
    deferred, next_share = make_deferral(iterator), make_next_share(iterator)
    allowed = vertex_functor(condition)
    ready = vertex_functor(prepare)
    new_buffer, joins, put, flush = output_functions(output, iterator.degree)

    @jit(forceinline=True)
    def visit(view, weights, u, v, slot, stamps, epoch, buffer, held, out, counters, args):
        """Visit an arc, and return the number of vertices in the buffer afterwards."""
        if not allowed(v, args):
            return held
        weight = weight_at(weights, slot)
        if op(u, v, edge_at(weights, slot), weight, *args) and joins(stamps, v, epoch):
            put(buffer, held, u, v, slot)
            held += 1
            if held == BUFFER:
                flush(buffer, held, view, out, counters)
                held = 0
        return held

    @parallel_kernel
    def push(begin, end, view, weights, vertices, shares, stamps, epoch, out, counters, args):
        buffer = new_buffer(out)
        held = 0
        if shares is None or shares.ends.size == 0:
            for i in range(begin, end):
                u = nonnegative(vertices[np.uint64(i)])
                prefetch(view, vertices, i)
                ready(u, args)
                if shares is not None and deferred(view, shares, i, u):
                    continue
                for v, slot in each_neighbor(view, u):
                    held = visit(view, weights, u, v, slot, stamps, epoch, buffer, held, out, counters, args)
        else:  # all are prepared before any is walked
            i, at, skipped, stop = begin_share(shares, begin, end)
            while at < stop:
                u = nonnegative(vertices[i])
                share, at, _ = next_share(view, u, at, skipped, stop)
                i += 1
                skipped = 0
                for v, slot in each_of_share(view, u, share):
                    held = visit(view, weights, u, v, slot, stamps, epoch, buffer, held, out, counters, args)
        if held:
            flush(buffer, held, view, out, counters)

    return push


@jit(forceinline=True)
def has_bit(bits, v):
    """Whether vertex v is in a bitmap."""
    return (bits[v >> 5] >> np.uint32(v & 31)) & np.uint32(1) != 0


def make_join(iterator: ModuleType, op: Any, condition: Any) -> Any:
    """Whether a vertex that meets the condition joins the output, by its neighbors in a bitmap. Stops once it fails."""
    each_neighbor, allowed = neighbor_loop(iterator).each, vertex_functor(condition)

    @jit(forceinline=True)
    def joins(view, weights, v, bits, args):
        if not allowed(v, args):
            return False
        found = False
        for u, slot in each_neighbor(view, v):
            if has_bit(bits, u):
                weight = weight_at(weights, slot)
                if op(u, v, edge_at(weights, slot), weight, *args):
                    found = True
                if not allowed(v, args):
                    break
        return found

    return joins


def make_pull(iterator: ModuleType, op: Any, condition: Any) -> Any:
    """advance to each vertex (`make_join`)."""
    joins, degree = make_join(iterator, op, condition), iterator.degree

    @parallel_kernel(few=64, grain=4)
    def pull(begin, end, num_vertices, view, weights, leaving, bits, out_bits, counters, args):
        # `view` has the edges that enter each vertex, `leaving` the edges that leave it, which are counted.
        for word in range(begin, end):
            joined = np.uint32(0)
            count = 0
            arcs = 0
            for place in range(word * 32, min(word * 32 + 32, num_vertices)):
                v = nonnegative(place)
                if joins(view, weights, v, bits, args):
                    joined |= np.uint32(1) << np.uint32(v & 31)
                    count += 1
                    arcs += degree(leaving, v)
            out_bits[word] = joined
            if count:
                atomic_add(counters, 0, count)
                atomic_add(counters, 1, arcs)

    return pull
