"""Packed memory arrays, which GPMA and LPMA share. Their contents, and how they are built and resized.

All arcs of a graph lie in one array in ascending order of (source, destination), with gaps. The array is cut into
*leaves* of `LEAF` = 32 slots. An update rebalances the smallest windows of leaves whose density allows it.

Entries and slots
-----------------
A slot contains a neighbor's id, `EMPTY` (-1) or `GUARD` (-2). The guard of row v stands before v's neighbors. The
number of guards is ``rows + 1``, the last of which ends the last row. Guards are never deleted. An entry's *key* is
``row << 32 | column + 1``, a guard's ``row << 32``, so graphs have fewer than 2**31 vertices. Keys are not stored: the
row of an entry follows from its leaf's separator and the guards that are passed. Gaps may be anywhere in a leaf. A leaf
that was rebalanced is packed to the left.

===============  ===========  ========================================================================================
array            length       contents
===============  ===========  ========================================================================================
``neighbors``    32 L         by slot (vertex dtype)
``weights``      32 L         by slot (weight dtype), or None
``offsets``      rows + 1     int64: slot of each row's guard. Rows beyond the vertices are spare capacity
``row_degrees``  rows         vertex dtype
``counts``       L            int32, by physical leaf: entries, guards included
``separators``   L            int64, by physical leaf: a key, see below
===============  ===========  ========================================================================================

The keys of entries ascend, in the order of leaves, each once. The first entry is the guard of row 0, the last one the
guard of ``rows``. Rows behind the last vertex are empty.

Leaves have two numbers: *i*, in order of their keys, and *p*, physical (slots of p are ``32 p .. 32 p + 31``). They are
equal in the flat layout. In the leveled layout (L = 2**m) ``p = (L + i) >> (ctz(L + i) + 1)``. CUDA chooses by the
macro ``LEVELED``, defined in the structure's ``view.cuh``, the CPU by ``view.levels`` (m, or -1 for flat). Windows,
positions (``places``) and arrivals number leaves in order.

Separators ascend in order (equal ones allowed). An entry of key k belongs to the *last* leaf, in order, whose separator
is at most k. The first separator is 0. A leaf that got no entry has its successor's separator (2**63 - 1 at the end),
so it is never chosen. A leaf that was emptied by deletions retains its own. When a window is rebalanced, its first leaf
retains its separator, and the others get the key of their first entry. So windows can move at the same time: the
separator after its end, which one window reads of another, does not change. If a separator is a guard's key, that guard
is the first entry of the leaf, or of the first leaf after it that is not empty. So the row of an entry is::

    (separator >> 32) + guards in the leaf at or before it - (1 if the separator's low half is 0 else 0)

Update
------
``distinct_keys``, ``locate``, ``plan``, one read of the counters, allocations, ``commit``, moves.

* ``places[j]`` (int64) of key j is ``i << 7 | position << 1 | present``, for leaf i. If the arc exists, `present` is 1,
  it is not merged, and `position` is its position in the leaf. Otherwise `position` (0..32) is the position of the
  entry before which the arc goes. Entries of keys past the end of the batch are 2**63 - 1. All ascend, as keys do.
* ``arriving`` (uint32): new keys by leaf, and on the GPU ``2**32 - 1 - j`` of the first new key j behind them (2 L in
  all). In deletions 1 for the leaves that lost entries.
* A *window* is ``start << 6 | height``: leaves start .. start + 2**height - 1, cut off at L. start is a multiple of
  2**height. Its n entries and arrivals are distributed evenly: leaf j of w gets the ranks
  ``ceil(n j / w) .. ceil(n (j + 1) / w) - 1``, so rank r goes to leaf ``r w // n``.
* On the GPU windows come in four lists by size: ``leaves`` (1 leaf), ``warps`` (2-8), ``blocks`` (16-64) and ``large``
  (more). A large window has three numbers: window, first chunk of 64 leaves, position in the staging area. A window of
  at most 2,048 leaves is void if its tile lies in a larger one (``tile_state``).
"""

from __future__ import annotations

from typing import Any, ClassVar, TypedDict

import numpy as np

from frontier.core.files import VERTEX, WEIGHT
from frontier.core.invariants import require
from frontier.core.options import BuildOptions, GraphOptions
from frontier.core.store import Store
from frontier.runtime import Counters
from frontier.runtime.values import one_of

from . import on_gpu
from .check import check_arrays
from .cpu import View
from .layout import COUNTERS, LEAF


class LeafOptions(TypedDict, total=False):
    """Options of `PackedArray`, for type checkers and editors."""

    leaf_density: tuple[float, float]
    root_density: tuple[float, float]
    deletion: str


