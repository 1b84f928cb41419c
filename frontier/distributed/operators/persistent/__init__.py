"""Searches over partitions on GPUs of one host in one launch each: kernels that read and write each other's memory.

`levels` needs some launches, two exchanges and a host synchronization for each level, all of which are latency. Here
the kernels of all partitions run until the search ends. They synchronize at their own barriers, which last a few
microseconds (`persistent.cuh`). The host synchronizes once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.locking import workspace_of
from frontier.operators.advance import Functors, advance_functors, advance_options, pull_bounds
from frontier.operators.dispatch.gpu_balance import blocks_together, piece_capacity
from frontier.operators.dispatch.kernels import cuda_kernels_for, functor_args
from frontier.operators.frontiers.frontier import Frontier, bitmap_words
from frontier.runtime import fill_with

from ...transport.windows import HEAD_BYTES
from ..frontiers import PartFrontier

if TYPE_CHECKING:
    from ...base import BasePart
    from ...transport.windows import Window
    from ..traversals import Levels

HEADER = "frontier/distributed/operators/persistent/persistent.cuh"
STATE_NUMBERS = 154
DONE, NO_ROOM, PART_LOST, ALL_SHARED = 0, 1, 2, 3  # as in persistent.cuh
ROOM_FOR_A_VERTEX, LEAST_BYTES, MAX_BYTES = 8, 2**16, 2**28
"""Bytes of a partition's window for messages of all other partitions: per vertex (enough to share two arrays of four
bytes an entry at once), and bounds of the total."""
PATIENCE = 2**31  # polls of a partition before it counts as lost: some minutes, in which it may compile the kernel
SHARE_FROM = 16
"""A search that has reached one of so many vertices brings its arrays up to date on all partitions: they are likely to
be read there next, and the kernels need half the time of an exchange."""
LEAST_SHARED = 64  # vertices for whose entries the window must then have capacity
MAX_STEPS, NEVER = 2**30, 2**62


def message_bytes(graph: BasePart) -> int:
    """Return the bytes of each partition's window for messages of each other partition."""
    return min(max(ROOM_FOR_A_VERTEX * graph.num_vertices, LEAST_BYTES), MAX_BYTES) // graph.comm.size // 128 * 128


def window_of(graph: BasePart) -> Window | None:
    """Return the windows of a search, or None where kernels cannot see the memory of all partitions."""
    bits = 8 * bitmap_words(graph.num_vertices)
    return graph.comm.window(HEAD_BYTES + -(-bits // 128) * 128 + graph.comm.size * message_bytes(graph))


def search(
    levels: Levels, window: Window, frontier: PartFrontier, args: tuple, *, step: int | None = None,
    may_pull: bool = False, max_steps: int | None = None,
) -> tuple[PartFrontier, int, bool]:  # fmt: skip
    """Advance until the frontier is empty, and return the frontier left, the number of advances, and whether the arrays
    that travel are equal on all partitions now.

    Argument `step` counts the advances. With `may_pull`, a pull is equivalent.
    """
    graph, values, done, ending = levels.graph, list(args), 0, DONE
    limit = MAX_STEPS if max_steps is None else min(max_steps, MAX_STEPS)
    # A loop of single steps continues with entries of owned vertices.
    has_room = graph.comm.size * message_bytes(graph) >= LEAST_SHARED * levels.columns.width
    shares = limit > 1 and has_room and levels.columns.width > 0
    share_from = -(-graph.num_vertices // SHARE_FROM) if shares else NEVER
    while done < limit and frontier._count != 0:
        frontier, made, ending = _run(levels, window, frontier, tuple(values), step, may_pull, limit - done, share_from)
        done += made
        if ending == NO_ROOM and shares:
            share_from = 0  # many were reached
        if step is not None:
            values[step] = np.int32(values[step] + made)
    return frontier, done, ending == ALL_SHARED


def _run(
    levels: Levels, window: Window, frontier: PartFrontier, args: tuple, step: int | None, may_pull: bool, limit: int,
    share_from: int,
) -> tuple[PartFrontier, int, int]:  # fmt: skip
    """Launch once, and return the frontier left, the number of advances, and the reason of the end."""
    graph, local, columns = levels.graph, levels.local, levels.columns
    args = functor_args(local, levels.functors.op, args)
    comm, own, n = graph.comm, frontier.local, local.num_vertices
    state, scratch = workspace_of(local), workspace_of(local).scratch.get
    stamps, epoch = state.next_epochs(local, limit)
    lists = [scratch(name, n, local.vertex_dtype) for name in ("listed", "listed again")]
    reached = scratch("reached", n, local.vertex_dtype)
    capacity, room = piece_capacity(local), message_bytes(graph)
    width = local.vertex_dtype.itemsize + columns.width
    kernels = cuda_kernels_for(
        local, HEADER, advance_functors(levels.functors), args, options_of(local, levels.functors, step)
    )
    pushes = (
        local.view(), len(own), own._members(), lists[0], lists[1], reached, stamps, epoch, window.outcome.published,
        fill_with(scratch("parts", STATE_NUMBERS, np.int64), 0), scratch("pieces", capacity, np.uint64),
        np.uint32(capacity),
    )  # fmt: skip
    pulls = _pull_arguments(graph) if may_pull else (local.view(), None, None, NEVER, NEVER, 0, None)
    parts = graph.partition.owners, window.addresses, comm.rank, comm.size, room // width // 8 * 8, room
    window.outcome.arm()
    kernels.advance_over_parts(
        1, *pushes, *pulls, *parts, share_from, n, limit, PATIENCE, window.abandoned, *columns.args, *args,
        blocks=blocks_together(True),  # large pushes need many, too
        cooperative=True,
    )  # fmt: skip
    count, arcs, last, made, total, ending, found, pairs, bitmaps = window.outcome.poll()
    comm.waits += 1
    comm.exchanges += 1
    comm.sent_bytes += pairs * width + bitmaps * 4 * bitmap_words(n)
    if ending == ALL_SHARED:
        comm.sent_bytes += (comm.size - 1) * (n // comm.size) * columns.width
    if ending == PART_LOST:
        graph.mark_failed("another part of this graph did not come to a search: load the graph from a file")
    state.used_epochs(made + (ending == NO_ROOM))
    vertices = lists[last][:count].copy()
    if ending == NO_ROOM:  # for the output of this partition, or of another one
        level = levels.send(reached[:found], count)
        vertices, arcs, total, made = level.members, level.arcs, level.total, made + 1
    left = PartFrontier.of_part(graph, Frontier._of(local, vertices, arcs=arcs))
    left._count = total
    return left, made, ending


def _pull_arguments(graph: BasePart) -> tuple:
    """Return the kernel's arguments of pulls: memory, the bounds from which a pull is less work, and vertices."""
    local, owned = graph.local, graph.partition.owned
    scratch, n = workspace_of(local).scratch.get, local.num_vertices
    memory = scratch("everyone", bitmap_words(n), np.uint32), scratch("rest", n, local.vertex_dtype)
    return graph.reverse.local.view(), *memory, *pull_bounds(graph), int(owned.size), owned


def options_of(local: Any, functors: Functors, step: int | None) -> tuple:
    return ("NEXT_STEP", "(void)0" if step is None else f"++a{step}"), *advance_options(local, functors)
