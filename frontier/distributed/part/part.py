"""`GraphPart`: the partition of a distributed graph on one worker."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, ClassVar, NoReturn

from frontier.core.arguments import flag, one_of
from frontier.core.base import BaseDynamicGraph
from frontier.core.observers import Observers
from frontier.core.structures import structure_class
from frontier.operators import Orientation, SpMV
from frontier.operators.frontiers.edge_frontier import EdgeFrontier
from frontier.operators.frontiers.frontier import Frontier

from ..exchange.columns import MULTI
from ..exchange.ghosts import Ghosts
from ..exchange.memory_budget import MemoryBudget
from ..exchange.vertex_arrays import VertexArrays
from ..operators import operators
from ..operators.edge_frontiers import PartEdgeFrontier
from ..operators.frontiers import PartFrontier
from ..operators.products import PartSpMV
from ..operators.triangles import PartOrientation
from ..partition.partition import Partition
from ..transport.communicator import Communicator, PartLostError
from . import files
from .reads import PartReads
from .snapshots import copy_of, reverse_of, take_snapshot
from .updates import NotifiedEdges, PartUpdates


class GraphPart(PartUpdates, PartReads):
    """A dynamic graph of which this process has a partition: a program that runs on every worker sees it as one graph.

    Every worker calls the same methods, operators and algorithms in the same order, each with its partition. Results
    are equal to the results on one device, complete on every worker. Each worker passes its share of a batch or a
    query, which may be empty. The whole one is the concatenation in order of the workers' ranks.

    Vertex ids are the same on every partition. A partition has the arcs that leave the vertices it owns. Arrays by
    vertex have an entry for every vertex on every partition (`VertexArrays`).

    Parameters
    ----------
    comm : Communicator
    structure : type or str
        The structure of each partition: any dynamic structure, or its name.
    num_vertices : int
    directed : bool
    weight_dtype, vertex_dtype : dtype, optional
    edge_data, time_unit, keep_time
        As in `Graph`. A partition has the columns of its arcs, under local ids.
    multi_edges : {"last", "sum"}
        As in `Graph`.
    **structure_options
        Options of the structure.

    Attributes
    ----------
    local : DynamicGraph
        The partition: a directed graph over all ids.
    inward : DynamicGraph or None
        With in-edges, the arcs that enter the partition's vertices, reversed.
    partition : Partition
    arrays : VertexArrays
    ghosts : dict of str to Ghosts
        The ghosts of the local graphs `local` and `inward`, by name.
    """

    is_part = True
    read_only = False
    in_parts = True
    forms: ClassVar[dict[type, type]] = {
        Frontier: PartFrontier, EdgeFrontier: PartEdgeFrontier, SpMV: PartSpMV, Orientation: PartOrientation,
    }  # fmt: skip

    def __init__(
        self, comm: Communicator, structure: Any, num_vertices: int = 0, *, directed: bool = False,
        weight_dtype: Any = None, vertex_dtype: Any = None, edge_data: Any = None, time_unit: str | None = None,
        keep_time: str = "latest", multi_edges: str = "last", **structure_options: Any,
    ):  # fmt: skip
        kind: Any = structure_class(structure)
        if not issubclass(kind, BaseDynamicGraph):
            raise TypeError(f"structure must be one that can be changed, not {kind.__name__}")
        if "device" in structure_options:
            raise TypeError(
                "device: the engine of a distributed graph has the devices: pass, for example, "
                "engine=ThreadEngine(2, device='cpu') or engine=ProcessEngine(2, 'nccl')"
            )
        in_edges = flag(structure_options.pop("in_edges", False), "in_edges")
        one_of(multi_edges, "multi_edges", MULTI)
        self.comm = comm
        self.directed = flag(directed, "directed")
        self.new_local: Callable[[], Any] = partial(
            kind, num_vertices, directed=True, device=comm.device, weight_dtype=weight_dtype, vertex_dtype=vertex_dtype,
            edge_data=edge_data, time_unit=time_unit, keep_time=keep_time, multi_edges=multi_edges, **structure_options,
        )  # fmt: skip
        self.local: Any = self.new_local()
        self.inward: Any = self.new_local() if in_edges and self.directed else None
        self.partition = Partition(comm.device, comm.size, comm.rank)
        self.partition.extend(num_vertices)
        self.arrays = VertexArrays(comm, self.partition, lambda: self.local, self.is_column)
        self._observers = Observers(self)
        self._start()

    def _start(self, num_arcs: int = 0) -> None:
        """Set the initial state of a partition, including a copy."""
        self._reverse: GraphPart | None = None
        self._notified: list[NotifiedEdges] = []
        self._latest_snapshot: Callable[[], Any] = lambda: None
        own = weakref.ref(self)  # a partition that nothing refers to is freed at once
        self.ghosts = {
            name: Ghosts(self.comm, self.partition, partial(_local_of, own, name)) for name in ("local", "inward")
        }
        self.broken: str | None = None
        self.spare = MemoryBudget()
        self._version = 0
        self._total_arcs = num_arcs

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a folder that all workers reach, atomically as a whole: see
        `frontier.distributed.part.files`.

        Raises
        ------
        OSError
            Naming the file. A previous graph is unchanged.
        """
        self.check_parts()
        files.save(self, path)

    @classmethod
    def load(cls, comm: Communicator, path: str | os.PathLike[str]) -> GraphPart:
        """Load a graph that `save` has written, on any number of workers."""
        return files.load(cls, comm, path)

    # ---- running over partitions ------------------------------------------------------------------------------------

    def reading(self) -> AbstractContextManager[Any]:
        """`Graph.reading`: only one thread uses a partition."""
        return nullcontext()

    def _run_over_parts(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a function that reads a graph with this one."""
        self.check_parts()
        self.synchronize()
        return operators.run(self, function, args, kwargs)

    def synchronize(self) -> None:
        """Prepare for reading: all partitions call this first."""

    def check_parts(self) -> None:
        """Raise if the partitions do not agree any more."""
        if self.broken is not None:
            raise PartLostError(self.broken)

    def mark_failed(self, text: str) -> NoReturn:
        """Raise, now and whenever the graph is used again: other partitions do not answer."""
        self.broken = text
        raise PartLostError(text)

    def locals(self) -> list[Any]:
        """Return the local graphs, the graph of the partition's own arcs first."""
        return [self.local] if self.inward is None else [self.local, self.inward]

    def commit(self, gained: int) -> None:
        """Count an update, which gave all partitions together `gained` arcs."""
        self._total_arcs += gained
        self._version += 1

    # ---- the reverse, and copies ------------------------------------------------------------------------------------

    @property
    def reverse(self) -> GraphPart:
        """The graph with every edge reversed: a read-only view, as `Graph.reverse` is."""
        if not self.directed:
            return self
        if self.inward is None:
            raise ValueError("this graph stores no in-edges; make it with in_edges=True")
        if self._reverse is None:
            self._reverse = reverse_of(self, GraphPart)
        return self._reverse

    def snapshot(self) -> GraphPart:
        """`DynamicGraph.snapshot`, made by all partitions at the same time: a partition of it."""
        return take_snapshot(self, GraphPart)

    def copy(self) -> GraphPart:
        """`Graph.copy`: an independent graph in as many partitions, which can be updated, also if this one cannot."""
        return copy_of(self, GraphPart)

    def empty_like(self, num_vertices: int | None = None, **options: Any) -> GraphPart:
        """A distributed graph of the same structure without edges or weights, with the same vertices, or
        `num_vertices`.

        Parameters
        ----------
        num_vertices : int, optional
        **options
            Further ones of `GraphPart`, such as `weight_dtype`. The graph is directed if this one is, unless
            `directed` is among them.
        """
        options = {"directed": self.directed, "vertex_dtype": self.vertex_dtype, **options}
        made = GraphPart(
            self.comm, self.structure, self.num_vertices if num_vertices is None else num_vertices, **options
        )  # fmt: skip
        if num_vertices is None and self.store.absent is not None:
            made.delete_vertices(self.xp.flatnonzero(self.store.absent))
        return made


def _local_of(part: Callable[[], Any], name: str) -> Any:
    return getattr(part(), name)
