"""`BasePackedGraph`: what the modules of graphs in packed arrays know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BasePackedGraph(DynamicGraph):
    """The base of `PackedGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _check_options: Any
        _counters: Any
        _counts: Any
        _ends: Any
        _held_view: Any
        _leaves_fit: Any
        _most_vertices: Any
        _offsets: Any
        _plan: Any
        _row_degrees: Any
        _rows: Any
        _separators: Any
        _tallies: Any
        leaves: Any
        levels: Any
