"""Data on edges over partitions.

Each partition has the columns of the arcs that leave its vertices, with its own ids: one array by edge cannot serve the
whole graph. An undirected edge has an entry on the partition of each end, and a directed one in a graph with in-edges
also among the in-edges. Insertions write the same to both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from frontier.features.edge_data import COUNT, WEIGHT_COLUMN, EdgeData
from frontier.features.times import TIME, TimeColumn
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import one_of

if TYPE_CHECKING:
    from ..base import BaseDistributedGraph, BasePart

MULTI = ("last", "sum")  # supported values of `multi_edges` over partitions


def check_column(graph: BasePart | BaseDistributedGraph, name: str) -> None:
    if graph.edge_data is None:
        raise ValueError("this graph has no edge data; make it with edge_data=")
    one_of(name, "name", tuple(graph.edge_data))


def check_present(there: Any, src: Any, dst: Any) -> None:
    """Raise unless all edges of a list are in the graph. `there` is True for existing ones."""
    missing = (~there).nonzero()[0]
    if missing.size:
        i, host = int(missing[0]), resolve_device("cpu")
        u, v = (int(as_ids(host, ids, "ids")[i]) for ids in (src, dst))
        raise ValueError(f"edge {i} of the list, {u} - {v}, is not in the graph ({missing.size} such edges)")


def column_of(local: Any, array: Any) -> str | None:
    """The name of an array among the columns of a local graph, or None."""
    data = local.payload.table
    if data is None:
        return None
    return next((name for name, column in data.columns.items() if column is array), None)


def edge_dtypes(local: Any) -> dict[str, np.dtype]:
    """The type of each column of a local graph except the weights, by name."""
    data = local.payload.table
    return {} if data is None else {name: data.dtypes[name] for name in data.names}


def declared_columns(graph: BasePart | BaseDistributedGraph) -> dict[str, np.dtype]:
    """The types of the columns of the option `edge_data`. `time` and `multi_edges` make further ones."""
    made = ({TIME} if graph.time_unit is not None else set()) | ({COUNT} if graph.multi_edges == "sum" else set())
    return {name: dtype for name, dtype in graph.edge_dtypes.items() if name not in made}


def own_records(local: Any) -> tuple[Any, Any, dict[str, Any]]:
    """The arcs of a local graph with their weights and data, as arguments of an insertion."""
    if local.edge_data is None:
        src, dst, weights = local.to_coo()
        return src, dst, {} if weights is None else {WEIGHT_COLUMN: weights}
    src, dst, _ = local.to_coo()
    ids = local.find_edges(src, dst, checked=False)
    return src, dst, {name: column[ids] for name, column in local.edge_data.items()}


class ColumnsOfPart:
    """The payload of a `GraphPart`, and its table."""

    def __init__(self, part: BasePart):
        self.table = None if part.time_unit is None else self

    def latest_time(self) -> NoReturn:
        """Raise: all partitions share the clock of a window."""
        raise NotImplementedError("a SlidingWindow is made of the DistributedGraph, not of its parts")


class ColumnsOfGraph(Mapping):
    """`DistributedGraph.edge_data`: the names of the columns, whose arrays are on the partitions."""

    def __init__(self, names: tuple[str, ...]):
        self._names = names

    def __getitem__(self, name: str) -> NoReturn:
        if name not in self._names:
            raise KeyError(name)
        raise TypeError(
            f"the column {name!r} of a distributed graph is an array on each part: ask for values by "
            f"graph.edge_values({name!r}, src, dst), or use part.edge_data[{name!r}] in a function that graph.run calls"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"ColumnsOfGraph({', '.join(self._names)})"


class GivenData(EdgeData):
    """The types of a distributed graph's columns in its program, to read users' arrays.

    A batch is read before it is cut into a piece for each partition, so errors name positions in the whole.
    """

    def __init__(self, device: Device, graph: BaseDistributedGraph):
        dtypes = declared_columns(graph)
        times = None
        if graph.time_unit is not None:
            times = TimeColumn(device, graph.vertex_dtype, graph.time_unit, graph.keep_time)
            times.arrivals = LogsOfParts()  # type: ignore[assignment]
        self._graph = graph
        super().__init__(device, graph.vertex_dtype, graph.weight_dtype, dtypes, times, graph.multi_edges)

    def latest_time(self) -> int | None:
        return self._graph._on_all("latest_time")


class GivenPayload(NamedTuple):
    """The payload of a distributed graph."""

    table: GivenData | None


class LogsOfParts:
    """The log of a graph for a `SlidingWindow`."""

    def expect(self, before: int) -> None:
        """Nothing: each partition looks for expired edges on request."""
