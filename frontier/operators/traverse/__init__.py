"""traverse: repeated advances, until the frontier is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.arguments import integer, one_of
from frontier.core.locking import reads

from ..advance import Functors, check_functors, graphs_to_walk
from ..dispatch.capture_memory import recording
from ..dispatch.gpu_balance import BALANCES
from ..dispatch.kernels import A_TRUTH, check_op, functor_args
from ..dispatch.signatures import OP_PARAMETERS
from ..frontiers.deferred import DeferredFrontier
from ..frontiers.frontier import Frontier, check_frontier
from .traversal import MAX_ARCS, MAX_STEPS, Limits, Traversal

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph


@dataclass(frozen=True)
class StepCounter:
    """A step counter: `traverse` passes `start` to functors in the first advance, and one more in each further one.

    In functors it is an int32.

    See Also
    --------
    traverse : Passes the number of the advance.
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
    launch, and graphs with thousands of levels cost microseconds per level.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
        The initial frontier.
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
        As in `advance`, for large frontiers. With ``"auto"`` and ``"tile"`` many may share a launch on a GPU, by any
        other schedule each is a separate launch. Small ones are advanced by a single cluster of thread blocks on a GPU
        and by one thread on a CPU.

    Returns
    -------
    int
        Number of advances. The last one produced an empty frontier, unless a limit was reached. 0 during a capture.

    Raises
    ------
    FunctorError, ValueError
        As `advance`. Also for more than one `StepCounter`.

    See Also
    --------
    advance : One step, with all options.
    PriorityFrontier.traverse : The same in the order of priorities.
    capture : Replay other loops as a single launch.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], device="cpu")
    >>> def reach(src, dst, edge, weight, seen):
    ...     return fr.atomic_max(seen, dst, 1) == 0
    >>> seen = graph.xp.zeros(graph.num_vertices, "int32")
    >>> seen[0] = 1
    >>> fr.traverse(graph, fr.Frontier(graph, [0]), reach, seen)
    4
    >>> seen
    array([1, 1, 1, 1, 1], dtype=int32)
    """
    functors = Functors(op, condition, prepare)
    return traverse_along(graph, frontier, functors, args, Limits(max_steps, max_arcs), edges=edges, balance=balance)


def traverse_along(
    graph: BaseGraph, frontier: Frontier, functors: Functors, args: tuple, limits: Limits, *, edges: str = "out",
    balance: str = "auto", entering: BaseGraph | None = None,
) -> int:  # fmt: skip
    """`traverse`, with `entering` as for `pull`: the graph itself if it is directed and known to have each arc both
    ways."""
    frontier = check_frontier(graph, frontier)
    one_of(balance, "balance", BALANCES)
    steps: list[int] = []
    started = list(args)
    for i, value in enumerate(args):
        if isinstance(value, StepCounter):
            steps.append(i)
            started[i] = np.int32(value.start)
    if len(steps) > 1:
        raise ValueError(f"traverse accepts one StepCounter among its arguments, not {len(steps)}")
    values = functor_args(graph, functors.op, tuple(started))
    check_op(functors.op, "op", OP_PARAMETERS, args, A_TRUTH)
    check_functors(functors.condition, functors.prepare, args)
    traversed = graphs_to_walk(graph, edges, functors.op)
    if len(traversed) == 1 and traversed[0] is not graph:
        frontier = frontier._on(traversed[0])
    most_steps = MAX_STEPS if limits.steps is None else min(integer(limits.steps, "max_steps", 0), MAX_STEPS)
    most_arcs = MAX_ARCS if limits.arcs is None else min(integer(limits.arcs, "max_arcs", 0), MAX_ARCS)
    traversal = Traversal(traversed, functors, values, steps[0] if steps else None, most_arcs, balance, entering)
    if recording() is None:
        return traversal.run(frontier, most_steps)
    if limits.arcs is not None or not isinstance(frontier, DeferredFrontier):
        raise RuntimeError("traverse can be captured only from a frontier of visit_edges or filter in the same "
                           "capture, and without max_arcs")  # fmt: skip
    if most_steps:
        traversal.record(frontier, most_steps)
    return 0
