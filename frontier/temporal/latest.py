"""The latest neighbors of vertices: what temporal graph networks sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..access import reads
from ..operators.sample_temporal_neighbors import sample_temporal_neighbors

if TYPE_CHECKING:
    from ..core.base import BaseGraph


@reads
def latest_neighbors(graph: BaseGraph, vertices: Any, count: int, *, before: Any = None) -> tuple[Any, Any, Any]:
    """Of each of a list of vertices, the neighbors whose edges have the greatest times, up to `count`.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives the latest predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only edges with lesser times count: one time for all vertices, or one for each. By default all edges do.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The neighbors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of `vertex_dtype`, shape (offsets[-1],)
        The latest first; of equal times, the smaller id.
    times : array of int64, shape (offsets[-1],)

    Raises
    ------
    TypeError, ValueError
        Naming the argument and what is wrong with it; or the graph has no times.

    Notes
    -----
    That of `sample_temporal_neighbors`.
    """
    return sample_temporal_neighbors(graph, vertices, count, before=before, method="latest")[:3]
