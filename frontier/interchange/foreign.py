"""Edges of other libraries' graphs, and the construction of graphs from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontier.core.structures import G
from frontier.io.columns import check_data
from frontier.runtime import Device
from frontier.runtime.values import kind_of

DEFAULT_STRUCTURE = "slab"  # the fastest structure on most streams, as on the command line


@dataclass(frozen=True)
class ForeignEdges:
    """The edges of another library's graph as columns.

    `src` and `dst` are ids, shape (m,). `weights` are numbers, `time` integers or timestamps, and `data` columns of
    edge data, all of shape (m,).
    """

    src: Any
    dst: Any
    weights: Any = None
    data: Mapping[str, Any] | None = None
    time: Any = None
    num_vertices: int | None = None  # by default the largest id plus one
    directed: bool = False
    vertices: Any = None  # the existing ids, if all others are deleted (default: all exist)
    both_directions: bool = False  # undirected edges may be listed in both directions


def build(kind: type[G], edges: ForeignEdges, device: str | Device, options: Mapping[str, Any]) -> G:
    """Make a graph of a structure. `options` are further ones of `Graph.from_edges`.

    Raises ValueError if ``multi_edges=`` would make two records of an edge that is listed in both directions.
    """
    multi_edges = options.get("multi_edges", "last")
    if edges.both_directions and not edges.directed and multi_edges != "last":
        raise ValueError(
            f"multi_edges={multi_edges!r} would count both directions of an undirected edge as two records; pass "
            "one of them to the graph's from_edges"
        )
    columns = {"edge_data": edges.data, "time": edges.time}
    given = {name: column for name, column in columns.items() if column is not None}
    graph = kind.from_edges(
        edges.src, edges.dst, edges.weights, edges.num_vertices, edges.directed, device, **{**options, **given}
    )
    if edges.vertices is not None and len(edges.vertices) < graph.num_vertices:
        absent = graph.xp.ones(graph.num_vertices, bool)
        absent[graph.xp.asarray(edges.vertices)] = False
        graph._vertices_changed(absent)
    return graph


def named_columns(get: Callable[[str, str], Any], data: Sequence[str], time: str | None) -> dict[str, Any]:
    """Return the fields `data` and `time` of `ForeignEdges`. `get` maps a name, and the argument that gave it, to a
    column.

    TypeError or ValueError if `data` or `time` names no columns, or a name twice.
    """
    check_data(data)
    if time is not None:
        if not isinstance(time, str):
            raise TypeError(f"time must be the name of a column, not {kind_of(time)}; its unit is time_unit=")
        if time in data:
            raise ValueError(f"data names {time!r}, which is the column of times")
    times = None if time is None else get(time, "time")
    return {"time": times, "data": {name: get(name, "data") for name in data} or None}


def host_columns(
    get: Callable[[str, str], Iterable[Any]], weight: str | None, data: Sequence[str], time: str | None
) -> dict[str, Any]:  # fmt: skip
    """Return the fields `weights`, `data` and `time` of `ForeignEdges`, None without any. `get` as in
    `named_columns`."""

    def column(name: str, argument: str) -> Any:
        read = complete if argument == "time" else host_values
        return read(get(name, argument), name)

    weights = None if weight is None else host_weights(get(weight, "weight"), weight)
    return {"weights": weights, **named_columns(column, data, time)}


def host_weights(values: Iterable[Any], name: str) -> np.ndarray | None:
    """Return weights as int64 or float64, with 1 for a missing one. None if all are missing.

    TypeError for other values, ValueError beyond int64.
    """
    held = list(values)
    if all(value is None for value in held):
        return None
    array = _host_numbers([1 if value is None else value for value in held], name)
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def host_values(values: Iterable[Any], name: str) -> np.ndarray:
    """Return edge data as bool, int64 or float64 (if empty). TypeError for other types, ValueError if missing or beyond
    int64."""
    array = _host_numbers(complete(values, name), name)
    return array if array.dtype.kind in "fb" else array.astype(np.int64)


def complete(values: Iterable[Any], name: str) -> list[Any]:
    """Return an attribute of edges as a list. ValueError if any is missing."""
    held = list(values)
    if any(value is None for value in held):
        raise ValueError(f"{name!r} of some edge is missing: every edge must have a value")
    return held


def _host_numbers(held: list[Any], name: str) -> np.ndarray:
    array = np.asarray(held)
    if not held:
        return array
    if array.dtype.kind != "i" and all(isinstance(value, int | np.integer) for value in held):
        widest = max(map(int, held), key=abs)  # NumPy converts integers beyond int64 to other types
        if abs(widest) > np.iinfo(np.int64).max:
            raise ValueError(f"{name!r} of some edge is {widest}, which does not fit in int64")
    if array.dtype.kind not in "iufb" or array.ndim != 1:
        raise TypeError(f"{name!r} of some edges is no number")
    return array
