"""Arcs as 64-bit keys, which sort by source and then by destination.

A key is ``src * stride(graph) + dst``. Keys are plain int64 arrays on the graph's device: to sort them, compare them or
look them up (``searchsorted``) is to do so with arcs. Part of the public interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import sort as _sort

if TYPE_CHECKING:
    from .base import BaseGraph

__all__ = ["distinct", "pack", "sort", "stride", "sums", "unpack"]


def stride(graph: BaseGraph) -> int:
    """What the source is multiplied by in a key: the first power of two, from 2 on, that no id of `graph` reaches.

    For functors that make keys of their own. It grows as the graph does: keys hold until vertices are added.
    """
    return 1 << _sort.id_bits(graph.num_vertices)


def pack(graph: BaseGraph, src: Any, dst: Any) -> Any:
    """The keys of arcs.

    Parameters
    ----------
    graph : Graph
    src, dst : arrays of int, shape (m,), on the graph's device
        Ids within the graph; they are not checked.

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
    """The arcs that have these keys.

    Returns
    -------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
    """
    return _sort.split_keys(graph.device, keys, graph.num_vertices, graph.vertex_dtype)


def sort(graph: BaseGraph, keys: Any, values: Any = None) -> Any:
    """Keys in ascending order; with `values`, these in the order of their keys. Those of equal keys keep their order.

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
    A radix sort of large arrays on a CPU, which takes a fraction of the time of NumPy's, O(m log m) work elsewhere.
    """
    if values is None:
        return _sort.sort_keys(graph.device, keys.copy())
    return _sort.sort_pairs(graph.device, keys, values)


def distinct(graph: BaseGraph, keys: Any) -> Any:
    """The distinct ones of some keys, in ascending order.

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
    """The distinct ones of some keys, in ascending order, and for each of them the sum of its values.

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
