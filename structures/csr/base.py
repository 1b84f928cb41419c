"""`BaseCSR`: what the modules of CSR know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BaseCSR(DynamicGraph):
    """The base of `CSR`, which describes the attributes."""

    if TYPE_CHECKING:
        _offsets: Any
