"""Small batches of a slab graph on a GPU, each of which is one launch: the host side.

Their kernels take as long to compile as all others of the structure, and are compiled in parallel to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch.raw import MAX_EDGES, THREADS, SmallBatch
from frontier.core.locking import workspace_of
from frontier.runtime import Kernels, load_kernels
from frontier.runtime.launch.arguments import Field

from ..cpu_slabs import EMPTY

KERNELS = ("insert_small", "erase_small", "undo_small", "find_small")
LANES = 4  # threads to an arc
ARCS = 2 * MAX_EDGES
ENTRIES = 2 * ARCS  # of the table: at most half of them are used, which kernels do not take to be too many


def small_kernels(store: Any) -> Kernels:
    return load_kernels(__name__, store.device, store.defines)


class SmallUpdates:
    """Memory for the small updates of one graph, and kernels bound to it and to the pool.

    `batch` must be filled before a launch.
    """

    def __init__(self, store: Any):
        self.batch = SmallBatch()
        self._memory = workspace_of(store).scratch.get("small_updates", 3 * ENTRIES + 2 * ARCS, np.int64, fill=EMPTY)
        table, bound = self._memory.data.ptr, store._bound
        places = {"table": 0, "firsts": 2 * ENTRIES, "recorded": 3 * ENTRIES, "slots": 3 * ENTRIES + ARCS}
        for name, place in places.items():
            bound.put(name, table + 8 * place)
        bound.put("table_size", ENTRIES)
        work = Field(bound, "weights")
        kernels = small_kernels(store)
        self._launches = {name: getattr(kernels, name).bind(self.batch, work, bound) for name in KERNELS}

    def insert(self, store: Any, arcs: int) -> list[int]:
        """Insert the batch of so many arcs; returns the counters."""
        store._bound.put("chain_limit", store._chain_limit(arcs))
        return self.launch(store, "insert_small", arcs)

    def launch(self, store: Any, kernel: str, items: int) -> list[int]:
        """Run a kernel over so many items of the batch; returns the counters."""
        store._counters.arm()
        self.queue(store, kernel, items)
        return store._counters.poll()

    def queue(self, store: Any, kernel: str, items: int) -> None:
        """`launch` without synchronization."""
        store._pool()  # is up to date then
        store._counters.reset()
        self._launches[kernel](items, blocks=-(-items * LANES // THREADS), threads=THREADS)

    def clear(self) -> None:
        """Empty the table, after a kernel that could not."""
        self._memory[: 3 * ENTRIES].data.memset_async(255, 3 * ENTRIES * 8)
