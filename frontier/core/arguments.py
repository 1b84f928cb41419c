"""Checks of arguments. Each error names the argument and the fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frontier.runtime.arrays import as_weights
from frontier.runtime.values import flag, integer, kind_of, number, one_of

from .base import BaseDynamicGraph, BaseGraph
from .batch import check_id, check_ids

__all__ = [
    "check_array", "check_dynamic_graph", "check_graph", "check_output", "flag", "integer", "number", "numbers",
    "one_of", "sample_size", "vertex_id", "vertex_ids",
]  # fmt: skip

ALL = -1
"""The size of a sample that has all neighbors."""


def check_graph(graph: Any, name: str = "graph") -> None:
    """Raise TypeError unless `graph` is a `Graph`."""
    if not isinstance(graph, BaseGraph):
        maker = {"networkx": "from_networkx", "igraph": "from_igraph", "scipy": "from_scipy"}.get(
            type(graph).__module__.partition(".")[0]
        )
        advice = f"; frontier.interchange.{maker}() makes one of it" if maker else ""
        raise TypeError(f"{name} must be a Graph, not {kind_of(graph)}{advice}")


def check_one_device(graph: Any, name: str) -> None:
    """Raise NotImplementedError if `graph` is distributed, over which the function `name` does not run."""
    if graph.in_parts:
        raise NotImplementedError(f"{name} is not available for distributed graphs yet")


def check_dynamic_graph(graph: Any, name: str = "graph") -> None:
    """Raise TypeError unless `graph` is a `DynamicGraph`."""
    check_graph(graph, name)
    if not isinstance(graph, BaseDynamicGraph):
        raise TypeError(f"{name} must be a DynamicGraph, not {kind_of(graph)}, which cannot be changed")
    if graph.read_only:
        raise TypeError(f"{name} must be a graph that can be updated, not a read-only one: {graph.refusal}")


def vertex_id(graph: BaseGraph, vertex: Any, name: str) -> int:
    """`vertex` as an int, the id of a vertex of `graph`.

    Raises
    ------
    TypeError
        `graph` is no graph, or `vertex` no integer.
    ValueError
        `vertex` is out of range, or was deleted.
    """
    check_graph(graph)
    return check_id(vertex, name, graph.num_vertices, graph.store.absent)


def vertex_ids(graph: BaseGraph, values: Any, name: str, *, allow_deleted: bool = False) -> Any:
    """`values` as an array of ids of vertices of `graph`, on its device: int32 or int64, a copy only where it must be.

    Parameters
    ----------
    allow_deleted : bool
        Whether ids of deleted vertices are good, too.

    Raises
    ------
    TypeError
        `graph` is no graph, or `values` does not contain integers.
    ValueError
        It has other than one dimension, or an id is out of range, or was deleted.
    """
    check_graph(graph)
    return check_ids(graph.device, values, name, graph.num_vertices, None if allow_deleted else graph.store.absent)


def numbers(graph: BaseGraph, values: Any, name: str) -> Any:
    """`values` as an array on the device of `graph`: int32, int64, float32 or float64, a copy only where it must be.

    Raises
    ------
    TypeError
        `graph` is no graph, or `values` does not contain numbers.
    ValueError
        It has other than one dimension.
    """
    check_graph(graph)
    return as_weights(graph.device, values, name)


def check_array(
    graph: BaseGraph, array: Any, name: str, size: int, dtypes: Sequence[np.dtype] | None = None,
    columns: int | None = None,
) -> None:  # fmt: skip
    """Raise unless `array` is a contiguous array of the graph's device, of one of `dtypes`, that kernels can read.

    Raises
    ------
    TypeError
        It is no array of the device, or of none of `dtypes`.
    ValueError
        It is not of shape ``(size,)``, or ``(size, columns)`` with `columns`, or not contiguous.
    """
    xp = graph.xp
    if not isinstance(array, xp.ndarray):
        where = graph.device.kind.upper()
        raise TypeError(f"{name} must be a {xp.__name__} array, as the graph is on the {where}, not {kind_of(array)}")
    if dtypes is not None and array.dtype not in dtypes:
        raise TypeError(f"{name} must be an array of {' or '.join(map(str, dtypes))}, not {array.dtype}")
    shape = (size,) if columns is None else (size, columns)
    if array.shape != shape:
        raise ValueError(f"{name} must be of shape {shape}, not {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous, not an array with strides {array.strides}")


def check_output(
    graph: BaseGraph, array: Any, name: str, size: int, dtypes: Sequence[np.dtype], columns: int | None = None
) -> None:
    """`check_array` for an array that kernels write results to: it must not be read-only either."""
    check_array(graph, array, name, size, dtypes, columns)
    if not getattr(array.flags, "writeable", True):
        raise ValueError(f"{name} must be an array that can be written, not a read-only one")


def sample_size(count: Any, name: str, least: int = 1) -> int:
    """`count`, the number of neighbors to sample: at least `least`, or -1 for all, which becomes the largest int64.

    Raises
    ------
    TypeError, ValueError
        It is no such integer.
    """
    count, most = integer(count, name), int(np.iinfo(np.int64).max)
    if count < least and count != ALL:
        raise ValueError(f"{name} must be at least {least}, or {ALL} for all neighbors, got {count}")
    return most if count == ALL else min(count, most)
