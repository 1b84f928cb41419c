"""Arcs as 64-bit keys, which sort by source and then by destination: ``src * stride(graph) + dst``.

Keys are int64 arrays on the graph's device. Sort, compare or look them up (``searchsorted``) instead of arcs. Part of
the public interface.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import sort as _sort
from .base import BaseGraph

__all__ = ["distinct", "pack", "sort", "stride", "sums", "unpack"]


def stride(graph: BaseGraph) -> int:
    """Return the factor of the source in a key: the first power of two, from 2 on, above all ids of `graph`.

    For functors that make keys. It may grow when vertices are added, and invalidates keys then.
    """
    return 1 << _sort.id_bits(graph.num_vertices)


def pack(graph: BaseGraph, src: Any, dst: Any) -> Any:
    """Return the keys of arcs.

    Parameters
    ----------
    graph : Graph
    src, dst : arrays of int, shape (m,), on the graph's device
        Ids within the graph, which are not checked.

    Returns
    -------
    array of int64, shape (m,)

    Raises
    ------
    OverflowError
        The ids of source and destination do not fit into 63 bits together.
    """
    return _sort.arc_keys(graph.device, src, dst, graph.num_vertices)


def unpack(graph: BaseGraph, keys: Any) -> tuple[Any, Any]:
    """Return the arcs with these keys.

    Returns
    -------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
    """
    return _sort.split_keys(graph.device, keys, graph.num_vertices, graph.vertex_dtype)


def sort(graph: BaseGraph, keys: Any, values: Any = None) -> Any:
    """Sort keys, and `values` by their keys. Stable.

    Parameters
    ----------
    graph : Graph
    keys : array of int64, shape (m,), on the graph's device
        Not negative.
    values : array, shape (m,), optional

    Returns
    -------
    array, or a pair of arrays
        New arrays: the keys, or keys and values.

    Notes
    -----
    O(m log m) work, but a radix sort for large arrays on a CPU, several times as fast as NumPy's sort.
    """
    if values is None:
        return _sort.sort_keys(graph.device, keys.copy())
    return _sort.sort_pairs(graph.device, keys, values)


def distinct(graph: BaseGraph, keys: Any) -> Any:
    """Return the distinct keys in ascending order.

    Parameters
    ----------
    graph : Graph
    keys : array of int64, shape (m,), on the graph's device
        It is sorted in place, which saves a copy.

    Returns
    -------
    array of int64
        A new array.

    Notes
    -----
    As `sort`.
    """
    _sort.sort_keys(graph.device, keys)
    return keys[_sort.last_of_runs(graph.device, keys)]


def sums(graph: BaseGraph, keys: Any, values: Any = None) -> tuple[Any, Any]:
    """Return the distinct keys in ascending order, and the sum of the values of each.

    Parameters
    ----------
    graph : Graph
    keys : array of int64, shape (m,), on the graph's device
        Not negative.
    values : array of float64, shape (m,), optional
        By default 1 for each.

    Returns
    -------
    keys : array of int64
    sums : array of float64

    Notes
    -----
    As `sort`. On a GPU the last digits of sums may differ from call to call.
    """
    xp = graph.xp
    keys, values = (sort(graph, keys), None) if values is None else sort(graph, keys, values)
    last = _sort.last_of_runs(graph.device, keys)
    if values is None:
        return keys[last], xp.diff(last, prepend=xp.full(1, -1, last.dtype)).astype(np.float64)
    return keys[last], _sort.sums_of_runs(graph.device, keys, last, values)
