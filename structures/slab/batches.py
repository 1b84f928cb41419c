"""Kernels of batches of any size on a GPU, bound to arguments that stay the same from batch to batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.batch.slot_filter import new_filter
from frontier.core.locking import workspace_of
from frontier.core.sort import TILE, tile_count
from frontier.runtime import fill_with
from frontier.runtime.launch.arguments import Field, Struct

from .cpu_slabs import EMPTY, FOUND
from .layout import SMALL_TO_RESOLVE

ENTRIES = 1 << 16  # of the table that resolves duplicates of existing arcs, for few arcs. Half of them are usable
MAX_ENTRIES = 1 << 21  # for any number: more duplicates than fit get another table (`SlabStore._resolve`)
CHANGING = ("error_counts", "src", "dst", "new_weights", "slots", "table", "recording", "finish", "entries", "recorded")
"""Arguments of kernels beyond the pool. `recording` is the number of table entries that `insert` may use itself."""


class Batches:
    """The launches of one graph's updates: parameters that change with the batch, and memory that stays.

    Converting the arguments of a launch costs the host more than the launch, and batches of up to some hundred thousand
    arcs are bound by the host.
    """

    def __init__(self, store: Any):
        from frontier.runtime.compile.cuda import cooperative_blocks

        self._most_blocks = cooperative_blocks()
        self._entries = 0
        self._few = False  # whether the last batch was
        self._values = Struct(CHANGING)
        kernels, pool = store.kernels, store._bound
        weights, limit = Field(pool, "weights"), Field(pool, "chain_limit")
        errors, src, dst, new_weights, slots, table, recording, finish, entries, recorded = (
            Field(self._values, name) for name in CHANGING
        )
        self._insert = kernels.insert.bind(
            pool, weights, errors, None, src, dst, new_weights, limit, slots, table, recording, recorded, finish
        )
        self._resolve = kernels.resolve_batch.bind(
            pool, weights, new_weights, slots, table, entries, recorded, new_filter(store.device, 1)
        )
        self._erase = kernels.erase.bind(pool, errors, src, dst, None, slots)

    def insert(self, store: Any, arcs: Arcs, slots: Any, *, resolving: bool) -> None:
        """Queue the insertion of a batch, and with `resolving` the resolution of its duplicates."""
        count = len(arcs)
        self._few = few = count <= SMALL_TO_RESOLVE
        store.reserve_for(count)
        table = 0
        if resolving:
            self._have_table(store, count)
            table = self._table.data.ptr
        self._take(store, arcs, slots, table, ENTRIES if resolving and few else 0, few)
        store._bound.put("chain_limit", store._chain_limit(count))
        self._insert(count, tile=4)
        if resolving and not few:
            self._queue_resolution(count)

    def resolve(self, store: Any, arcs: Arcs, slots: Any, found: int) -> bool:
        """Queue the resolution of the duplicates that `insert` left. False if they exceed the table.

        `found` is the number of arcs whose key existed when they came.
        """
        if 2 * found > self._entries:
            return False
        self._take(store, arcs, slots, self._table.data.ptr, 0, False)
        fill_with(store._counters.array[FOUND : FOUND + 1], found)
        self._queue_resolution(len(arcs))
        return True

    def _queue_resolution(self, count: int) -> None:
        self._resolve(count, threads=TILE, blocks=min(tile_count(count), self._most_blocks), cooperative=True)

    def erase(self, store: Any, arcs: Arcs, slots: Any) -> None:
        """Queue a deletion. `slots`, if given, become the slots of the arcs."""
        self._take(store, arcs, slots, 0, 0, False)
        self._erase(len(arcs), tile=4)

    def clear(self) -> None:
        """Empty the table, after an insertion that could not."""
        if self._few:
            fill_with(self._table[: 2 * ENTRIES], EMPTY)

    def _have_table(self, store: Any, count: int) -> None:
        """Ensure a table for the duplicates of so many arcs, or as large a one as memory allows."""
        wanted = min(max(1 << (2 * count - 1).bit_length(), ENTRIES), MAX_ENTRIES)
        if wanted <= self._entries:
            return
        try:
            table = workspace_of(store).scratch.get("duplicates", 2 * wanted, np.int64, fill=EMPTY)
            recorded = workspace_of(store).scratch.get("recorded", max(wanted // 2, ENTRIES), np.int64)
        except MemoryError:
            if not self._entries:
                raise
            return  # more duplicates than fit are resolved in another way
        self._table, self._recorded, self._entries = table, recorded, wanted
        self._values.put("entries", wanted)
        self._values.put("recorded", recorded.data.ptr)

    def _take(self, store: Any, arcs: Arcs, slots: Any, table: int, recording: int, finish: bool) -> None:
        """Describe a batch to the kernels."""
        errors = arcs.error_counts
        self._values.set_first(
            0 if errors is None else errors.data.ptr, *arcs.addresses, 0 if slots is None else slots.data.ptr, table,
            recording, finish,
        )  # fmt: skip
        store._pool()  # is up to date then
        store._counters.reset()
