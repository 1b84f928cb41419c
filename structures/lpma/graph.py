"""`LPMA` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.graphs import DynamicGraph
from frontier.runtime import Device
from structures.packed.array import PackedBuildOptions, PackedOptions

from .store import HYBRID, LPMAStore


@forwards("store", "leaf_density", "root_density", "deletion", "strategy", "levels", "density")
class LPMA(DynamicGraph):
    """A packed memory array in levels of a perfect binary tree, grown by appending a level.

    Level 0 is one leaf of 32 slots, level x has ``2**(x - 1)``. Arcs are in the order of the tree's in-order traversal.
    When the array is full, a level is appended: every leaf gets an empty successor, and does not move. Then only the
    windows of leaves that the batch needs are rebalanced, while other packed memory arrays rebuild the whole array.

    Parameters
    ----------
    num_vertices : int
    strategy : {"hybrid", "bottom-up", "top-down"}
        How an insertion finds the windows to rebalance. ``"bottom-up"`` climbs from the leaves of new arcs, and
        ``"top-down"`` descends from the whole array. ``"hybrid"``, the default, is bottom-up while the array is sparse
        and then whichever measures faster. All leave the same graph, possibly in different slots.
    leaf_density, root_density : (float, float)
        Least and greatest share of used slots in a leaf and in the whole array. The shares of windows in between are
        interpolated by their heights.
    deletion : {"eager", "lazy"}
        Whether windows that deletions leave too empty are rebalanced, and the array shrinks, or slots are only cleared,
        for insertions to find again.
    **options
        Options of `Graph`.

    Attributes
    ----------
    levels : int
        Number of the last level. The array has ``2**levels`` leaves.
    density : float
        Used share of the array's slots.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    References
    ----------
    L. Zou, F. Zhang, Y. Lin, Y. Yu: An Efficient Data Structure for Dynamic Graph on GPUs. IEEE Transactions on
    Knowledge and Data Engineering, 2023.

    Notes
    -----
    A batch of B arcs costs its sort, O(log d) to look up each arc, and one pass over the leaves' counts. Each new arc
    also costs O(log² E) amortized moves (in practice few). Appending a level costs time for the new leaves, and none
    for existing arcs, once arrays are large. An array below 8 MB is copied, and so is one made by ``copy()`` or from a
    file, the first time that it grows. ``insert_edges(..., on_existing="add")``, the paper's edge updates, is one such
    insertion. Differences from the paper:

    * Each entry moves once. The paper's bottom-up rounds rebalance a window and, in a later round, the one around it.
      Its Figure 10 counts the moves that top-down saves. Here both ways decide first, from sums of counts, and then
      move. They differ in how they decide. `statistics` counts the additional moves of the rounds.
    * Thresholds fall from the leaves to the root. Going up, a window may then fit while one around it does not. Going
      down, the paper's rule rebalances the one around both. So top-down can move more than bottom-up.
    * Deletions look for windows bottom-up with either strategy.
    * Levels are stored one after another in an array that grows in place: a range of addresses to which memory is added
      (`frontier.runtime.memory.growable`), so a slot is one number. Memory for the next level is added during the
      batches before it is needed, while the device works.
    * When deletions have emptied the array, it is rebuilt with fewer levels, in new memory.
    * A look-up searches the tree of the levels, but only between the leaves of a vertex's first and last arc, from
      their lowest common ancestor down. The paper starts at the root, with the top levels in shared memory. The top
      levels are the first few KB of the separators, which all searches share and caches retain.
    * An entry has the four or eight bytes of its neighbor, as in our GPMA, not a 64-bit key.

    Examples
    --------
    >>> from structures import LPMA
    >>> graph = LPMA(4, device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1), graph.levels
    (array([0, 2], dtype=int32), 0)
    """

    store_type = LPMAStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            *, strategy: str = HYBRID, **options: Unpack[PackedBuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, strategy: str = HYBRID, **options: Unpack[PackedOptions]):
        super().__init__(num_vertices, strategy=strategy, **options)
