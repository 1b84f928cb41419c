"""The facts of a `GraphPart`: those of the whole graph, and those of its local graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frontier.core.forwarding import forwards

from ..base import BasePart
from ..exchange.columns import ColumnsOfPart, column_of, edge_dtypes


@forwards(
    "local", "device", "xp", "num_vertices", "vertex_dtype", "weight_dtype", "is_weighted", "vertex_version",
    "edge_capacity", "finds_fast", "walk_cost", "store", "time_unit", "keep_time", "multi_edges", "absent_mask",
)  # fmt: skip
class PartFacts(BasePart):
    """The facts of `GraphPart`."""

    _total_arcs: int
    _version: int

    @property
    def num_arcs(self) -> int:
        """The arcs of all parts."""
        return self._total_arcs

    @property
    def num_edges(self) -> int:
        """The edges of all parts; an undirected edge counts once."""
        return self._total_arcs if self.directed else self._total_arcs // 2

    @property
    def version(self) -> int:
        """How many updates there were: the same on all parts, whether or not they changed this part."""
        return self._version

    @property
    def has_in_edges(self) -> bool:
        """Whether `reverse` is there: in undirected graphs, and directed ones made with ``in_edges=True``."""
        return not self.directed or self.inward is not None

    @property
    def structure(self) -> type:
        """The structure of the parts."""
        return getattr(self.local, "structure", type(self.local))

    @property
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns of this part's arcs, by name, as `Graph.edge_data`; None in graphs without edge data.

        They are arrays by the part's own ids, which functors see as `edge`. The arc of an undirected edge that leaves
        the other end has another entry, on the part that owns that end.
        """
        return self.local.edge_data

    @property
    def edge_dtypes(self) -> dict[str, np.dtype]:
        """The type of each column of edge data, by name; those of the weights are not among them."""
        return edge_dtypes(self.local)

    @property
    def payload(self) -> Any:  # type: ignore[override]
        return ColumnsOfPart(self)

    def is_column(self, array: Any) -> bool:
        """Whether an array is a column of this part's edge data, in either direction."""
        return any(column_of(local, array) is not None for local in self.locals())

    def with_own_columns(self, args: tuple) -> tuple:
        """Arguments of a functor, in which columns of the other direction are those of this one.

        On one device both directions share columns, and here each has its own, by other ids.
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
