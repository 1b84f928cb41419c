"""Queries of a distributed graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frontier.core.results import MemoryUsage

from ..base import BasePart
from ..exchange.agreement import all_or_none
from ..exchange.columns import check_column, check_present
from ..exchange.routing import query_owners


class PartQueries(BasePart):
    """The queries of `GraphPart`: every worker calls them at the same time.

    Pairs and edges to be looked up are what each worker adds, like those of a batch.
    """

    def has_vertices(self, ids: Any) -> Any:
        """`Graph.has_vertices`."""
        return self.local.has_vertices(ids)

    def has_edges(self, src: Any, dst: Any) -> Any:
        """`Graph.has_edges`, for the pairs of this part."""
        return query_owners(self, src, dst, self.local.has_edges)

    def edge_weights(self, src: Any, dst: Any) -> Any:
        """`Graph.edge_weights`, for the edges of this part."""
        return self._of_present(src, dst, self.local.edge_weights)

    def edge_values(self, name: str, src: Any, dst: Any) -> Any:
        """`DistributedGraph.edge_values`, for the edges of this part."""
        check_column(self, name)
        local = self.local
        return self._of_present(
            src, dst, lambda u, v: local.edge_data[name][local.find_edges(u, v, checked=False)]
        )  # fmt: skip

    def _of_present(self, src: Any, dst: Any, answer: Callable[[Any, Any], Any]) -> Any:
        """`query_owners`, of edges that must be in the graph."""
        there = self.has_edges(src, dst)
        all_or_none(self, lambda: check_present(self.xp.asarray(there), src, dst))
        return query_owners(self, src, dst, answer)

    def degrees(self) -> Any:
        """`Graph.degrees`."""
        degrees = self.local.degrees()
        self.arrays.copy_from_owners(degrees)
        return degrees

    def in_degrees(self) -> Any:
        """`Graph.in_degrees`."""
        if self.has_in_edges:
            return self.reverse.degrees()
        return self.comm.allreduce(self.local.in_degrees())

    def neighbors(self, v: int) -> Any:
        """`Graph.neighbors`."""
        return self.comm.allgather(self.local.neighbors(v))[0]  # parts that do not own v have none

    def to_coo(self) -> tuple[Any, Any, Any]:
        """`Graph.to_coo`: all edges on every part, for graphs that fit; `local.to_coo` has the part's own arcs."""
        src, dst, weights = self.local.to_coo()
        if not self.directed:
            keep = self.xp.flatnonzero(src < dst)
            src, dst, weights = src[keep], dst[keep], None if weights is None else weights[keep]
        src, counts = self.comm.allgather(src)
        dst, _ = self.comm.allgather(dst, counts)
        weights = None if weights is None else self.comm.allgather(weights, counts)[0]
        order = self.xp.argsort(src, kind="stable")  # a vertex is one part's, whose edges are in order
        return src[order], dst[order], None if weights is None else weights[order]

    def own_edges(self) -> tuple[Any, Any]:
        """The edges that leave this part's vertices; undirected ones once, where the smaller end is."""
        src, dst, _ = self.local.to_coo()
        if self.directed:
            return src, dst
        keep = self.xp.flatnonzero(src < dst)
        return src[keep], dst[keep]

    def own_share(self, count: int) -> slice:
        """Of so many things that all parts have in the same order: those that this part looks after."""
        rank, size = self.comm.rank, self.comm.size
        return slice(count * rank // size, count * (rank + 1) // size)

    def of_all_parts(self, values: Any) -> Any:
        """The arrays that the parts have, one behind the other, on all of them."""
        return self.comm.allgather(values)[0]

    def memory_usage(self) -> MemoryUsage:
        """Of all parts together; `local.memory_usage` is that of this one."""
        own = [each.memory_usage() for each in self.locals()]
        numbers = [sum(getattr(usage, name) for usage in own) for name in ("used", "reserved", "csr")]
        numbers.append(own[0].arcs)
        return MemoryUsage(*self.comm.reduce_numbers(numbers))
