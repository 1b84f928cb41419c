"""`BasePackedGraph`: what the modules of graphs in packed arrays know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.graphs import DynamicGraph


class BasePackedGraph(DynamicGraph):
    """The base of `PackedGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _check_options = _counters = _counts = _ends = _held_view = _leaves_fit = _most_vertices = cast("Any", None)
        _offsets = _plan = _row_degrees = _rows = _separators = _tallies = leaves = levels = cast("Any", None)
