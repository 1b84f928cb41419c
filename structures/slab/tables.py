"""Whole tables of the slab graph: built, rehashed, flushed of tombstones and released."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime import Counters

from . import on_cpu, on_gpu
from .layout import CHAIN_LIMIT, LONG_CHAIN, RELAXED_BATCHES, RELAXED_SHARE, Layout
from .pool import SlabPool

if TYPE_CHECKING:
    from types import ModuleType

FIRST_SLABS = 16
MAX_BASE_SLABS = np.iinfo(np.int32).max


class SlabTables(SlabPool):
    """Tables of slabs, one for each vertex record. A base of `SlabStore`."""

    load_factor: float
    num_arcs: int
    kernels: Any
    _tombstones: int
    xp: ModuleType

    def _attach_pool(self) -> None:
        super()._attach_pool()
        self._host: Any = on_gpu if self.device.is_gpu else on_cpu
        self._tally = Counters(self.device, on_gpu.TALLY)
        self._relaxed = self._before = 0, 0  # batches, and their arcs, since one had the lower limit for chains

    def _chain_limit(self, arcs: int) -> int:
        """The slabs that a chain may have before a batch of so many arcs defers its keys."""
        self._before = batches, arrived = self._relaxed
        self._relaxed = batches + 1, arrived + arcs
        if batches + 1 < RELAXED_BATCHES and RELAXED_SHARE * (arrived + arcs) < self.num_arcs:
            return LONG_CHAIN
        self._relaxed = 0, 0
        return max(CHAIN_LIMIT, ceil(2 * self.load_factor))

    def _keep_chain_limit(self) -> None:
        """Repeat the last limit for the next batch: it is the same batch, inserted in another way."""
        self._relaxed = self._before

    def _gather(self, layout: Layout) -> tuple[Any, Any, Any]:
        """The keys and weights of these tables as rows: offsets, keys, weights."""
        xp, rows = self.xp, int(layout.records.shape[0])
        dst = xp.empty(layout.keys, self.vertex_dtype)
        weights = None if self.weights is None else xp.empty(layout.keys, self.stored_dtype)
        self.kernels.gather(
            layout.chains, self.neighbors, self.weights, self.slab_stride, self.slab_words, layout.records, rows,
            layout.chain_offsets, layout.offsets, xp.zeros(rows, np.int32), dst, weights,
        )  # fmt: skip
        return layout.offsets, dst, weights

    def _plan(self, offsets: Any, dst: Any, coming: Any, first: int) -> tuple[Any, Any, int, int]:
        """Plan tables for rows and `coming` more keys each (None: for none), with base slabs from `first` on.

        Returns their records, the number of keys of each bucket, the overflow slabs for these, and the number of rows
        without a table.
        """
        keys_each = self.load_factor * (self.slab_words - 1)
        records, total, without = self._host.plan_records(self, offsets, coming, keys_each, first)
        if first + total > MAX_BASE_SLABS:
            raise MemoryError(f"{first + total} slabs are more than 32-bit slab numbers can address")
        keys = self.xp.zeros(total, np.int32)
        self.kernels.count_rows(int(dst.size), int(records.shape[0]), offsets, dst, records, first, keys)
        return records, keys, self._host.count_overflow(self, keys), without

    def _place(self, offsets: Any, dst: Any, weights: Any, records: Any, keys: Any, overflow: int) -> None:
        """Fill planned tables, for which slabs are reserved."""
        first = self._used
        self._used += int(keys.size)
        self._packed = None
        self._counters.reset()
        self.kernels.link(int(keys.size), self._pool(), first, keys)
        self.kernels.place_rows(
            int(dst.size), self._pool(), self.weights, int(records.shape[0]), offsets, dst, weights, records, first,
            keys,
        )  # fmt: skip
        self._take(overflow)

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        records, keys, overflow, without = self._plan(offsets, dst, None, 0)
        tables = int(keys.size) + overflow
        self._new_pool(FIRST_SLABS + tables + tables // 8 + min(without, tables // 4))
        self._place(offsets, dst, weights, records, keys, overflow)
        self.records[: records.shape[0]] = records
        self._tombstones = 0

    def _rehash(self, ids: Any, coming: Any) -> None:
        """Move the tables of these vertices to new ones, with buckets for `coming` more keys and without tombstones."""
        old = self._host.lay_out(self, ids)
        rows = self._gather(old)
        records, keys, overflow, _ = self._plan(rows[0], rows[1], coming, self._used)
        self._make_room(int(keys.size), overflow)
        self._place(*rows, records, keys, overflow)
        self._host.store_records(self, ids, records)
        self._give_back(old)

    def _repack(self) -> None:
        """Move all tables to a new pool that fits them, if memory allows it."""
        try:
            self.build(*self._gather(self._host.lay_out(self, None)))
        except MemoryError:
            return

    def _give_back(self, layout: Layout) -> None:
        """Return all slabs of these unreferenced tables."""
        self._counters.reset()
        self.kernels.release(
            layout.chains, self._pool(), layout.records, int(layout.records.shape[0]), layout.chain_offsets
        )
        self._account(self._counters.read())
        self._tombstones -= layout.tombstones

    def release(self, ids: Any) -> None:
        if ids.size:
            layout = self._host.lay_out(self, ids)
            self._host.store_records(self, ids, None)
            self._give_back(layout)

    def compact(self) -> None:
        """Flush all tombstones: move keys to the front of their chains, and return slabs that are left empty.

        Deletions do it by themselves once a quarter of the keys are tombstones. O(keys) work.
        """
        ids = self._host.with_tombstones(self)
        if not ids.size:
            return
        layout = self._host.lay_out(self, ids)
        self._counters.reset()
        self.kernels.compact(layout.chains, self._pool(), self.weights, ids, int(ids.size), layout.chain_offsets)
        self._account(self._counters.read())
        self._tombstones = 0
