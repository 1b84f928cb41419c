"""`EdgePayload`: edge data and times as the payload of a graph's edges.

Structures store the id of each edge, which is its row in the columns (`frontier.features.edge_data`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.invariants import count_at, require, require_integer, require_size, within
from frontier.core.payload import WEIGHTS, Payload
from frontier.core.results import MemoryUsage, UpdateResult
from frontier.runtime import Device
from frontier.runtime.values import one_of

from .edge_data import (
    COLUMN_DTYPES,
    COUNT,
    MULTI,
    WEIGHT_COLUMN,
    EdgeData,
    Rows,
    add_rows,
    build_rows,
    delete_arcs,
    delete_rows,
    edge_runs,
    insert_rows,
    make_rows,
    resolved_rows,
    summed_rows,
    with_weights,
)
from .edge_data.record_deletion import delete_edges_and_records
from .edge_data.record_insertion import build_records, insert_records
from .times import KEEP_TIMES, TIME, UNITS, TimeColumn
from .windows.pushes import plain_records, push

EDGE_DATA = "edge_data"
"""A field of headers: ``{"columns": {name: dtype}, "top": int}``."""
TIMES = "times"
"""In graphs with times: ``{"unit": str, "keep": str}``, and `REPLACED`."""
REPLACED = "replaced"  # true, if times of edges were replaced
MULTI_FIELD = "multi_edges"
"""``"sum"`` or ``"all"``, in graphs that add up records, or store them."""


def payload_for(
    kind: Any, edge_data: Any, time_unit: str | None, keep_time: str, multi_edges: str, device: Device,
    vertex_dtype: np.dtype, weight_dtype: np.dtype | None,
) -> Payload:  # fmt: skip
    """The payload that the options of a constructor ask for."""
    times = None if time_unit is None else TimeColumn(device, vertex_dtype, time_unit, keep_time)
    if one_of(multi_edges, "multi_edges", MULTI) == "last" and edge_data is None and times is None:
        return WEIGHTS
    if not kind.can_store_weights:
        raise ValueError(f"{kind.__name__} stores no edge data" + ", and no times" * (times is not None))
    columns = {} if edge_data is None else edge_data
    return EdgePayload(EdgeData(device, vertex_dtype, weight_dtype, columns, times, multi_edges))


class EdgePayload(Payload):
    """The edge data of one graph, and of its transpose."""

    header_fields = frozenset({EDGE_DATA, TIMES, MULTI_FIELD})
    table: EdgeData

    def __init__(self, table: EdgeData):
        self.table = table

    # ---- reading ----------------------------------------------------------------------------------------------------

    def stored_dtype(self, weight_dtype: np.dtype | None) -> np.dtype:
        return self.table.id_dtype

    def edges_at(self, graph: Any, slots: Any, out: Any = None) -> Any:
        if not slots.size:
            return slots
        edges = graph.xp.empty(slots.size, np.int64) if out is None else out
        self.table.kernels.read_ids(int(slots.size), slots, graph.store.weights, edges)
        return edges

    def edge_capacity(self, graph: Any) -> int:
        return self.table.capacity

    def weights_of(self, stored: Any) -> Any:
        weights = self.table.weights
        return None if weights is None or stored is None else weights[stored]

    def weights_by_edge(self, graph: Any) -> Any:
        return self.table.weights

    # ---- updates ----------------------------------------------------------------------------------------------------

    def update_kernels(self, graph: Any) -> list[Any]:
        times = self.table.times
        return [self.table.kernels] if times is None else [self.table.kernels, times.kernels]

    def build(self, graph: Any, src: Any, dst: Any, weights: Any, data: Mapping[str, Any]) -> None:
        rows = make_rows(graph, src, dst, weights, data, "from_edges")
        multi_edges = self.table.multi_edges
        if multi_edges == "all":
            build_records(graph, rows)
        else:
            build_rows(graph, rows if multi_edges == "last" else summed_rows(graph, rows, edge_runs(graph, rows)))

    def build_arcs(self, graph: Any, arcs: Arcs, data: Mapping[str, Any]) -> None:
        build_rows(graph, Rows(arcs, with_weights(arcs, data)))

    def insert(
        self, graph: Any, src: Any, dst: Any, weights: Any, on_existing: str, data: Mapping[str, Any]
    ) -> UpdateResult:  # fmt: skip
        done = self._push(graph, src, dst, weights, on_existing, data)
        return done or self._insert_rows(graph, make_rows(graph, src, dst, weights, data), on_existing)

    def insert_arcs(
        self, graph: Any, arcs: Arcs, on_existing: str, data: Mapping[str, Any], *, resolved: bool = False
    ) -> UpdateResult:  # fmt: skip
        rows = Rows(arcs, with_weights(arcs, data))
        if resolved:
            return UpdateResult.of_arcs(graph.directed, *insert_rows(graph, rows, timed=False), 0)
        done = self._push(graph, arcs.src, arcs.dst, arcs.weights, on_existing, data)
        return done or self._insert_rows(graph, rows, on_existing)

    def _push(
        self, graph: Any, src: Any, dst: Any, weights: Any, on_existing: str, data: Mapping[str, Any]
    ) -> UpdateResult | None:  # fmt: skip
        """Insert a batch by kernels that are bound to the graph's arrays. Returns None if they cannot."""
        if not graph.store.makes_update_plans or on_existing == "add":
            return None
        records = plain_records(graph, src, dst, weights, data, keep=on_existing == "keep")
        done = None if records is None else push(graph, records)
        return None if done is None else UpdateResult.of_arcs(graph.directed, done.inserted, done.found, 0)

    def _insert_rows(self, graph: Any, rows: Rows, on_existing: str) -> UpdateResult:
        if self.table.multi_edges == "all":
            return insert_records(graph, rows)
        if on_existing == "add" or self.table.multi_edges == "sum":
            return UpdateResult.of_arcs(graph.directed, *add_rows(graph, rows))
        return UpdateResult.of_arcs(graph.directed, *insert_rows(graph, rows, keep=on_existing == "keep"), 0)

    def summed(self, graph: Any, arcs: Arcs, data: Mapping[str, Any]) -> tuple[Arcs, Mapping[str, Any], Arcs]:
        rows, gone = resolved_rows(graph, Rows(arcs, with_weights(arcs, data)))
        columns = dict(rows.columns)
        return Arcs(rows.arcs.src, rows.arcs.dst, columns.pop(WEIGHT_COLUMN, None)), columns, gone

    def delete(self, graph: Any, src: Any, dst: Any) -> UpdateResult:
        both = not graph.directed and self._deletes_arcs(graph)
        return self._delete(graph, graph.store.make_arcs(src, dst, directed=not both))

    def delete_arcs(self, graph: Any, arcs: Arcs) -> UpdateResult:
        if not graph.directed and not self._deletes_arcs(graph):  # a record stands for both directions
            keep = graph.xp.flatnonzero(arcs.src < arcs.dst)
            arcs = Arcs(arcs.src[keep], arcs.dst[keep], None)
        return self._delete(graph, arcs)

    def _deletes_arcs(self, graph: Any) -> bool:
        """Whether deletions list both directions of undirected edges."""
        return graph.store.supports_insert_and_find and self.table.records is None

    def _delete(self, graph: Any, arcs: Arcs) -> UpdateResult:
        if self.table.records is not None:
            return delete_edges_and_records(graph, arcs)
        if not len(arcs):
            return UpdateResult()
        delete = delete_arcs if graph.store.supports_insert_and_find else delete_rows
        return UpdateResult.of_arcs(graph.directed, 0, 0, delete(graph, arcs))

    # ---- copies, files, memory --------------------------------------------------------------------------------------

    def copied_to(self, twin: Any) -> EdgePayload:
        twin.store.payload = made = EdgePayload(self.table.copy())
        return made

    def memory_usage(self, graph: Any) -> MemoryUsage:
        table = self.table
        reserved = sum(table.reserved_bytes().values())
        return MemoryUsage(used=table.used_bytes(), reserved=reserved, csr=table.plain_bytes(), arcs=0)

    def array_bytes(self) -> dict[str, int]:
        return self.table.reserved_bytes()

    def header(self, graph: Any) -> dict[str, Any]:
        table = self.table
        columns = {name: table.dtypes[name].name for name in table.names}
        fields: dict[str, Any] = {EDGE_DATA: {"columns": columns, "top": table.top}}
        if table.times is not None:
            replaced = {REPLACED: True} if table.has_replaced else {}
            fields[TIMES] = {"unit": table.times.unit, "keep": table.times.keep, **replaced}
        if table.multi_edges != "last":
            fields[MULTI_FIELD] = table.multi_edges
        return fields

    def arrays(self) -> dict[str, Any]:
        return self.table.arrays()

    def array_types(self) -> dict[str, tuple[Any, tuple[int | None, ...]]]:
        return self.table.array_types()

    @classmethod
    def check_header(cls, header: Mapping[str, Any]) -> None:
        columns: Any = {}
        if EDGE_DATA in header:
            data = header[EDGE_DATA]
            require(isinstance(data, dict) and data.keys() == {"columns", "top"} and isinstance(data["columns"], dict),
                    f"edge_data is {data!r}")  # fmt: skip
            columns = data["columns"]
            require_integer(data["top"], "top", 0, np.iinfo(np.int64).max)
            require(all(dtype in COLUMN_DTYPES for dtype in columns.values()), f"edge_data is {data!r}")
        if TIMES in header:
            rules = header[TIMES]
            require(isinstance(rules, dict) and rules.keys() - {REPLACED} == {"unit", "keep"}
                    and rules["unit"] in (*UNITS,) and rules["keep"] in KEEP_TIMES
                    and rules.get(REPLACED, True) is True and columns.get(TIME) == "int64",
                    f"times is {rules!r}")  # fmt: skip
        if MULTI_FIELD in header:
            known = header[MULTI_FIELD] in ("sum", "all")
            require(known and columns.get(COUNT) == "int64", f"multi_edges is {header[MULTI_FIELD]!r}")

    @classmethod
    def options(cls, header: Mapping[str, Any]) -> dict[str, Any]:
        if EDGE_DATA not in header:
            return {}
        columns = dict(header[EDGE_DATA]["columns"])
        options: dict[str, Any] = {"edge_data": columns}
        if TIMES in header:
            options |= {"time_unit": header[TIMES]["unit"], "keep_time": header[TIMES]["keep"]}
            del columns[TIME]
        if MULTI_FIELD in header:
            options["multi_edges"] = header[MULTI_FIELD]
            del columns[COUNT]
        return options

    def fill(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.table.set_arrays(header[EDGE_DATA]["top"], arrays)
        self.table.has_replaced = header.get(TIMES, {}).get(REPLACED, False)

    def check(self, graph: Any, stored: Any) -> None:
        """Raise ValueError unless each id below the top belongs to one edge, or is free, and columns have its entry."""
        table, xp = self.table, graph.xp
        copies = 1 if graph.directed else 2
        held = int(stored.size) // copies + table.free_count
        require(table.top == held, f"there are {table.top} ids of edges, but {held} edges and free ids")
        for name, column in table.columns.items():
            require_size(column, table.top, f"column.{name}")
        inside = within(stored, table.top).all() and within(table.free_ids, table.top).all()
        require(inside, "an id of an edge is out of range")
        used, free = count_at(xp, stored, table.top), count_at(xp, table.free_ids, table.top)
        require((used + copies * free == copies).all(), "an id is that of two edges, or that of none and not free")
        table.check_records()

    def filled(self, graph: Any) -> None:
        self.table.link_records()
