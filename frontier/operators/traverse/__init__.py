"""traverse: repeated advances, until the frontier is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import integer, one_of
from ...frontier import Frontier, check_frontier
from ...pending import PendingFrontier
from ..advance import (
    PULL_ABOVE,
    Functors,
    advance_functors,
    advance_options,
    check_functors,
    graphs_to_walk,
    own_frontier,
    pull,
    pull_pays,
    push,
)  # fmt: skip
from ..engine import (
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
    state_of,
)  # fmt: skip
from ..functors import OP_PARAMETERS
from ..launch import BALANCES, gpu_balance
from ..recorded import recording
from .cpu import make_push_repeatedly

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/traverse/traverse.cuh"
SMALL_COUNT = 4096
SMALL_ARCS = 8192
"""Frontiers within both bounds are advanced by a single thread block on a GPU (one core on a CPU), many levels in one
launch: synchronizing the whole device between levels would cost more than its parallelism saves."""

MEDIUM_COUNT = 2**17
MEDIUM_ARCS = 2**20
"""Medium frontiers, within both bounds, are advanced on a GPU by one grid-cooperative launch for many levels: 3 instead
of 60 microseconds per level."""

ROUNDS = 42
"""Numbers that the blocks of that launch share (`rounds` in traverse.cuh)."""

DONE_COUNT = SMALL_COUNT // 4
DONE_ARCS = SMALL_ARCS // 4
"""Below these bounds the grid-cooperative kernel returns, and a single block continues."""

MAX_STEPS = 2**31 - 2
MAX_ARCS = 2**62


@dataclass(frozen=True)
class Step:
    """A step counter: `traverse` passes `start` to functors in the first advance, and one more in each further one.

    In functors it is an int32.
    """

    start: int = 1

    def __post_init__(self) -> None:
        if not -(2**31) <= integer(self.start, "start") < 2**31:
            raise ValueError(f"start must be an int32, got {self.start}")


@reads
def traverse(
    graph: Graph,
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
    *args : arrays, numbers and `Step`
        Passed to all of them. A `Step` stands for the number of the advance.
    max_steps : int, optional
        Maximum number of advances.
    max_arcs : int, optional
        Stop before an advance over more than this many arcs.
    edges : {"out", "in", "both"}
        As in `advance`.
    balance : {"auto", "thread", "tile", "block", "merge"}
        As in `advance`, for frontiers that take a launch each. Small ones are advanced by a single thread block on a
        GPU and by one thread on a CPU.

    Returns
    -------
    int
        Number of advances; the last one produced an empty frontier, unless a limit was reached. 0 while launches are
        recorded.

    Raises
    ------
    FunctorError, ValueError
        As `advance`; and for more than one `Step`.
    """
    return traverse_along(
        graph, frontier, op, args, condition=condition, prepare=prepare, max_steps=max_steps, max_arcs=max_arcs,
        edges=edges, balance=balance,
    )  # fmt: skip


