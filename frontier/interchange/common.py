"""Helpers of the conversions to other libraries."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.sort import row_ids
from frontier.features.edge_data import COUNT
from frontier.features.edge_data.records import FIRST
from frontier.operators.extract import sorted_arcs, sorted_edges

CUPY = "cupy-cuda13x (or cupy-cuda12x)"
EXACT_IN_FLOAT64 = 2**53


def require(module: str, package: str, what: str) -> Any:
    """Import an optional library, which `what` needs. An ImportError names its package."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module}: pip install {package}") from error


def arcs(graph: BaseGraph) -> tuple[Any, Any, Any]:
    """Return all arcs, both directions of undirected edges, as sorted sources, destinations and weights (or None)."""
    offsets, dst, stored = sorted_arcs(graph)
    return row_ids(graph.device, offsets, graph.vertex_dtype), dst, graph.payload.weights_of(stored)


def edge_columns(graph: BaseGraph) -> dict[str, Any]:
    """Return edges as columns on the graph's device, undirected ones once: src, dst, weights if any, edge data."""
    src, dst, stored = sorted_edges(graph)
    return {"src": src, "dst": dst} | edge_values(graph, stored)


def arc_columns(graph: BaseGraph) -> tuple[dict[str, Any], Any]:
    """Return all arcs as `edge_columns`, and their ids (None without edge data). If the graph stores records, one for
    each record."""
    offsets, dst, stored = sorted_arcs(graph)
    ends = {"src": row_ids(graph.device, offsets, graph.vertex_dtype), "dst": dst}
    if graph.multi_edges == "all" and graph.time_unit is not None:
        rows, ids, values = records_of(graph, stored)
        return {name: column[rows] for name, column in ends.items()} | values, ids
    return ends | edge_values(graph, stored), None if graph.payload.table is None else stored


def records_of(graph: BaseGraph, edges: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Return the records of edges of a graph that stores them, oldest first: row in `edges`, id, and values of each."""
    data: Any = graph.payload.table
    offsets, ids = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    values = {name: data.records.columns[name][ids] for name in data.records.given}
    return row_ids(graph.device, offsets, np.dtype(np.int64)), ids, values


def edge_values(graph: BaseGraph, stored: Any) -> dict[str, Any]:
    """Return the values of edges, from the ids or weights that the structure stores for them, if any."""
    if graph.payload.table is not None:
        return {name: column[stored] for name, column in plain_columns(graph).items()}
    return {} if stored is None else {"weight": stored}


def host_edges(graph: BaseGraph, weight: str) -> tuple[list[int], list[int], dict[str, list[Any]]]:
    """Return sources, destinations and attributes of edges, undirected once, as Python numbers, weights as `weight`.

    ValueError if a column of edge data has that name.
    """
    columns = {name: graph.device.to_host(column).tolist() for name, column in edge_columns(graph).items()}
    src, dst = columns.pop("src"), columns.pop("dst")
    if "weight" in columns and weight != "weight":
        if weight in columns:
            raise ValueError(f"weight={weight!r} is the name of a column of the graph's edge data")
        columns = {weight: columns.pop("weight"), **columns}
    return src, dst, columns


def existing_ids(graph: BaseGraph) -> Any:
    """Return the ids of vertices that exist, ascending, in the graph's vertex dtype."""
    if graph.store.absent is None:
        return graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    return graph.xp.flatnonzero(~graph.store.absent).astype(graph.vertex_dtype)


def names_by_id(graph: BaseGraph, names: Sequence[Any] | None) -> Sequence[Any]:
    """Return `names`, checked, or the ids themselves."""
    if names is None:
        return range(graph.num_vertices)
    if len(names) != graph.num_vertices:
        raise ValueError(f"names must have one entry for each of {graph.num_vertices} vertices, not {len(names)}")
    return names


def as_floats(weights: Any) -> Any:
    """Return weights for a library without integers, as floats. ValueError if an integer is beyond 2**53."""
    if weights.dtype.kind not in "iu":
        return weights
    if weights.size and max(-int(weights.min()), int(weights.max())) > EXACT_IN_FLOAT64:
        raise ValueError(
            "weights of this graph are integers beyond 2**53, which floats of the other library would round"
        )
    return weights.astype(np.float64)


def plain_columns(graph: BaseGraph) -> dict[str, Any]:
    """Return the columns of edge data with values, without the columns that link records (``multi_edges="all"``)."""
    data = graph.payload.table
    return {} if data is None else {name: data.columns[name] for name in data.dtypes if name not in data.links}
