"""`SlabGraph` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.forwarding import forwards
from frontier.core.locking import reads
from frontier.core.options import BuildOptions, GraphOptions
from frontier.graphs import DynamicGraph
from frontier.runtime import Device

from .store import SlabStore


class SlabBuildOptions(BuildOptions, total=False):
    """Options of `SlabGraph.from_edges`, for type checkers and editors."""

    load_factor: float


@forwards("store", "load_factor")
class SlabGraph(DynamicGraph):
    """A hash table per vertex, of slabs of one or two cache lines, whose updates need no sorting.

    A table is an array of buckets, each a chain of slabs. The base slabs of a table are consecutive. Overflow slabs are
    anywhere in the pool, and linked. A slab has keys (neighbors) and, in its last word, the number of the next slab.
    Graphs without weights use the *set* variant, graphs with weights the *map* variant [1]_.

    Updates and look-ups of a batch of m arcs need O(m) expected work.

    Parameters
    ----------
    load_factor : float, default 0.7
        Keys for each key word of the base slabs of a new table. The default is the paper's optimum. Lower factors make
        shorter chains and use more memory.

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    CSR : The smallest for graphs that rarely change.

    References
    ----------
    .. [1] Awad, Ashkiani, Porumbescu, Owens, "Dynamic Graphs on the GPU", IPDPS 2020.

    Examples
    --------
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(4, load_factor=0.5, device="cpu")
    >>> graph.insert_edges([0, 1], [1, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.neighbors(1)
    array([0, 2], dtype=int32)
    """

    store_type = SlabStore
    store: SlabStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[SlabBuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, load_factor: float = 0.7, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, load_factor=load_factor, **options)

    @reads
    def chain_lengths(self) -> Any:
        """Number of slabs of every bucket's chain, vertex by vertex.

        Returns
        -------
        array of int64, shape (buckets,), on the graph's device
        """
        return self.store.chain_lengths()
