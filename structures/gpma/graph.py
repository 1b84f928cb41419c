"""`GPMA` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.graphs import DynamicGraph
from frontier.runtime import Device
from structures.packed.array import PackedBuildOptions, PackedOptions

from .store import GPMAStore


@forwards("store", "leaf_density", "root_density", "deletion", "method")
class GPMA(DynamicGraph):
    """All arcs in one packed memory array, indexed by CSR row offsets: GPMA and GPMA+.

    The array is a row of leaves of 32 slots, and windows of 1, 2, 4, ... leaves are the nodes of a binary tree over it.
    A batch is sorted and its arcs are looked up. Each leaf accepts its new arcs if its density stays under a threshold.
    Otherwise the smallest window around it that can does, and its entries are redistributed evenly. If no window can,
    the array grows. Deletions clear slots, and rebalance windows that become too empty.

    A batch of m arcs costs its sort, O(log L) for each look-up with L leaves, and one pass over the leaves' counts.
    Each arc also costs amortized O(log² L) moves (O(log L) if arcs are spread evenly).

    Parameters
    ----------
    num_vertices : int
    method : {"segment", "lock"}
        How a batch is inserted: by segments, without locks (the paper's GPMA+), or arc by arc in rounds, under locks
        (GPMA). Both leave the same arcs. The second is slow for arcs that are close together.
    deletion : {"eager", "lazy"}
        Whether windows that deletions leave too empty are rebalanced, and the array shrinks, or slots are only cleared,
        as in the paper's sliding windows, for insertions to fill again.
    leaf_density, root_density : (float, float)
        Least and greatest share of used slots in a leaf and in the whole array, by default (0.08, 0.92) and (0.40,
        0.80), as in the paper. The shares of windows in between are interpolated by their heights.
    **options
        Options of `Graph`.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    References
    ----------
    .. [1] Sha, Li, He, Tan, "Accelerating Dynamic Graph Analytics on GPUs", PVLDB 11(1), 2017.

    Notes
    -----
    With ``method="lock"`` an insertion on the GPU allocates scratch memory for all of its rounds before the first. This
    is 16 bytes and two weights for each arc and guard, including the batch's. The graph reuses it for the next batch.

    Differences from the paper are listed in the module ``structures.gpma.store``.

    Examples
    --------
    >>> from structures import GPMA
    >>> graph = GPMA(4, deletion="lazy", device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1)
    array([0, 2], dtype=int32)
    """

    store_type = GPMAStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            *, method: str = "segment", **options: Unpack[PackedBuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, method: str = "segment", **options: Unpack[PackedOptions]):
        super().__init__(num_vertices, method=method, **options)
