"""The host side of GPMA and GPMA+: Sha, Li, He, Tan, "Accelerating Dynamic Graph Analytics on GPUs", PVLDB 11(1), 2017.

Differences from the paper, and their reasons:

* *Keys are implicit.* The paper stores a 64-bit (row, column) key with each arc. Here a slot has the column only. The
  row follows from the guards, and each leaf of 32 slots has one stored key, its separator, for searches. A slot is 4
  bytes instead of 8, and analytics read columns only.
* *Guards stand first.* The paper's guard of a row has the column infinity and ends the row. Here it starts the row,
  with a key lower than all of the row, and one more guard ends the last row. Future vertices already have guards.
* *All levels at once.* Algorithm 4 goes up level by level, and moves a window's entries again at each level. Here the
  final number of entries of any window is a difference of prefix sums: one kernel finds the final window of each leaf,
  and each entry moves once. ``statistics()["redundant_leaves"]`` counts the moves that this spares.
* *Duplicates.* The authors' code stores an arc as often as a batch lists it, and again if it exists. Here each arc is
  stored once, and the last of the batch counts.
* *Leaf size.* Leaves have 32 slots, a cache line, at any size of the array, not a number that grows with its logarithm.
* *Any number of leaves.* The array need not be a power of two of leaves: windows are cut off at its end. It grows to a
  quarter of the way between the root's thresholds, and shrinks to half of it, in any number of leaves.
* *Locks.* With ``method="lock"`` capacity for the whole batch is allocated before its first round, so a batch that
  exhausts memory changes nothing. One lock stands for all windows of more than 2,048 leaves. The windows of a round
  are re-dispatched at its end, the larger ones instead of those inside them. On the CPU the same method is the serial
  packed memory array, which needs no lock.
* *Several GPUs.* A graph is on one device.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.invariants import require
from frontier.runtime.values import one_of
from structures import small_batches
from structures.packed.layout import FOUND, INSERT, NEW, PLAN_THREADS, TILE_LEAVES, Batch
from structures.packed.store import PackedStore

METHODS = "segment", "lock"
WINNERS = 12  # index in the counters (kernels.cuh has the same number)


class GPMAStore(PackedStore):
    """One packed memory array of leaves in a row. See `structures.gpma.GPMA`."""

    name = "gpma"
    package = "structures.gpma"
    walk_cost: ClassVar = {"cpu": 1.0, "gpu": 1.1}
    options: ClassVar[tuple[str, ...]] = (*PackedStore.options, "method")
    _tallies: ClassVar[tuple[str, ...]] = (*PackedStore._tallies, "_rounds")
    scalars: ClassVar[tuple[str, ...]] = (*options, *_tallies)

    def __init__(self, num_vertices: int, *, method: str = "segment", **base: Any):
        self.method = one_of(method, "method", METHODS)
        self._rounds = 0
        super().__init__(num_vertices, **base)

    def _check_options(self) -> None:
        super()._check_options()
        require(self.method in METHODS, f"method is {self.method!r}")

    def details(self) -> dict[str, Any]:
        """The details of `PackedStore`, and ``rounds``: how often insertions under locks have tried."""
        return super().details() | {"rounds": self._rounds}

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        if self.method == "segment":
            return super().insert(arcs)
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0
        self._look_up(batch)
        numbers = self._counters.read()
        arcs.check(waited=True)
        new = numbers[NEW]
        entries = self._entries(self.num_arcs) + new
        if entries + 1 > self._root_limits()[1]:  # with one to spare, for thresholds are rounded
            self._grow(entries)
        if self.device.is_gpu:
            self._insert_in_rounds(batch, new, entries)
        else:
            self._look_up(batch)
            self.kernels.commit(batch.size, self._held_view(), *batch, None)
            self._moved += self.kernels.insert_serially(batch.size, self._held_view(), *batch, *self._slope(INSERT))
        return new, numbers[FOUND]

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        return super()._prepare_chain(kind, arcs) and (kind != small_batches.INSERT or self.method == "segment")

    def _insert_in_rounds(self, batch: Batch, new: int, entries: int) -> None:
        """Insert the `new` arcs of a batch on the GPU, after which the array contains `entries` entries."""
        self._prepare_rounds(batch, entries)
        self._look_up(batch)
        self.kernels.commit(batch.size, self._held_view(), *batch, None)
        while new:
            new -= self._round(batch)

    def _prepare_rounds(self, batch: Batch, entries: int) -> None:
        """Allocate the memory that rounds may need, before anything changes. Void windows count too."""
        self._room_to_plan(batch.size)
        self.scratch.get("staged_keys", 2 * entries, np.int64)
        if self.stored_dtype is not None:
            self.scratch.get("staged_weights", 2 * entries, self.stored_dtype)
        # `room_to_move` puts its sums into new arrays: CuPy caches the memory of this one for them.
        self.xp.empty(2 * self.leaves + 3 * batch.size, np.int64)

    def _look_up(self, batch: Batch) -> None:
        """Find the positions of a batch's keys (`places`), without a plan for the leaves that they go to."""
        self._drop_arrivals(self._locate(batch))

    def _round(self, batch: Batch) -> int:
        """One round of Algorithm 1: arcs compete for leaves, and the winners are inserted. Returns their number."""
        arriving = self._locate(batch)
        tiles = -(-self.leaves // TILE_LEAVES)
        self.kernels.compete(
            tiles, self._held_view(), *self._slope(INSERT), arriving, self._counters.array, threads=PLAN_THREADS,
            blocks=tiles,
        )  # fmt: skip
        self.kernels.step_back(batch.size, self.leaves, batch.places, arriving)
        plan = self._plan(INSERT, batch.size, batch.places, arriving)
        numbers = self._counters.read()
        self._move(plan, numbers, batch)
        self._rounds += 1
        return numbers[WINNERS]
