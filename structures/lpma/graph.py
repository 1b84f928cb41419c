"""The host side of LPMA."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from frontier.core.added_weights import refuse_sums
from frontier.core.batch import Arcs
from frontier.core.component import is_followed
from frontier.core.invariants import require
from frontier.core.locking import reads
from frontier.core.results import MemoryUsage
from frontier.runtime import Device, fill_with
from frontier.runtime.memory import growable
from frontier.runtime.values import one_of
from structures import small_batches
from structures.packed.chains import PackedChains
from structures.packed.layout import EMPTY, FOUND, INSERT, LEAF, MOVED, NEW
from structures.packed.options import PackedBuildOptions, PackedOptions
from structures.packed.plan import Batch, Rebalance

from .cpu import BAD_SUMS, SPENT
from .strategy import BOTTOM_UP, TOP_DOWN, Fixed, Hybrid

HYBRID = "hybrid"
STRATEGIES = (HYBRID, BOTTOM_UP, TOP_DOWN)
AHEAD = 0.85  # of the root's greatest density: above it memory for the next level is added little by little
AHEAD_STEPS = 4
# Elements for a leaf, of what grows by levels.
PER_LEAF = {"separators": 1, "counts": 1, "neighbors": LEAF, "weights": LEAF}


class LPMABuildOptions(PackedBuildOptions, total=False):
    """Options of `LPMA.from_edges`, for type checkers and editors."""

    strategy: str


class LPMA(PackedChains):
    """A packed memory array in levels of a perfect binary tree, grown by appending a level.

    Level 0 is one leaf of 32 slots, level x holds ``2**(x - 1)``; the order of the arcs is that of the in-order
    traversal of the tree. When the array is full, a level is appended: every leaf gets an empty one as its successor,
    and stays where it is. Then only those windows of leaves are rebalanced that the batch needs, where other packed
    memory arrays rebuild the whole array.

    Parameters
    ----------
    num_vertices : int
    strategy : {"hybrid", "bottom-up", "top-down"}
        How an insertion finds the windows to rebalance: by climbing from the leaves that arcs come to, by descending
        from the whole array, or, by default, the first while the array is sparse and then whichever is seen to be
        faster. They leave the same graph, and may leave it in different slots.
    leaf_density, root_density : (float, float)
        Least and greatest share of used slots in a leaf and in the whole array; those of windows between are
        interpolated by their heights.
    deletion : {"eager", "lazy"}
        Whether windows that deletions leave too empty are rebalanced, and the array shrinks, or slots are only
        cleared, for insertions to find again.
    **options
        Those of `Graph`.

    References
    ----------
    L. Zou, F. Zhang, Y. Lin, Y. Yu: An Efficient Data Structure for Dynamic Graph on GPUs. IEEE Transactions on
    Knowledge and Data Engineering, 2023.

    Notes
    -----
    A batch of B arcs costs its sort, O(log d) for each arc to look it up, one pass over the leaves' counts, and
    O(log² E) amortized moves for each new arc (in practice few). To append a level takes time for the leaves that are
    new, and none for the arcs that are there, once arrays are large: one below 8 MB is copied, and so is one that came
    about by ``copy()`` or from a file, the first time that it grows. ``insert_edges(..., on_existing="add")``, the
    paper's edge updates, is one such insertion. What differs from the paper:

    * Each entry moves once. The paper's bottom-up rounds rebalance a window and later, in another round, the one
      around it; its Figure 10 counts how much of that top-down saves. Here both ways decide first, from sums of counts,
      and then move; they differ in how they decide. `statistics` counts what the rounds would have moved in addition.
    * Thresholds fall from the leaves to the root. Going up, a window may then fit while one around it does not; going
      down, the paper's rule rebalances the one around both. So top-down can move more than bottom-up.
    * Deletions look for windows bottom-up with either strategy.
    * Levels are stored one after the other in one array that grows in place: a range of addresses to which memory is
      added (`frontier.runtime.memory.growable`), so that a slot is one number. Memory for the next level is added
      during the batches before it is needed, while the device works.
    * When deletions have emptied the array, it is rebuilt with fewer levels, in other memory.
    * A look-up searches the tree that the levels form, but only between the leaves of a vertex's first and last arc:
      from their lowest common ancestor down, where the paper starts at the root, with the top levels in shared memory.
      The top levels are the first few KB of the separators, which all searches share and caches keep.
    * An entry takes the four or eight bytes of its neighbor, as in our GPMA, not a 64-bit key.
    """

    name = "lpma"
    package = "structures.lpma"
    walk_cost: ClassVar = {"cpu": 2.5, "gpu": 1.2}
    _options = (*PackedChains._options, "strategy")
    _tallies = (*PackedChains._tallies, "_expansions", "_expansion_moved", "_expansion_leaves")
    _scalars = (*PackedChains._scalars, "strategy", "_expansions", "_expansion_moved", "_expansion_leaves")

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[LPMABuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, strategy: str = HYBRID, **options: Unpack[PackedOptions]):
        self.strategy = one_of(strategy, "strategy", STRATEGIES)
        self._expansions = self._expansion_moved = self._expansion_leaves = 0
        super().__init__(num_vertices, **options)

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._tuner = Hybrid(self.device) if self.strategy == HYBRID else Fixed(self.strategy)
        self._expanding = False

    # ---- levels -----------------------------------------------------------------------------------------------------

    @property
    def levels(self) -> int:
        """Number of the last level; there are ``2**levels`` leaves."""
        return self.leaves.bit_length() - 1

    @property
    def density(self) -> float:
        """Used slots, of all."""
        return self._entries(self._num_arcs) / self.slot_capacity

    def _leaves_fit(self, leaves: int) -> bool:
        return leaves & (leaves - 1) == 0

    def _check_options(self) -> None:
        super()._check_options()
        require(self.strategy in STRATEGIES, f"strategy is {self.strategy!r}")

    def _leaf_count(self, entries: int, share: float) -> int:
        return 1 << (super()._leaf_count(entries, share) - 1).bit_length()

    def _allocate(self, leaves: int, rows: int) -> dict[str, Any]:
        arrays = super()._allocate(0, rows)
        for name, size in PER_LEAF.items():
            if arrays[name] is not None:
                arrays[name] = growable.empty(self.device, leaves * size, arrays[name].dtype)
        return arrays

    def _grow(self, entries: int) -> None:
        """Append levels until so many entries fit; the arcs that are there stay in their slots."""
        old, levels = self.leaves, self.levels
        leaves = 2 * old
        while entries >= int(self.root_density[1] * leaves * LEAF):
            leaves *= 2
        grown = {
            name: growable.grow(self.device, getattr(self, f"_{name}"), leaves * size)
            for name, size in PER_LEAF.items()
            if getattr(self, f"_{name}") is not None
        }
        for name, array in grown.items():
            setattr(self, f"_{name}", array)
        self._view = None
        fill_with(self._neighbors[old * LEAF :], EMPTY)
        self._kernels.append_leaves(leaves - old, self._make_view(), levels)
        self._expansions += self.levels - levels
        self._expanding = True
        self._tuner.expanded()

    def _prepare_level(self, entries: int) -> None:
        """Add memory for the next level, the more the fuller the array; called while the device works."""
        share = entries / (self.root_density[1] * self.slot_capacity)
        if share < AHEAD:
            return
        steps = min(int(AHEAD_STEPS * (share - AHEAD) / (1 - AHEAD)) + 1, AHEAD_STEPS)
        leaves = self.leaves + self.leaves * steps // AHEAD_STEPS
        try:
            for name, size in PER_LEAF.items():
                if getattr(self, f"_{name}") is not None:
                    growable.prepare(self.device, getattr(self, f"_{name}"), leaves * size)
        except MemoryError:
            return  # it may do without

    # ---- updates ----------------------------------------------------------------------------------------------------

    def _search(self, mode: int) -> Any:
        if mode != INSERT:
            return self._kernels.plan
        way = self._tuner.choose(self.density)
        self._tuner.begin()
        if way == BOTTOM_UP:
            return self._kernels.plan
        return self._kernels.plan_top_down

    def _carry_out(self, plan: Rebalance, numbers: list[int], batch: Batch) -> None:
        super()._carry_out(plan, numbers, batch)
        self._tuner.end(batch.size)
        if self._expanding:
            self._expansion_moved += numbers[MOVED]
            self._expansion_leaves += self.leaves
            self._expanding = False
        self._prepare_level(self._entries(self._num_arcs + numbers[NEW]))

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        return super()._prepare_chain(kind, arcs) and (kind != small_batches.INSERT or self.strategy != TOP_DOWN)

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        done = super()._end_chain(kind, numbers)
        if kind == small_batches.INSERT:
            self._prepare_level(self._entries(self._num_arcs + numbers[NEW]))
        return done

    def _append(self, arcs: Arcs) -> tuple[int, int, int]:
        """The paper's edge updates: one insertion, whose weights have been added to those of arcs that are there."""
        if self._observers.live() or is_followed(self):
            return super()._append(arcs)
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0, 0
        with self._access.changing():
            return self._append_batch(arcs, batch)

    def _append_batch(self, arcs: Arcs, batch: Batch) -> tuple[int, int, int]:
        src, dst = (self.xp.empty(batch.size, self.vertex_dtype) for _ in range(2))
        self._host.room_to_erase(self, batch.size)  # for the deletion, which must not run out of memory
        plan = self._plan_insertion(batch)
        # Sums need the places, not the plan: they are queued before the host synchronizes, which it then does once
        # unless the array has to grow. To plan again for a larger array leaves the sums as they are.
        self._kernels.add_weights(
            batch.size, self._held_view(), batch.keys, batch.shift, batch.places, batch.weights, batch.origin, src, dst,
            self._counters.array,
        )  # fmt: skip
        numbers = self._counters.read()
        arcs.check(waited=True)
        gone, never_inserted, bad = numbers[SPENT : BAD_SUMS + 1]
        refuse_sums(self, bad if self.directed else bad // 2)
        plan, numbers = self._make_room(batch, plan, numbers)
        self._carry_out(plan, numbers, batch)
        self._commit(numbers[NEW])
        if gone or never_inserted:  # scratch memory that served the insertion serves the deletion: there is enough
            self._commit(-self._delete(Arcs(src, dst, None)))
        return numbers[NEW] - never_inserted, numbers[FOUND] - gone, gone

    # ---- figures ----------------------------------------------------------------------------------------------------

    @reads
    def memory_usage(self) -> MemoryUsage:
        usage = super().memory_usage()
        arrays = [getattr(self, f"_{name}") for name in PER_LEAF]
        ahead = sum(growable.prepared_bytes(self.device, array) for array in arrays if array is not None)
        return dataclasses.replace(usage, reserved=usage.reserved + ahead)

    def _details(self) -> dict[str, Any]:
        """How the array is used, what updates moved, and what the paper's methods saved.

        Returns
        -------
        dict
            That of other packed memory arrays, and ``levels``: number of the last level; ``expansions``: levels that
            were appended; ``expansion_leaves``: leaves rebalanced by the batches that appended them;
            ``expansion_saved``: of the leaves that rebuilding the array would have moved then, the share that was
            not (Figure 8 of the paper); ``redundant_saved``: of the leaves that level-by-level rounds would have moved,
            the share that was not (Figure 10); ``threshold``: the density pi above which windows are looked for
            top-down, in a hybrid.
        """
        moved, redundant = self._moved, self._redundant
        return {
            **super()._details(),
            "levels": self.levels,
            "expansions": self._expansions,
            "expansion_leaves": self._expansion_moved,
            "expansion_saved": 1 - self._expansion_moved / max(self._expansion_leaves, 1),
            "redundant_saved": redundant / max(moved + redundant, 1),
            "threshold": self._tuner.threshold,
        }
