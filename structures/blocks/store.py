"""`ListStore`: the host side of unordered lists."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.locking import workspace_of
from frontier.core.sort import (
    SortedKeys,
    arc_keys,
    id_bits,
    row_ids,
    running_sums,
    sorted_keys,
    tile_count,
    tile_launch,
)
from frontier.core.store import Store
from frontier.operators.match import match_kernels, match_keys
from frontier.runtime import Counters
from frontier.runtime.compile.kernels import Header
from structures.changes import CHANGES, GROUPS, OTHERS, Changes, changes_of_keys, chunks_for, find_changes
from structures.changes.cpu import CHAIN
from structures.small_batches import DELETE, FIND, INSERT, LaunchSequence

from .cpu import BLOCKS, PENDING

SHORT_LIST = 256  # neighbors that one thread searches


class ListStore(LaunchSequence, Store):
    """Unordered lists without gaps, in blocks of one pool. A structure implements the methods marked *structure*.

    Lists of n neighbors that lose d have the rest at positions 0 .. n - d - 1 afterwards: the last neighbors fill the
    holes. A small batch runs the same kernels, each for as many groups as the batch may have.
    """

    finds_fast = False
    _first_outcome = CHAIN
    _ordered = False
    _room: Any
    """*structure*: the blocks that a chain may allocate or free, an argument of its kernel ``decide``."""
    _may_decline_deletions = False
    """*structure*: whether the memory for freed blocks is limited, which makes chains decline deletions."""

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._counters = Counters(self.device, CHAIN + 3)

    def update_kernels(self) -> list[Header]:
        return [*super().update_kernels(), *match_kernels(self)]

    # ---- for structures ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _plan(self, changes: Changes, *, inserting: bool) -> Any:
        """*structure*: queue the count of the blocks that lists allocate or free, BLOCKS in the counters."""

    @abstractmethod
    def _reserve(self, plan: Any, blocks: int, *, inserting: bool) -> None:
        """*structure*: ensure capacity to allocate or free `blocks` blocks. After a MemoryError nothing has changed."""

    @abstractmethod
    def _take_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        """*structure*: attach blocks to lists, and set the new degrees. `count` is 0 if the changes need no block."""

    @abstractmethod
    def _free_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        """*structure*: free the blocks after the ends of lists, and set the new degrees. Parameters likewise."""

    @abstractmethod
    def _account(self, blocks: int, *, inserting: bool) -> None:
        """*structure*: account for allocated or freed blocks."""

    # ---- updates ----------------------------------------------------------------------------------------------------

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        changes, plan, numbers = self._planned(arcs, inserting=True)
        inserted, others, groups, blocks = (numbers[place] for place in (CHANGES, OTHERS, GROUPS, BLOCKS))
        if inserted:
            self._reserve(plan, blocks, inserting=True)
        if others and changes.replace is not None:
            changes.replace()
        if inserted:
            self._insert_changes(plan, changes, groups, inserted, blocks)
        return inserted, others

    def _insert_changes(self, plan: Any, changes: Changes, groups: int, count: int, blocks: int) -> None:
        self._take_blocks(plan, changes, groups, count if blocks else 0)
        self._account(blocks, inserting=True)
        self._append(changes, groups, count)

    def erase(self, arcs: Arcs) -> int:
        changes, plan, numbers = self._planned(arcs, inserting=False)
        deleted, groups, blocks = (numbers[place] for place in (CHANGES, GROUPS, BLOCKS))
        if deleted:
            self._reserve(plan, blocks, inserting=False)
            self._remove(changes, groups, deleted)
            self._free_blocks(plan, changes, groups, deleted if blocks else 0)
            self._account(blocks, inserting=False)
        return deleted

    def _planned(self, arcs: Arcs, *, inserting: bool) -> tuple[Changes, Any, list[int]]:
        """The changes of a batch, their plan, and the counters, with the update's one synchronization."""
        self._counters.reset()
        changes = find_changes(self, arcs, inserting=inserting)
        plan = self._plan(changes, inserting=inserting)
        numbers = self._counters.read()
        arcs.check(waited=True)
        return changes, plan, numbers

    def _queue_chain(
        self, kind: str, keys: SortedKeys | None, weights: Any, src: Any = None, dst: Any = None
    ) -> tuple[Any, ...]:
        assert keys is not None
        inserting = kind == INSERT
        changes = changes_of_keys(self, keys, weights, inserting=inserting)
        bound = changes.bound
        if kind != FIND:
            plan = self._plan(changes, inserting=inserting)
            if inserting or self._may_decline_deletions:
                self.kernels.decide(1, BLOCKS, self._room, self._counters.array, threads=32, blocks=1)
        if inserting:
            if changes.replace is not None:
                changes.replace()
            self._take_blocks(plan, changes, bound, bound, chain=True)
            self._append(changes, bound, bound)
        elif kind == DELETE:
            self._remove(changes, bound, bound)
            self._free_blocks(plan, changes, bound, bound, chain=True)
        return changes.looked_up, not inserting

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        self._account(numbers[BLOCKS], inserting=kind == INSERT)
        return numbers[CHANGES], numbers[OTHERS]

    def _look_up(self, batch: SortedKeys, present: bool, slots: Any, sums: Any) -> None:
        size = int(slots.size)
        match_keys(self, batch.keys, slots, batch.bits)
        self.kernels.count_changes(
            size, batch.keys, batch.bits, batch.shift, slots, present, sums, self._counters.array, **tile_launch(size)
        )  # fmt: skip

    def _changes_of_all(self, offsets: Any, dst: Any, weights: Any) -> Changes:
        """CSR arrays as changes that fill empty lists: a group for each vertex."""
        vertex = group = None
        if self.device.is_gpu:
            group = row_ids(self.device, offsets, np.dtype(np.int32))
        else:
            vertex = np.arange(self.num_vertices, dtype=self.vertex_dtype)
        return Changes(self.num_vertices, vertex, offsets, dst, weights, group=group)

    def _append(self, changes: Changes, groups: int, count: int) -> None:
        """Write changes to the ends of their lists, which have their new degrees. Allocates no memory."""
        view, lists = self.make_view(), (changes.vertex, changes.start)
        if self.device.is_gpu:
            counters = None if changes.vertex is None else self._counters.array  # a new graph has a group per vertex
            self.kernels.append(count, view, *lists, changes.group, changes.dst, changes.weights, counters)
        else:
            chunks = chunks_for(count)
            self.kernels.append_lists(chunks, chunks, groups, view, view.weights, *lists, changes.dst, changes.weights)

    def _remove(self, changes: Changes, groups: int, count: int) -> None:
        """Remove changes from their lists, which have their old degrees. After a MemoryError nothing has changed."""
        view, slots = self.make_view(), changes.slots
        if not self.device.is_gpu:
            chunks = chunks_for(count)
            self.kernels.remove_lists(chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, slots)
            return
        device, kernels, scratch, counted = self.device, self.kernels, self.scratch.get, self._counters.array
        tiles, launch = tile_count(count), tile_launch(count)
        tails, movers = scratch("tails", count, np.int64), scratch("movers", count, np.int64)
        survivors, holes = scratch("survivor_sums", tiles, np.int64), scratch("hole_sums", tiles, np.int64)
        kernels.mark(count, view, slots, counted)
        kernels.find_survivors(
            count, view, changes.vertex, changes.start, changes.group, tails, survivors, counted, **launch
        )  # fmt: skip
        sums = running_sums(device, kernels, survivors)
        kernels.find_holes(count, view, slots, tails, *sums, movers, holes, counted, **launch)
        kernels.fill_holes(count, view, slots, *running_sums(device, kernels, holes), movers, counted, **launch)

    @property
    def _slot_bytes(self) -> int:
        return self.vertex_dtype.itemsize + (0 if self.stored_dtype is None else self.stored_dtype.itemsize)

    def _adopt(self, twin: Self) -> None:
        """Adopt the arrays of another store with the same arcs."""
        for name in (*self.arrays, *self.scalars):
            setattr(self, name, getattr(twin, name))
        self._view = None

    # ---- look-ups ---------------------------------------------------------------------------------------------------

    def find(self, src: Any, dst: Any) -> Any:
        """See `Store.find`. Each arc of a short list is looked up separately. Long lists are walked once for all."""
        slots = self.xp.empty(src.size, np.int64)
        counters = workspace_of(self).counters  # not the update counters: several threads may look arcs up at once
        counters.reset()
        self.kernels.find_short(int(src.size), self.view(), src, dst, SHORT_LIST, slots, counters.array)
        pending = counters.read()[PENDING]
        if pending:
            self._find_long(src, dst, slots, pending)
        return slots

    def _find_long(self, src: Any, dst: Any, slots: Any, pending: int) -> None:
        """Find the slots of the arcs whose slot is -2. Their number is `pending` on a GPU."""
        xp, on_gpu = self.xp, self.device.is_gpu
        if on_gpu:
            long_src, long_dst = xp.empty(pending, src.dtype), xp.empty(pending, dst.dtype)
            counters = workspace_of(self).counters.array
            self.kernels.list_long(int(src.size), src, dst, slots, counters, long_src, long_dst)
        else:
            left = np.flatnonzero(slots == -2)
            long_src, long_dst = src[left], dst[left]
        keys = sorted_keys(self, Arcs(long_src, long_dst, None)).keys
        found = xp.empty(keys.size, np.int64)
        match_keys(self, keys, found)
        if on_gpu:
            self.kernels.take_found(int(src.size), src, dst, id_bits(self.num_vertices), pending, keys, found, slots)
        else:  # keys are distinct
            slots[left] = found[np.searchsorted(keys, arc_keys(self.device, long_src, long_dst, self.num_vertices))]
