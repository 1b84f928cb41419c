"""Shapes of launches: how work is distributed to thread blocks on a GPU, and to threads on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.runtime import fill_with, threads_for
from frontier.runtime.values import one_of


def parts_for(count: int) -> int:
    """Number of chunks of a CPU reduction over `count` vertices, each with its own partial result."""
    threads = threads_for(count, 1024)
    return 1 if threads == 1 else threads * 8


def workers_for(count: int) -> int:
    """Threads that share `count` vertices on a CPU, each with arrays as long as that."""
    return threads_for(count, 256)


SHORT_LISTS = 6  # mean degree up to which half the lanes suffice
TILE_SIZES = "4", "8"
"""Lanes per neighbor list, where lists are short and where they are not."""


def tile_size(graph: BaseGraph) -> str:
    """Lanes per neighbor list: few for short lists, so none idle.

    Kernels are compiled for each number. To avoid that in a stream, a graph caches the choice of its first use with any
    edges, and an empty one assumes long lists.
    """
    if graph.store.short_lists is None:
        if not graph.num_arcs:
            return TILE_SIZES[1]
        graph.store.short_lists = 1 <= graph.num_arcs / graph.num_vertices <= SHORT_LISTS
    return TILE_SIZES[not graph.store.short_lists]


def other_lanes(options: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...] | None:
    """The macros of the kernels that differ from these only in their lanes (`tile_size`), if any."""
    size = dict(options).get("TILE_SIZE")
    if size not in TILE_SIZES:
        return None
    other = TILE_SIZES[size == TILE_SIZES[0]]
    return tuple((name, other if name == "TILE_SIZE" else value) for name, value in options)


SMALL_ARCS = 2048  # fewer arcs than these leave no list long enough to be worth cutting


class Pieces:
    """Buffer for the pieces of long neighbor lists that a kernel defers to a second one, if `needed`.

    Nothing is deferred for few `arcs`, if their number is known. Both kernels accept `args`: the pieces, an array of
    their number and of the parts taken, and the capacity. No arrays if nothing is deferred.
    """

    def __init__(self, graph: BaseGraph, arcs: int | None = None):
        self.needed = arcs is None or arcs > SMALL_ARCS
        if not self.needed:
            self.args = (None, None, np.uint32(0))
            return
        capacity = piece_capacity(graph)
        size = workspace_of(graph).scratch.get("num_pieces", 2, np.uint32)
        fill_with(size, 0)
        self.args = (workspace_of(graph).scratch.get("pieces", capacity, np.uint64), size, np.uint32(capacity))


def piece_capacity(graph: BaseGraph) -> int:
    """The capacity for pieces: a cut vertex has more than 16 segments, about 500 slots, and a piece for every 64."""
    return min(max(graph.slot_capacity // 256, 1024), 2**24)


BALANCES = ("auto", "thread", "tile", "block", "merge")
"""How neighbor lists are shared out: what users may ask for."""


def gpu_balance(balance: str) -> str:
    """The schedule for the user's `balance` on a GPU."""
    return "tile" if one_of(balance, "balance", BALANCES) == "auto" else balance


def balance_options(graph: BaseGraph, balance: str) -> tuple[tuple[str, str], ...]:
    """The macros of a schedule."""
    if balance == "tile":
        return (("TILE_SIZE", tile_size(graph)),)
    return ("TILE_SIZE", "1" if balance == "thread" else tile_size(graph)), ("BALANCE", f"BY_{balance.upper()}")


def launch_balanced(
    kernels: Any, name: str, balance: str, graph: BaseGraph, count: int, vertices: Any, outputs: tuple, args: tuple,
    arcs: int | None = None, last_outputs: tuple | None = None,
) -> None:  # fmt: skip
    """Launch the kernel `name` of an operator over the neighbors of some vertices, by a schedule.

    The parameters of the kernel are the vertices, `outputs`, the data of the schedule, and `args`. The last launch
    receives `last_outputs`, if given, which publish results to the host. `arcs` is the number of arcs, if known.
    """
    kernel, view = getattr(kernels, name), graph.view()
    last_outputs = outputs if last_outputs is None else last_outputs
    if balance == "merge":
        ends = workspace_of(graph).scratch.get("ends", count, np.int64)
        kernels.measure(count, view, vertices, ends, *args)
        graph.xp.cumsum(ends, out=ends)
        kernel(count, np.int32(0), view, vertices, *last_outputs, ends, *args, blocks=resident_blocks())
        return
    pieces = Pieces(graph, arcs if balance == "tile" else 0)
    pieces_kernel = getattr(kernels, f"{name}_pieces") if pieces.needed else None
    rest = *pieces.args, *args
    launch_expansion(
        kernel, pieces_kernel, count, pieces, view, vertices, *outputs, *rest,
        last=(view, vertices, *last_outputs, *rest),
    )  # fmt: skip


MAX_ITEMS = 256  # threads of a block that expands (BLOCK in expand.cuh)


def items_per_block(count: int) -> int:
    """Vertices that a block processes at a time: few of a short list, which gives all multiprocessors some."""
    return MAX_ITEMS if count >= 262144 else 64 if count >= 32768 else 32


def launch_expansion(
    kernel: Callable, kernel_of_pieces: Callable | None, count: int, pieces: Pieces, *args: Any,
    most_items: int = MAX_ITEMS, last: tuple | None = None,
) -> None:  # fmt: skip
    """Launch a kernel over the neighbors of `count` items, and another for the pieces that it defers.

    The calls are ``kernel(count, items, *args)`` and ``kernel_of_pieces(count, *args)``, and `args` include the
    arguments of `pieces`. A block processes at most `most_items` at a time. The last launch receives `last`, if given,
    instead of `args`.
    """
    items = min(items_per_block(count), most_items)
    blocks, last = -(-count // items), args if last is None else last
    if kernel_of_pieces is None or not pieces.needed:
        kernel(count, np.int32(items), *last, blocks=blocks)
        return
    kernel(count, np.int32(items), *args, blocks=blocks)
    kernel_of_pieces(1, *last, blocks=resident_blocks())


BLOCKS_EACH = 8  # blocks of 256 threads that a multiprocessor runs at once


def resident_blocks() -> int:
    """Blocks that the GPU runs at once, for kernels whose blocks process a queue until it is empty."""
    from frontier.runtime.compile.cuda import multiprocessors

    return multiprocessors() * BLOCKS_EACH


TOGETHER_EACH = {"push": 2, "choose": 4}
"""Blocks of a traversal's grid-cooperative launch on each multiprocessor, at most MAX_BLOCKS of traverse.cuh. Barriers
of few blocks are faster, but pulls are bound by memory latency, and need many threads."""
SHARED_FOR_MANY = 96 * 1024
"""Bytes of shared memory that a multiprocessor needs for the larger number, which Turing has not."""


def blocks_together(chooses: bool) -> int:
    """Blocks of a grid-cooperative launch that pushes, or chooses between push and pull."""
    from frontier.runtime.compile.cuda import cooperative_blocks, shared_memory_each

    many = chooses and shared_memory_each() >= SHARED_FOR_MANY
    return cooperative_blocks(TOGETHER_EACH["choose" if many else "push"])


def blocks_for_at_most(count: int) -> int:
    """Blocks for so many items or fewer, over which they stride."""
    return min(-(-count // MAX_ITEMS), resident_blocks())
