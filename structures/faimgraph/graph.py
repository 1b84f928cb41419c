"""`FaimGraph` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.core.options import BuildOptions, GraphOptions
from frontier.graphs import DynamicGraph
from frontier.runtime import Device

from .store import FaimStore


@forwards("store", "page_size")
class FaimGraph(DynamicGraph):
    """Each vertex's neighbors in linked 64-byte pages, from a shared pool to which empty pages return.

    Lists are unordered and have no gaps: insertions append, and deletions fill their holes with the last entries, so
    every page but a list's last one is full. A list with no neighbors has no page.

    Parameters
    ----------
    num_vertices : int
    page_size : int, default 64
        Bytes of neighbors in a page, a power of two from 32 to 1024. Larger pages are read faster and waste more: half
        a page for each list, on average.
    **options
        Options of `Graph`.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    References
    ----------
    M. Winter, D. Mlakar, R. Zayer, H.-P. Seidel, M. Steinberger: faimGraph: High Performance Management of
    Fully-Dynamic Graphs under Tight Memory Constraints on the GPU. SC 2018.

    Notes
    -----
    A batch of B arcs costs its sort and one walk over the list of each of its sources. Appending or deleting an arc
    costs as much as finding its page, O(log d) reads in a list of d neighbors. With pages of 16 entries this is one
    read in lists of up to 16 pages, two in lists of up to 256, and so on. Differences from the paper:

    * *Hubs.* The paper assigns a thread or a warp to each list, which follows the links to reach its pages. Here the
      work of an update is balanced over the arcs of the batch, and the work of a traversal over pages. To avoid
      following links, a list of more than four pages also has a directory, a tree of index pages from the same pool.
      The authors' code falls from 760 to 17 million arcs a second when the graph has hubs.
    * *Batches are grouped.* The paper looks up each arc separately, and locks its source's list. Here a batch is
      sorted, the list of each source is walked once for all of its arcs, and nothing is locked. A batch can have any
      size.
    * *Queues without atomics.* The paper's threads allocate pages one at a time from a ring. Here prefix sums over its
      sources number the pages that a batch allocates or frees, and number k is the k-th from the end of the queue. A
      batch either allocates or frees, so no ring is needed.
    * *The vertex queue* is the set of absent ids that every graph has: deleted ids are reallocated, smallest first. No
      other queue is needed, as a vertex's pages return with its last arc, and its record is a position in an array.
    * *Ids.* The paper separates ids of the host and of the device, to reuse records. Here the absent id and its record
      are reused together, and results need no translation.
    * *Records* have 8 bytes, while the paper's also contain locks, capacities and identifiers.
    * *Memory.* The paper allocates the whole memory of the GPU at the start, which leaves none for analytics. Here the
      pool grows in place, by a quarter at least.
    * *Pages are whole.* The link to the next page is in a separate array, so a page has a power of two of neighbors,
      and is aligned. Weights have a separate pool with the same slots.

    Examples
    --------
    >>> from structures import FaimGraph
    >>> graph = FaimGraph(4, page_size=128, device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1)
    array([0, 2], dtype=int32)
    """

    store_type = FaimStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            *, page_size: int = 64, **options: Unpack[BuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, page_size: int = 64, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, page_size=page_size, **options)
