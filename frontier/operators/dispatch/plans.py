"""Pushes from few vertices, with everything at hand that is the same as in a call before.

Such a push costs a device a few microseconds, and a loop of the user makes thousands of them. To find kernels by their
functors' meaning, and to check and convert each argument, costs the host longer than that. To verify that nothing has
changed since an earlier call does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.functor.checking import is_plain
from frontier.runtime import Workspace
from frontier.runtime.compile.caches import clearable
from frontier.runtime.compile.cuda import CudaKernel
from frontier.runtime.compile.function_identity import MutableGlobalError, known
from frontier.runtime.launch.arguments import NUMBER_WORDS
from frontier.runtime.memory.scratch import OutputArena

from ..frontiers.frontier import Frontier
from .gpu_balance import items_per_block
from .kernels import reads_of, run_cpu, view_and_weights

MAX_VERTICES = 4096
MAX_ARCS = 8192
"""Frontiers within both bounds are few vertices. No neighbor list is long enough to be shared by several blocks or
threads: one block finishes the longest before a second launch would start."""

IF_ANY = FunctionType, type(None)
ITEMS = items_per_block(MAX_VERTICES)  # as for any smaller number
ROOM = 2 * MAX_ARCS  # vertices: capacity for many small outputs

_plans: dict[tuple, AdvancePlan] = clearable({})  # by what functors mean


class ArgumentKind(NamedTuple):
    """The constant part of an argument, and its conversion in each call.

    A number has no `dtype` here, an array the `strides` of a contiguous one of one dimension. `convert` is None if
    kernels accept the argument unconverted.
    """

    position: int
    type: Any
    dtype: np.dtype | None
    strides: tuple[int, ...]
    convert: Callable[[Any], Any] | None


class AdvancePlan:
    """A push from few vertices of any graph of a type on a device, for arguments of these `kinds`.

    With `unique`, a vertex is in the output once. `may_pull` specifies that a pull would return the same.
    """

    __slots__ = ("__weakref__", "_kinds", "_unique", "may_pull")

    def __init__(self, kinds: tuple[ArgumentKind, ...], unique: bool, may_pull: bool):
        self._kinds = kinds
        self._unique = unique
        self.may_pull = may_pull

    def convert(self, args: tuple) -> list[Any] | None:
        """Arguments as `push` expects them. None if they are of other kinds, or invalid."""
        if len(args) != len(self._kinds):
            return None
        values = []
        for position, kind, dtype, strides, convert in self._kinds:
            value = args[position]
            if type(value) is not kind:
                return None
            # Arrays with at most one entry may be contiguous with different strides. Longer arrays are not.
            if dtype is not None and not (value.dtype == dtype and value.strides == strides):
                return None
            values.append(value if convert is None else convert(value))
        return values

    def push(
        self, graph: BaseGraph, work: Workspace, functors: tuple, frontier: Frontier, count: int, arcs: int,
        values: list[Any],
    ) -> Frontier:  # fmt: skip
        """The next frontier, from `count` vertices with `arcs` arcs, for this call's functors and the `values` of
        `convert`."""
        raise NotImplementedError


class PushOnGpu(AdvancePlan):
    """A push in one launch of the kernel ``push`` of advance."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: CudaKernel, *args: Any):
        super().__init__(*args)
        self._kernel = kernel

    def push(
        self, graph: BaseGraph, work: Workspace, functors: tuple, frontier: Frontier, count: int, arcs: int,
        values: list[Any],
    ) -> Frontier:  # fmt: skip
        stamps = work.next_stamp(graph) if self._unique else 0
        counters, room = work.counters, work.room
        if room is None:
            room = work.room = OutputArena(graph.device, graph.vertex_dtype, ROOM)
        out = room.reserve(arcs)
        counters.reset()
        counters.arm()
        # The parameters of `push` (advance.cuh). The three zeros specify no capacity for pieces.
        words = [
            count, ITEMS, 0, frontier._walk_address(), stamps, work.epoch, out, counters.address, counters.published,
            0, 0, 0, *values,
        ]  # fmt: skip
        self._kernel.launch(words, [(2, graph.view())], -(-count // ITEMS), stream=work.stream)
        found = Frontier._put_out(graph, room.reserved(), self._unique)  # made while the GPU works
        size, leaving, _, _ = counters.poll()
        room.keep(size)
        found._cut(size, leaving)
        return found


class PushOnCpu(AdvancePlan):
    """A push in one call of a kernel of `make_push`. `reads` is whether it reads edges' ids or slots, and weights."""

    __slots__ = ("_kernel", "_reads")

    def __init__(self, kernel: Any, reads: tuple[bool, bool], *args: Any):
        super().__init__(*args)
        self._kernel = kernel
        self._reads = reads

    def push(
        self, graph: BaseGraph, work: Workspace, functors: tuple, frontier: Frontier, count: int, arcs: int,
        values: list[Any],
    ) -> Frontier:  # fmt: skip
        stamps, epoch = work.next_stamps(graph) if self._unique else (None, np.int32(0))
        out = np.empty(min(arcs, graph.num_vertices), graph.vertex_dtype)
        counters = work.counters
        counters.reset()
        run_cpu(
            self._kernel, functors, count, *view_and_weights(graph, *self._reads), frontier._walk(), None,
            stamps, epoch, out, counters.array, tuple(values),
        )  # fmt: skip
        found = Frontier._of(graph, out) if self._unique else Frontier._listed(graph, out)
        size, leaving, _, _ = counters.read()
        found._cut(size, leaving)
        return found


def find_plan(graph: BaseGraph, functors: tuple, unique: bool) -> AdvancePlan | None:
    """The plan of a push with functors of the same meaning, in a graph of the same type."""
    op, condition, prepare = functors
    if not is_plain() or type(op) is not FunctionType or type(condition) not in IF_ANY or type(prepare) not in IF_ANY:
        return None
    try:
        return _plans.get(_key(graph, functors, unique))
    except MutableGlobalError:  # since it was prepared, a functor has come to name an array
        return None


def prepare_push_on_gpu(
    graph: BaseGraph, functors: tuple, args: tuple, kernels: Any, *, unique: bool, may_pull: bool
) -> None:
    """Make advance's kernels the plan of further pushes with these functors, and arguments like these."""
    kernel, kinds = kernels.push, _kinds_of(args, NUMBER_WORDS, attrgetter("data.ptr"))
    # Checked functors have different kernels. Without any edges, the lanes that share a list are not decided yet.
    if isinstance(kernel, CudaKernel) and kinds is not None and graph.store.short_lists is not None:
        _plans[_key(graph, functors, unique)] = PushOnGpu(kernel, kinds, unique, may_pull)


def prepare_push_on_cpu(
    graph: BaseGraph, functors: tuple, args: tuple, kernel: Any, *, unique: bool, may_pull: bool
) -> None:
    """The same, with a kernel as `make_push` of advance makes it."""
    kinds = _kinds_of(args, NUMBERS, None)
    if kinds is not None:
        _plans[_key(graph, functors, unique)] = PushOnCpu(kernel, reads_of(functors[0]), kinds, unique, may_pull)


def _key(graph: BaseGraph, functors: tuple, unique: bool) -> tuple:
    """The key of the kernels of a push, except the types of arguments. It has the type of the graph's view, the lanes
    to a neighbor list, whether the output is a set, and the meaning of the functors."""
    store, (op, condition, prepare) = graph.store, functors
    weight = store.weight_dtype and store.weight_dtype.char  # which is hashed faster
    return (
        store.kernels, store.payload.table is None, weight, store.short_lists, unique, known(op).identity,
        condition and known(condition).identity, prepare and known(prepare).identity,
    )  # fmt: skip


def _kinds_of(
    args: tuple, numbers: Mapping[type, Callable[[Any], Any] | None], of_array: Callable[[Any], Any] | None
) -> tuple[ArgumentKind, ...] | None:
    """The kinds of arguments, if all are numbers and arrays of one dimension, and the functions that convert them."""
    kinds = []
    for position, value in enumerate(args):
        kind = type(value)
        if kind in numbers:
            kinds.append(ArgumentKind(position, kind, None, (), numbers[kind]))
        elif getattr(value, "ndim", 0) == 1:
            kinds.append(ArgumentKind(position, kind, value.dtype, (value.dtype.itemsize,), of_array))
        else:
            return None
    return tuple(kinds)


NUMBERS: dict[type, Callable[[Any], Any] | None] = {
    **dict.fromkeys(NUMBER_WORDS), bool: np.bool_, int: np.int64, float: np.float64,
}  # fmt: skip
"""The conversion of a number to the value that functors receive on a CPU, by its type."""
