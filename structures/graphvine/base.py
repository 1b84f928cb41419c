"""`BaseGraphVine`: what the modules of GraphVine know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.graphs import DynamicGraph


class BaseGraphVine(DynamicGraph):
    """The base of `GraphVine`, which describes the attributes."""

    if TYPE_CHECKING:
        _bits = _bits_range = _children = _free = _front = _queue = _records = cast("Any", None)
