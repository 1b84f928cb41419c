"""`Traversal`: the choice of how to run repeated advances, by the size of the frontier and the capabilities of the
device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.core.locking import workspace_of
from frontier.runtime import fill_with
from frontier.runtime.compile import warm_up
from frontier.runtime.memory.scratch import Counters
from frontier.runtime.threads import has_one_thread

from ..advance import (
    Functors,
    advance_functors,
    advance_options,
    can_pull,
    own_frontier,
    pull,
    pull_bounds,
    pull_pays,
    push,
)
from ..dispatch.capture_memory import recording
from ..dispatch.gpu_balance import blocks_together, gpu_balance, piece_capacity
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, read_view, run_cpu
from ..frontiers.deferred import DeferredFrontier
from ..frontiers.frontier import Frontier, bitmap_words
from .cpu import make_advance_repeatedly

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph

HEADER = "frontier/operators/traverse/traverse.cuh"
SMALL_COUNT = 4096
SMALL_ARCS = 8192
"""Frontiers within both bounds are advanced by a single cluster of a GPU (one core of a CPU), many levels in one
launch: synchronizing the whole device between levels would cost more than its parallelism saves."""

MEDIUM_COUNT = 2**17
MEDIUM_ARCS = 2**20
"""Medium frontiers, within both bounds, are advanced on a GPU by one grid-cooperative launch for many levels: 3 instead
of 60 microseconds per level. If pulls are possible it advances frontiers of any size, and chooses in each level."""

DONE_COUNT = SMALL_COUNT // 4
DONE_ARCS = SMALL_ARCS // 4
"""If frontiers stay below these bounds the grid-cooperative kernel returns, and a single cluster continues."""

GRID_NUMBERS = 16
"""Numbers that the blocks of that kernel share."""

MAX_STEPS = 2**31 - 2
MAX_ARCS = 2**62


class Limits(NamedTuple):
    """Stop after `steps` advances, and before an advance over more than `arcs` arcs. None for no limit."""

    steps: int | None = None
    arcs: int | None = None


class Traversal:
    """Repeated advances with the same functors, along the edges of any graph in `traversed`.

    The argument at `step` counts the advances. No advance is over more than `most` arcs. `entering` is as for `pull`.
    """

    def __init__(
        self, traversed: tuple[BaseGraph, ...], functors: Functors, values: tuple, step: int | None, most: int,
        balance: str, entering: BaseGraph | None,
    ):  # fmt: skip
        self.traversed, self.functors, self.values, self.step = traversed, functors, list(values), step
        self.graph = traversed[0]
        self.state = workspace_of(self.graph)
        self.most, self.balance, self.entering = most, balance, entering
        self.one_way = len(traversed) == 1
        self._kernels: Any = None

    @property
    def chooses(self) -> bool:
        """Whether a kernel chooses between push and pull. With a user's schedule the host does: each pull, and each
        push from a large frontier, is a separate launch."""
        # Checked again here: a rehearsal of kernels for GPUs runs methods as on a GPU, but not the constructor.
        if not (self.graph.device.is_gpu and self.one_way and self.balance == "auto"):
            return False
        return can_pull(self.graph, self.functors, self.entering)

    def run(self, frontier: Frontier, limit: int) -> int:
        """Advance until the frontier is empty, at most `limit` times, and return the number of advances."""
        graph = self.graph
        # One module contains all kernels, so none is compiled when a later traversal chooses differently.
        if graph.device.is_gpu and frontier:
            self._kernels = self._cuda_kernels(gpu_balance(self.balance))
        count = frontier._make_set()  # one of few vertices may be listed so often that it is not small
        # On a CPU each way has a separate kernel, none of which must be compiled when frontiers have grown.
        few = graph.device.is_gpu or not warm_up.takes_alternative((graph.package, *self.functors))
        done = 0
        while count and done < limit:
            arcs = self._arcs_of(frontier, count)
            if arcs is not None and arcs > self.most:
                break
            advance = self._way(frontier, count, arcs, few)
            frontier, made = advance(frontier, arcs, limit - done)
            count = frontier._make_set()
            done += made
            if self.step is not None:
                self.values[self.step] = np.int32(self.values[self.step] + made)
        return done

    def record(self, frontier: DeferredFrontier, limit: int) -> None:
        """Capture advances until the frontier is empty: in one launch, however large it becomes."""
        memory: Any = recording()
        graph = self.graph
        lists, stamps, trailing, latest = memory.traversal()
        kernels = self._cuda_kernels()
        pulls = self._pull_arguments(memory.scratch) if self.chooses else ()
        kernels.advance_together(
            1, *self._views(), frontier.listed, lists[0], lists[1], stamps, trailing, memory.counters(4),
            memory.counters(GRID_NUMBERS), *_room_for_pieces(graph, memory.scratch), *pulls, 0, 0, 0, MAX_ARCS,
            MAX_ARCS, min(limit, 2**29), frontier.number, frontier.listed.size, graph.num_vertices, latest,
            *self.values, blocks=blocks_together(self.chooses), cooperative=True,
        )  # fmt: skip

    def _arcs_of(self, frontier: Frontier, count: int) -> int | None:
        """Arcs that leave the frontier (and enter it, if both ways are walked), or None if nothing depends on their
        number that would require a host synchronization."""
        if self.one_way:
            on_core = not self.graph.device.is_gpu and has_one_thread()
            if (self.chooses or on_core) and count < self._arcs_from():
                return frontier._known_arcs()
            return frontier._walk_arcs()
        if self.most == MAX_ARCS and not (self.graph.device.is_gpu and count <= MEDIUM_COUNT):
            return None
        return sum(own_frontier(each, frontier)._walk_arcs() for each in self.traversed)

    def _arcs_from(self) -> int:
        """The number of vertices from which the arcs of a frontier decide how to continue."""
        if self.most < MAX_ARCS:
            return 0
        pulls = can_pull(self.graph, self.functors, self.entering)
        return pull_bounds(self.graph)[0] if pulls else MAX_ARCS

    def _way(self, frontier: Frontier, count: int, arcs: int | None, few: bool) -> Way:
        """The way to advance from a frontier. With `few`, many advances from small ones may share a launch."""
        is_gpu = self.graph.device.is_gpu
        small = few and arcs is not None and count <= SMALL_COUNT and arcs <= SMALL_ARCS
        if is_gpu and small:
            return self._push_repeatedly
        if not is_gpu and self.one_way and (small or has_one_thread()):
            return self._advance_on_core
        if self.chooses:
            return self._advance_together
        if self.one_way and pull_pays(self.graph, frontier, self.functors, self.entering):
            return self._pull
        medium = arcs is not None and count <= MEDIUM_COUNT and arcs <= MEDIUM_ARCS
        return self._push_medium if is_gpu and medium and gpu_balance(self.balance) == "tile" else self._push

    # ---- ways: each returns the next frontier, and the number of advances -------------------------------------------

    def _push_repeatedly(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        """Push until the frontier is empty or no longer small, by one cluster of thread blocks."""
        from frontier.runtime.compile.cuda import cluster_blocks

        members = frontier._walk()
        lists, stamps, epoch, outcome, steps = self._prepare_series(limit)
        shared = self.state.scratch.get("shared", GRID_NUMBERS, np.int64)
        self._kernels.push_repeatedly(
            members.size, *self._views(), members, lists[0], lists[1], stamps, epoch, outcome.published, shared,
            np.int64(SMALL_COUNT), np.int64(min(SMALL_ARCS, self.most)), np.int64(steps), *self.values,
            blocks=cluster_blocks(), threads=1024,
        )  # fmt: skip
        return self._after_series(lists, outcome)

    def _advance_on_core(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        """Advance along one graph by one core of a CPU. If there is only one thread, push or pull until the frontier is
        empty, otherwise push until it is no longer small."""
        graph, functors, entering = self.graph, self.functors, self.entering
        alone = has_one_thread()
        pulls = alone and can_pull(graph, functors, entering)
        bounds = (MAX_ARCS, self.most) if alone else (SMALL_COUNT, min(SMALL_ARCS, self.most))
        bits = self.state.scratch.get("bits", bitmap_words(graph.num_vertices), np.uint32, fill=0)
        leaving = arriving = read_view(graph, functors.op)
        if pulls and graph.directed:
            arriving = read_view(entering or graph.reverse, functors.op)
        lists, outcome = np.empty((2, graph.num_vertices), graph.vertex_dtype), self.state.outcome
        outcome.arm()
        kernel = cpu_kernel_for(graph.package, make_advance_repeatedly, functors, self.step, pulls, alone=True)
        numbers = *bounds, min(limit, 2**30), *pull_bounds(graph), self._arcs_from() if alone else 0
        try:
            run_cpu(
                kernel, functors, *leaving, *arriving, frontier._walk(), np.int64(arcs or 0), lists, bits,
                outcome.published, *map(np.int64, numbers), *_around(tuple(self.values), self.step),
            )  # fmt: skip
        except BaseException:
            bits.fill(0)
            raise
        size, arcs, made, last = outcome.poll()
        return Frontier._of(graph, lists[last, :size], arcs=None if arcs < 0 else arcs), made

    def _advance_together(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        """Push or pull, as the device chooses, until the frontier is empty or stays small. The arcs that leave it are
        unknown only of one that is too small for a pull."""
        pulls = self._pull_arguments(self.state.scratch.get)
        return self._launch_together(frontier, arcs or 0, limit, (MAX_ARCS, self.most), pulls)

    def _push_medium(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        """Push until the frontier is empty or no longer medium, or a pull may pay."""
        most = min(MEDIUM_ARCS, self.most)
        if self.one_way and can_pull(self.graph, self.functors, self.entering):
            most = min(most, max(pull_bounds(self.graph)[1], SMALL_ARCS))
        return self._launch_together(frontier, arcs or 0, limit, (MEDIUM_COUNT, most), ())

    def _pull(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        values = tuple(self.values)
        return pull(self.graph, frontier, self.functors, values, self._kernels, None, self.entering), 1

    def _push(self, frontier: Frontier, arcs: int | None, limit: int) -> tuple[Frontier, int]:
        values = tuple(self.values)
        return push(self.graph, frontier, self.functors, values, self._kernels, self.traversed, self.balance), 1

    # ---- launches of many advances -----------------------------------------------------------------------------------

    def _launch_together(
        self, frontier: Frontier, arcs: int, limit: int, most: tuple[int, int], pulls: tuple
    ) -> tuple[Frontier, int]:
        """A grid-cooperative launch from a frontier that so many arcs leave, up to frontiers of so many vertices and
        arcs at most."""
        graph = self.graph
        lists, stamps, epoch, outcome, steps = self._prepare_series(limit)
        scratch = self.state.scratch.get
        shared = fill_with(scratch("shared", GRID_NUMBERS, np.int64), 0)
        self._kernels.advance_together(
            len(frontier), *self._views(), frontier._members(), lists[0], lists[1], stamps, epoch, outcome.published,
            shared, *_room_for_pieces(graph, scratch), *pulls, arcs, DONE_COUNT, DONE_ARCS, *most, steps, None, 0,
            graph.num_vertices, None, *self.values, blocks=blocks_together(bool(pulls)), cooperative=True,
        )  # fmt: skip
        return self._after_series(lists, outcome)

    def _prepare_series(self, limit: int) -> tuple[Any, Any, Any, Counters, int]:
        """The memory of a series of advances in one launch. It has two lists that alternate as output (the second is
        written first), stamps, the first epoch, the counters that the host reads, and the maximum number of steps."""
        graph = self.graph
        state = self.state
        # Fresh epochs permit any number of pushes. A limit of arcs does not bound the output of the last one.
        steps = min(limit, 2**30)
        stamps, epoch = state.next_epochs(graph, steps)
        lists = graph.xp.empty((2, graph.num_vertices), graph.vertex_dtype)
        state.outcome.arm()
        return lists, stamps, epoch, state.outcome, steps

    def _after_series(self, lists: Any, outcome: Counters) -> tuple[Frontier, int]:
        """The final frontier of a series of advances, and their number."""
        size, arcs, made, last = outcome.poll()
        self.state.used_epochs(made)
        known = arcs if self.one_way else None  # the arcs that leave it, without the arcs that enter it
        return Frontier._of(self.graph, lists[last, :size], arcs=known), made

    def _pull_arguments(self, scratch: Callable) -> tuple:
        """The arguments of a kernel that pulls. `scratch` is `Scratch.get`."""
        graph = self.graph
        words = bitmap_words(graph.num_vertices)
        view = (graph.reverse if self.entering is None else self.entering).view()
        bitmaps = (scratch(name, words, np.uint32) for name in ("bits", "spare_bits"))
        return view, *bitmaps, scratch("rest", graph.num_vertices, graph.vertex_dtype), *pull_bounds(graph)

    def _views(self) -> list[Any]:
        return [graph.view() for graph in self.traversed]

    def _cuda_kernels(self, balance: str = "tile") -> Any:
        """The CUDA kernels of traverse. Argument number `step` counts the advances of one launch."""
        options = traverse_options(self.traversed, self.functors, self.step, balance, self.chooses)
        return cuda_kernels_for(self.graph, HEADER, advance_functors(self.functors), tuple(self.values), options)


Way = Callable[[Frontier, "int | None", int], tuple[Frontier, int]]
"""From a frontier, which so many arcs leave (None if that is not known), at most so many advances."""


def _room_for_pieces(graph: BaseGraph, scratch: Callable) -> tuple[Any, np.uint32]:
    """Memory to which the kernel defers pieces of long lists, and its capacity."""
    capacity = piece_capacity(graph)
    return scratch("pieces", capacity, np.uint64), np.uint32(capacity)


def traverse_options(
    traversed: tuple[BaseGraph, ...], functors: Functors, step: int | None, balance: str = "tile", chooses: bool = False
) -> tuple:
    """The macros of traverse. `chooses`: whether it is the device that chooses between push and pull."""
    both_ways = (("BOTH_WAYS", "1"),) if len(traversed) > 1 else ()
    may_pull = (("MAY_PULL", "1"),) if chooses else ()
    next_step = "(void)0" if step is None else f"++a{step}"
    return ("NEXT_STEP", next_step), *both_ways, *may_pull, *advance_options(traversed[0], functors, balance)


def _around(args: tuple, step: int | None) -> tuple[tuple, Any, tuple]:
    """Arguments before the step, the step, and those after it."""
    return (args, np.int32(0), ()) if step is None else (args[:step], args[step], args[step + 1 :])
