"""Packed memory arrays: what GPMA and LPMA share. The host side, and what the arrays hold.

All arcs of a graph lie in one array in ascending order of (source, destination), with gaps. The array is cut into
*leaves* of `LEAF` = 32 slots; an update re-balances the smallest windows of leaves whose density allows it.

Entries and slots
-----------------
A slot holds a neighbor's id, `EMPTY` (-1) or `GUARD` (-2). The guard of row v stands before v's neighbors;
there are ``rows + 1`` guards, the last of which ends the last row; guards are never deleted. An entry's *key* is
``row << 32 | column + 1``, a guard's ``row << 32``, so that graphs have fewer than 2**31 vertices. Keys are not stored:
the row of an entry follows from its leaf's separator and the guards that are passed. Gaps may be anywhere in a leaf; a
leaf that was re-balanced is packed to the left.

===============  ===========  ========================================================================================
array            length       contents
===============  ===========  ========================================================================================
``neighbors``    32 L         by slot (vertex dtype)
``weights``      32 L         by slot (weight dtype), or None
``offsets``      rows + 1     int64: slot of each row's guard; rows beyond the vertices leave room for more of them
``row_degrees``  rows         vertex dtype
``counts``       L            int32, by physical leaf: entries, guards included
``separators``   L            int64, by physical leaf: a key, see below
===============  ===========  ========================================================================================

The keys of entries ascend, in the order of leaves, each once. The first entry is the guard of row 0, the last that of
``rows``; rows behind the last vertex are empty.

Leaves have two numbers: *i*, in order of their keys, and *p*, physical (slots of p are ``32 p .. 32 p + 31``). They
are equal in the flat layout. In the leveled layout (L = 2**m) ``p = (L + i) >> (ctz(L + i) + 1)``. CUDA chooses by the
macro ``LEVELED``, defined in the structure's ``view.cuh``; the CPU by ``view.levels`` (m, or -1 for flat). Windows,
places and arrivals number leaves in order.

Separators ascend in order (equal ones allowed). An entry of key k belongs to the *last* leaf, in order, whose separator
is at most k. The first separator is 0. A leaf that no entry was dealt to has its successor's separator (2**63 - 1 at
the end), so it is never chosen; a leaf that was emptied by deletions keeps its own. When a window is re-balanced, its
first leaf keeps its separator; the others get the key of their first entry. So windows can move at the same time: what
one reads of another (the separator after its end) does not change. If a separator is a guard's key, that guard is the
first entry of the leaf, or of the first leaf after it that is not empty; so the row of an entry is::

    (separator >> 32) + guards in the leaf at or before it - (1 if the separator's low half is 0 else 0)

Update
------
``distinct_keys``, ``locate``, ``plan``, one read of the counters, allocations, ``commit``, moves.

* ``places[j]`` (int64) of key j: ``i << 7 | position << 1 | present``: leaf; position in it of the arc, or else (0..32)
  the one before whose entry it goes; whether the arc is there, that is, not to be merged. 2**63 - 1 for keys past the
  end of the batch. Places ascend, as keys do.
* ``arriving`` (uint32): new keys by leaf, and on the GPU ``2**32 - 1 - j`` of the first new key j behind them (2 L in
  all). In deletions 1 for the leaves that lost entries.
* A *window* is ``start << 6 | height``: leaves start .. start + 2**height - 1, cut off at L; start is a multiple of
  2**height. Its n entries and arrivals are dealt evenly: leaf j of w gets the ranks
  ``ceil(n j / w) .. ceil(n (j + 1) / w) - 1``; rank r goes to leaf ``r w // n``.
* On the GPU windows come in four lists by size: ``leaves`` (1 leaf), ``warps`` (2-8), ``blocks`` (16-64) and ``large``
  (more; three numbers each: window, first chunk of 64 leaves, place in the staging area). A window of at most 2,048
  leaves is void if its tile lies in a larger one (``tile_state``).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import numpy as np

from frontier.batch import Arcs
from frontier.dynamic import DynamicGraph
from frontier.invariants import require
from frontier.runtime import Counters
from frontier.sort import distinct_keys, id_bits
from frontier.storage import VERTEX, WEIGHT
from frontier.values import one_of

from .check import check_arrays
from .cpu import (
    BLOCKS,
    COUNTERS,
    DELETE,
    FOUND,
    INSERT,
    LARGE,
    LEAF,
    LEAVES,
    MOVED,
    NEW,
    OVERFLOW,
    REDUNDANT,
    STAGED,
    TOUCHED,
    WARPS,
    View,
)

TILE_LEAVES = 2048  # that a block plans (layout.cuh has the same number)
PLAN_THREADS = 512  # of such a block (likewise)
WARP_WINDOW, BLOCK_WINDOW, LARGE_WINDOW = 2, 16, 128  # leaves of the smallest windows of each size (likewise)
MAX_VERTICES = 2**31 - 1
DELETIONS = "eager", "lazy"
ROW_GROWTH = (9, 8)  # rows are added in proportion to those there are
# Densities between the thresholds of the root that a rebuilt array starts with, as shares of the way up.
GROWN, SHRUNK, BUILT = 0.25, 0.5, 0.75


class Batch(NamedTuple):
    """Distinct arcs to insert, and where they go (see the kernel ``locate``). All None in deletions."""

    keys: Any = None
    shift: int = 0
    places: Any = None
    weights: Any = None
    origin: Any = None

    @property
    def size(self) -> int:
        return 0 if self.keys is None else int(self.keys.size)


class Plan(NamedTuple):
    """Windows to re-balance: all in one list on the CPU, apart by size on the GPU (see the kernel ``plan``)."""

    leaves: Any
    warps: Any = None
    blocks: Any = None
    large: Any = None
    tile_state: Any = None
    tile_sums: Any = None
    tile_marks: Any = None


class Room(NamedTuple):
    """What re-balancing large windows on the GPU takes: numbers of entries, of new keys, and a staging area."""

    ends: Any = None
    ordinals: Any = None
    keys: Any = None
    weights: Any = None


class PackedGraph(DynamicGraph):
    """A graph in one packed memory array.

    Parameters
    ----------
    num_vertices : int
    leaf_density, root_density : (float, float)
        Least and greatest share of used slots in a leaf and in the whole array; those of windows between are
        interpolated by their heights.
    deletion : {"eager", "lazy"}
        Whether windows that deletions leave too empty are re-balanced, and the array shrinks, or slots are only
        cleared, for insertions to find again.
    **options
        Those of `Graph`.
    """

    _view_type = View
    _arrays: ClassVar = {
        "neighbors": VERTEX, "weights": WEIGHT, "offsets": np.int64, "row_degrees": VERTEX, "separators": np.int64,
        "counts": np.int32,
    }  # fmt: skip
    _scalars: ClassVar[tuple[str, ...]] = (
        "leaf_density", "root_density", "deletion", "_moved", "_redundant", "_rebuilds",
    )  # fmt: skip
    _options: ClassVar[tuple[str, ...]] = ("leaf_density", "root_density", "deletion")
    _tallies: ClassVar[tuple[str, ...]] = ("_moved", "_redundant", "_rebuilds")
    """Those of `_scalars` that only statistics depend on."""
    _most_vertices = MAX_VERTICES
    _neighbors: Any
    _weights: Any
    _offsets: Any
    _row_degrees: Any
    _separators: Any
    _counts: Any

    def __init__(
        self, num_vertices: int = 0, *, leaf_density: tuple[float, float] = (0.08, 0.92),
        root_density: tuple[float, float] = (0.4, 0.8), deletion: str = "eager", **options: Any,
    ):  # fmt: skip
        one_of(deletion, "deletion", DELETIONS)
        super().__init__(num_vertices, **options)
        self.deletion = deletion
        self.leaf_density, self.root_density = _densities(leaf_density, root_density)
        self._moved = self._redundant = self._rebuilds = 0
        if self._num_vertices > MAX_VERTICES:
            raise ValueError(
                f"num_vertices is {self._num_vertices}; a packed memory array has at most {MAX_VERTICES} vertices"
            )
        xp = self.xp
        weights = None if self.weight_dtype is None else xp.empty(0, self.weight_dtype)
        self._build(xp.zeros(self._num_vertices + 1, np.int64), xp.empty(0, self.vertex_dtype), weights)

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._counters = Counters(self.device, COUNTERS)
        self._held: tuple[Any, Any] | None = None

    # ---- the array --------------------------------------------------------------------------------------------------

    @property
    def levels(self) -> int:
        """Levels of leaves below the first, or -1 where leaves lie in the order of their keys."""
        return -1

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return int(self._counts.size)

    @property
    def height(self) -> int:
        """Height of the tree of windows: ``2**height`` is at least the number of leaves."""
        return (self.leaves - 1).bit_length()

    @property
    def _rows(self) -> int:
        return int(self._row_degrees.size)

    def _entries(self, arcs: int) -> int:
        """Arcs and guards."""
        return arcs + self._rows + 1

    def _root_limits(self) -> tuple[float, float]:
        """Least and greatest number of entries in the whole array."""
        low, high = self.root_density
        return low * self.slot_capacity, high * self.slot_capacity

    def _leaf_count(self, entries: int, share: float) -> int:
        """Leaves of a new array for `entries`: of a density `share` of the way between the root's thresholds."""
        low, high = self.root_density
        return max(int(np.ceil(entries / (LEAF * (low + share * (high - low))))), 1)

    def _allocate(self, leaves: int, rows: int) -> dict[str, Any]:
        """New arrays, by name; their contents are undefined."""
        xp, slots = self.xp, leaves * LEAF
        return {
            "neighbors": xp.empty(slots, self.vertex_dtype),
            "weights": None if self.weight_dtype is None else xp.empty(slots, self.weight_dtype),
            "offsets": xp.empty(rows + 1, np.int64),
            "row_degrees": xp.empty(rows, self.vertex_dtype),
            "separators": xp.empty(leaves, np.int64),
            "counts": xp.empty(leaves, np.int32),
        }

    def _leaves_fit(self, leaves: int) -> bool:
        """Whether an array can have so many leaves."""
        return True

    _check_arrays = check_arrays

    def _check_options(self) -> None:
        """Raise ValueError unless the options are those that a constructor takes."""
        require(self.deletion in DELETIONS, f"deletion is {self.deletion!r}")
        try:
            _densities(self.leaf_density, self.root_density)
        except (TypeError, ValueError) as error:
            raise ValueError(str(error)) from None

    def _view_scalars(self) -> dict[str, int]:
        return {"leaves": self.leaves, "levels": self.levels}

    def _held_view(self) -> Any:
        """A view for updates, which change what is in the arrays, and seldom the arrays: made anew only for others."""
        arrays = (self._neighbors, self._offsets, self._counts)
        if self._held is None or any(old is not new for old, new in zip(self._held[0], arrays, strict=True)):
            self._held = (arrays, self._make_view())
        return self._held[1]

    def _degrees(self) -> Any:
        return self._row_degrees[: self._num_vertices]

    def _details(self) -> dict[str, Any]:
        """How the array is used, and what updates moved.

        Returns
        -------
        dict
            ``leaves``, ``height``: the array's size, and that of the tree of its windows; ``density``: used
            slots, of all; ``guards``: slots that hold guards; ``moved_leaves``: leaves of the windows that updates
            re-balanced; ``redundant_leaves``: leaves of windows inside those, which level-by-level rounds would have
            re-balanced before; ``rebuilds``: how often the whole array was laid out anew to grow or shrink.
        """
        return {
            "leaves": self.leaves,
            "height": self.height,
            "density": self._entries(self._num_arcs) / self.slot_capacity,
            "guards": self._rows + 1,
            "moved_leaves": self._moved,
            "redundant_leaves": self._redundant,
            "rebuilds": self._rebuilds,
        }

    # ---- laying it out ----------------------------------------------------------------------------------------------

    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        rows = self._num_vertices
        self._lay_out(offsets, dst, weights, self._leaf_count(int(dst.size) + rows + 1, BUILT), rows)

    def _lay_out(self, offsets: Any, dst: Any, weights: Any, leaves: int, rows: int) -> None:
        """Put CSR arrays into new leaves; memory runs out, if it does, before anything has changed."""
        for name, array in self._allocate(leaves, rows).items():
            setattr(self, f"_{name}", array)
        self._view = None
        self._kernels.fill(
            leaves, self._held_view(), int(dst.size) + rows + 1, int(offsets.size) - 1, rows, offsets, dst, weights,
            **self._lanes(8),
        )  # fmt: skip

    def _lay_out_anew(self, arcs: int, leaves: int, rows: int | None = None) -> None:
        """Move everything to an array of so many leaves."""
        self._lay_out(*self._export(arcs), leaves, self._rows if rows is None else rows)
        self._rebuilds += 1

    def _export(self, arcs: int) -> tuple[Any, Any, Any]:
        """All arcs, whose number is `arcs`, as CSR."""
        xp, vertices = self.xp, self._num_vertices
        offsets, indices = xp.empty(vertices + 1, np.int64), xp.empty(arcs, self.vertex_dtype)
        weights = None if self.weight_dtype is None else xp.empty(arcs, self.weight_dtype)
        self._kernels.export_rows(
            self.leaves, self._held_view(), self._ends(), vertices, offsets, indices, weights, **self._lanes(8)
        )  # fmt: skip
        return offsets, indices, weights

    def _ends(self) -> Any:
        """Number of entries of each leaf and of those before it, in order."""
        counts = self._counts
        if self.levels >= 0 and self.device.is_gpu:
            counts = self._scratch.get("counts_in_order", self.leaves, np.int64)
            self._kernels.order_counts(self.leaves, self._held_view(), counts)
        elif self.levels >= 0:
            nodes = self.xp.arange(self.leaves, 2 * self.leaves)
            counts = counts[nodes // (2 * (nodes & -nodes))]
        return self.xp.cumsum(counts, dtype=np.int64)

    def _sorted_arcs(self) -> tuple[Any, Any, Any]:
        return self._export(self._num_arcs)

    def _lanes(self, lanes: int) -> dict[str, int]:
        """Launch options of kernels in which so many threads share a work item."""
        return {"tile": lanes} if self.device.is_gpu else {}

    def _check_fit(self, num_vertices: int) -> None:
        super()._check_fit(num_vertices)
        if num_vertices > MAX_VERTICES:
            raise ValueError(
                f"count_or_ids makes {num_vertices} vertices; a packed memory array has at most {MAX_VERTICES}"
            )

    def _extend(self, num_vertices: int) -> None:
        if num_vertices <= self._rows:
            return
        rows = min(max(num_vertices, self._rows * ROW_GROWTH[0] // ROW_GROWTH[1]), MAX_VERTICES)
        entries = self._num_arcs + rows + 1
        leaves = self.leaves if entries <= self._root_limits()[1] else self._leaf_count(entries, GROWN)
        self._lay_out_anew(self._num_arcs, leaves, rows)

    def _compact(self) -> None:
        self._lay_out_anew(self._num_arcs, self._leaf_count(self._entries(self._num_arcs), BUILT))

    def _grow(self, entries: int) -> None:
        """Make room for so many entries, guards included; those that there are stay in order."""
        self._lay_out_anew(self._num_arcs, max(self._leaf_count(entries, GROWN), self.leaves + 1))

    def _shrink(self, arcs: int) -> None:
        """Give back slots, now that there are only so many arcs."""
        leaves = self._leaf_count(self._entries(arcs), SHRUNK)
        if leaves < self.leaves:
            self._lay_out_anew(arcs, leaves)

    # ---- insertion --------------------------------------------------------------------------------------------------

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        batch = self._batch(arcs)
        if not batch.size:
            return 0, 0
        plan, numbers = self._make_room(arcs, batch)
        self._carry_out(plan, numbers, batch)
        return numbers[NEW], numbers[FOUND]

    def _make_room(self, arcs: Arcs, batch: Batch) -> tuple[Plan, list[int]]:
        """Plan the insertion of a batch, once the array is large enough for it."""
        plan, numbers = self._plan_insertion(batch)
        arcs.check(waited=True)
        while numbers[OVERFLOW]:
            self._grow(self._entries(self._num_arcs) + numbers[NEW])
            plan, numbers = self._plan_insertion(batch)
        return plan, numbers

    def _batch(self, arcs: Arcs) -> Batch:
        """The distinct arcs of a batch; the GPU has not examined it by then."""
        if not self.device.is_gpu:
            arcs.check()
        distinct = distinct_keys(self, arcs, origin=arcs.weights is not None)
        places = self._scratch.get("places", int(distinct.keys.size), np.int64)
        return Batch(distinct.keys, id_bits(self._num_vertices), places, arcs.weights, distinct.origin)

    def _plan_insertion(self, batch: Batch) -> tuple[Plan, list[int]]:
        """Decide what an insertion moves; changes nothing of the graph. The one wait of an insertion."""
        arriving = self._locate(batch)
        plan = self._plan(INSERT, batch.size, batch.places, arriving)
        return plan, self._counters.read()

    def _locate(self, batch: Batch) -> Any:
        """Queue the look-up of a batch's keys; returns how many arrive at each leaf."""
        self._counters.reset()
        arriving = self._no_arrivals()
        self._kernels.locate(
            batch.size, self._held_view(), batch.keys, batch.shift, batch.places, arriving, self._counters.array,
            **self._lanes(4),
        )  # fmt: skip
        return arriving

    def _no_arrivals(self) -> Any:
        """Zeros for each leaf: two on the GPU, one on the CPU, whose kernels put the zeros back."""
        if not self.device.is_gpu:
            return self._scratch.get("arriving", self.leaves, np.uint32, fill=0)
        arriving = self._scratch.get("arriving", 2 * self.leaves, np.uint32)
        arriving.data.memset_async(0, arriving.nbytes)
        return arriving

    def _plan(self, mode: int, size: int, places: Any, arriving: Any) -> Plan:
        """Queue the choice of the windows to re-balance; at most `size` leaves change."""
        view, counters = self._held_view(), self._counters.array
        density, step = self._slope(mode)
        try:
            plan = self._room_to_plan(size)
            if not self.device.is_gpu:
                self._search(mode)(size, view, mode, density, step, places, arriving, plan.leaves, counters)
                return plan
        except BaseException:
            arriving.fill(0)  # as the kernel would have left it
            raise
        tiles = -(-self.leaves // TILE_LEAVES)
        self._search(mode)(
            tiles, view, mode, density, step, arriving, plan.tile_sums, plan.tile_state, plan.tile_marks, plan.leaves,
            plan.warps, plan.blocks, plan.large, counters, threads=PLAN_THREADS, blocks=tiles,
        )  # fmt: skip
        return plan

    def _room_to_plan(self, size: int) -> Plan:
        """Scratch memory for a plan in which at most `size` leaves change."""
        leaves, scratch = self.leaves, self._scratch.get
        if not self.device.is_gpu:
            return Plan(scratch("windows", size, np.int64))
        tiles = -(-leaves // TILE_LEAVES)
        return Plan(
            scratch("leaf_windows", min(size, leaves), np.int64),
            scratch("warp_windows", min(size, leaves // WARP_WINDOW + 1), np.int64),
            scratch("block_windows", min(size, leaves // BLOCK_WINDOW + 1), np.int64),
            scratch("large_windows", 3 * min(size, leaves // LARGE_WINDOW + 2 + tiles), np.int64),
            scratch("tile_state", 2 * tiles, np.int32),
            scratch("tile_sums", tiles + 1, np.int64),
            scratch("tile_marks", 4 * tiles, np.int8),
        )

    def _search(self, mode: int) -> Any:
        """The kernel that chooses windows."""
        return self._kernels.plan

    def _slope(self, mode: int) -> tuple[float, float]:
        """Threshold of leaves, greatest in insertions and least in deletions, and what each level adds to it."""
        leaf, root = self.leaf_density[1 - mode], self.root_density[1 - mode]
        return leaf, (root - leaf) / max(self.height, 1)

    def _carry_out(self, plan: Plan, numbers: list[int], batch: Batch) -> None:
        """Do what was planned; memory runs out, if it does, before anything of the graph has changed."""
        room = self._room(numbers, batch)
        if numbers[NEW] or batch.weights is not None:
            self._kernels.commit(batch.size, self._held_view(), *batch)
        self._move(plan, numbers, batch, room)

    def _move(self, plan: Plan, numbers: list[int], batch: Batch, room: Room) -> None:
        """Re-balance the windows of a plan, and merge the batch into them."""
        view, kernels = self._held_view(), self._kernels
        self._moved += numbers[MOVED]
        self._redundant += numbers[REDUNDANT]
        if not self.device.is_gpu:
            if numbers[LEAVES]:
                kernels.move(numbers[LEAVES], view, plan.leaves, *batch)
            return
        launches = (
            (kernels.move_leaves, numbers[LEAVES], plan.leaves, {"tile": 8}),
            (kernels.move_warps, numbers[WARPS], plan.warps, {"tile": 32}),
            (kernels.move_blocks, numbers[BLOCKS], plan.blocks, {"blocks": numbers[BLOCKS]}),
        )
        arriving = self._scratch.get("arriving", 2 * self.leaves, np.uint32)
        for move, count, windows, launch in launches:
            if count:
                move(count, view, windows, plan.tile_state, arriving, batch.size, *batch, **launch)
        chunks = numbers[LARGE] & 0xFFFFFFFF
        if chunks:
            args = (view, plan.large, numbers[LARGE] >> 32, plan.tile_state, batch.size, *batch, *room)
            kernels.stage(chunks, *args, blocks=chunks)
            kernels.deal(chunks, *args, blocks=chunks)

    def _room(self, numbers: list[int], batch: Batch) -> Room:
        """What large windows take on the GPU."""
        if not self.device.is_gpu or not numbers[LARGE]:
            return Room()
        scratch, staged = self._scratch.get, numbers[STAGED]
        return Room(
            self._ends(),
            None if batch.keys is None else self.xp.cumsum((batch.places & 1) == 0, dtype=np.int64),
            scratch("staged_keys", staged, np.int64),
            None if self.weight_dtype is None else scratch("staged_weights", staged, self.weight_dtype),
        )

    # ---- deletion ---------------------------------------------------------------------------------------------------

    def _delete(self, arcs: Arcs) -> int:
        plan, numbers = self._erase(arcs)
        arcs.check(waited=True)
        if self.deletion == "eager" and numbers[NEW]:
            with suppress(MemoryError):  # the arcs are gone; the array may stay emptier than it should be
                self._tidy(plan, numbers, self._num_arcs - numbers[NEW])
        return numbers[NEW]

    def _erase(self, arcs: Arcs) -> tuple[Plan | None, list[int]]:
        """Clear the arcs' slots, and plan what to re-balance for that if deletion is eager.

        Memory runs out, if it does, before anything of the graph has changed.
        """
        size, eager = len(arcs), self.deletion == "eager"
        self._counters.reset()
        if self.device.is_gpu:
            arriving = self._no_arrivals() if eager else None
            self._kernels.erase(
                size, self._held_view(), arcs.error_counts, arcs.src, arcs.dst, arriving, self._counters.array, tile=4
            )  # fmt: skip
            plan = self._plan_tidying(size, None, arriving) if eager else None
            return plan, self._counters.read()
        arcs.check()
        view, places = self._held_view(), self._scratch.get("places", size, np.int64)
        arriving = self._no_arrivals()
        threshold = self.leaf_density[0] * LEAF if eager else 0.0
        self._kernels.find_arcs(size, view, arcs.src, arcs.dst, places)
        self._kernels.erase(size, view, arcs.src, places, threshold, arriving, self._counters.array)
        touched = self._counters.read()[TOUCHED]
        if not touched:
            return None, self._counters.read()
        places = places[:touched]
        places.sort()
        plan = self._plan_tidying(touched, places, arriving)
        return plan, self._counters.read()

    def _plan_tidying(self, size: int, places: Any, arriving: Any) -> Plan | None:
        """Queue the plan of a deletion, whose arcs are gone; None, for nothing, if there is no memory for it."""
        try:
            return self._plan(DELETE, size, places, arriving)
        except MemoryError:
            return None

    def _tidy(self, plan: Plan | None, numbers: list[int], arcs: int) -> None:
        """Re-balance what has become too empty; shrink the array if all of it has."""
        if self._entries(arcs) < self._root_limits()[0]:
            before = self.leaves
            self._shrink(arcs)
            if self.leaves < before:
                return
        if plan is None or not any(numbers[kind] for kind in (LEAVES, WARPS, BLOCKS, LARGE)):
            return
        batch = Batch()
        if not self.device.is_gpu:  # arrays in full, so that Numba need not compile the kernel anew for absent ones
            none = np.empty(0, np.int64)
            weights = None if self._weights is None else self._weights[:0]
            batch = Batch(none, 0, none, weights, None if weights is None else none)
        self._move(plan, numbers, batch, self._room(numbers, batch))


def _densities(leaf: Any, root: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Thresholds as numbers, checked."""
    pairs = []
    for name, pair in (("leaf_density", leaf), ("root_density", root)):
        try:
            low, high = (float(number) for number in pair)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be a pair of numbers, not {pair!r}") from None
        pairs.append((low, high))
    (leaf_low, leaf_high), (root_low, root_high) = pairs
    if not 0 <= leaf_low <= root_low or not 0.05 <= 2 * root_low <= root_high <= leaf_high <= 1:
        raise ValueError(
            "densities must rise from the leaf's least over the root's least and twice that to the root's and the "
            f"leaf's greatest, at most 1; got leaf_density={pairs[0]} and root_density={pairs[1]}"
        )
    return pairs[0], pairs[1]
