"""traverse: repeated advances, until the frontier is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.arguments import integer, one_of
from frontier.core.locking import reads
from frontier.runtime import fill_with
from frontier.runtime.compile import warm_up
from frontier.runtime.memory.scratch import Counters

from ..advance import (
    Functors,
    advance_functors,
    advance_options,
    can_pull,
    check_functors,
    graphs_to_walk,
    own_frontier,
    pull,
    pull_bounds,
    pull_pays,
    push,
)  # fmt: skip
from ..dispatch.capture_memory import recording
from ..dispatch.gpu_balance import BALANCES, blocks_together, gpu_balance, piece_capacity
from ..dispatch.kernels import (
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
    workspace_of,
)  # fmt: skip
from ..dispatch.signatures import OP_PARAMETERS
from ..frontiers.deferred import DeferredFrontier
from ..frontiers.frontier import Frontier, bitmap_words, check_frontier
from .cpu import make_push_repeatedly

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph

HEADER = "frontier/operators/traverse/traverse.cuh"
SMALL_COUNT = 4096
SMALL_ARCS = 8192
"""Frontiers within both bounds are advanced by a single thread block on a GPU (one core on a CPU), many levels in one
launch: synchronizing the whole device between levels would cost more than its parallelism saves."""

MEDIUM_COUNT = 2**17
MEDIUM_ARCS = 2**20
"""Medium frontiers, within both bounds, are advanced on a GPU by one grid-cooperative launch for many levels: 3 instead
of 60 microseconds per level. Where pulls are possible it takes frontiers of any size, and chooses in each level."""

DONE_COUNT = SMALL_COUNT // 4
DONE_ARCS = SMALL_ARCS // 4
"""Where frontiers stay below these bounds the grid-cooperative kernel returns, and a single block continues."""

GRID_NUMBERS = 16
"""Numbers that the blocks of that kernel share."""

MAX_STEPS = 2**31 - 2
MAX_ARCS = 2**62


@dataclass(frozen=True)
class StepCounter:
    """A step counter: `traverse` passes `start` to functors in the first advance, and one more in each further one.

    In functors it is an int32.
    """

    start: int = 1

    def __post_init__(self) -> None:
        if not -(2**31) <= integer(self.start, "start") < 2**31:
            raise ValueError(f"start must be an int32, got {self.start}")


@reads
def traverse(
    graph: BaseGraph,
    frontier: Frontier,
    op: Callable[..., Any],
    *args: Any,
    condition: Callable[..., Any] | None = None,
    prepare: Callable[..., Any] | None = None,
    max_steps: int | None = None,
    max_arcs: int | None = None,
    edges: str = "out",
    balance: str = "auto",
) -> int:
    """Advance until the frontier is empty.

    Equivalent to a loop of `advance`, with less overhead: while frontiers are small, many advances run in one kernel
    launch, so that graphs with thousands of levels take microseconds per level.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
        Where to start.
    op, condition, prepare : functions
        As in `advance`, which chooses push or pull.
    *args : arrays, numbers and `StepCounter`
        Passed to all of them. A `StepCounter` stands for the number of the advance.
    max_steps : int, optional
        Maximum number of advances.
    max_arcs : int, optional
        Stop before an advance over more than this many arcs.
    edges : {"out", "in", "both"}
        As in `advance`.
    balance : {"auto", "thread", "tile", "block", "merge"}
        As in `advance`, where frontiers are large: with ``"auto"`` and ``"tile"`` many may share a launch on a GPU, by
        any other each takes its own. Small ones are advanced by a single thread block on a GPU and by one thread on a
        CPU.

    Returns
    -------
    int
        Number of advances; the last one produced an empty frontier, unless a limit was reached. 0 while launches are
        recorded.

    Raises
    ------
    FunctorError, ValueError
        As `advance`; and for more than one `StepCounter`.
    """
    return traverse_along(
        graph, frontier, op, args, condition=condition, prepare=prepare, max_steps=max_steps, max_arcs=max_arcs,
        edges=edges, balance=balance,
    )  # fmt: skip


def traverse_along(
    graph: BaseGraph, frontier: Frontier, op: Callable[..., Any], args: tuple, *, condition: Callable[..., Any] | None,
    prepare: Callable[..., Any] | None, max_steps: int | None, max_arcs: int | None, edges: str = "out",
    balance: str = "auto", entering: BaseGraph | None = None,
) -> int:  # fmt: skip
    """`traverse`.

    Parameters
    ----------
    entering : Graph, optional
        As for `pull`: where a directed graph is known to have each arc both ways, that graph itself.
    """
    frontier = check_frontier(graph, frontier)
    one_of(balance, "balance", BALANCES)
    steps = [i for i, value in enumerate(args) if isinstance(value, StepCounter)]
    if len(steps) > 1:
        raise ValueError(f"traverse takes one StepCounter among its arguments, not {len(steps)}")
    position = steps[0] if steps else None
    values = list(functor_args(graph, op, tuple(np.int32(a.start) if isinstance(a, StepCounter) else a for a in args)))
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    check_functors(condition, prepare, args)
    functors = Functors(op, condition, prepare)
    walked = graphs_to_walk(graph, edges, op)
    if len(walked) == 1 and walked[0] is not graph:
        graph = walked[0]
        frontier = frontier._on(graph)
    limit = MAX_STEPS if max_steps is None else min(integer(max_steps, "max_steps", 0), MAX_STEPS)
    most = MAX_ARCS if max_arcs is None else min(integer(max_arcs, "max_arcs", 0), MAX_ARCS)
    # With a schedule of the user's the host chooses: each pull, and each push from a large frontier, takes a launch.
    chooses = graph.device.is_gpu and len(walked) == 1 and balance == "auto" and can_pull(graph, functors, entering)
    if recording() is not None:
        if max_arcs is not None or not isinstance(frontier, DeferredFrontier):
            raise RuntimeError(NOT_RECORDED)
        if limit:
            _advance_later(walked, frontier, functors, tuple(values), position, limit, chooses, entering)
        return 0
    # One module holds all kernels, so that none is compiled when a later traversal takes another way.
    kernels = None
    if frontier and graph.device.is_gpu:
        kernels = traverse_kernels(walked, functors, tuple(values), position, gpu_balance(balance), chooses)
    frontier._make_set()  # one of few vertices may be listed so often that it is not small
    one_way = len(walked) == 1
    done = 0
    # On a CPU each way has a kernel of its own, none of which is to be compiled when frontiers have grown.
    few = graph.device.is_gpu or not warm_up.takes_alternative((graph.package, *functors))
    while frontier and done < limit:
        arcs = _arcs_that_matter(walked, frontier, most, chooses)
        if arcs is not None and arcs > most:
            break
        rest = limit - done
        if few and arcs is not None and _is_small(walked, len(frontier), arcs):
            frontier, made = _push_repeatedly(walked, frontier, functors, values, position, rest, most, kernels)
        elif chooses:
            frontier, made = _advance_together(walked, frontier, values, rest, arcs, most, kernels, entering)
        elif one_way and pull_pays(graph, frontier, functors, entering):
            frontier, made = pull(graph, frontier, functors, tuple(values), kernels, None, entering), 1
        elif arcs is not None and _is_medium(graph, len(frontier), arcs, balance):
            frontier, made = _push_together(walked, frontier, functors, values, rest, arcs, most, kernels, entering)
        else:
            frontier, made = push(graph, frontier, functors, tuple(values), kernels, walked, balance), 1
        done += made
        if position is not None:
            values[position] = np.int32(values[position] + made)
    return done


NOT_RECORDED = "traverse can be recorded from what visit_edges or filter put out meanwhile, and without max_arcs"


def _advance_later(
    walked: tuple[BaseGraph, ...], frontier: DeferredFrontier, functors: Functors, values: tuple, step: int | None,
    limit: int, chooses: bool, entering: BaseGraph | None,
) -> None:  # fmt: skip
    """Record advances until the frontier is empty: in one launch, however large it becomes."""
    memory: Any = recording()
    graph = walked[0]
    lists, stamps, trailing, latest = memory.traversal()
    kernels = traverse_kernels(walked, functors, values, step, chooses=chooses)
    pulls = _pull_arguments(graph, entering, memory.scratch) if chooses else ()
    kernels.advance_together(
        1, *_views(walked), frontier.listed, lists[0], lists[1], stamps, trailing, memory.counters(4),
        memory.counters(GRID_NUMBERS), *_room_for_pieces(graph, memory.scratch), *pulls, 0, 0, 0, MAX_ARCS, MAX_ARCS,
        min(limit, 2**29), frontier.number, frontier.listed.size, graph.num_vertices, latest, *values,
        blocks=blocks_together(chooses), cooperative=True,
    )  # fmt: skip


def _room_for_pieces(graph: BaseGraph, scratch: Callable) -> tuple[Any, np.uint32]:
    """Where the kernel defers pieces of long lists to, and how many there is room for."""
    capacity = piece_capacity(graph)
    return scratch("pieces", capacity, np.uint64), np.uint32(capacity)


def _pull_arguments(graph: BaseGraph, entering: BaseGraph | None, scratch: Callable) -> tuple:
    """What the kernel pulls with; `scratch` is that of `Scratch.get`."""
    words = bitmap_words(graph.num_vertices)
    view = (graph.reverse if entering is None else entering).view()
    bitmaps = (scratch(name, words, np.uint32) for name in ("bits", "spare_bits"))
    return view, *bitmaps, scratch("rest", graph.num_vertices, graph.vertex_dtype), *pull_bounds(graph)


def _views(walked: tuple[BaseGraph, ...]) -> list[Any]:
    return [graph.view() for graph in walked]


def _arcs_that_matter(walked: tuple[BaseGraph, ...], frontier: Frontier, most: int, chooses: bool) -> int | None:
    """Arcs that leave the frontier (and enter it, if both ways are walked); None where nothing depends on their number
    that the host would have to wait for."""
    if len(walked) == 1:
        if chooses and most == MAX_ARCS and len(frontier) < pull_bounds(walked[0])[0]:
            return frontier._known_arcs()
        return frontier.num_arcs
    if most == MAX_ARCS and not (walked[0].device.is_gpu and len(frontier) <= MEDIUM_COUNT):
        return None
    return sum(own_frontier(each, frontier).num_arcs for each in walked)


def _is_small(walked: tuple[BaseGraph, ...], count: int, arcs: int) -> bool:
    """Whether a frontier is for a single thread block, or for one core, which goes one way only."""
    return count <= SMALL_COUNT and arcs <= SMALL_ARCS and (len(walked) == 1 or walked[0].device.is_gpu)


def _push_repeatedly(
    walked: tuple[BaseGraph, ...], frontier: Frontier, functors: Functors, values: list, step: int | None, limit: int,
    most: int, kernels: Any,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push until the frontier is empty or no longer small; returns it and the number of pushes."""
    graph = walked[0]
    lists, stamps, epoch, outcome, steps = _prepare_series(graph, limit)
    args = tuple(values)
    bounds = (np.int64(SMALL_COUNT), np.int64(min(SMALL_ARCS, most)), np.int64(steps))
    if graph.device.is_gpu:
        kernels.push_repeatedly(
            len(frontier), *_views(walked), frontier._members(), lists[0], lists[1], stamps, epoch, outcome.published,
            *bounds, *args, blocks=1, threads=1024,
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_push_repeatedly, functors, step)
        run_cpu(
            kernel, functors, len(frontier), *read_view(graph, functors[0]), frontier._members(), lists, stamps, epoch,
            outcome.published, *bounds, *_around(args, step),
        )  # fmt: skip
    return _after_series(walked, lists, outcome)


