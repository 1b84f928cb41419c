"""`Hornet` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.core.options import BuildOptions, GraphOptions
from frontier.graphs import DynamicGraph
from frontier.runtime import Device

from .store import HornetStore


@forwards("store", "block_array_size")
class Hornet(DynamicGraph):
    """Each vertex's neighbors in one block of power-of-two capacity, from arrays of equal blocks.

    A list that outgrows its block moves to a larger one, and a list that has shrunk moves to a smaller one. Bit trees
    find free blocks, and empty block-arrays serve blocks of any size. So memory stays within twice the edges' memory,
    plus one partly filled block-array for each size of block.

    Parameters
    ----------
    num_vertices : int
    block_array_size : int, optional
        Edges in a block-array, a power of two. Larger block-arrays are fewer, smaller ones have less unused memory. By
        default it is chosen from the number of vertices, between 2**10 and 2**16.
    **options
        Options of `Graph`.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    References
    ----------
    F. Busato, O. Green, N. Bombieri, D. A. Bader: Hornet: An Efficient Data Structure for Dynamic Sparse Graphs and
    Matrices on GPUs. IEEE HPEC 2018.

    Notes
    -----
    A batch of B arcs costs its sort, and O(log d) to look up each arc. In each list that changes, it also costs the
    moves of the neighbors behind the first change. Differences from the paper:

    * Lists are in ascending order. A look-up is a binary search, while the paper scans the list with one thread per
      neighbor. Exports and intersections need no sort. Insertions then move the neighbors behind the change, while the
      paper appends.
    * A list moves to a smaller block when a quarter of its block is in use, not half. So a vertex that alternately
      gains and loses neighbors does not move each time. When all blocks together exceed twice the edges, every list
      that fits half its block moves, once an eighth of the edges have changed, so the paper's bound applies.
    * All block-arrays are pieces of one pool, so a slot is one index. The pool is reallocated, by a quarter at least,
      when no piece is free.
    * The bit trees have two levels, words of 32 blocks and a count at the root. A batch allocates all its blocks of a
      block-array at once, by a scan over its words, so levels in between would not be used. The B+ trees are a
      directory, sorted when block-arrays are added or removed.

    Examples
    --------
    >>> from structures import Hornet
    >>> graph = Hornet(4, block_array_size=2**12, device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1)
    array([0, 2], dtype=int32)
    """

    store_type = HornetStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            *, block_array_size: int | None = None, **options: Unpack[BuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, block_array_size: int | None = None, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, block_array_size=block_array_size, **options)
