"""Pushes from few vertices, with everything at hand that is the same as in a call before.

Such a push takes a device a few microseconds, and a loop of one's own makes thousands of them. To find kernels by what
functors mean, to look at each argument and to convert it takes the host longer than that; to see that nothing has
changed since an earlier call does not.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..frontier import Frontier
from ..functor.checking import is_checking
from ..runtime.cpu import interpreting
from ..runtime.cuda import CudaKernel
from ..runtime.identity import MutableGlobalError, identity
from ..runtime.parameters import NUMBER_WORDS
from .engine import reads_of, run_cpu, state_of, view_and_weights
from .launch import items_per_block
from .shares import BY_VERTICES

if TYPE_CHECKING:
    from ..graph import Graph

MOST_VERTICES = 4096
MOST_ARCS = 8192
"""Frontiers within both bounds are few vertices. No neighbor list is so long that it is shared out to several blocks,
or threads: one block is done with the longest sooner than a second launch would begin."""

IF_ANY = FunctionType, type(None)
ITEMS = items_per_block(MOST_VERTICES)  # as for any smaller number

_pushes: dict[tuple, PreparedPush] = {}


class ArgumentKind(NamedTuple):
    """What is the same of an argument in all calls, and what is done with it in each.

    Attributes
    ----------
    type : type
    dtype : dtype or None
        Of an array, of one dimension; None for a number.
    convert : function
        What makes what kernels are given.
    """

    type: Any
    dtype: np.dtype | None
    convert: Callable[[Any], Any]


class PreparedPush:
    """A push from few vertices of any graph of some type on some device.

    Parameters
    ----------
    kinds : tuple of ArgumentKind
        Of the arguments that functors are given.
    unique : bool
        Whether a vertex is put out only once.
    may_pull : bool
        Whether a pull would do the same.
    """

    __slots__ = ("_kinds", "_unique", "may_pull")

    def __init__(self, kinds: tuple[ArgumentKind, ...], unique: bool, may_pull: bool):
        self._kinds = kinds
        self._unique = unique
        self.may_pull = may_pull

    def convert(self, args: tuple) -> list[Any] | None:
        """Arguments as `push` takes them; None if they are of other kinds, or no good."""
        if len(args) != len(self._kinds):
            return None
        values = []
        for value, (kind, dtype, convert) in zip(args, self._kinds, strict=False):
            if type(value) is not kind:
                return None
            if dtype is not None and not (value.dtype == dtype and value.ndim == 1 and value.flags.c_contiguous):
                return None
            values.append(convert(value))
        return values

    def push(
        self, graph: Graph, functors: tuple, vertices: Any, count: int, arcs: int, values: list[Any]
    ) -> Frontier:  # fmt: skip
        """The next frontier.

        Parameters
        ----------
        functors : tuple
            Those of this call.
        vertices : array
            Where to start.
        count, arcs : int
            The number of these, and of the arcs that leave them.
        values : list
            From `convert`.
        """
        raise NotImplementedError


class PushOnGpu(PreparedPush):
    """A push in one launch.

    Parameters
    ----------
    kernel : CudaKernel
        ``push`` of advance.
    """

    __slots__ = ("_kernel",)

    def __init__(self, kernel: CudaKernel, *args: Any):
        super().__init__(*args)
        self._kernel = kernel

    def push(
        self, graph: Graph, functors: tuple, vertices: Any, count: int, arcs: int, values: list[Any]
    ) -> Frontier:  # fmt: skip
        work = state_of(graph)
        stamps = work.next_stamps(graph)[0].data.ptr if self._unique else 0
        out = graph.xp.empty(min(arcs, graph.num_vertices), graph.vertex_dtype)
        counters = work.counters
        counters.reset()
        counters.expect()
        # The parameters of `push` (advance.cuh); the three zeros say that there is no room for pieces.
        words = [
            count, ITEMS, 0, vertices.data.ptr, stamps, work.epoch, out.data.ptr, counters.array.data.ptr,
            counters.published, 0, 0, 0, *values,
        ]  # fmt: skip
        self._kernel.launch(words, [(2, graph.view())], -(-count // ITEMS))
        # Made while the GPU works.
        found = Frontier._of(graph, out) if self._unique else Frontier._listed(graph, out)
        size, leaving, _, _ = counters.hear()
        found._cut(size, leaving)
        return found


class PushOnCpu(PreparedPush):
    """A push in one call of a kernel.

    Parameters
    ----------
    kernel : ParallelKernel
        As `make_push` of advance makes it.
    reads : tuple of (bool, bool)
        Whether it looks at the edges' ids or slots, and at their weights.
    """

    __slots__ = ("_kernel", "_reads")

    def __init__(self, kernel: Any, reads: tuple[bool, bool], *args: Any):
        super().__init__(*args)
        self._kernel = kernel
        self._reads = reads

    def push(
        self, graph: Graph, functors: tuple, vertices: Any, count: int, arcs: int, values: list[Any]
    ) -> Frontier:  # fmt: skip
        work = state_of(graph)
        stamps, epoch = work.next_stamps(graph) if self._unique else (None, np.int32(0))
        out = np.empty(min(arcs, graph.num_vertices), graph.vertex_dtype)
        counters = work.counters
        counters.reset()
        run_cpu(
            self._kernel, functors, count, *view_and_weights(graph, *self._reads), vertices, BY_VERTICES, stamps,
            epoch, out, counters.array, tuple(values),
        )  # fmt: skip
        found = Frontier._of(graph, out) if self._unique else Frontier._listed(graph, out)
        size, leaving, _, _ = counters.read()
        found._cut(size, leaving)
        return found


def find_push(graph: Graph, functors: tuple, unique: Any) -> PreparedPush | None:
    """What was prepared for a push with functors that mean the same, in a graph of the same type."""
    if is_checking() or interpreting.get():
        return None
    op, condition, prepare = functors
    if type(op) is not FunctionType or type(condition) not in IF_ANY or type(prepare) not in IF_ANY:
        return None
    try:
        return _pushes.get(_key(graph, functors, unique))
    except MutableGlobalError:  # since it was prepared, a functor has come to name an array
        return None


def prepare_push_on_gpu(
    graph: Graph, functors: tuple, args: tuple, kernels: Any, *, unique: bool, may_pull: bool
) -> None:
    """Have further pushes with these functors, and with arguments like these, find what they need.

    Parameters
    ----------
    kernels : CudaKernels
        Of advance.
    """
    kernel, kinds = kernels.push, _kinds_of(args, NUMBER_WORDS, _address)
    # Those of functors that are checked are others; without any edges, how many lanes share a list is not decided yet.
    if isinstance(kernel, CudaKernel) and kinds is not None and graph._short_lists is not None:
        _pushes[_key(graph, functors, unique)] = PushOnGpu(kernel, kinds, unique, may_pull)


def prepare_push_on_cpu(
    graph: Graph, functors: tuple, args: tuple, kernel: Any, *, unique: bool, may_pull: bool
) -> None:
    """The same.

    Parameters
    ----------
    kernel : ParallelKernel
        As `make_push` of advance makes it.
    """
    kinds = _kinds_of(args, NUMBERS, _unchanged)
    if kinds is not None:
        reads = reads_of(functors[0])
        _pushes[_key(graph, functors, unique)] = PushOnCpu(kernel, reads, kinds, unique, may_pull)


def _key(graph: Graph, functors: tuple, unique: Any) -> tuple:
    """What decides which kernels a push takes, but for the types of arguments."""
    op, condition, prepare = functors
    return (
        # The type of the graph's view, and the lanes to a neighbor list.
        graph._kernels, graph._edge_data is None, graph.weight_dtype, graph._short_lists,
        unique, identity(op), condition and identity(condition), prepare and identity(prepare),
    )  # fmt: skip


def _kinds_of(
    args: tuple, numbers: dict[type, Callable[[Any], Any]], of_array: Callable[[Any], Any]
) -> tuple[ArgumentKind, ...] | None:
    """The kinds of arguments, if all are numbers and arrays of one dimension, and what converts them."""
    kinds = []
    for value in args:
        kind = type(value)
        if kind in numbers:
            kinds.append(ArgumentKind(kind, None, numbers[kind]))
        elif getattr(value, "ndim", 0) == 1:
            kinds.append(ArgumentKind(kind, value.dtype, of_array))
        else:
            return None
    return tuple(kinds)


def _address(array: Any) -> int:
    return array.data.ptr


def _unchanged(value: Any) -> Any:
    return value


NUMBERS: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys(NUMBER_WORDS, _unchanged), bool: np.bool_, int: np.int64, float: np.float64,
}  # fmt: skip
"""What makes of a number what functors are given on a CPU, by its type."""
