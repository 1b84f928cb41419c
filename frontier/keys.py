"""Arcs as 64-bit keys, which sort by source and then by destination.

A key is ``src * stride(graph) + dst``. Keys are plain int64 arrays on the graph's device: to sort them, compare them or
look them up (``searchsorted``) is to do so with arcs. Part of the public interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import sort as _sort

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["distinct", "pack", "sort", "stride", "unpack"]


def stride(graph: Graph) -> int:
    """What the source is multiplied by in a key: the first power of two, from 2 on, that no id of `graph` reaches.

    For functors that make keys of their own. It grows as the graph does: keys hold until vertices are added.
    """
    return 1 << _sort.id_bits(graph.num_vertices)


def pack(graph: Graph, src: Any, dst: Any) -> Any:
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


def unpack(graph: Graph, keys: Any) -> tuple[Any, Any]:
    """The arcs that have these keys.

    Returns
    -------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
    """
    return _sort.split_keys(keys, graph.num_vertices, graph.vertex_dtype)


def sort(graph: Graph, keys: Any, values: Any) -> tuple[Any, Any]:
    """Keys in ascending order, and `values` in the order of their keys; those of equal keys keep their order.

    Parameters
    ----------
    graph : Graph
    keys : array of int64, shape (m,), on the graph's device
        Not negative.
    values : array, shape (m,)

    Returns
    -------
    keys, values : new arrays

    Notes
    -----
    O(m log m) work. Keys alone are sorted as any array is.
    """
    return _sort.sort_pairs(graph.device, keys, values)


def distinct(graph: Graph, keys: Any) -> Any:
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
    O(m log m) work.
    """
    keys.sort()
    return keys[_sort.last_of_runs(graph.device, keys)]
