"""`BaseGraphVine`: what the modules of GraphVine know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BaseGraphVine(DynamicGraph):
    """The base of `GraphVine`, which describes the attributes."""

    if TYPE_CHECKING:
        _bits: Any
        _bits_range: Any
        _children: Any
        _free: Any
        _front: Any
        _queue: Any
        _records: Any