def traverse_along(
    graph: Graph, frontier: Frontier, op: Callable[..., Any], args: tuple, *, condition: Callable[..., Any] | None,
    prepare: Callable[..., Any] | None, max_steps: int | None, max_arcs: int | None, edges: str = "out",
    balance: str = "auto", entering: Graph | None = None,
) -> int:  # fmt: skip
    """`traverse`.

    Parameters
    ----------
    entering : Graph, optional
        As for `pull`: where a directed graph is known to have each arc both ways, that graph itself.
    """
    frontier = check_frontier(graph, frontier)
    one_of(balance, "balance", BALANCES)
    steps = [i for i, value in enumerate(args) if isinstance(value, Step)]
    if len(steps) > 1:
        raise ValueError(f"traverse takes one Step among its arguments, not {len(steps)}")
    position = steps[0] if steps else None
    values = list(functor_args(graph, op, tuple(np.int32(a.start) if isinstance(a, Step) else a for a in args)))
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    check_functors(condition, prepare, args)
    functors = Functors(op, condition, prepare)
    walked = graphs_to_walk(graph, edges, op)
    if len(walked) == 1 and walked[0] is not graph:
        graph = walked[0]
        frontier = frontier._on(graph)
    limit = MAX_STEPS if max_steps is None else min(integer(max_steps, "max_steps", 0), MAX_STEPS)
    most = MAX_ARCS if max_arcs is None else min(integer(max_arcs, "max_arcs", 0), MAX_ARCS)
    if recording() is not None:
        if max_arcs is not None or not isinstance(frontier, PendingFrontier):
            raise RuntimeError(NOT_RECORDED)
        if limit:
            _push_later(walked, frontier, functors, tuple(values), position, limit)
        return 0
    # One module holds all kernels, so that none is compiled when a later traversal takes another way.
    kernels = None
    if frontier and graph.device.is_gpu:
        kernels = traverse_kernels(walked, functors, tuple(values), position, gpu_balance(balance))
    frontier._make_set()  # one of few vertices may be listed so often that it is not small
    one_way = len(walked) == 1
    done = 0
    while frontier and done < limit:
        arcs = frontier.num_arcs if one_way else _arcs_both_ways(walked, frontier, most)
        if arcs > most:
            break
        if _is_small(walked, len(frontier), arcs):
            frontier, made = _push_repeatedly(
                walked, frontier, functors, values, position, limit - done, most, kernels
            )  # fmt: skip
        elif one_way and pull_pays(graph, frontier, functors, entering):
            frontier, made = pull(graph, frontier, functors, tuple(values), kernels, None, entering), 1
        elif _is_medium(graph, len(frontier), arcs):
            may_pull = functors.condition is not None and one_way and (graph.has_in_edges or entering is not None)
            frontier, made = _push_cooperatively(
                walked, frontier, functors, values, limit - done, most, kernels, may_pull
            )  # fmt: skip
        else:
            frontier, made = push(graph, frontier, functors, tuple(values), kernels, walked, balance), 1
        done += made
        if position is not None:
            values[position] = np.int32(values[position] + made)
    return done


NOT_RECORDED = "traverse can be recorded from what visit_edges or filter put out meanwhile, and without max_arcs"


def _push_later(
    walked: tuple[Graph, ...], frontier: PendingFrontier, functors: Functors, values: tuple, step: int | None,
    limit: int,
) -> None:  # fmt: skip
    """Record pushes until the frontier is empty: in one launch, however large it becomes."""
    from ...runtime.cuda import cooperative_blocks

    memory: Any = recording()
    lists, stamps, trailing, latest = memory.traversal()
    kernels = traverse_kernels(walked, functors, values, step)
    unbounded = np.int64(MAX_ARCS)
    steps = np.int64(min(limit, 2**29))
    kernels.push_cooperatively(
        1, *_views(walked), frontier.listed, lists[0], lists[1], stamps, trailing, memory.counters(3),
        memory.counters(ROUNDS), np.int64(0), np.int64(0), unbounded, unbounded, steps, frontier.number,
        frontier.listed.size, walked[0].num_vertices, latest, *values, blocks=cooperative_blocks(), cooperative=True,
    )  # fmt: skip


def _views(walked: tuple[Graph, ...]) -> list[Any]:
    return [graph.view() for graph in walked]


def _arcs_both_ways(walked: tuple[Graph, ...], frontier: Frontier, most: int) -> int:
    """Arcs that leave or enter the frontier; 0 where nothing depends on their number."""
    matters = most != MAX_ARCS or (walked[0].device.is_gpu and len(frontier) <= MEDIUM_COUNT)
    return sum(own_frontier(each, frontier).num_arcs for each in walked) if matters else 0


def _is_small(walked: tuple[Graph, ...], count: int, arcs: int) -> bool:
    """Whether a frontier is for a single thread block, or for one core, which goes one way only."""
    return count <= SMALL_COUNT and arcs <= SMALL_ARCS and (len(walked) == 1 or walked[0].device.is_gpu)


