"""`CSR` as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from frontier.core.component import graph_built
from frontier.core.forwarding import forwards
from frontier.core.options import BuildOptions, GraphOptions
from frontier.features.in_edges import InEdges
from frontier.graphs import DynamicGraph
from frontier.runtime import Device

from .store import CSRStore


@forwards("store", "offsets")
class CSR(DynamicGraph):
    """Compressed sparse row: sorted neighbor lists, stored back to back and rebuilt by every update.

    No structure is smaller, and few are faster to walk, but any update rebuilds it whole, in O(V + E). It is the
    structure of static copies, and the baseline that dynamic structures must beat. An update only does the work of a
    rebuild: it merges the sorted batch into the rows (CPU) or sorts old and new arcs together (GPU).

    Its arrays are the graph: do not write to them. An update replaces them.

    Attributes
    ----------
    offsets : array of int64, shape (num_vertices + 1,)
        Ascending from 0 to the number of arcs: the neighbors of v are at ``offsets[v] .. offsets[v + 1] - 1``.
    indices : array of `vertex_dtype`, shape (num_arcs,)
        The neighbors of each vertex ascend, each once.
    weights : array of `weight_dtype`, shape (num_arcs,), or None

    See Also
    --------
    frontier.DynamicGraph : Updates and queries.
    SlabGraph : The default for graphs that change.

    Examples
    --------
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1], [1, 2, 2], device="cpu")
    >>> graph.offsets, graph.indices
    (array([0, 2, 4, 6]), array([1, 2, 0, 2, 0, 1], dtype=int32))
    """

    store_type = CSRStore

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[BuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, **options: Unpack[GraphOptions]):
        super().__init__(num_vertices, **options)

    @classmethod
    def from_csr(
        cls, offsets: Any, indices: Any, weights: Any = None, *, directed: bool = False,
        device: str | Device = "auto", absent: Any = None, in_edges: bool = False,
    ) -> Self:  # fmt: skip
        """A graph over CSR arrays of its device, which are adopted, not copied.

        The rows must be sorted, without duplicates or self-loops, and symmetric unless `directed`, which is not
        checked. (A file of a graph that violates it cannot be loaded.)
        """
        graph = cls._of(cls._new_store(
            int(offsets.size) - 1, directed=directed, device=device, vertex_dtype=indices.dtype,
            weight_dtype=None if weights is None else weights.dtype,
        ))  # fmt: skip
        if in_edges and graph.directed:
            graph._components.append(InEdges())
        graph.store.build(offsets, indices, weights)
        graph.store.commit(int(indices.size))
        graph.store.absent = None if absent is None else absent.copy()
        graph_built(graph)
        return graph

    @property
    def indices(self) -> Any:
        """The neighbors' ids."""
        return self.store.neighbors

    @property
    def weights(self) -> Any:
        """The weights of the arcs, or None."""
        return self.payload.weights_of(self.store.weights)
