"""Loops over neighbors in CPU kernels: ``for v, slot in each_neighbor(view, u):``.

A view stores neighbors in runs of slots, the runs in segments (`frontier.core.view`), and leaves some slots empty.
`neighbor_loop` makes of a structure's iterator a function to loop over: it goes from run to run and skips empty slots.

Numba neither inlines a generator nor stores its state in registers, which makes a loop slower. `walk` is a custom
iterator: the state is in variables of the kernel, and LLVM inlines `step` into the loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import RefType, iternext_impl
from numba.extending import lower_builtin, register_model, type_callable

from frontier.runtime import jit, nonnegative, prefetch
from frontier.runtime.elements import AHEAD

from .weights import prefetch_weight

BEFORE = (0, 0, -1)
"""The next slot, the end of its run, and the run, before the first of them."""
ALL = 2**62
"""Slots of a share that is not cut off."""


class NeighborLoop(NamedTuple):
    """How CPU kernels walk neighbor lists. Loops over `each` and `each_of_share` get neighbors and their slots.

    Attributes
    ----------
    each : function
        ``each(view, u)``: the neighbors of u.
    each_of_share : function
        ``each_of_share(view, u, share)``: the neighbors in a share ``(segment, end_segment, slot, end_slot)`` of the
        list. Slots are numbered along these segments. An `end_slot` of `ALL` includes all.
    start : function
        ``start(view, u)``: the state before the first neighbor, for a walk that is interrupted.
    step : function
        ``step(view, u, state)``: whether there is another neighbor, the neighbor, its slot, and the next state.
    prefetch : function
        ``prefetch(view, vertices, i)``: prefetches the first neighbors of a vertex that comes soon after the i-th.
    """

    each: Callable
    each_of_share: Callable
    start: Callable
    step: Callable
    prefetch: Callable


class Prefetches(NamedTuple):
    """Functions that prefetch data of a vertex u. Each reads data that the ones before it have prefetched.

    ``row(view, u)``: where the list of u is. ``neighbors(view, u)``: its first neighbors. ``arcs(view, weights, u)``:
    their weights, too. ``ends(view, u, array)``: the elements of an array for the first two of them.
    """

    row: Callable
    neighbors: Callable
    arcs: Callable
    ends: Callable


@functools.cache
def prefetches(iterator: ModuleType) -> Prefetches:
    """The `Prefetches` of a structure, from its functions over views."""
    segments, segment = iterator.segments, iterator.segment

    @jit(forceinline=True)
    def prefetch_first(view, u):
        if segments(view, u) > 0:
            prefetch(view.neighbors, segment(view, u, 0)[1])

    neighbors = getattr(iterator, "prefetch_list", prefetch_first)

    @jit(forceinline=True)
    def arcs(view, weights, u):
        neighbors(view, u)
        if segments(view, u) > 0:
            prefetch_weight(weights, segment(view, u, 0)[1])

    @jit(forceinline=True)
    def ends(view, u, array):
        if segments(view, u) > 0:
            _, slot, end = segment(view, u, 0)
            if slot < end:
                prefetch(array, view.neighbors[nonnegative(slot)])
                prefetch(array, view.neighbors[nonnegative(min(slot + 1, end - 1))])

    return Prefetches(getattr(iterator, "prefetch_row", _no_prefetch), neighbors, arcs, ends)


@functools.cache
def neighbor_loop(iterator: ModuleType) -> NeighborLoop:
    """The loops over the neighbors of a structure, from its functions over views (see `frontier.core.view`)."""
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
    soon = prefetches(iterator)
    prefetch_row, prefetch_list = soon.row, soon.neighbors

    @jit(forceinline=True)
    def step(view, u, state):
        slot, end, run, piece, pieces, skipped, left = state
        while True:
            while slot >= end:
                if run >= 0:
                    run, slot, end = next_run(view, run)
                while run < 0 and piece != pieces:
                    run, slot, end = segment(view, u, piece)
                    piece += 1
                if run < 0 or left <= 0:
                    return False, view.neighbors.dtype.type(-1), slot, (slot, end, run, piece, pieces, skipped, left)
                if left < ALL:
                    size = end - slot
                    slot, end = slot + max(skipped, 0), min(end, slot + left)
                    skipped, left = skipped - size, left - size
            v = view.neighbors[np.uint64(slot)]  # an unsigned index is not compared with 0
            slot += 1
            if v >= 0:
                return True, v, slot - 1, (slot, end, run, piece, pieces, skipped, left)

    @jit(forceinline=True)
    def start(view, u):
        pieces = np.int64(segments(view, u))
        if pieces == 0:
            return np.int64(0), np.int64(0), np.int64(-1), np.int64(0), pieces, np.int64(0), ALL
        run, slot, end = segment(view, u, 0)
        return np.int64(slot), np.int64(end), np.int64(run), np.int64(1), pieces, np.int64(0), ALL

    @jit(forceinline=True)
    def each(view, u):
        return walk(step, view, nonnegative(u), start(view, nonnegative(u)))

    @jit(forceinline=True)
    def each_of_share(view, u, share):
        return walk(step, view, nonnegative(u), (*BEFORE, *share))

    @jit(forceinline=True)
    def prefetch_soon(view, vertices, i):
        if i + 2 * AHEAD < vertices.size:
            prefetch_row(view, nonnegative(vertices[nonnegative(i + 2 * AHEAD)]))
        if i + AHEAD < vertices.size:
            prefetch_list(view, nonnegative(vertices[nonnegative(i + AHEAD)]))

    return NeighborLoop(each, each_of_share, start, step, prefetch_soon)


@jit(forceinline=True)
def _no_prefetch(view, v):
    pass


def walk(step: Callable, view: Any, u: int, state: tuple) -> Iterator[tuple[int, int]]:
    """The neighbors of u from a state on, with their slots. Python runs this function. Compiled code has `Walk`."""
    more, v, slot, state = step(view, u, state)
    while more:
        yield v, slot
        more, v, slot, state = step(view, u, state)


# ---- in compiled code ------------------------------------------------------------------------------------------------


class Walk(types.SimpleIteratorType):
    """The type of a walk, from the types of two arguments of `walk`, and of neighbors."""

    vertex = types.int64
    state = types.UniTuple(types.int64, 7)

    def __init__(self, step: Any, view: Any, neighbor: Any):
        self.step, self.view = step, view
        super().__init__(f"Walk({step}, {view})", types.Tuple((neighbor, types.int64)))


@register_model(Walk)
class _WalkModel(models.StructModel):
    """The arguments of `walk`, and the state of a loop. References to the view's arrays are not counted: the kernel's
    reference outlives the loop."""

    def __init__(self, manager: Any, walk: Walk):
        members = [("view", walk.view), ("vertex", walk.vertex), ("state", walk.state)]
        super().__init__(manager, walk, [*members, ("place", types.CPointer(walk.state))])

    def traverse(self, builder: Any) -> list:
        return []


@type_callable(walk)
def _type_walk(context: Any) -> Any:
    def typer(step: Any, view: Any, u: Any, state: Any) -> Walk:
        given = step.get_call_type(context, (view, Walk.vertex, Walk.state), {})
        return Walk(step, view, given.return_type[1])

    return typer


@lower_builtin(walk, types.Dispatcher, types.Any, types.Any, types.BaseTuple)
def _lower_walk(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    _, made.view, u, state = arguments
    made.vertex = context.cast(builder, u, signature.args[2], Walk.vertex)
    made.state = context.cast(builder, state, signature.args[3], Walk.state)
    return made._getvalue()


@lower_builtin("getiter", Walk)
def _start_loop(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    made = cgutils.create_struct_proxy(signature.return_type)(context, builder, arguments[0])
    made.place = cgutils.alloca_once_value(builder, made.state)
    return made._getvalue()


@lower_builtin("iternext", Walk)
@iternext_impl(RefType.UNTRACKED)
def _next_round(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    (kind,) = signature.args
    made = cgutils.create_struct_proxy(kind)(context, builder, arguments[0])
    given = kind.step.get_call_type(context.typing_context, (kind.view, kind.vertex, kind.state), {})
    step = context.get_function(kind.step, given)
    found = step(builder, (made.view, made.vertex, builder.load(made.place)))
    more, neighbor, slot, state = cgutils.unpack_tuple(builder, found)
    builder.store(context.cast(builder, state, given.return_type[3], kind.state), made.place)
    result.set_valid(builder.icmp_unsigned("!=", more, more.type(0)))
    result.yield_(context.make_tuple(builder, kind.yield_type, (neighbor, slot)))
