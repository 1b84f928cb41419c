"""Searches over parts on GPUs of one host in one launch each: kernels that read and write each other's memory.

`levels` takes some launches, two exchanges and a wait of the host for each level, all of which are latency. Here the
kernels of all parts run until the search is done, and meet at barriers of their own, which take a few microseconds
(`persistent.cuh`). The host waits once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...frontier import Frontier, bitmap_words
from ...operators.advance import Functors, advance_functors, advance_options, pull_bounds
from ...operators.engine import cuda_kernels_for, functor_args, state_of
from ...operators.launch import blocks_together, piece_capacity
from ...runtime import fill_with
from ..communicator import PartLostError
from ..frontiers import PartFrontier

if TYPE_CHECKING:
    from ..part import GraphPart
    from ..traversals import Levels
    from ..windows import Window

HEADER = "frontier/distributed/persistent/persistent.cuh"
HEAD_BYTES, STATE_NUMBERS = 2048, 154
DONE, NO_ROOM, PART_LOST, ALL_SHARED = 0, 1, 2, 3
"""As in persistent.cuh."""
LEAST_BYTES = 2**16
"""Of a message, at least."""
PATIENCE = 2**31
"""Looks for another part before it counts as lost: some minutes, in which it may compile the kernel."""
SHARE_FROM = 16
"""A search that has put out this fraction of all vertices brings its arrays up to date on all parts: they are likely to be
read there next, and it takes the kernels a third of what it takes the host later."""
BYTES_SHARED, LEAST_SHARED, MOST_SHARED = 8, 2**12, 2**28
"""Room for that: so much for each vertex, which is two arrays of four bytes an entry; and the bounds of the total. In half of
it there is room for 32 vertices, whatever the arrays."""
MOST_STEPS, NEVER = 2**30, 2**62


def message_bytes(graph: GraphPart) -> int:
    """Room in each part's window for what each other one has reached of its vertices: two bytes for each vertex that it
    owns, or `LEAST_BYTES`."""
    return max(2 * graph.num_vertices // graph.comm.size // 128 * 128, LEAST_BYTES)


def shared_bytes(graph: GraphPart) -> int:
    """Room in each part's window for the entries of all vertices, where the messages are, too."""
    room = min(BYTES_SHARED * graph.num_vertices, MOST_SHARED) // 128 * 128
    return max(graph.comm.size * message_bytes(graph), room, LEAST_SHARED)


def window_of(graph: GraphPart) -> Window | None:
    """The windows that a search works with; None where kernels cannot see the memory of all parts."""
    bits = 8 * bitmap_words(graph.num_vertices)
    return graph.comm.window(HEAD_BYTES + -(-bits // 128) * 128 + shared_bytes(graph))


def search(
    levels: Levels, window: Window, frontier: PartFrontier, args: tuple, *, step: int | None = None,
    may_pull: bool = False, max_steps: int | None = None,
) -> tuple[PartFrontier, int, bool]:  # fmt: skip
    """Advance until the frontier is empty; returns what is left of it, how often, and whether the arrays that travel say the
    same on all parts now.

    Parameters
    ----------
    step : int, optional
        Which of the arguments counts the advances.
    may_pull : bool
        Whether a pull gives the same.
    """
    values, done, shared = list(args), 0, False
    limit = MOST_STEPS if max_steps is None else min(max_steps, MOST_STEPS)
    while done < limit and frontier._count != 0:
        frontier, made, shared = _run(levels, window, frontier, tuple(values), step, may_pull, limit - done)
        done += made
        if step is not None:
            values[step] = np.int32(values[step] + made)
    return frontier, done, shared


def _run(
    levels: Levels, window: Window, frontier: PartFrontier, args: tuple, step: int | None, may_pull: bool, limit: int
) -> tuple[PartFrontier, int, bool]:  # fmt: skip
    """One launch: the frontier that is left, the advances that were made, and whether the arrays were shared."""
    graph, local, columns = levels.graph, levels.local, levels.columns
    args = functor_args(local, levels.functors.op, args)
    comm, own, n = graph.comm, frontier.local, local.num_vertices
    state, scratch = state_of(local), local._scratch.get
    stamps, epoch = state.next_epochs(local, limit)
    lists = [graph.xp.empty(n, local.vertex_dtype) for _ in range(2)]
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
    # A loop of single steps goes on with entries of its own vertices.
    sharing = shared_bytes(graph), -(-n // SHARE_FROM) if limit > 1 and columns.arrays else NEVER
    window.outcome.expect()
    kernels.advance_over_parts(
        1, *pushes, *pulls, *parts, *sharing, n, limit, PATIENCE, *columns.args, *args,
        blocks=blocks_together(True),  # large pushes need many, too
        cooperative=True,
    )  # fmt: skip
    count, arcs, last, made, total, ending, found, pairs, bitmaps = window.outcome.hear()
    comm.waits += 1
    comm.exchanges += 1
    comm.sent_bytes += pairs * width + bitmaps * 4 * bitmap_words(n)
    if ending == ALL_SHARED:
        comm.sent_bytes += (comm.size - 1) * int(graph.partition.owned.size) * columns.width
    if ending == PART_LOST:
        raise PartLostError("another part of this graph did not come to a search: load the graph from a file")
    state.used_epochs(made + (ending == NO_ROOM))
    vertices = lists[last][:count]
    if ending == NO_ROOM:  # for what this part has reached, or another one
        level = levels.send(reached[:found], count)
        vertices, arcs, total, made = level.members, level.arcs, level.total, made + 1
    left = PartFrontier.of_part(graph, Frontier._of(local, vertices, arcs=arcs))
    left._count = total
    return left, made, ending == ALL_SHARED


def _pull_arguments(graph: GraphPart) -> tuple:
    """What the kernel pulls with: memory, from how many members and arcs on that is less work, and which vertices it
    goes to."""
    local, owned = graph.local, graph.partition.owned
    scratch, n = local._scratch.get, local.num_vertices
    memory = scratch("everyone", bitmap_words(n), np.uint32), scratch("rest", n, local.vertex_dtype)
    return graph.reverse.local.view(), *memory, *pull_bounds(graph), int(owned.size), owned


def options_of(local: Any, functors: Functors, step: int | None) -> tuple:
    """The macros of the kernel."""
    next_step = "(void)0" if step is None else f"++a{step}"
    return ("NEXT_STEP", next_step), *advance_options(local, functors)
