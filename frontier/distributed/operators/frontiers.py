"""`PartFrontier`: a set of vertices of a distributed graph, each with the partition that owns it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from frontier.core.arguments import integer
from frontier.core.batch import check_ids
from frontier.core.bitmap import XOR
from frontier.operators.frontiers.frontier import Frontier, check_frontier
from frontier.runtime import resolve_device
from frontier.runtime.memory import elementwise


class HeldByParts:
    """A frontier whose members each partition stores in a frontier of its local graph."""

    graph: Any
    local: Any

    @classmethod
    def of_part(cls, graph: Any, local: Any) -> Any:
        """Return the frontier whose members on this partition are the members of `local`, a local frontier."""
        made = object.__new__(cls)
        made._hold(graph, local)
        return made

    def _hold(self, graph: Any, local: Any) -> None:
        self.graph = graph
        self.local = local
        self._count: int | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "the frontier of a distributed graph can be neither copied nor pickled: each partition has its own"
        )

    def __len__(self) -> int:
        if self._count is None:
            self._count = self.graph.comm.reduce_numbers([len(self.local)])[0]
        return self._count

    def __bool__(self) -> bool:
        return len(self) > 0


class PartFrontier(HeldByParts, Frontier):
    """`Frontier` of a partition of a distributed graph: it stores the members that the partition owns.

    Its size, and whether it is empty, refer to the whole set: all partitions loop equally often. All partitions must
    request them, since this is a collective operation.
    """

    is_everyone = False  # made of all vertices, as all partitions know

    def __init__(self, graph: Any, vertices: Any = ()):
        if graph.comm.size > 1 and graph.device.is_gpu and isinstance(vertices, list | tuple | range | np.ndarray):
            found = _own_of_host(graph, vertices)
            if found is not None:
                self._hold(graph, found)
                return
        whole = Frontier(graph.local, vertices)
        if graph.comm.size > 1:
            members = whole._members()
            whole = Frontier._of(graph.local, members[graph.partition.is_mine(members)])
        self._hold(graph, whole)

    @classmethod
    def of_members(cls, graph: Any, vertices: Any) -> PartFrontier:
        """Return the frontier whose members on this partition are distinct vertices that it owns."""
        return cls.of_part(graph, Frontier._of(graph.local, vertices.astype(graph.vertex_dtype, copy=False)))

    @classmethod
    def all(cls, graph: Any) -> PartFrontier:
        """All vertices, except deleted ones."""
        made = cls.of_members(graph, cls._present(graph, graph.partition.owned))
        made.is_everyone = True
        if graph.store.absent is None:
            made._count = graph.num_vertices
        return made

    @staticmethod
    def _present(graph: Any, vertices: Any) -> Any:
        """Return the vertices that were not deleted."""
        vertices = vertices.astype(graph.vertex_dtype)
        return vertices if graph.store.absent is None else vertices[~graph.store.absent[vertices]]

    def _on(self, graph: Any) -> PartFrontier:
        made = PartFrontier.of_members(graph, self.local._members())
        made._count = self._count
        return made

    def __repr__(self) -> str:
        return f"PartFrontier({len(self.local):,} members on part {self.graph.comm.rank} of {self.graph.comm.size})"

    def __iter__(self) -> Iterator[int]:
        return iter(np.sort(self.graph.device.to_host(self.vertices)).tolist())

    def __contains__(self, vertex: Any) -> bool:
        return bool(self.graph.comm.reduce_numbers([integer(vertex, "vertex") in self.local], "max")[0])

    def _combine(self, other: Frontier, operation: int) -> Frontier:
        other = check_frontier(self.graph, other)
        return PartFrontier.of_part(self.graph, self.local._combine(other.local, operation))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frontier):
            return NotImplemented
        return isinstance(other, PartFrontier) and not self._combine(other, XOR)

    __hash__ = None  # type: ignore[assignment]

    @property
    def vertices(self) -> Any:
        """The members of all partitions, the same on each. O(members) memory."""
        if self.is_everyone:
            return self._present(self.graph, self.graph.partition.order)
        return self.graph.comm.allgather(self.local._members())[0]

    @property
    def mask(self) -> Any:
        mask = self.graph.xp.zeros(self.graph.num_vertices, np.bool_)
        mask[self.vertices] = True
        return mask

    @property
    def bits(self) -> Any:
        return Frontier(self.graph.local, self.vertices).bits

    @property
    def num_arcs(self) -> int:
        return self.graph.comm.reduce_numbers([self.local.num_arcs])[0]

    def check(self) -> None:
        self.local.check()


def _own_of_host(graph: Any, vertices: Any) -> Frontier | None:
    """Return the owned vertices of a list, computed on the host before they are copied to the device.

    None if the argument is not a list of ids, or some ids may name deleted vertices.
    """
    if graph.store.absent is not None or not len(vertices):
        return None
    if len(vertices) == 1 and type(vertices[0]) is int and 0 <= vertices[0] < graph.num_vertices:  # a search's source
        ids = np.asarray(vertices, np.int64)
    elif np.asarray(vertices).dtype.kind in "iu":
        ids = np.unique(check_ids(resolve_device("cpu"), vertices, "vertices", graph.num_vertices))
    else:
        return None
    own = ids[graph.partition.owners_of(ids.astype(np.uint64)) == graph.comm.rank]
    return Frontier._of(graph.local, elementwise.from_host(graph.device, own.astype(graph.vertex_dtype)))
