"""What the conversions share."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..graph import Graph
from ..sort import row_ids

CUPY = "cupy-cuda13x (or cupy-cuda12x)"
EXACT_IN_FLOAT64 = 2**53


def require(module: str, package: str, what: str) -> Any:
    """Import a library that only `what` needs.

    Raises
    ------
    ImportError
        It is not installed; the text names the package that brings it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module}: pip install {package}") from error


def arcs(graph: Graph) -> tuple[Any, Any, Any]:
    """All arcs, of undirected edges both directions, as sources, destinations and weights (or None), sorted."""
    offsets, dst, stored = graph._sorted_arcs()
    return row_ids(graph.device, offsets, graph.vertex_dtype), dst, graph._weights_of(stored)


def host_edges(graph: Graph) -> tuple[list[int], list[int], list[Any] | None]:
    """Edges as lists of Python numbers: sources, destinations and weights (or None); undirected ones once."""
    src, dst, weights = graph.to_coo()
    to_host = graph.device.to_host
    return to_host(src).tolist(), to_host(dst).tolist(), None if weights is None else to_host(weights).tolist()


def existing_ids(graph: Graph) -> Any:
    """The ids that name a vertex, ascending, in the graph's vertex dtype."""
    if graph._absent is None:
        return graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    return graph.xp.flatnonzero(~graph._absent).astype(graph.vertex_dtype)


def keep_only(graph: Graph, ids: Any) -> None:
    """Make all ids but `ids` absent, in a new graph in which the others have no edges."""
    absent = graph.xp.ones(graph.num_vertices, bool)
    absent[ids] = False
    graph._absent = absent if bool(absent.any()) else None
    graph.version += 1


def names_by_id(graph: Graph, names: Sequence[Any] | None) -> Sequence[Any]:
    """`names`, checked, or the ids themselves."""
    if names is None:
        return range(graph.num_vertices)
    if len(names) != graph.num_vertices:
        raise ValueError(f"names must have one entry for each of {graph.num_vertices} vertices, not {len(names)}")
    return names


def host_weights(values: Iterable[Any], name: str) -> np.ndarray | None:
    """Weights that a library keeps as Python objects: int64 or float64, 1 where None; None if all are None.

    Raises
    ------
    TypeError
        One is no number.
    ValueError
        One is an integer that int64 does not hold.
    """
    held = list(values)
    if all(value is None for value in held):
        return None
    held = [1 if value is None else value for value in held]
    array = np.asarray(held)
    if array.dtype.kind != "i" and all(isinstance(value, int | np.integer) for value in held):
        widest = max(map(int, held), key=abs)  # NumPy makes other types of integers that are too wide for int64
        if abs(widest) > np.iinfo(np.int64).max:
            raise ValueError(f"{name!r} of some edge is {widest}, which does not fit in int64")
    if array.dtype.kind not in "iufb" or array.ndim != 1:
        raise TypeError(f"{name!r} of some edges is no number")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def as_floats(weights: Any) -> Any:
    """Weights for a library that takes no integers: these as float64, floats as they are.

    Raises
    ------
    ValueError
        An integer is beyond 2**53 and would be rounded.
    """
    if weights.dtype.kind != "i":
        return weights
    if weights.size and max(-int(weights.min()), int(weights.max())) > EXACT_IN_FLOAT64:
        raise ValueError(
            "weights of this graph are integers beyond 2**53, and the other library takes floats: they would be rounded"
        )
    return weights.astype(np.float64)
