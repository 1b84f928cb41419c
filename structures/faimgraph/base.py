"""`BaseFaimGraph`: what the modules of faimGraph know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.graphs import DynamicGraph


class BaseFaimGraph(DynamicGraph):
    """The base of `FaimGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _links = _page_sizes = _queue = _queued = _records = _used = page_bits = page_size = cast("Any", None)
