"""`BaseFaimGraph`: what the modules of faimGraph know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BaseFaimGraph(DynamicGraph):
    """The base of `FaimGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _links: Any
        _page_sizes: Any
        _queue: Any
        _queued: Any
        _records: Any
        _used: Any
        page_bits: Any
        page_size: Any
