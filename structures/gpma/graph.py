"""The host side of GPMA and GPMA+: Sha, Li, He, Tan, "Accelerating Dynamic Graph Analytics on GPUs", PVLDB 11(1), 2017.

What differs from the paper, and why:

* *Keys are implicit.* The paper stores a 64-bit (row, column) key with each arc. Here a slot holds the column alone;
  the row follows from the guards, and each leaf of 32 slots has one stored key, its separator, that searches use. A
  slot takes 4 bytes in place of 8, and analytics read columns only.
* *Guards stand first.* The paper's guard of a row has the column infinity and ends the row; here it begins it, with a
  key lower than all of the row, and one more guard ends the last row. Rows have guards ahead of the vertices to come.
* *All levels at once.* Algorithm 4 goes up level by level, and moves a window's entries again at each level that still
  has to. Here the final number of entries of any window is a difference of prefix sums, so one kernel finds for each
  leaf the window that it ends in, and each entry moves once. How many moves that spares is counted
  (``statistics()["redundant_leaves"]``).
* *Duplicates.* The authors' code stores an arc as often as a batch lists it, and again if it is there already. Here
  each arc is stored once, and the last of the batch counts.
* *Leaf size.* Leaves have 32 slots, a cache line, at any size of the array, not a number that grows with its logarithm.
* *Any number of leaves.* The array need not be a power of two of leaves: windows are cut off at its end. It grows to a
  quarter of the way between the root's thresholds, and shrinks to half of it, whatever number of leaves that takes.
* *Locks.* With ``method="lock"`` room is made for the whole batch before its first round (so that a batch that runs out
  of memory leaves the graph as it was), one lock stands for all windows of more than 2,048 leaves, and the windows of a
  round are re-dispatched at its end, the larger ones in place of those inside them. On the CPU the same method is the
  serial packed memory array, which needs no lock.
* *Several GPUs.* A graph is on one device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.invariants import require
from frontier.runtime import Device
from frontier.runtime.values import one_of
from structures import small_batches
from structures.packed.chains import PackedChains
from structures.packed.layout import FOUND, INSERT, NEW, PLAN_THREADS, TILE_LEAVES
from structures.packed.options import PackedBuildOptions, PackedOptions
from structures.packed.plan import Batch

METHODS = "segment", "lock"
WINNERS = 12  # place in the counters (kernels.cuh has the same number)


class GPMABuildOptions(PackedBuildOptions, total=False):
    """Options of `GPMA.from_edges`, for type checkers and editors."""

    method: str


class GPMA(PackedChains):
    """All arcs in one packed memory array, indexed by CSR row offsets: GPMA and GPMA+.

    The array is a row of leaves of 32 slots, and windows of 1, 2, 4, ... leaves are the nodes of a binary tree over it.
    A batch is sorted and its arcs looked up; each leaf that they come to takes them in if its density stays under a
    threshold, or else the smallest window around it that does, over which entries are redistributed evenly. If no
    window can, the array grows. Deletions clear slots, and rebalance windows that become too empty.

    A batch of m arcs takes its sort, O(log L) for each look-up, L being the number of leaves, one pass over the
    leaves' counts, and amortized O(log² L) moves for each arc (O(log L) where they come evenly).

    Parameters
    ----------
    num_vertices : int
    method : {"segment", "lock"}
        How a batch is inserted: by segments, without locks (the paper's GPMA+), or arc by arc in rounds, under locks
        (GPMA). Both leave the same arcs; the second is slow where arcs come close together.
    deletion : {"eager", "lazy"}
        Whether what deletions leave too empty is rebalanced, and the array shrinks, or slots are only cleared, as the
        paper does in sliding windows, for insertions to fill again.
    leaf_density, root_density : (float, float)
        Least and greatest share of used slots in a leaf and in the whole array, by default (0.08, 0.92) and
        (0.40, 0.80), as in the paper; those of windows between are interpolated by their heights.
    **options
        Those of `Graph`.

    References
    ----------
    .. [1] M. Sha, Y. Li, B. He, K.-L. Tan, "Accelerating Dynamic Graph Analytics on GPUs", PVLDB 11(1), 2017.

    Notes
    -----
    With ``method="lock"`` an insertion on the GPU takes scratch memory for all of its rounds before the first: 16 bytes
    and two weights for each arc and guard, those of the batch included. The graph keeps it for the next batch.

    Differences from the paper are listed in the module ``structures.gpma.graph``.
    """

    name = "gpma"
    package = "structures.gpma"
    walk_cost: ClassVar = {"cpu": 1.0, "gpu": 1.1}
    _scalars: ClassVar[tuple[str, ...]] = (*PackedChains._scalars, "method", "_rounds")
    _options: ClassVar[tuple[str, ...]] = (*PackedChains._options, "method")
    _tallies: ClassVar[tuple[str, ...]] = (*PackedChains._tallies, "_rounds")

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[GPMABuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, method: str = "segment", **options: Unpack[PackedOptions]):
        self.method = one_of(method, "method", METHODS)
        self._rounds = 0
        super().__init__(num_vertices, **options)

    def _check_options(self) -> None:
        super()._check_options()
        require(self.method in METHODS, f"method is {self.method!r}")

    def _details(self) -> dict[str, Any]:
        """Those of `PackedGraph`, and ``rounds``: how often insertions under locks have tried."""
        return super()._details() | {"rounds": self._rounds}

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        if self.method == "segment":
            return super()._insert(arcs)
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0
        self._look_up(batch)
        numbers = self._counters.read()
        arcs.check(waited=True)
        new = numbers[NEW]
        entries = self._entries(self._num_arcs) + new
        if entries + 1 > self._root_limits()[1]:  # with one to spare, for thresholds are rounded
            self._grow(entries)
        if self.device.is_gpu:
            self._insert_in_rounds(batch, new, entries)
        else:
            self._look_up(batch)
            self._kernels.commit(batch.size, self._held_view(), *batch, None)
            self._moved += self._kernels.insert_serially(batch.size, self._held_view(), *batch, *self._slope(INSERT))
        return new, numbers[FOUND]

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        return super()._prepare_chain(kind, arcs) and (kind != small_batches.INSERT or self.method == "segment")

    def _insert_in_rounds(self, batch: Batch, new: int, entries: int) -> None:
        """Insert the `new` arcs of a batch on the GPU; the array will then hold so many entries."""
        self._prepare_rounds(batch, entries)
        self._look_up(batch)
        self._kernels.commit(batch.size, self._held_view(), *batch, None)
        while new:
            new -= self._round(batch)

    def _prepare_rounds(self, batch: Batch, entries: int) -> None:
        """Allocate what rounds may need, before anything changes; void windows count too."""
        self._host.room_to_plan(self, batch.size)
        self._scratch.get("staged_keys", 2 * entries, np.int64)
        if self._stored_dtype is not None:
            self._scratch.get("staged_weights", 2 * entries, self._stored_dtype)
        # `room_to_move` puts its sums into new arrays: CuPy keeps the memory of this one for them.
        self.xp.empty(2 * self.leaves + 3 * batch.size, np.int64)

    def _look_up(self, batch: Batch) -> None:
        """Find the places of a batch's keys, without a plan for the leaves that they come to."""
        self._host.drop_arrivals(self._locate(batch))

    def _round(self, batch: Batch) -> int:
        """One round of Algorithm 1: arcs compete for leaves, and the winners are inserted. Returns their number."""
        arriving = self._locate(batch)
        tiles = -(-self.leaves // TILE_LEAVES)
        self._kernels.compete(
            tiles, self._held_view(), *self._slope(INSERT), arriving, self._counters.array, threads=PLAN_THREADS,
            blocks=tiles,
        )  # fmt: skip
        self._kernels.step_back(batch.size, self.leaves, batch.places, arriving)
        plan = self._plan(INSERT, batch.size, batch.places, arriving)
        numbers = self._counters.read()
        self._move(plan, numbers, batch, self._host.room_to_move(self, numbers, batch))
        self._rounds += 1
        return numbers[WINNERS]
