"""The host side of Hornet."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.sort import SortedKeys, tile_launch
from frontier.runtime import Counters, fill_column
from frontier.runtime.values import integer
from structures.changes import CHANGES, GROUPS, OTHERS, Changes, changes_of_keys, chunks_for, find_changes
from structures.changes.cpu import CHAIN
from structures.records import VertexRecords
from structures.small_batches import FIND, LaunchSequence
from structures.small_batches import INSERT as INSERTION

from . import on_gpu
from .blocks import BlockArrays
from .check import check_arrays
from .cpu import CLASS_BITS, CLASSES, COUNTERS, DELETE, FREE, INSERT, META, REQUESTS, RETURNED, START, TIDY, View

MIN_UNIT_BITS, MAX_UNIT_BITS = 10, 16  # block-arrays of 1,024 to 65,536 edges, unless asked for otherwise


class HornetStore(LaunchSequence, BlockArrays, VertexRecords):
    """Blocks of power-of-two capacity from arrays of equal ones. See `structures.hornet.Hornet`.

    Attributes
    ----------
    records : array of int64, shape (capacity, 2)
        For each vertex the first slot of its block, and its degree and the class of its block. ``(-1, 0)`` for vertices
        without neighbors, and behind the last vertex. A block of class k starts a multiple of ``2**k`` slots after its
        block-array, has at most ``2**k`` neighbors, in ascending order, and belongs to one vertex.
    """

    name = "hornet"
    package = "structures.hornet"
    walk_cost: ClassVar = {"cpu": 1.1, "gpu": 1.0}
    view_type = View
    arrays: ClassVar = {
        "records": (np.int64, 2), "neighbors": VERTEX, "weights": WEIGHT, "free_bits": np.uint32,
        "free_counts": np.int32, "array_classes": np.int8,
    }  # fmt: skip
    _unit_bits_range = 5, 30
    options = ("block_array_size",)
    _first_outcome = CHAIN
    _ordered = True
    scalars = ("unit_bits", "_block_edges", "_moved_blocks", "_changed_since_tidy")

    def __init__(self, num_vertices: int, *, block_array_size: int | None = None, **base: Any):
        super().__init__(num_vertices, **base)
        if block_array_size is None:
            unit_bits = min(max(self.num_vertices.bit_length() - 4, MIN_UNIT_BITS), MAX_UNIT_BITS)
        else:
            unit_bits = integer(block_array_size, "block_array_size").bit_length() - 1
            low, high = self._unit_bits_range
            if block_array_size != 1 << max(unit_bits, 0) or not low <= unit_bits <= high:
                raise ValueError(f"block_array_size must be a power of two from 2**5 to 2**30, not {block_array_size}")
        self.records = self._empty_records(self.num_vertices)
        self._init_block_arrays(unit_bits)
        self._block_edges = 0  # edge capacity of all used blocks together
        self._moved_blocks = 0
        self._changed_since_tidy = 0

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._counters = Counters(self.device, COUNTERS)
        self._none_leaving = None if self.device.is_gpu else np.empty(0, bool)
        self._forget_directory()

    @property
    def block_array_size(self) -> int:
        """Edges in a block-array."""
        return 1 << self.unit_bits

    def _empty_records(self, count: int) -> Any:
        records = super()._empty_records(count)
        fill_column(records, START, -1)
        return records

    # ---- the graph --------------------------------------------------------------------------------------------------

    check = check_arrays

    def degrees(self) -> Any:
        return self.records[: self.num_vertices, META] >> CLASS_BITS

    def degrees_of(self, vertices: Any) -> Any:
        return self.records[vertices, META] >> CLASS_BITS

    def used_bytes(self) -> int:
        numbers = self.details()
        slot = self.vertex_dtype.itemsize + (0 if self.stored_dtype is None else self.stored_dtype.itemsize)
        words = sum(arrays * max(self._blocks(k) // 32, 1) for k, arrays in enumerate(numbers["block_arrays"]))
        return numbers["block_array_edges"] * slot + 4 * words + 16 * self.num_vertices

    def details(self) -> dict[str, Any]:
        """Use of blocks and block-arrays.

        Returns
        -------
        dict
            ``block_edges``: capacity of the blocks in use. ``block_utilisation``: share of it that is used.
            ``block_array_edges``: edges in block-arrays with a block in use. ``block_array_utilisation``: share of them
            in blocks in use. ``block_arrays``, ``free_blocks``: numbers of these block-arrays and of their free blocks,
            by class. ``moved_blocks``: how often a list has moved to another block.
        """
        classes = self._classes
        empty = np.zeros(classes.size, bool)
        empty[self._empty_arrays()] = True
        units = np.flatnonzero((classes >= 0) & ~empty)
        arrays = np.bincount(classes[units], minlength=CLASSES)
        free = np.bincount(classes[units], self.device.to_host(self.free_counts)[units], CLASSES)
        edges = sum((int(arrays[k]) * self._units(k)) << self.unit_bits for k in range(CLASSES))
        return {
            "block_edges": self._block_edges,
            "block_utilisation": self.num_arcs / max(self._block_edges, 1),
            "block_array_edges": edges,
            "block_array_utilisation": self._block_edges / max(edges, 1),
            "block_arrays": arrays.tolist(),
            "free_blocks": free.astype(np.int64).tolist(),
            "moved_blocks": self._moved_blocks,
        }

    # ---- updates ----------------------------------------------------------------------------------------------------

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        self._counters.reset()
        changes = self._changes_of_all(offsets, dst, weights)
        planned = self._plan(changes, INSERT)
        self._carry_out(changes, changes.bound, INSERT, planned, self._counters.read())

    def _changes_of_all(self, offsets: Any, dst: Any, weights: Any) -> Changes:
        """All vertices as groups, with these arcs for their empty lists, or no changes if `offsets` is None."""
        n = self.num_vertices
        if self.device.is_gpu:
            return Changes(n, None, offsets, dst, weights)
        if offsets is None:  # empty arrays, since Numba would compile the kernels again for absent ones
            offsets, dst = np.zeros(n + 1, np.int64), np.empty(0, self.vertex_dtype)
            weights = None if self.stored_dtype is None else np.empty(0, self.stored_dtype)
        ids, positions = np.arange(n, dtype=self.vertex_dtype), np.zeros(dst.size, self.vertex_dtype)
        return Changes(n, ids, offsets, dst, weights, positions)

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        return self._update(arcs, INSERT)

    def erase(self, arcs: Arcs) -> int:
        return self._update(arcs, DELETE)[0]

    def _update(self, arcs: Arcs, mode: int) -> tuple[int, int]:
        """Insert or delete. Return the numbers of distinct arcs that changed the graph, and that did not."""
        self._counters.reset()
        changes = find_changes(self, arcs, inserting=mode == INSERT)
        planned = self._plan(changes, mode)
        numbers = self._counters.read()
        arcs.check(waited=True)
        changed, others = numbers[CHANGES], numbers[OTHERS]
        if changed:
            self._carry_out(changes, numbers[GROUPS], mode, planned, numbers)
            self._tidy_after(changed, mode == INSERT)
        elif others and changes.replace is not None:
            changes.replace()
        return changed, others

    def _look_up(self, batch: SortedKeys, present: bool, slots: Any, sums: Any) -> None:
        size = int(slots.size)
        self.kernels.locate(
            size, self.records, self.neighbors, batch.keys, batch.bits, batch.shift, present, slots, sums,
            self._counters.array, **tile_launch(size),
        )  # fmt: skip

    def _plan(self, changes: Changes, mode: int, leaving: Any = None) -> tuple[Any, Any]:
        """Queue the plan of the moving blocks, and the count of free ones. Return moves and large lists."""
        moves = self.scratch.get("moves", changes.bound, np.int64)
        large = on_gpu.table_of_large(self, changes) if self.device.is_gpu else None
        self.kernels.plan(
            changes.bound, self.records, changes.vertex, changes.start, mode, self.unit_bits,
            self._none_leaving if leaving is None else leaving, moves, self._counters.array, changes.slots, large,
        )  # fmt: skip
        self._count_free(self._counters)
        return moves, large

    def _carry_out(
        self, changes: Changes, groups: int, mode: int, planned: tuple[Any, Any], numbers: list[int]
    ) -> None:
        """Carry out a plan. Memory is exhausted, if it is, before the graph has changed."""
        counters = self._counters
        requests = np.array(numbers[REQUESTS : REQUESTS + CLASSES], np.int64)
        fresh = self.scratch.get("fresh", int(requests.sum()), np.int64)
        staged = on_gpu.room_to_stage(self, numbers) if self.device.is_gpu else None
        self._reserve(requests, np.array(numbers[FREE : FREE + CLASSES], np.int64), counters)
        if changes.replace is not None and numbers[OTHERS]:
            changes.replace()
        if fresh.size:
            self._take_blocks(fresh)
        moves, large = planned
        if self.device.is_gpu:
            on_gpu.move(self, changes, groups, (mode, moves, fresh), large, staged, numbers)
        else:
            self._move_on_cpu(changes, groups, mode, moves, fresh)
        self._account(numbers)

    def _move_on_cpu(self, changes: Changes, groups: int, mode: int, moves: Any, fresh: Any) -> None:
        kernels, weights = self.kernels, changes.weights
        if weights is None and self.weights is not None:  # a deletion, where this spares Numba another compilation
            weights = self.weights[:0]
        kernels.return_blocks(
            groups, self.records, changes.vertex, moves, self.unit_bits, self.free_bits, self.free_counts
        )
        chunks = chunks_for(groups + changes.dst.size)
        kernels.apply_lists(
            chunks, chunks, groups, self.records, self.neighbors, self.weights, changes.vertex, changes.start,
            changes.slots, changes.dst, weights, mode, moves, fresh, self._counters.array,
        )  # fmt: skip

    def _account(self, numbers: list[int]) -> None:
        requested, returned = numbers[REQUESTS : REQUESTS + CLASSES], numbers[RETURNED : RETURNED + CLASSES]
        self._block_edges += sum((requested[k] - returned[k]) << k for k in range(CLASSES))
        self._moved_blocks += min(sum(requested), sum(returned))

    def _take_blocks(self, fresh: Any) -> None:
        """Allocate the requested blocks from the block-arrays. `fresh` receives their first slots."""
        entries, units, class_first, prefix = self._directory[:4]
        if entries:
            self.kernels.take_blocks(
                entries, units, class_first, prefix, self.array_classes, self.free_counts, self.free_bits,
                self.unit_bits, self._counters.array, fresh, threads=1024, blocks=min(entries, on_gpu.CHAIN_BLOCKS),
            )  # fmt: skip

    # ---- small batches, on a GPU ------------------------------------------------------------------------------------

    def _chain_arrays(self) -> tuple[Any, ...]:
        return *super()._chain_arrays(), self._directory

    def _queue_chain(
        self, kind: str, keys: SortedKeys | None, weights: Any, src: Any = None, dst: Any = None
    ) -> tuple[Any, ...]:
        assert keys is not None
        inserting = kind == INSERTION
        changes = changes_of_keys(self, keys, weights, inserting=inserting)
        if kind != FIND:
            mode = INSERT if inserting else DELETE
            on_gpu.move_unplanned(self, changes, mode, *self._plan(changes, mode))
        return changes.looked_up, not inserting

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        changed = numbers[CHANGES]
        if changed:
            self._account(numbers)
            self._tidy_after(changed, kind == INSERTION)
        return changed, numbers[OTHERS]

    # ---- limiting memory --------------------------------------------------------------------------------------------

    def _tidy_after(self, changed: int, inserting: bool) -> None:
        """Compact if blocks, or block-arrays, have more than twice the edges of the graph.

        Compaction is a pass over all vertices, so it is deferred until the changes are in proportion to them. The batch
        is complete: exhausted memory only leaves more of it unused.
        """
        self._changed_since_tidy += changed
        arcs = self.num_arcs + (changed if inserting else -changed)
        if 8 * self._changed_since_tidy < arcs + self.num_vertices:
            return
        with suppress(MemoryError):
            if self._block_edges <= 2 * arcs:
                if self._directory.edges <= 2 * arcs + self._directory.spare:
                    return
                self._give_back_empty()
                if self._directory.edges <= 2 * arcs + self._directory.spare:
                    return
            self.compact()

    def compact(self) -> None:
        """Move each list to the smallest block that fits, and out of sparsely used block-arrays. O(V + E) work."""
        self._changed_since_tidy = 0
        try:
            self._give_back_empty()
            self._leaving = leaving = self._sparse_arrays()
            self._kept_directory = None
            self._counters.reset()
            changes = self._changes_of_all(None, None, None)
            planned = self._plan(changes, TIDY, self.xp.asarray(leaving))
            self._carry_out(changes, changes.bound, TIDY, planned, self._counters.read())
        finally:
            self._leaving = self._kept_directory = None
        with suppress(MemoryError):
            self._give_back_empty()
