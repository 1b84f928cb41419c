"""Results of analytics as columns and numbers, with the file's ids of vertices."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import on_host


def columns_of(
    analytic: Analytic, result: Any, device: fr.advanced.Device, ids: np.ndarray, starts: list[int] | None = None,
    times_as: Callable[[np.ndarray], Any] = np.asarray,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:  # fmt: skip
    """Return the arrays of a result on the host, by name, and its numbers.

    Columns have a row for each vertex or edge, named by the first column or two. With several sources, they have a row
    for each source and vertex. Tables of a graph have a row for each cell. `ids` are the names of all vertices, and
    `starts` the vertices with a row, all by default. `times_as` converts times of the graph to times of the file.
    """
    held = _held(analytic, result)
    held = dict(zip(held, on_host(device, tuple(held.values())), strict=True))
    columns = {name: np.asarray(value) for name, value in held.items() if getattr(value, "ndim", 0) == 1}
    numbers = {name: value for name, value in held.items() if isinstance(value, bool | int | float | np.generic)}
    tables = {name: value for name, value in held.items() if getattr(value, "ndim", 0) == 2}
    if analytic.per == "graph" and tables and not columns:
        row, column = np.indices(next(iter(tables.values())).shape) + 1
        columns = {name: value.ravel() for name, value in {"row": row, "column": column, **tables}.items()}
    ends = analytic.values[:2] if analytic.per == "edge" else ()
    named = {"vertex": ids if starts is None else ids[starts]}
    if (sources := columns.get("sources")) is not None:
        named = {"source": np.repeat(ids[sources], ids.size), "vertex": np.tile(ids, sources.size)}
        columns = {name: value.ravel() for name, value in tables.items()}
    for name in (*ends, *analytic.vertex_values):
        if name in columns:
            columns[name] = _called(columns[name], ids)
    for name in analytic.time_values:
        if name in columns:
            columns[name] = _called_times(columns[name], times_as)
    if analytic.per == "vertex" and columns:
        columns = {**named, **{name: _blank(values) for name, values in columns.items()}}
    return columns, numbers


def _held(analytic: Analytic, result: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(result):
        return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    found = analytic.read(result)
    names = analytic.values or tuple(analytic.name if len(found) == 1 else f"value{i}" for i in range(len(found)))
    return dict(zip(names, found, strict=True))


def _called(vertices: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The names of vertices. -1 becomes an empty text."""
    if not ids.size:
        return vertices
    return np.where(vertices < 0, "", ids[vertices].astype(object))


def _called_times(times: np.ndarray, times_as: Callable[[np.ndarray], Any]) -> np.ndarray:
    """Name times as the file does. The least and the largest integer stand for no time and become an empty text."""
    limits = np.iinfo(times.dtype)
    some = (times != limits.min) & (times != limits.max)
    called = np.full(times.shape, "", object)
    called[some] = times_as(times[some])
    return called


def _blank(values: np.ndarray) -> np.ndarray:
    """Replace the largest integer, which stands for an infinite distance, by an empty text."""
    if values.dtype.kind != "i" or not (none := values == np.iinfo(values.dtype).max).any():
        return values
    return np.where(none, "", values.astype(object))