def _push_repeatedly(
    walked: tuple[Graph, ...], frontier: Frontier, functors: Functors, values: list, step: int | None, limit: int,
    most: int, kernels: Any,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push until the frontier is empty or no longer small; returns it and the number of pushes."""
    graph = walked[0]
    lists, stamps, epoch, counters, steps = _prepare_pushes(graph, limit)
    args = tuple(values)
    bounds = (np.int64(SMALL_COUNT), np.int64(min(SMALL_ARCS, most)), np.int64(steps))
    if graph.device.is_gpu:
        kernels.push_repeatedly(
            len(frontier), *_views(walked), frontier._members(), lists[0], lists[1], stamps, epoch, counters.array,
            *bounds, *args, blocks=1, threads=1024,
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_push_repeatedly, functors, step)
        run_cpu(
            kernel, functors, len(frontier), *read_view(graph, functors[0]), frontier._members(), lists, stamps, epoch,
            counters.array, *bounds, *_around(args, step),
        )  # fmt: skip
    return _pushed(walked, lists, counters)


def _is_medium(graph: Graph, count: int, arcs: int) -> bool:
    """Whether a frontier is of medium size, for a grid-cooperative launch."""
    return graph.device.is_gpu and count <= MEDIUM_COUNT and arcs <= MEDIUM_ARCS


def _push_cooperatively(
    walked: tuple[Graph, ...], frontier: Frontier, functors: Functors, values: list, limit: int, most: int,
    kernels: Any, may_pull: bool,
) -> tuple[Frontier, int]:  # fmt: skip
    """Push until the frontier is empty or no longer medium, or a pull may pay; returns it and the number of pushes."""
    from ...runtime.cuda import cooperative_blocks

    graph = walked[0]
    lists, stamps, epoch, counters, steps = _prepare_pushes(graph, limit)
    max_arcs = min(MEDIUM_ARCS, most)
    if may_pull:
        max_arcs = min(max_arcs, max(int(graph.num_arcs * PULL_ABOVE), SMALL_ARCS))
    bounds = (DONE_COUNT, DONE_ARCS, MEDIUM_COUNT, max_arcs, steps)
    kernels.push_cooperatively(
        len(frontier), *_views(walked), frontier._members(), lists[0], lists[1], stamps, epoch, counters.array,
        graph.xp.zeros(ROUNDS, np.int64), *(np.int64(bound) for bound in bounds), None, 0, 0, None, *values,
        blocks=cooperative_blocks(), cooperative=True,
    )  # fmt: skip
    return _pushed(walked, lists, counters)


def _prepare_pushes(graph: Graph, limit: int) -> tuple[Any, Any, Any, Any, int]:
    """Arguments of a series of pushes in one launch: two lists that alternate as output (the second is written first),
    stamps, the first epoch, counters, and the maximum number of steps."""
    state = state_of(graph)
    # Any number of pushes may be made with fresh epochs each; no bound is one on what the last one puts out.
    steps = min(limit, 2**30)
    stamps, epoch = state.next_epochs(graph, steps)
    lists = graph.xp.empty((2, graph.num_vertices), graph.vertex_dtype)
    return lists, stamps, epoch, state.counters, steps


def _pushed(walked: tuple[Graph, ...], lists: Any, counters: Any) -> tuple[Frontier, int]:
    """The final frontier of a series of pushes, and their number."""
    graph = walked[0]
    size, arcs, made = counters.read()[:3]
    state_of(graph).used_epochs(made)
    known = arcs if len(walked) == 1 else None  # the arcs that leave it, without those that enter it
    return Frontier._of(graph, lists[made & 1, :size], arcs=known), made


def traverse_kernels(
    walked: tuple[Graph, ...], functors: Functors, args: tuple, step: int | None, balance: str = "tile"
) -> Any:
    """The CUDA kernels of traverse; argument number `step` counts the pushes that one launch makes."""
    options = traverse_options(walked, functors, step, balance)
    return cuda_kernels_for(walked[0], HEADER, advance_functors(functors), args, options)


def traverse_options(
    walked: tuple[Graph, ...], functors: Functors, step: int | None, balance: str = "tile"
) -> tuple:
    """The macros of traverse."""
    both_ways = (("BOTH_WAYS", "1"),) if len(walked) > 1 else ()
    next_step = "(void)0" if step is None else f"++a{step}"
    return ("NEXT_STEP", next_step), *both_ways, *advance_options(walked[0], functors, balance)


def _around(args: tuple, step: int | None) -> tuple[tuple, Any, tuple]:
    """Arguments before the step, the step, and those after it."""
    return (args, np.int32(0), ()) if step is None else (args[:step], args[step], args[step + 1 :])
