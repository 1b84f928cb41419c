"""Small batches of a slab graph on a GPU, each of which is one launch (small.cuh): the host side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch.raw import MAX_EDGES, THREADS, SmallBatch
from frontier.runtime.launch.arguments import Struct

from .cpu_slabs import EMPTY

if TYPE_CHECKING:
    from .base import BaseSlabGraph

WORK = ("weights", "slots", "table", "table_size", "firsts", "recorded", "chain_limit")
"""The fields of ``struct Work`` of small.cuh."""
KERNELS = ("insert_small", "erase_small", "undo_small", "find_small")
LANES = 4  # threads to an arc
ARCS = 2 * MAX_EDGES
ENTRIES = 2 * ARCS  # of the table: at most half of them are used, which kernels do not take to be too many


class SmallUpdates:
    """What the small updates of one graph are launched with: memory, and parameters that stay.

    Attributes
    ----------
    batch : SmallBatch
        To be filled before a launch.
    capacity : int
        Slabs of the pool.
    """

    def __init__(self, graph: BaseSlabGraph):
        self.batch = SmallBatch()
        self._work = Struct(WORK)
        self._memory = graph._scratch.get("small_updates", 3 * ENTRIES + 2 * ARCS, np.int64, fill=EMPTY)
        self._bound: dict[str, Any] = {}
        self._pool: Any = None  # the view of the pool that kernels are bound to
        self.capacity = 0

    def insert(self, graph: BaseSlabGraph, arcs: int) -> list[int]:
        """Insert the batch of so many arcs; returns what was counted."""
        self._work.put("chain_limit", graph._chain_limit(arcs))
        return self.launch(graph, "insert_small", arcs)

    def launch(self, graph: BaseSlabGraph, kernel: str, items: int) -> list[int]:
        """Run a kernel over so many items of the batch; returns what it counted."""
        graph._counters.arm()
        self.queue(graph, kernel, items)
        return graph._counters.poll()

    def queue(self, graph: BaseSlabGraph, kernel: str, items: int) -> None:
        """`launch`, without waiting for what it counts."""
        pool = graph._pool()
        if pool is not self._pool:
            self._bind(graph, pool)
        graph._counters.reset()
        self._bound[kernel](items, blocks=-(-items * LANES // THREADS), threads=THREADS)

    def clear(self) -> None:
        """Empty the table, after a kernel that could not."""
        self._memory[: 3 * ENTRIES].data.memset_async(255, 3 * ENTRIES * 8)

    def _bind(self, graph: BaseSlabGraph, pool: Any) -> None:
        """Take note of the pool's arrays, which are not those of the last launch."""
        table = self._memory.data.ptr
        firsts, recorded, slots = (table + 8 * place for place in (2 * ENTRIES, 3 * ENTRIES, 3 * ENTRIES + ARCS))
        weights = 0 if graph._weights is None else graph._weights.data.ptr
        limit = self._work.fields[-1]
        self._work.set(weights, slots, table, ENTRIES, firsts, recorded, limit)
        self._bound = {name: getattr(graph._kernels, name).bind(self.batch, self._work, pool) for name in KERNELS}
        self._pool, self.capacity = pool, graph._capacity
