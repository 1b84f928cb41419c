"""The kernels of batches of any size on a GPU, bound to what stays the same from batch to batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.batch import Arcs
from frontier.runtime import fill_with
from frontier.runtime.parameters import Field, Struct

from .cpu_slabs import EMPTY
from .layout import FEW_TO_RESOLVE

if TYPE_CHECKING:
    from .graph import SlabGraph

ENTRIES = 1 << 16
"""Of the table that resolves duplicates of existing arcs; half of them can be used."""
CHANGING = (
    "weights", "error_counts", "src", "dst", "new_weights", "slots", "table", "entries", "recorded", "finish",
    "chain_limit",
)  # fmt: skip
"""What kernels take that is not in the pool."""
Duplicates = tuple[int, int, int]
"""The address of a table of duplicates, its entries, and the address of those that are recorded."""
NO_TABLE: Duplicates = 0, 0, 0


class Batches:
    """What the updates of one graph are launched with: parameters that change with the batch, and memory that stays.

    To convert the arguments of a launch takes the host longer than to launch it, and batches of up to some hundred
    thousand arcs wait for the host.
    """

    def __init__(self, graph: SlabGraph):
        self._table = graph._scratch.get("duplicates", 2 * ENTRIES, np.int64, fill=EMPTY)
        self._recorded = graph._scratch.get("recorded", ENTRIES, np.int64)
        self._resolving: Duplicates = self._table.data.ptr, ENTRIES, self._recorded.data.ptr
        self._values = Struct(CHANGING)
        self._pool: Any = None  # the view of the pool that kernels are bound to
        self._insert: Any = None
        self._resolve: Any = None
        self._erase: Any = None

    def insert(self, graph: SlabGraph, arcs: Arcs, slots: Any, *, resolving: bool) -> None:
        """Queue the insertion of a batch; with `resolving`, also the resolution of its duplicates."""
        count = len(arcs)
        few = count <= FEW_TO_RESOLVE
        graph._reserve_for(count)
        self._take(graph, arcs, slots, self._resolving if resolving else NO_TABLE, few)
        self._values.put("chain_limit", graph._chain_limit(count))
        self._insert(count, tile=4)
        if resolving and not few:
            self._values.put("finish", 1)
            self._resolve(count)

    def erase(self, graph: SlabGraph, arcs: Arcs, slots: Any) -> None:
        """Queue a deletion, and have `slots` be those of the arcs, if it is not None."""
        self._take(graph, arcs, slots, NO_TABLE, False)
        self._erase(len(arcs), tile=4)

    def clear(self) -> None:
        """Empty the table, after an insertion that could not."""
        fill_with(self._table, EMPTY)

    def _take(self, graph: SlabGraph, arcs: Arcs, slots: Any, duplicates: Duplicates, finish: bool) -> None:
        """Describe a batch to the kernels, which are bound again if the pool is not that of the last one."""
        weights, errors, pool = graph._weights, arcs.error_counts, graph._pool()
        if pool is not self._pool:
            self._bind(graph, pool)
        self._values.set(
            0 if weights is None else weights.data.ptr, 0 if errors is None else errors.data.ptr, *arcs.addresses,
            0 if slots is None else slots.data.ptr, *duplicates, finish, 0,
        )  # fmt: skip
        graph._counters.reset()

    def _bind(self, graph: SlabGraph, pool: Any) -> None:
        """Take note of the pool's arrays, which are not those of the last launch."""
        kernels = graph._kernels
        weights, errors, src, dst, new_weights, slots, table, entries, recorded, finish, limit = (
            Field(self._values, name) for name in CHANGING
        )
        duplicates = slots, table, entries, recorded, finish
        self._insert = kernels.insert.bind(
            pool, weights, errors, None, src, dst, new_weights, limit, *duplicates
        )
        self._resolve = kernels.resolve_duplicates.bind(pool, weights, new_weights, *duplicates)
        self._erase = kernels.erase.bind(pool, errors, src, dst, None, slots)
        self._pool = pool
