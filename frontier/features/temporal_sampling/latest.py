"""The latest neighbors of vertices: what temporal graph networks sample."""

from __future__ import annotations

from typing import Any

from frontier.core.base import BaseGraph
from frontier.core.locking import reads

from . import sample_temporal_neighbors


@reads
def latest_neighbors(
    graph: BaseGraph, vertices: Any, count: int, *, before: Any = None, inclusive: bool = False
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return the neighbors of each of a list of vertices whose events have the greatest times, up to `count`.

    In a graph that keeps its records (``multi_edges="all"``), each record is an event, so that a neighbor is listed as
    often as it was met. In others an edge is one, with the time of the record that counts.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives the latest predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
        -1 for all.
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only events with lesser times count: one time for all vertices, or one for each. By default all events do.
    inclusive : bool
        Whether events at the time `before` count, too.

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

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not keep records, and has replaced times.

    Notes
    -----
    That of `sample_temporal_neighbors`.
    """
    return sample_temporal_neighbors(graph, vertices, count, before=before, inclusive=inclusive, method="latest")[:3]
