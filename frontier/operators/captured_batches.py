"""Steps after every batch, replayed without Python (`capture` with ``batches=True``).

As in `structures.small_batches`, kernels run on the grid of the largest batch of their size. The pairs of a batch are
copied to a fixed buffer and padded with negative numbers. Numbers and the graph's view may change between batches: each
replay reads them from the host's memory.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, flag, integer
from frontier.core.base import BaseGraph
from frontier.core.batch import batch_kernels
from frontier.core.batch.raw import MAX_EDGES
from frontier.core.locking import reads, workspace_of
from frontier.functor.checking import is_checking
from frontier.runtime import Scratch, fill_with
from frontier.runtime.arrays import same_length
from frontier.runtime.compile import caches, warm_up
from frontier.runtime.launch.arguments import NUMBER_WORDS, ByValue, Field, Number, Struct
from frontier.runtime.launch.plan import Plan, Plans
from frontier.runtime.launch.recorder import recorder

from .dispatch.capture_memory import CaptureArena
from .dispatch.gpu_balance import piece_capacity, tile_size

SIZES = 256, 2048, 2 * MAX_EDGES, 2**15, 2**18
"""The maximum number of pairs, or arcs (two for an undirected edge), of a batch. Each size has its own capture."""
SMALL = SIZES[2]


class CapturedBatchStep:
    """A function of every batch, whose launches for small batches are captured once and replayed on a GPU.

    For a batch of some thousand edges, the host needs longer to launch a few operators than the GPU to run them. The
    first call of each size class captures the launches. Later calls replay them with new pairs and numbers on
    the current graph. Large batches, distributed graphs, and CPUs call the function each time.

    Parameters
    ----------
    graph : Graph
    step : function ``step(graph, src, dst, *args)``
        It calls `visit_edges`, `intersect` with an `op` and without checks, and `filter`, `compute` and `traverse` with
        the resulting frontiers, or with `Frontier.listed`, and sets arrays to 0 by `clear`. Nothing else is replayed.
        Pairs that need a copy, such as every second one, raise. Such a frontier is true, and has no length.
    max_batch : int
        Pairs of the largest batch whose launches are captured.
    both_orders : bool
        Whether the step also gets each pair with its ends exchanged. Both ends of a skipped pair are then negative.

    See Also
    --------
    capture : Makes it.

    Notes
    -----
    Launches are captured again for other arrays in `args`, and after the graph has got more vertices or a capacity for
    several times as many arcs.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> def count(src, dst, edge, weight, visits):
    ...     fr.atomic_add(visits, dst, 1)
    >>> def step(graph, src, dst, visits):
    ...     fr.visit_edges(graph, src, dst, count, visits, output=False)
    >>> graph = SlabGraph(num_vertices=4, device="cpu")
    >>> visits = np.zeros(4, np.int64)
    >>> taken = fr.capture(graph, step, batches=True)
    >>> for _ in range(3):
    ...     taken(np.asarray([0, 1], np.int32), np.asarray([2, 2], np.int32), visits)
    >>> visits.tolist()
    [0, 0, 6, 0]
    """

    def __init__(
        self, graph: BaseGraph, step: Callable[..., None], *, max_batch: int = SMALL, both_orders: bool = False
    ):  # fmt: skip
        check_graph(graph)
        most = integer(max_batch, "max_batch", 1)
        if not callable(step):
            raise TypeError("step must be a function step(graph, src, dst, *args)")
        self.graph = graph
        self.most = most
        self.both_orders = flag(both_orders, "both_orders")
        self._sizes = [size for size in SIZES if size < most] + [max(most, SIZES[0])]
        self._step = step
        self._plans = Plans()  # by size
        self._repeats = graph.device.is_gpu and not graph.in_parts  # distributed parts exchange data through the host
        if self._repeats:
            self._traversed = (graph, graph.reverse) if graph.directed and graph.has_in_edges else (graph,)
            self._kernels = batch_kernels(graph.device, graph.vertex_dtype, graph.vertex_dtype, graph.weight_dtype)
            self._kernels.compile_ahead()  # and not in the middle of a stream

    def __call__(self, src: Any, dst: Any, *args: Any) -> None:
        """Run the step.

        Parameters
        ----------
        src, dst : arrays of the graph's vertex dtype, shape (m,), on its device
            Ids of its vertices. The step may get them padded with negative entries, which operators skip.
        *args : arrays and numbers
            For the step. Numbers may change from call to call.
        """
        graph = self.graph
        repeats = self._repeats and self.is_small(src) and _is_plain(graph, src, dst) and not is_checking()
        if repeats and not warm_up.takes_alternative((self._step, graph.package)):  # as with a large batch
            _take(graph, self, src, dst, args)
            return
        if self.both_orders:
            same_length(src=src, dst=dst)
            src, dst = graph.joined(src, dst), graph.joined(dst, src)
        self._step(graph, src, dst, *args)

    def is_small(self, src: Any) -> bool:
        """Whether so many pairs are few enough for launches to be repeated."""
        return 0 < src.size <= self.most

    def prepare(self, *args: Any) -> None:
        """Capture the launches for batches of all sizes, so the first batch needs no compilation.

        Parameters
        ----------
        *args : arrays and numbers
            The same arrays as for the batches, which then need no second capture.

        Notes
        -----
        Captures nothing for a graph without edges, since kernels depend on the lengths of neighbor lists.
        """
        if self._repeats and self.graph.num_arcs and not is_checking():
            for size in self._sizes:
                _prepare_for(self.graph, self, size, args)


class _BatchPlan(Plan):
    """The launches of a step for batches of one size, captured with the memory `work` of a thread and stream."""

    def __init__(self, graph: BaseGraph, step: CapturedBatchStep, size: int, args: tuple):
        self._views = [(each.store, ByValue(each.view().fields.copy())) for each in step._traversed]
        self.work = work = workspace_of(graph)
        scratch = Scratch(graph.device)
        super().__init__(CaptureArena(graph, self._views, work), work, scratch)
        given = list(args)
        self._numbers = [(at, Number(_type(value))) for at, value in enumerate(args) if type(value) in NUMBER_WORDS]
        for at, number in self._numbers:
            given[at] = number
        pairs = 2 * size if step.both_orders else size
        src, dst = (scratch.get(name, pairs, graph.vertex_dtype) for name in ("src", "dst"))
        self._batch = Struct(("count", "src", "dst", "latest", "lower"))  # arguments of the copy, each read on its own
        count, src_at, dst_at, latest, lower = (Field(self._batch, name) for name in self._batch.names)
        with self:
            zeros = self.memory.zeros
            step._kernels.copy_padded(
                size, count, src_at, dst_at, src, dst, step.both_orders, latest, lower, zeros, zeros.size
            )  # fmt: skip
            step._step(graph, src, dst, *given)

    def run_on(self, src: Any, dst: Any, args: tuple) -> None:
        """Repeat the launches with another batch."""
        for each, view in self._views:
            view.fields[:] = each.view().fields
        for at, number in self._numbers:
            number.set(args[at])
        memory, latest, lower = self.memory, 0, 0
        if memory.space is not None:
            latest, lower = memory.space.latest.data.ptr, memory.space.next_run(memory.visits, memory.trailing)
        self._batch.set(src.size, src.data.ptr, dst.data.ptr, latest, lower)
        self.run()


def _is_plain(graph: BaseGraph, src: Any, dst: Any) -> bool:
    """Whether a kernel can copy these arrays. Errors in other arrays are found by the operators."""
    dtype, shape = graph.vertex_dtype, src.shape
    return (
        len(shape) == 1 and src.dtype == dtype and src.flags.c_contiguous
        and dst.shape == shape and dst.dtype == dtype and dst.flags.c_contiguous
    )  # fmt: skip


def _type(value: Any) -> np.dtype:
    """The dtype that functors have a number in."""
    return np.dtype({int: np.int64, float: np.float64, bool: np.bool_}.get(type(value), type(value)))


def clear(*arrays: Any) -> None:
    """Set contiguous arrays of integers to 0, in order with operators, and without a synchronization.

    Unlike an assignment, a `CapturedBatchStep` replays it.

    Raises
    ------
    ValueError
        An array is not contiguous.

    See Also
    --------
    capture : Replays a step that calls this.
    """
    for array in arrays:
        if not array.flags.c_contiguous:
            raise ValueError(f"clear requires contiguous arrays, not one with strides {array.strides}")
        fill_with(array, 0)


@reads
def _take(graph: BaseGraph, step: CapturedBatchStep, src: Any, dst: Any, args: tuple) -> None:
    if recorder.launches is not None:
        raise RuntimeError("a CapturedBatchStep cannot be called inside another one")
    pairs = src.size
    for size in step._sizes:
        if pairs <= size:
            break
    _plan_for(graph, step, size, args).run_on(src, dst, args)


@reads
def _prepare_for(graph: BaseGraph, step: CapturedBatchStep, size: int, args: tuple) -> None:
    _plan_for(graph, step, size, args)


def _plan_for(graph: BaseGraph, step: CapturedBatchStep, size: int, args: tuple) -> _BatchPlan:
    """The launches for batches of at most `size` pairs, captured unless they were for these arguments."""
    room = piece_capacity(graph).bit_length() // 2  # for pieces of long lists
    state = graph.num_vertices, room, caches.times_cleared, *map(tile_size, step._traversed)
    guards = tuple([type(value) if type(value) in NUMBER_WORDS else value for value in args])
    plan = step._plans.find(size, state, guards)
    # Its memory belongs to the thread, and stream, that made it. An update, which has the graph for itself, may use it.
    if plan is None or not (workspace_of(graph) is plan.work or graph._access.writer == get_ident()):
        plan = step._plans.add(size, _BatchPlan(graph, step, size, args), state, guards)
    return plan
