"""The properties, arrays and queries of a `GraphPart`: of the whole graph, and of its local graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from frontier.core.forwarding import forwards
from frontier.core.results import MemoryUsage
from frontier.core.vertex_arrays import MakesVertexArrays

from ..base import BasePart
from ..exchange.agreement import all_or_none
from ..exchange.columns import ColumnsOfPart, check_column, check_present, column_of, edge_dtypes
from ..exchange.routing import query_owners
from ..exchange.vertex_arrays import FLAGS, RESULTS, SUMS


@forwards(
    "local", "device", "xp", "num_vertices", "vertex_dtype", "weight_dtype", "is_weighted", "vertex_version",
    "edge_capacity", "finds_fast", "walk_cost", "store", "time_unit", "keep_time", "multi_edges", "absent_mask",
)  # fmt: skip
class PartReads(MakesVertexArrays, BasePart):
    """The properties, arrays and queries of `GraphPart`.

    Each partition has array entries for all vertices, which are made equal where they are read. Every worker calls
    queries at the same time: the pairs and edges of all workers are looked up, like a batch.
    """

    _total_arcs: int
    _version: int

    @property
    def num_arcs(self) -> int:
        """The arcs of all partitions."""
        return self._total_arcs

    @property
    def num_edges(self) -> int:
        """The edges of all partitions. An undirected edge counts once."""
        return self._total_arcs if self.directed else self._total_arcs // 2

    @property
    def version(self) -> int:
        """The number of updates: the same on all partitions, whether or not they changed this partition."""
        return self._version

    @property
    def has_in_edges(self) -> bool:
        """Whether `reverse` exists: in undirected graphs, and directed ones made with ``in_edges=True``."""
        return not self.directed or self.inward is not None

    @property
    def structure(self) -> type:
        """The structure of the partitions."""
        return getattr(self.local, "structure", type(self.local))

    @property
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns of this partition's arcs, by name, as `Graph.edge_data`, or None in graphs without edge data.

        They are arrays by the partition's own ids, which functors see as `edge`. The arc of an undirected edge that
        leaves the opposite end has its own entry, on the partition that owns that end.
        """
        return self.local.edge_data

    @property
    def edge_dtypes(self) -> dict[str, np.dtype]:
        """The type of each column of edge data, by name, except weights."""
        return edge_dtypes(self.local)

    @property
    def payload(self) -> Any:  # type: ignore[override]
        return ColumnsOfPart(self)

    def is_column(self, array: Any) -> bool:
        """Return whether an array is a column of this partition's edge data, in either direction."""
        return any(column_of(local, array) is not None for local in self.locals())

    def with_own_columns(self, args: tuple) -> tuple:
        """Return arguments of a functor with this direction's columns instead of the other direction's.

        On one device both directions share columns. Here each has its own, by different ids.
        """
        if self.inward is None or self.local.edge_data is None:
            return args
        names = [column_of(self.inward, value) for value in args]
        columns = self.local.payload.table.columns
        return tuple(value if name is None else columns[name] for name, value in zip(names, args, strict=True))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return (
            f"{type(self).__name__}({self.structure.__name__}, part {self.comm.rank} of {self.comm.size}, "
            f"{self.num_vertices:,} vertices, {self.num_edges:,} edges in total, {kind}, {self.device.kind})"
        )

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None,
        normal: Callable | None = None,
    ) -> Any:  # fmt: skip
        return self.arrays.register(super().vertex_array(dtype, fill), combine, follows, normal)

    def flags(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().flags(count), FLAGS)

    def sums(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().sums(count), SUMS)

    def results(self, count: int = 1, dtype: Any = np.float64) -> Any:
        return self.arrays.register_small(super().results(count, dtype), RESULTS)

    def copy_to_host_async(self, array: Any) -> Any:
        return self.comm.deferred_of(array) or super().copy_to_host_async(array)

    def sync(self, *arrays: Any, of: Any = None) -> None:
        if of is None:
            self.arrays.sync(arrays)
        else:
            self.arrays.publish(arrays, of.local._members())

    def locally(self, *arrays: Any) -> AbstractContextManager[None]:
        return self.arrays.hold_apart(arrays)

    def sum_all(self, array: Any) -> Any:
        if self.arrays.rule_of(array) == SUMS:
            if self.device.is_gpu and self.comm.size > 1:  # the host synchronizes once
                return int(self.comm.gather_rows(array).sum())
            return self.sum_over_parts(int(super().sum_all(array)))
        self.arrays.settle([array])
        return self.device.to_host(self.comm.allreduce(array[self.partition.owned].sum().reshape(1)))[0]

    def sum_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number])[0]

    def listed_over_parts(self, src: Any, dst: Any) -> int:
        routed = None if self.comm.size == 1 else self.routed_of_notified(src, dst)
        return self.sum_over_parts(src.size) if routed is None else routed.total

    def max_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number], "max")[0]

    def has_vertices(self, ids: Any) -> Any:
        """`Graph.has_vertices`."""
        return self.local.has_vertices(ids)

    def has_edges(self, src: Any, dst: Any) -> Any:
        """`Graph.has_edges`, for the pairs of this partition."""
        return query_owners(self, src, dst, self.local.has_edges)

    def edge_weights(self, src: Any, dst: Any) -> Any:
        """`Graph.edge_weights`, for the edges of this partition."""
        return self._of_present(src, dst, self.local.edge_weights)

    def edge_values(self, name: str, src: Any, dst: Any) -> Any:
        """`DistributedGraph.edge_values`, for the edges of this partition."""
        check_column(self, name)
        local = self.local
        return self._of_present(src, dst, lambda u, v: local.edge_data[name][local.find_edges(u, v, checked=False)])

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
        return self.comm.allgather(self.local.neighbors(v))[0]  # other partitions have none

    def to_coo(self) -> tuple[Any, Any, Any]:
        """`Graph.to_coo`: all edges on every partition, if they fit. `local.to_coo` has the partition's arcs."""
        src, dst, weights = self.own_edges()
        src, counts = self.comm.allgather(src)
        dst, _ = self.comm.allgather(dst, counts)
        weights = None if weights is None else self.comm.allgather(weights, counts)[0]
        order = self.xp.argsort(src, kind="stable")  # the edges of each vertex are in order
        return src[order], dst[order], None if weights is None else weights[order]

    def own_edges(self) -> tuple[Any, Any, Any]:
        """Return the edges that leave this partition's vertices, with undirected ones once, at the smaller end."""
        src, dst, weights = self.local.to_coo()
        if self.directed:
            return src, dst, weights
        keep = self.xp.flatnonzero(src < dst)
        return src[keep], dst[keep], None if weights is None else weights[keep]

    def own_share(self, count: int) -> slice:
        """Return this partition's share of `count` items that all partitions have in the same order."""
        rank, size = self.comm.rank, self.comm.size
        return slice(count * rank // size, count * (rank + 1) // size)

    def of_all_parts(self, values: Any) -> Any:
        """Return the concatenated arrays of the partitions, on all of them."""
        return self.comm.allgather(values)[0]

    def memory_usage(self) -> MemoryUsage:
        """Return the memory of all partitions. `local.memory_usage` is the memory of this one."""
        own = [each.memory_usage() for each in self.locals()]
        numbers = [sum(getattr(usage, name) for usage in own) for name in ("used", "reserved", "csr")]
        numbers.append(own[0].arcs)
        return MemoryUsage(*self.comm.reduce_numbers(numbers))
