"""Updates of packed memory arrays. Small ones on a GPU are chains of launches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.sort import SortedKeys, distinct_keys, distinct_of_sorted, id_bits
from frontier.runtime import fill_with
from frontier.runtime.compile.warm_up import takes_alternative
from structures import small_batches
from structures.small_batches import LaunchSequence

from . import on_gpu
from .array import SHRUNK, PackedArray
from .layout import (
    CHAIN,
    DELETE,
    FOUND,
    INSERT,
    LARGE,
    LEAF,
    LEAVES,
    MOVED,
    NEW,
    OVERFLOW,
    PLAN_THREADS,
    REDUNDANT,
    TILE_LEAVES,
    TOUCHED,
    Batch,
    Capacity,
    Rebalance,
)


class PackedStore(LaunchSequence, PackedArray):
    """A graph in one packed memory array (`PackedArray`). `on_gpu` has the steps of a GPU.

    Small insertions that would rebalance windows of more than 64 leaves go through the general path. Small deletions
    that leave such a window too empty are tidied after their chain.
    """

    _first_outcome = CHAIN

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0
        plan = self._plan_insertion(batch)
        numbers = self._counters.read()
        arcs.check(waited=True)
        plan, numbers = self._make_room(batch, plan, numbers)
        self._carry_out(plan, numbers, batch)
        return numbers[NEW], numbers[FOUND]

    def _make_room(self, batch: Batch, plan: Rebalance, numbers: list[int]) -> tuple[Rebalance, list[int]]:
        """Enlarge the array until an insertion fits, and return its plan and counts."""
        while numbers[OVERFLOW]:
            self._grow(self._entries(self.num_arcs) + numbers[NEW])
            plan = self._plan_insertion(batch)
            numbers = self._counters.read()
        return plan, numbers

    def _batch(self, arcs: Arcs) -> Batch:
        """The distinct arcs of a batch, which the GPU has not checked at this point."""
        distinct = distinct_keys(self, arcs, origin=arcs.weights is not None)
        places = self.scratch.get("places", int(distinct.keys.size), np.int64)
        return Batch(distinct.keys, id_bits(self.num_vertices), places, arcs.weights, distinct.origin)

    def _plan_insertion(self, batch: Batch) -> Rebalance:
        """Queue the plan of an insertion, and its counts. The graph does not change."""
        return self._plan(INSERT, batch.size, batch.places, self._locate(batch))

    def _locate(self, batch: Batch) -> Any:
        """Queue the look-up of a batch's keys, and return the number of arrivals at each leaf."""
        self._counters.reset()
        arriving = self._no_arrivals()
        self.kernels.locate(
            batch.size, self._held_view(), batch.keys, batch.shift, batch.places, arriving, self._counters.array, tile=4
        )  # fmt: skip
        return arriving

    def _plan(self, mode: int, size: int, places: Any, arriving: Any, kernel: Any = None) -> Rebalance:
        """Queue the choice of the windows to rebalance, by default by `_search`. At most `size` leaves change."""
        try:
            plan = self._room_to_plan(size)
            (kernel or self._search(mode))(
                size, self._held_view(), mode, *self._slope(mode), places, arriving, *plan, self._counters.array,
                threads=PLAN_THREADS, blocks=-(-self.leaves // TILE_LEAVES),
            )  # fmt: skip
        except BaseException:
            self._drop_arrivals(arriving)
            raise
        return plan

    def _no_arrivals(self) -> Any:
        """A zero for each leaf (two on a GPU), which CPU kernels restore."""
        if not self.device.is_gpu:
            return self.scratch.get("arriving", self.leaves, np.uint32, fill=0)
        arriving = self.scratch.get("arriving", 2 * self.leaves, np.uint32)
        fill_with(arriving, 0)
        return arriving

    def _room_to_plan(self, size: int) -> Rebalance:
        """Scratch memory for a plan in which at most `size` leaves change."""
        if self.device.is_gpu:
            return on_gpu.room_to_plan(self, size)
        return Rebalance(self.scratch.get("windows", size, np.int64))

    def _drop_arrivals(self, arriving: Any) -> None:
        """Clear the arrivals of a batch that no kernel plans. A GPU clears them before the next one."""
        if not self.device.is_gpu:
            arriving.fill(0)

    def _room_to_erase(self, size: int) -> Any:
        """Memory for the leaves that a deletion changes, and for its keys, on a CPU. A GPU reads all leaves."""
        return None if self.device.is_gpu else self.scratch.get("erased", 2 * size, np.int64)

    def _search(self, mode: int) -> Any:
        return self.kernels.plan

    def _slope(self, mode: int) -> tuple[float, float]:
        """The threshold of leaves (greatest in insertions, least in deletions), and the increment of each level."""
        leaf, root = self.leaf_density[1 - mode], self.root_density[1 - mode]
        return leaf, (root - leaf) / max(self.height, 1)

    def _carry_out(self, plan: Rebalance, numbers: list[int], batch: Batch) -> None:
        """Carry out a plan. Memory is exhausted, if it is, before the graph has changed."""
        room = on_gpu.room_to_move(self, numbers, batch)
        if numbers[NEW] or batch.weights is not None:
            self.kernels.commit(batch.size, self._held_view(), *batch, None)
        self._move(plan, numbers, batch, room)

    def _move(self, plan: Rebalance, numbers: list[int], batch: Batch, room: Capacity | None = None) -> None:
        """Rebalance the windows of a plan, and merge the batch into them."""
        if room is None:
            room = on_gpu.room_to_move(self, numbers, batch)
        self._moved += numbers[MOVED]
        self._redundant += numbers[REDUNDANT]
        if self.device.is_gpu:
            on_gpu.move(self, plan, numbers, batch, room)
        elif numbers[LEAVES]:
            self.kernels.move(numbers[LEAVES], self._held_view(), plan.leaves, *batch)

    def erase(self, arcs: Arcs) -> int:
        plan, numbers = self._erase(arcs)
        arcs.check(waited=True)
        if self.deletion == "eager" and numbers[NEW]:
            with suppress(MemoryError):  # the arcs are deleted, and the array may stay emptier than it should be
                if not self._shrunk(self.num_arcs - numbers[NEW]) and plan and any(numbers[LEAVES : LARGE + 1]):
                    self._move(plan, numbers, self._no_batch())
        return numbers[NEW]

    def _erase(self, arcs: Arcs) -> tuple[Rebalance | None, list[int]]:
        """Clear the arcs' slots, and plan the rebalancing if deletion is eager. A MemoryError changes nothing."""
        size, eager, plan = len(arcs), self.deletion == "eager", None
        threshold = self.leaf_density[0] * LEAF if eager else 0.0
        self._counters.reset()
        places = self._room_to_erase(size)
        arriving = self._no_arrivals() if eager else None
        self.kernels.erase(
            size, self._held_view(), arcs.error_counts, arcs.src, arcs.dst, threshold, places, arriving,
            self._counters.array, tile=4,
        )  # fmt: skip
        if eager:
            with suppress(MemoryError):
                plan = self._plan_tidying(size, places, arriving)
        return plan, self._counters.read()

    def _plan_tidying(self, size: int, places: Any, arriving: Any) -> Rebalance | None:
        """The plan of a deletion whose arcs have been cleared, or None on a CPU if no leaf has become too empty."""
        if not self.device.is_gpu:
            size = self._counters.read()[TOUCHED]
            if not size:
                return None
            places = places[:size]
            places.sort()
        return self._plan(DELETE, size, places, arriving)

    def _no_batch(self) -> Batch:
        """An empty batch. On a CPU it has arrays, as Numba would compile kernels again for absent ones."""
        if self.device.is_gpu:
            return Batch()
        none, weights = np.empty(0, np.int64), None if self.weights is None else self.weights[:0]
        return Batch(none, 0, none, weights, None if weights is None else none)

    def _shrunk(self, arcs: int) -> bool:
        """Rebuild the array with fewer leaves if `arcs` arcs leave it too empty, and return whether it was rebuilt."""
        leaves, entries = self.leaves, self._entries(arcs)
        if entries < self._root_limits()[0]:
            leaves = min(leaves, self._leaf_count(entries, SHRUNK))
        if leaves == self.leaves and not takes_alternative((PackedArray, self.package)):
            return False
        self._rebuild(arcs, leaves)
        return True

    # ---- small batches, on a GPU ------------------------------------------------------------------------------------

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        if kind != small_batches.DELETE or self.deletion == "lazy":
            return True
        return self._entries(self.num_arcs - arcs) >= self._root_limits()[0]  # or else the array may shrink

    def _chain_sorts(self, kind: str) -> bool:
        return kind != small_batches.DELETE

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
        inserting = kind == small_batches.INSERT
        arriving = scratch("no_arrivals", 2 * self.leaves, np.uint32, fill=0) if inserting else None
        kernels.locate(size, view, distinct.keys, keys.shift, places, arriving, counters, tile=4)
        if inserting:
            batch = Batch(distinct.keys, keys.shift, places, weights, distinct.origin)
            plan = self._plan(INSERT, size, places, arriving, kernels.plan)
            kernels.commit(size, view, *batch, counters)
            on_gpu.move_windows(self, plan, arriving, batch)
        return distinct.keys, size, places, not inserting

    def _queue_deletion(self, src: Any, dst: Any) -> None:
        size, eager = int(src.size), self.deletion == "eager"
        arriving = None
        if eager:
            arriving = self.scratch.get("emptied", self.leaves, np.uint32)
            self.kernels.clear_arrivals(int(arriving.size), arriving)
        threshold = self.leaf_density[0] * LEAF if eager else 0.0
        self.kernels.erase(
            size, self._held_view(), self._counters.array[CHAIN:], src, dst, threshold, None, arriving,
            self._counters.array, tile=4,
        )  # fmt: skip
        if eager:
            plan = self._plan(DELETE, size, None, arriving, self.kernels.plan)
            on_gpu.move_windows(self, plan, arriving, Batch())

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        self._moved += numbers[MOVED]
        self._redundant += numbers[REDUNDANT]
        new = numbers[NEW]
        if kind == small_batches.DELETE and self.deletion == "eager" and new:
            with suppress(MemoryError):  # the arcs are deleted, and the array may stay emptier than it should be
                self._tidy_after_chain(numbers, self.num_arcs - new)
        return new, numbers[FOUND]

    def _tidy_after_chain(self, numbers: list[int], arcs: int) -> None:
        """Shrink the array, or rebalance large windows, which a chain cannot."""
        if not self._shrunk(arcs) and numbers[LARGE]:
            assert self._chains is not None
            emptied = self._chains.scratch.get("emptied", self.leaves, np.uint32)
            self._counters.reset()
            plan = self._plan(DELETE, self.leaves, None, emptied, self.kernels.plan)
            self._move(plan, self._counters.read(), Batch())
