"""Small batches of packed memory arrays on a GPU, as chains of launches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from frontier.core.sort import SortedKeys, distinct_of_sorted
from structures.small_batches import DELETE, INSERT, LaunchSequence

from . import layout, on_gpu
from .layout import BLOCKS, CHAIN, FOUND, LARGE, LEAF, LEAVES, MOVED, NEW, REDUNDANT, TAKEN, WARPS, Batch, Rebalance
from .store import PackedStore


class PackedChains(LaunchSequence, PackedStore):
    """A `PackedStore` that applies small batches on a GPU by chains.

    Insertions that would rebalance windows of more than 64 leaves take the general path. Deletions that leave such a
    window too empty are tidied after the chain.
    """

    _first_outcome = CHAIN

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        if kind != DELETE or self.deletion == "lazy":
            return True
        return self._entries(self.num_arcs - arcs) >= self._root_limits()[0]  # or else the array may shrink

    def _chain_sorts(self, kind: str) -> bool:
        return kind != DELETE

    def _queue_chain(
        self, kind: str, keys: SortedKeys | None, weights: Any, src: Any = None, dst: Any = None
    ) -> tuple[Any, ...]:
        if keys is None:
            self._queue_deletion(src, dst)
            return None, 0, None, False
        kernels, view, counters, scratch = self.kernels, self._held_view(), self._counters.array, self.scratch.get
        distinct = distinct_of_sorted(self, keys, origin=weights is not None)
        size = int(distinct.keys.size)
        places = scratch("places", size, np.int64)
        arriving = scratch("no_arrivals", 2 * self.leaves, np.uint32, fill=0)
        kernels.locate(size, view, distinct.keys, keys.shift, places, arriving, counters, tile=4)
        if kind == INSERT:
            batch = Batch(distinct.keys, keys.shift, places, weights, distinct.origin)
            plan = self._plan(layout.INSERT, size, places, arriving, kernels.plan)
            kernels.decide(size, counters, threads=32, blocks=1)
            kernels.commit(size, view, *batch, counters[TAKEN:])
            self._queue_moves(plan, arriving, batch)
        kernels.forget_arrivals(size, self.leaves, places, arriving)
        return distinct.keys, size, places, kind != INSERT

    def _queue_deletion(self, src: Any, dst: Any) -> None:
        size, eager = int(src.size), self.deletion == "eager"
        arriving = None
        if eager:
            arriving = self.scratch.get("emptied", self.leaves, np.uint32)
            self.kernels.clear_arrivals(int(arriving.size), arriving)
        threshold = self.leaf_density[0] * LEAF if eager else 0.0
        self.kernels.erase(
            size, self._held_view(), None, src, dst, threshold, None, arriving, self._counters.array, tile=4
        )  # fmt: skip
        if eager:
            plan = self._plan(layout.DELETE, size, None, arriving, self.kernels.plan)
            self._queue_moves(plan, arriving, on_gpu.no_batch(self))

    def _queue_moves(self, plan: Rebalance, arriving: Any, batch: Batch) -> None:
        kernels, view, counters = self.kernels, self._held_view(), self._counters.array
        for rebalance, kind, windows, launch in (
            (kernels.move_leaves, LEAVES, plan.leaves, {"tile": 8}),
            (kernels.move_warps, WARPS, plan.warps, {"tile": 32}),
            (kernels.move_blocks, BLOCKS, plan.blocks, {"blocks": min(int(plan.blocks.size), MAX_BLOCKS)}),
        ):
            if kind != LEAVES or batch.keys is not None:  # deletions rebalance no single leaves
                rebalance(
                    int(windows.size), view, windows, plan.tile_state, arriving, batch.size, *batch, counters[kind:],
                    **launch,
                )  # fmt: skip

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        self._moved += numbers[MOVED]
        self._redundant += numbers[REDUNDANT]
        new = numbers[NEW]
        if kind == DELETE and self.deletion == "eager" and new:
            with suppress(MemoryError):  # the arcs are gone; the array may stay emptier than it should be
                self._tidy_after_chain(numbers, self.num_arcs - new)
        return new, numbers[FOUND]

    def _tidy_after_chain(self, numbers: list[int], arcs: int) -> None:
        """Shrink the array, or rebalance large windows, which a chain cannot."""
        if not self._shrunk(arcs) and numbers[LARGE]:
            assert self._chains is not None
            emptied = self._chains.scratch.get("emptied", self.leaves, np.uint32)
            self._counters.reset()
            plan = self._plan(layout.DELETE, self.leaves, None, emptied, self.kernels.plan)
            numbers, batch = self._counters.read(), on_gpu.no_batch(self)
            self._move(plan, numbers, batch, on_gpu.room_to_move(self, numbers, batch))


MAX_BLOCKS = 528  # that share the windows of a block each: four for each multiprocessor of a large GPU
