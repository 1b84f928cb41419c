"""The host side of LPMA."""

from __future__ import annotations

from typing import Any, ClassVar

from frontier.core.added_weights import refuse_sums
from frontier.core.batch import Arcs
from frontier.core.invariants import require
from frontier.runtime import fill_with
from frontier.runtime.memory import growable
from frontier.runtime.values import one_of
from structures import small_batches
from structures.packed.layout import EMPTY, FOUND, INSERT, LEAF, MOVED, NEW, Batch, Rebalance
from structures.packed.store import PackedStore

from .cpu import BAD_SUMS, SPENT
from .strategy import BOTTOM_UP, TOP_DOWN, Tuner

HYBRID = "hybrid"
STRATEGIES = (HYBRID, BOTTOM_UP, TOP_DOWN)
AHEAD = 0.85  # of the root's greatest density: above it memory for the next level is added little by little
AHEAD_STEPS = 4
# Elements for a leaf, of what grows by levels.
PER_LEAF = {"separators": 1, "counts": 1, "neighbors": LEAF, "weights": LEAF}


class LPMAStore(PackedStore):
    """One packed memory array in levels. See `structures.lpma.LPMA`."""

    name = "lpma"
    package = "structures.lpma"
    walk_cost: ClassVar = {"cpu": 2.5, "gpu": 1.2}
    options = (*PackedStore.options, "strategy")
    _tallies = (*PackedStore._tallies, "_expansions", "_expansion_moved", "_expansion_leaves")
    scalars = (*options, *_tallies)

    def __init__(self, num_vertices: int, *, strategy: str = HYBRID, **base: Any):
        self.strategy = one_of(strategy, "strategy", STRATEGIES)
        self._expansions = self._expansion_moved = self._expansion_leaves = 0
        super().__init__(num_vertices, **base)

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._tuner = Tuner(self.device, None if self.strategy == HYBRID else self.strategy)
        self._expanding = False

    @property
    def levels(self) -> int:
        """Number of the last level. The array has ``2**levels`` leaves."""
        return self.leaves.bit_length() - 1

    @property
    def density(self) -> float:
        """The share of used slots."""
        return self._entries(self.num_arcs) / self.slot_capacity

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
        """Append levels until `entries` entries fit. Existing arcs retain their slots."""
        old, levels = self.leaves, self.levels
        leaves = 2 * old
        while entries >= int(self.root_density[1] * leaves * LEAF):
            leaves *= 2
        grown = {
            name: growable.grow(self.device, getattr(self, name), leaves * size)
            for name, size in PER_LEAF.items()
            if getattr(self, name) is not None
        }
        for name, array in grown.items():
            setattr(self, name, array)
        self._view = None
        fill_with(self.neighbors[old * LEAF :], EMPTY)
        self.kernels.append_leaves(leaves - old, self.make_view(), levels)
        self._expansions += self.levels - levels
        self._expanding = True
        self._tuner.expanded()

    def _prepare_level(self, entries: int) -> None:
        """Add memory for the next level, in proportion to the density. Called while the device works."""
        share = entries / (self.root_density[1] * self.slot_capacity)
        if share < AHEAD:
            return
        steps = min(int(AHEAD_STEPS * (share - AHEAD) / (1 - AHEAD)) + 1, AHEAD_STEPS)
        leaves = self.leaves + self.leaves * steps // AHEAD_STEPS
        try:
            for name, size in PER_LEAF.items():
                if getattr(self, name) is not None:
                    growable.prepare(self.device, getattr(self, name), leaves * size)
        except MemoryError:
            return  # it may do without

    def _search(self, mode: int) -> Any:
        if mode != INSERT:
            return self.kernels.plan
        way = self._tuner.choose(self.density)
        self._tuner.begin()
        return self.kernels.plan if way == BOTTOM_UP else self.kernels.plan_top_down

    def _carry_out(self, plan: Rebalance, numbers: list[int], batch: Batch) -> None:
        super()._carry_out(plan, numbers, batch)
        self._tuner.end(batch.size)
        if self._expanding:
            self._expansion_moved += numbers[MOVED]
            self._expansion_leaves += self.leaves
            self._expanding = False
        self._prepare_level(self._entries(self.num_arcs + numbers[NEW]))

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        return super()._prepare_chain(kind, arcs) and (kind != small_batches.INSERT or self.strategy != TOP_DOWN)

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        done = super()._end_chain(kind, numbers)
        if kind == small_batches.INSERT:
            self._prepare_level(self._entries(self.num_arcs + numbers[NEW]))
        return done

    def append(self, arcs: Arcs) -> tuple[int, int, int]:
        """The paper's edge updates: one insertion, whose weights have been added to the weights of existing arcs."""
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0, 0
        src, dst = (self.xp.empty(batch.size, self.vertex_dtype) for _ in range(2))
        self._room_to_erase(batch.size)  # for the deletion, which must not run out of memory
        plan = self._plan_insertion(batch)
        # Sums need the places, not the plan: they are queued before the host synchronizes, which it then does once
        # unless the array has to grow. To plan again for a larger array leaves the sums as they are.
        self.kernels.add_weights(
            batch.size, self._held_view(), batch.keys, batch.shift, batch.places, batch.weights, batch.origin, src, dst,
            self._counters.array,
        )  # fmt: skip
        numbers = self._counters.read()
        arcs.check(waited=True)
        gone, never_inserted, bad = numbers[SPENT : BAD_SUMS + 1]
        refuse_sums(self, bad if self.directed else bad // 2)
        plan, numbers = self._make_room(batch, plan, numbers)
        self._carry_out(plan, numbers, batch)
        self.commit(numbers[NEW])
        if gone or never_inserted:  # scratch memory that served the insertion serves the deletion: there is enough
            self.commit(-self.erase(Arcs(src, dst, None)))
        return numbers[NEW] - never_inserted, numbers[FOUND] - gone, gone

    def reserved_bytes(self) -> int:
        arrays = [getattr(self, name) for name in PER_LEAF]
        ahead = sum(growable.prepared_bytes(self.device, array) for array in arrays if array is not None)
        return super().reserved_bytes() + ahead

    def details(self) -> dict[str, Any]:
        """Use of the array, the moves of updates, and the savings of the paper's methods.

        Returns
        -------
        dict
            As for other packed memory arrays, and ``levels``: number of the last level. ``expansions``: appended
            levels. ``expansion_leaves``: leaves rebalanced by the batches that appended them. ``expansion_saved``: of
            the leaves that rebuilding the array would have moved then, the share that was not (Figure 8 of the paper).
            ``redundant_saved``: of the leaves that level-by-level rounds would have moved, the share that was not
            (Figure 10). ``threshold``: in a hybrid the density pi above which windows are searched top-down.
        """
        moved, redundant = self._moved, self._redundant
        return {
            **super().details(),
            "levels": self.levels,
            "expansions": self._expansions,
            "expansion_leaves": self._expansion_moved,
            "expansion_saved": 1 - self._expansion_moved / max(self._expansion_leaves, 1),
            "redundant_saved": redundant / max(moved + redundant, 1),
            "threshold": self._tuner.threshold,
        }