def _is_medium(graph: BaseGraph, count: int, arcs: int, balance: str) -> bool:
    """Whether a frontier is of medium size, for a grid-cooperative launch without pulls, which has its own schedule."""
    return graph.device.is_gpu and gpu_balance(balance) == "tile" and count <= MEDIUM_COUNT and arcs <= MEDIUM_ARCS


def _push_together(
    walked: tuple[BaseGraph, ...], frontier: Frontier, functors: Functors, values: list, limit: int, arcs: int,
    most: int, kernels: Any, entering: BaseGraph | None,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push until the frontier is empty or no longer medium, or a pull may pay; returns it and the number of pushes."""
    graph = walked[0]
    most = min(MEDIUM_ARCS, most)
    if len(walked) == 1 and can_pull(graph, functors, entering):
        most = min(most, max(pull_bounds(graph)[1], SMALL_ARCS))
    return _run_together(walked, frontier, values, limit, arcs, (MEDIUM_COUNT, most), kernels)


def _advance_together(
    walked: tuple[BaseGraph, ...], frontier: Frontier, values: list, limit: int, arcs: int | None, most: int,
    kernels: Any, entering: BaseGraph | None,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push or pull, as the device chooses, until the frontier is empty or stays small; returns it and the number of
    advances.

    Parameters
    ----------
    arcs : int, optional
        That leave the frontier; unknown only of one that is too small for a pull.
    """
    pulls = _pull_arguments(walked[0], entering, walked[0]._scratch.get)
    return _run_together(walked, frontier, values, limit, arcs or 0, (MAX_ARCS, most), kernels, pulls)


def _run_together(
    walked: tuple[BaseGraph, ...], frontier: Frontier, values: list, limit: int, arcs: int, most: tuple[int, int],
    kernels: Any, pulls: tuple = (),
) -> tuple[Frontier, int]:  # fmt: skip
    """A grid-cooperative launch, and what comes of it."""
    graph = walked[0]
    lists, stamps, epoch, outcome, steps = _prepare_series(graph, limit)
    shared = fill_with(graph._scratch.get("shared", GRID_NUMBERS, np.int64), 0)
    kernels.advance_together(
        len(frontier), *_views(walked), frontier._members(), lists[0], lists[1], stamps, epoch,
        outcome.published, shared, *_room_for_pieces(graph, graph._scratch.get), *pulls, arcs, DONE_COUNT, DONE_ARCS,
        *most, steps, None, 0, graph.num_vertices, None, *values, blocks=blocks_together(bool(pulls)), cooperative=True,
    )  # fmt: skip
    return _after_series(walked, lists, outcome)


def _prepare_series(graph: BaseGraph, limit: int) -> tuple[Any, Any, Any, Counters, int]:
    """What a series of advances in one launch works with: two lists that alternate as output (the second is written
    first), stamps, the first epoch, what it tells the host with, and the maximum number of steps."""
    state = workspace_of(graph)
    # Any number of pushes may be made with fresh epochs each; no bound is one on what the last one puts out.
    steps = min(limit, 2**30)
    stamps, epoch = state.next_epochs(graph, steps)
    lists = graph.xp.empty((2, graph.num_vertices), graph.vertex_dtype)
    state.outcome.arm()
    return lists, stamps, epoch, state.outcome, steps


def _after_series(walked: tuple[BaseGraph, ...], lists: Any, outcome: Counters) -> tuple[Frontier, int]:
    """The final frontier of a series of advances, and their number."""
    graph = walked[0]
    size, arcs, made, last = outcome.poll()
    workspace_of(graph).used_epochs(made)
    known = arcs if len(walked) == 1 else None  # the arcs that leave it, without those that enter it
    return Frontier._of(graph, lists[last, :size], arcs=known), made


def traverse_kernels(
    walked: tuple[BaseGraph, ...], functors: Functors, args: tuple, step: int | None, balance: str = "tile",
    chooses: bool = False,
) -> Any:  # fmt: skip
    """The CUDA kernels of traverse; argument number `step` counts the advances that one launch makes."""
    options = traverse_options(walked, functors, step, balance, chooses)
    return cuda_kernels_for(walked[0], HEADER, advance_functors(functors), args, options)


def traverse_options(
    walked: tuple[BaseGraph, ...], functors: Functors, step: int | None, balance: str = "tile", chooses: bool = False
) -> tuple:
    """The macros of traverse. `chooses`: whether it is the device that chooses between push and pull."""
    both_ways = (("BOTH_WAYS", "1"),) if len(walked) > 1 else ()
    may_pull = (("MAY_PULL", "1"),) if chooses else ()
    next_step = "(void)0" if step is None else f"++a{step}"
    return ("NEXT_STEP", next_step), *both_ways, *may_pull, *advance_options(walked[0], functors, balance)


def _around(args: tuple, step: int | None) -> tuple[tuple, Any, tuple]:
    """Arguments before the step, the step, and those after it."""
    return (args, np.int32(0), ()) if step is None else (args[:step], args[step], args[step + 1 :])
