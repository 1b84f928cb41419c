"""The order of vectors that the partitions of a graph multiply on GPUs, and operators over vertices in that order.

A partition's vector has only the entries that the partition needs: first its own vertices, which have the rows of its
product, the longest first. Its ghosts follow, by the partitions that own them, and for each partition in that
partition's order. So each partition's entries are received into one piece of the vector, ghosts with many neighbors
come first, too, and operators over the partition's own vertices use the first entries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from frontier import operators as one_device
from frontier.core.base import BaseGraph
from frontier.core.forwarding import forwards
from frontier.core.registry import csr_structure
from frontier.core.vertex_arrays import MakesVertexArrays
from frontier.operators.degree_order import places_by_degree
from frontier.operators.degrees import degrees_of
from frontier.operators.frontiers.frontier import Frontier
from frontier.runtime.memory import elementwise

from ..exchange.ghosts import Ghosts
from ..exchange.vertex_arrays import VertexArrays
from ..transport.communicator import Communicator
from . import operators
from .frontiers import PartFrontier

if TYPE_CHECKING:
    from ..base import BasePart


class PartOrder:
    """The vertices at the positions of a partition's vectors, and the exchange of ghosts' entries.

    Every worker makes one at the same time, with one exchange of the ghosts' ids. `ghosts` of the graph must be up to
    date. `order` has the vertex at each position, the `own` ones of this partition first, and `self.ghosts` the number
    that each partition owns.
    """

    def __init__(self, graph: BasePart, local: Any, ghosts: Ghosts):
        self._comm = comm = graph.comm
        device, xp, ids = comm.device, comm.device.xp, local.vertex_dtype
        partition = graph.partition
        owned = elementwise.converted(device, partition.owned, ids)
        self.own = int(owned.size)
        own = elementwise.take(device, owned, places_by_degree(local, degrees_of(local, owned), 0).order)
        asked = ghosts.asked()
        self._sent: Any = None  # positions of the entries that other partitions request, by partition
        self._counts: list[int] = []  # of requests of each partition
        if comm.size == 1:
            self.ghosts = [0]
            self.order = own
            return
        if asked is None:  # all vertices of other partitions count as ghosts
            self.ghosts = [0 if peer == comm.rank else count for peer, count in enumerate(partition.counts)]
            (others,) = comm.gather_others([own], partition.counts)
        else:
            vertices, self._counts, self.ghosts = asked
            position = xp.empty(graph.num_vertices, ids)
            elementwise.put(device, position, own, elementwise.arange(device, self.own, ids))
            self._sent, end = elementwise.take(device, position, vertices), 0
            for count in self._counts:
                if count:
                    self._sent[end : end + count].sort()
                end += count
            others, _ = comm.alltoallv(elementwise.take(device, own, self._sent), self._counts, self.ghosts)
        self.order = elementwise.joined(device, own, others)

    @property
    def size(self) -> int:
        return int(self.order.size)

    def exchange(self, *arrays: Any) -> None:
        """Copy ghosts' entries of vectors from the partitions that own them."""
        comm, own = self._comm, self.own
        if comm.size == 1 or not arrays:
            return
        outs = [array[own:] for array in arrays]
        if self._sent is None:
            received = list(self.ghosts)
            received[comm.rank] = own
            comm.gather_others([array[:own] for array in arrays], received, outs)
        else:
            columns = [elementwise.take(comm.device, array, self._sent) for array in arrays]
            comm.alltoallv_columns(columns, self._counts, self.ghosts, outs)

    def hubs(self, most: int) -> Any:
        """Return positions of at most `most` vertices: in turn the first ones of each partition.

        Partitions own about as many hubs as any other, since a hash chooses a vertex's owner.
        """
        sizes = [self.own, *(count for count in self.ghosts if count)]
        starts = np.cumsum([0, *sizes[:-1]])
        shares = [min(size, most // len(sizes)) for size in sizes]
        shares[0] = min(self.own, most - sum(shares[1:]))
        ranks = np.arange(max(shares))[:, None]
        return self._comm.device.xp.asarray((starts + ranks)[ranks < shares].astype(self.order.dtype))

    def names(self, num_vertices: int, hubs: Any) -> Any:
        """Return each vertex's name in ``spmv.cuh``: a hub's index, or the position behind the hubs' indices."""
        device, ids, first = self._comm.device, self.order.dtype, int(hubs.size)
        names = device.xp.empty(num_vertices, ids)
        elementwise.put(device, names, self.order, elementwise.arange(device, self.size, ids, first))
        of_hubs = elementwise.take(device, self.order, hubs)
        elementwise.put(device, names, of_hubs, elementwise.arange(device, first, ids))
        return names


class Positions:
    """The `Partition` of the positions of a partition's vectors."""

    def __init__(self, comm: Communicator, order: PartOrder):
        self.num_parts = comm.size
        self.rank = comm.rank
        self._device = comm.device
        self._own, self._dtype = order.own, order.order.dtype
        self.owners = comm.device.xp.empty(order.size, np.uint8 if comm.size < 255 else np.int32)
        end = order.own
        elementwise.fill_with(self.owners[:end], comm.rank)
        for peer, count in enumerate(order.ghosts):
            if count:
                elementwise.fill_with(self.owners[end : end + count], peer)
            end += count

    @property
    def owned(self) -> Any:
        return elementwise.arange(self._device, self._own, self._dtype)


class VectorArrays(VertexArrays):
    """The arrays by position, along with other arrays of the graph."""

    def __init__(self, graph: BasePart, order: PartOrder, local: Any):
        positions: Any = Positions(graph.comm, order)
        super().__init__(graph.comm, positions, lambda: local, lambda array: False)
        self.positions = positions
        self._order = order
        self._known = graph.arrays._known

    def copy_from_owners(self, *arrays: Any) -> None:
        self._order.exchange(*arrays)


class VectorFrontier(PartFrontier):
    """A frontier of positions of vectors: on each partition, the positions of the vertices that it owns."""

    def __init__(self, graph: Any, vertices: Any = ()):
        raise NotImplementedError(
            "vertices in the order of distributed products are not listed: filter the frontier of all"
        )

    @classmethod
    def all(cls, graph: Any) -> VectorFrontier:
        made = super().all(graph)
        made._count = graph.total  # type: ignore[attr-defined]
        return made  # type: ignore[return-value]

    def _refuse(self) -> NoReturn:
        raise NotImplementedError("each partition has its own order of vertices in products")

    vertices = property(_refuse)
    num_arcs = property(_refuse)


@forwards("comm", "device")
@forwards("local", "store", "xp", "vertex_dtype", "version", "vertex_version")
class VectorGraph(MakesVertexArrays, BaseGraph):
    """`SpMV.graph` of a distributed graph on GPUs: its vertices, in the order of vectors, without arcs.

    Operators over vertices accept its frontiers.
    """

    is_part = in_parts = read_only = directed = True
    refusal = "the graph of products is read-only"
    has_in_edges = False
    broken: ClassVar[None] = None
    inward: ClassVar[None] = None
    forms: ClassVar[dict[type, type]] = {Frontier: VectorFrontier}

    def __init__(self, graph: BasePart, order: PartOrder):
        self.comm = graph.comm
        self.total = graph.num_vertices
        self.local: Any = csr_structure()(  # type: ignore[call-arg]
            order.size, directed=True, device=graph.device, vertex_dtype=order.order.dtype
        )
        self.arrays = VectorArrays(graph, order, self.local)
        self.partition = self.arrays.positions
        self.num_vertices = order.size

    def __repr__(self) -> str:
        return f"VectorGraph({self.num_vertices:,} entries on part {self.comm.rank} of {self.comm.size})"

    def reading(self) -> AbstractContextManager[Any]:
        """`Graph.reading`: only one thread uses a partition."""
        return nullcontext()

    def _run_over_parts(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        bare: Any = inspect.unwrap(function)
        if bare not in OVER_VERTICES:
            raise NotImplementedError(
                f"{bare.__name__} is not available for the graph of distributed products, which has no arcs: "
                "only compute, filter and reduce are"
            )
        return operators.run(self, function, args, kwargs)  # type: ignore[arg-type]


OVER_VERTICES = tuple(inspect.unwrap(each) for each in (one_device.compute, one_device.filter, one_device.reduce))
