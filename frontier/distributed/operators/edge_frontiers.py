"""`PartEdgeFrontier`: a set of edges of a distributed graph, each with the partition that owns its source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from typing import Any, NoReturn

from frontier.core.batch import Arcs
from frontier.operators.frontiers.edge_frontier import EdgeFrontier
from frontier.runtime.values import integer

from ..exchange.agreement import all_or_none
from ..exchange.routed_edges import to_sources
from .frontiers import HeldByParts, PartFrontier


class PartEdgeFrontier(HeldByParts, EdgeFrontier):
    """`EdgeFrontier` of a partition of a distributed graph: it stores the edges that leave the partition's vertices.

    Its size is the size of the whole set. All partitions must call the same methods, as for a `PartFrontier`.
    """

    graph: Any
    local: EdgeFrontier

    def __init__(self, graph: Any, src: Any = (), dst: Any = ()):
        def look_up() -> EdgeFrontier:
            arcs: Arcs = graph.local.store.make_arcs(src, dst, directed=True, drop_loops=False).check()
            mine = graph.xp.flatnonzero(graph.partition.is_mine(arcs.src))
            return EdgeFrontier(graph.local, arcs.src[mine], arcs.dst[mine])

        self._hold(graph, all_or_none(graph, look_up))

    @classmethod
    def all(cls, graph: Any) -> PartEdgeFrontier:
        """All edges, in both directions if the graph is undirected."""
        return cls.of_part(graph, EdgeFrontier.all(graph.local))

    def check(self) -> None:
        self.local.check()

    def __repr__(self) -> str:
        return f"PartEdgeFrontier({len(self.local):,} arcs on part {self.graph.comm.rank} of {self.graph.comm.size})"

    def __contains__(self, edge: Any) -> bool:
        self.check()
        if not isinstance(edge, tuple) or len(edge) != 2:
            raise TypeError("edge must be a pair (u, v) of vertices")
        u, v = (integer(end, "edge") for end in edge)
        return bool(self.graph.comm.reduce_numbers([(u, v) in self.local], "max")[0])

    def _combined(self, other: Any, operation: Callable[[Any, Any], EdgeFrontier]) -> Any:
        if not isinstance(other, PartEdgeFrontier):
            return NotImplemented
        return PartEdgeFrontier.of_part(self.graph, operation(self.local, other.local))

    __or__ = partialmethod(_combined, operation=EdgeFrontier.__or__)
    __and__ = partialmethod(_combined, operation=EdgeFrontier.__and__)
    __sub__ = partialmethod(_combined, operation=EdgeFrontier.__sub__)
    __xor__ = partialmethod(_combined, operation=EdgeFrontier.__xor__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeFrontier):
            return NotImplemented
        return isinstance(other, PartEdgeFrontier) and len(self) == len(other) and self <= other

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        if not isinstance(other, PartEdgeFrontier):
            return NotImplemented
        return bool(self.graph.comm.reduce_numbers([self.local <= other.local], "min")[0])

    @property
    def src(self) -> Any:
        """The sources on all partitions, the same on each, like `dst` and `weights`. O(members) memory."""
        return self._gathered(self.local.src)[0]

    @property
    def dst(self) -> Any:
        """The destinations."""
        return self._gathered(self.local.dst)[0]

    @property
    def weights(self) -> Any:
        """The weights, or 1 (float32) in graphs without weights."""
        return self._gathered(self.local.weights)[0]

    @property
    def edges(self) -> NoReturn:
        """Not available: the values of `edge` in functors differ between partitions."""
        raise NotImplementedError(
            "edges is not available for distributed graphs, whose partitions have local ids: use local.edges"
        )

    @property
    def sources(self) -> PartFrontier:
        """The vertices that the edges leave."""
        return PartFrontier.of_part(self.graph, self.local.sources)

    @property
    def destinations(self) -> PartFrontier:
        """The vertices that the edges lead to."""
        members, _ = self.graph.arrays.to_owners(self.local.destinations._members(), [])
        return PartFrontier.of_members(self.graph, members)

    def reversed(self) -> PartEdgeFrontier:
        """The same edges in the other direction, at the partitions that own their destinations."""
        graph = self.graph.reverse
        src, dst = to_sources(graph, self.local.dst, self.local.src)
        return PartEdgeFrontier.of_part(graph, EdgeFrontier(graph.local, src, dst))

    def _gathered(self, *columns: Any) -> list[Any]:
        comm = self.graph.comm
        return comm.allgather_columns(columns, comm.gather_counts([len(self.local)])[:, 0].tolist())
