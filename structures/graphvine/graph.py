"""`GraphVine` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.core.locking import rearranges
from frontier.core.options import BuildOptions, GraphOptions
from frontier.graphs import DynamicGraph
from frontier.runtime import Device

from .store import GraphVineStore


@forwards("store", "block_size")
class GraphVine(DynamicGraph):
    """Each vertex's neighbors in fixed-size edge blocks that form a complete binary tree.

    The dictionary, whose size is a power of two, has an edge sentinel for each vertex. It has the positions of the root
    and the last block of its tree, and the number of its neighbors. Block i, counted level by level, is found by the
    bits of i + 1: from the root on, 0 leads left and 1 right. Free blocks are in a queue. The lists of a batch allocate
    all their blocks at once, each from the position that a prefix sum over their needs defines, without atomics. When
    four fifths of all blocks are in use, a quarter more are added.

    Parameters
    ----------
    num_vertices : int
    block_size : int, optional
        Neighbors in a block, a power of two of 8 or more. By default it follows from the first batch of edges. It is
        the largest power of two that is at most 5/4 of the mean degree of its sources, between 8 and 128.
    **options
        Options of `Graph`.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    References
    ----------
    Rohith Krishnan, Tavva, Nasre: GraphVine: A Data Structure to Optimize Dynamic Graph Processing on GPUs.

    Notes
    -----
    A batch of B arcs costs its sort, and a walk over the lists of its sources, which looks up all their arcs together.
    It also costs O(log b) for each inserted or deleted arc, and for each block that is added to a tree of b blocks.
    Differences from the paper:

    * The batch is sorted, and duplicates and existing arcs are dropped: the paper leaves both to the caller.
    * Work is balanced over the batch's arcs and new blocks, where the paper has one thread for each vertex. So there
      are two kernels, one that links blocks into the trees and one that fills them, as its authors plan to.
    * Lists have no holes: entries at the end of a list fill them at once, and empty blocks return to the queue. The
      paper marks deleted neighbors, and leaves compaction and reclamation open.
    * Blocks that a vertex allocates in one batch mostly have consecutive numbers. The sentinel has the number of
      consecutive blocks from the root on. These blocks are found without a walk, further ones by a walk from their
      lowest ancestor among them. A list that was built at once is found as fast as in CSR, though its blocks are
      linked.
    * Neighbors and weights have separate arrays, so a walk over neighbors does not read weights. The dictionary
      contains the records themselves, since a vertex's id is its position.
    * Block sizes are powers of two of 32 bytes or more, so blocks are aligned and positions need no division.
    * The queue starts with the first batch, and with a quarter more than it needs. The paper allocates half of the
      GPU's memory at the start, which analytics then lack.
    * When the queue grows, all blocks are copied to a larger pool. This pass over the whole graph slows its batch down,
      and needs memory for both pools, more than twice the memory of the old one. The paper allocates new blocks
      separately and copies nothing, as its queue contains addresses. Here it contains numbers of blocks in one pool, so
      a slot is one number.

    Examples
    --------
    >>> from structures import GraphVine
    >>> graph = GraphVine(4, block_size=32, device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1)
    array([0, 2], dtype=int32)
    """

    store_type = GraphVineStore
    store: GraphVineStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            *, block_size: int | None = None, **options: Unpack[BuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, block_size: int | None = None, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, block_size=block_size, **options)

    @rearranges
    def rebuild(self, *, block_size: int | None = None) -> None:
        """`compact`, with blocks of another size.

        Parameters
        ----------
        block_size : int, optional
            As for a new graph. By default it follows from the current mean degree.
        """
        self.store.rebuild(block_size)
        self.store.commit()