class PackedOptions(GraphOptions, LeafOptions, total=False):
    """Options of `PackedArray` and `Graph`."""


class PackedBuildOptions(BuildOptions, LeafOptions, total=False):
    """Options of `PackedArray` and `Graph.from_edges`."""


MAX_VERTICES = 2**31 - 1
DELETIONS = "eager", "lazy"
ROW_GROWTH = (9, 8)  # rows are added in proportion to those there are
# Densities between the thresholds of the root that a rebuilt array starts with, as shares of the way up.
GROWN, SHRUNK, BUILT = 0.25, 0.5, 0.75


class PackedArray(Store):
    """A graph in one packed memory array, without its updates (`PackedStore`).

    `leaf_density` and `root_density` are the least and the greatest share of used slots in a leaf and in the whole
    array. Windows in between have interpolated ones. With ``deletion="eager"`` windows that deletions leave too empty
    are rebalanced and the array shrinks. With ``"lazy"`` slots are only cleared. `base` are arguments of `Store`.
    """

    view_type = View
    arrays: ClassVar = {
        "neighbors": VERTEX, "weights": WEIGHT, "offsets": np.int64, "row_degrees": VERTEX, "separators": np.int64,
        "counts": np.int32,
    }  # fmt: skip
    options: ClassVar[tuple[str, ...]] = ("leaf_density", "root_density", "deletion")
    _tallies: ClassVar[tuple[str, ...]] = ("_moved", "_redundant", "_rebuilds")
    """Numbers that only statistics depend on."""
    scalars: ClassVar[tuple[str, ...]] = (*options, *_tallies)
    _most_vertices = MAX_VERTICES
    neighbors: Any
    weights: Any
    offsets: Any
    row_degrees: Any
    separators: Any
    counts: Any

    def __init__(
        self, num_vertices: int, *, leaf_density: tuple[float, float] = (0.08, 0.92),
        root_density: tuple[float, float] = (0.4, 0.8), deletion: str = "eager", **base: Any,
    ):  # fmt: skip
        one_of(deletion, "deletion", DELETIONS)
        super().__init__(num_vertices, **base)
        self.deletion = deletion
        self.leaf_density, self.root_density = _densities(leaf_density, root_density)
        self._moved = self._redundant = self._rebuilds = 0
        if self.num_vertices > MAX_VERTICES:
            raise ValueError(
                f"num_vertices is {self.num_vertices}; a packed memory array has at most {MAX_VERTICES} vertices"
            )
        xp = self.xp
        weights = None if self.stored_dtype is None else xp.empty(0, self.stored_dtype)
        self.build(xp.zeros(self.num_vertices + 1, np.int64), xp.empty(0, self.vertex_dtype), weights)

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._counters = Counters(self.device, COUNTERS)
        self._held: tuple[Any, Any] | None = None

    # ---- the array --------------------------------------------------------------------------------------------------

    @property
    def levels(self) -> int:
        """Levels of leaves below the first, or -1 where leaves lie in the order of their keys."""
        return -1

    @property
    def leaves(self) -> int:
        return int(self.counts.size)

    @property
    def height(self) -> int:
        """Height of the tree of windows: ``2**height`` is at least the number of leaves."""
        return (self.leaves - 1).bit_length()

    @property
    def _rows(self) -> int:
        return int(self.row_degrees.size)

    def _entries(self, arcs: int) -> int:
        return arcs + self._rows + 1

    def _root_limits(self) -> tuple[float, float]:
        """Least and greatest number of entries in the whole array."""
        low, high = self.root_density
        return low * self.slot_capacity, high * self.slot_capacity

    def _leaf_count(self, entries: int, share: float) -> int:
        """Leaves of a new array for `entries`, of a density `share` of the way between the root's thresholds."""
        low, high = self.root_density
        return max(int(np.ceil(entries / (LEAF * (low + share * (high - low))))), 1)

    def _allocate(self, leaves: int, rows: int) -> dict[str, Any]:
        """New arrays by name, with undefined contents."""
        xp, slots = self.xp, leaves * LEAF
        return {
            "neighbors": xp.empty(slots, self.vertex_dtype),
            "weights": None if self.stored_dtype is None else xp.empty(slots, self.stored_dtype),
            "offsets": xp.empty(rows + 1, np.int64),
            "row_degrees": xp.empty(rows, self.vertex_dtype),
            "separators": xp.empty(leaves, np.int64),
            "counts": xp.empty(leaves, np.int32),
        }

    def _leaves_fit(self, leaves: int) -> bool:
        return True

    check = check_arrays

    def _check_options(self) -> None:
        """Raise ValueError unless the options are valid for the constructor."""
        require(self.deletion in DELETIONS, f"deletion is {self.deletion!r}")
        try:
            _densities(self.leaf_density, self.root_density)
        except (TypeError, ValueError) as error:
            raise ValueError(str(error)) from None

    def view_scalars(self) -> dict[str, int]:
        return {"leaves": self.leaves, "levels": self.levels}

    def _held_view(self) -> Any:
        """A view for updates, which is made again only for new arrays."""
        arrays = (self.neighbors, self.offsets, self.counts)
        if self._held is None or any(old is not new for old, new in zip(self._held[0], arrays, strict=True)):
            self._held = (arrays, self.make_view())
        return self._held[1]

    def degrees(self) -> Any:
        return self.row_degrees[: self.num_vertices]

    def details(self) -> dict[str, Any]:
        """Use of the array, and the moves of updates.

        Returns
        -------
        dict
            ``leaves``, ``height``: size of the array, and height of the tree of its windows. ``density``: share of used
            slots. ``guards``: slots with guards. ``moved_leaves``: leaves of the windows that updates rebalanced.
            ``redundant_leaves``: leaves of windows inside these, which level-by-level rounds would have rebalanced
            first. ``rebuilds``: the number of times the whole array was rebuilt to grow or shrink.
        """
        return {
            "leaves": self.leaves,
            "height": self.height,
            "density": self._entries(self.num_arcs) / self.slot_capacity,
            "guards": self._rows + 1,
            "moved_leaves": self._moved,
            "redundant_leaves": self._redundant,
            "rebuilds": self._rebuilds,
        }

    # ---- laying it out ----------------------------------------------------------------------------------------------

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        rows = self.num_vertices
        self._fill(offsets, dst, weights, self._leaf_count(int(dst.size) + rows + 1, BUILT), rows)

    def _fill(self, offsets: Any, dst: Any, weights: Any, leaves: int, rows: int) -> None:
        """Put CSR arrays into new leaves. Memory is exhausted, if it is, before anything has changed."""
        for name, array in self._allocate(leaves, rows).items():
            setattr(self, name, array)
        self._view = None
        self.kernels.fill(
            leaves, self._held_view(), int(dst.size) + rows + 1, int(offsets.size) - 1, rows, offsets, dst, weights,
            tile=8,
        )  # fmt: skip

    def _rebuild(self, arcs: int, leaves: int, rows: int | None = None) -> None:
        self._fill(*self._export(arcs), leaves, self._rows if rows is None else rows)
        self._rebuilds += 1

    def _export(self, arcs: int) -> tuple[Any, Any, Any]:
        """All arcs as CSR, given their number."""
        xp, vertices = self.xp, self.num_vertices
        offsets, indices = xp.empty(vertices + 1, np.int64), xp.empty(arcs, self.vertex_dtype)
        weights = None if self.stored_dtype is None else xp.empty(arcs, self.stored_dtype)
        self.kernels.export_rows(
            self.leaves, self._held_view(), self._ends(), vertices, offsets, indices, weights, tile=8
        )  # fmt: skip
        return offsets, indices, weights

    def _ends(self) -> Any:
        """The number of entries up to each leaf, in order."""
        counts = self.counts
        if self.levels >= 0:
            counts = self.scratch.get("counts_in_order", self.leaves, np.int64)
            self.kernels.order_counts(self.leaves, self._held_view(), counts)
        return on_gpu.sums_of(self, counts) if self.device.is_gpu else np.cumsum(counts, dtype=np.int64)

    def sorted_arcs(self) -> tuple[Any, Any, Any]:
        return self._export(self.num_arcs)

    def check_fit(self, num_vertices: int) -> None:
        super().check_fit(num_vertices)
        if num_vertices > MAX_VERTICES:
            raise ValueError(
                f"count_or_ids makes {num_vertices} vertices; a packed memory array has at most {MAX_VERTICES}"
            )

    def extend(self, num_vertices: int) -> None:
        if num_vertices <= self._rows:
            return
        rows = min(max(num_vertices, self._rows * ROW_GROWTH[0] // ROW_GROWTH[1]), MAX_VERTICES)
        entries = self.num_arcs + rows + 1
        leaves = self.leaves if entries <= self._root_limits()[1] else self._leaf_count(entries, GROWN)
        self._rebuild(self.num_arcs, leaves, rows)

    def compact(self) -> None:
        self._rebuild(self.num_arcs, self._leaf_count(self._entries(self.num_arcs), BUILT))

    def _grow(self, entries: int) -> None:
        """Grow to a capacity for `entries` entries, guards included. Entries retain their order."""
        self._rebuild(self.num_arcs, max(self._leaf_count(entries, GROWN), self.leaves + 1))


def _densities(leaf: Any, root: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Check the thresholds, and return them as numbers."""
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
