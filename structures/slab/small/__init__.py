"""Small batches of a slab graph on a GPU, each of which is a launch or two: the host side.

Compiling their kernels lasts as long as compiling all further kernels of the structure, and runs in parallel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch.raw import MAX_ARCS, MAX_EDGES, THREADS, SmallBatch
from frontier.core.batch.slot_filter import new_filter
from frontier.core.locking import workspace_of
from frontier.runtime import Kernels, load_kernels
from frontier.runtime.launch.arguments import Field

from ..cpu_slabs import EMPTY

KERNELS = ("insert_small", "undo_small", "erase_small", "restore_small", "find_small")
LANES = 4  # threads to an arc
SIZES = 2 * MAX_EDGES, MAX_ARCS  # arcs that memory is made for


def small_kernels(store: Any) -> Kernels:
    return load_kernels(__name__, store.device, store.defines)


class SmallUpdates:
    """Memory for the small updates of one graph, and kernels bound to it and to the pool.

    `take` describes a batch, before a launch.
    """

    def __init__(self, store: Any):
        from frontier.runtime.compile.cuda import cooperative_blocks

        self._batch, self._bound = SmallBatch(), store._bound
        self._room = 0  # arcs that memory is enough for
        self._filter = new_filter(store.device, 1)
        self._blocks = cooperative_blocks()
        kernels: Any = small_kernels(store)
        arguments = self._batch, Field(self._bound, "weights"), self._bound
        self._launches = {name: getattr(kernels, name).bind(*arguments) for name in KERNELS}
        self._finish = {
            "insert_small": kernels.finish_small.bind(*arguments, True),
            "find_small": kernels.finish_small.bind(*arguments, False),
        }
        self._is_large = False

    def take(self, store: Any, src: Any, dst: Any, weights: Any = None, arcs: Any = None, edges: Any = None) -> int:
        """Describe a batch, with the addresses of output buffers, and return the number of its arcs.

        Raises
        ------
        MemoryError
            Nothing has changed.
        """
        count = self._batch.take(
            src, dst, weights, directed=store.directed, num_vertices=store.num_vertices, absent=store.absent,
            arcs=arcs, edges=edges,
        )  # fmt: skip
        self._is_large = src.size > MAX_EDGES
        if count > self._room:
            self._make_room(store, SIZES[count > SIZES[0]])
        return count

    def _make_room(self, store: Any, arcs: int) -> None:
        entries = 2 * arcs  # at most half of them are used
        name = f"small updates of {arcs} arcs"  # shared by stores with the same positions in it
        self._memory = workspace_of(store).scratch.get(name, 3 * entries + arcs + self._blocks, np.int64, fill=EMPTY)
        table, put = self._memory.data.ptr, self._bound.put
        places = {"table": 0, "firsts": 2 * entries, "slots": 3 * entries, "sums": 3 * entries + arcs}
        for name, place in places.items():
            put(name, table + 8 * place)
        put("table_size", entries)
        put("filter", self._filter.data.ptr)
        self._room = arcs

    def launch(self, store: Any, kernel: str, items: int) -> list[int]:
        """Run a kernel over `items` items of the batch, edges in searches and otherwise arcs. Return the counters."""
        store._counters.arm()
        self.queue(store, kernel, items)
        if self._is_large and kernel in self._finish:
            self._finish[kernel](items, blocks=self._blocks, threads=THREADS, cooperative=True)
        return store._counters.poll()

    def queue(self, store: Any, kernel: str, items: int) -> None:
        """`launch` without synchronization."""
        store._pool()  # is up to date then
        store._counters.reset()
        self._launches[kernel](items, blocks=-(-items * LANES // THREADS), threads=THREADS)
