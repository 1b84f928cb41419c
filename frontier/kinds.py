"""What tells graphs from other things, for modules that `Graph` itself is made with."""

from __future__ import annotations


class AnyGraph:
    """The base of `Graph`."""


class AnyDynamicGraph(AnyGraph):
    """The base of `DynamicGraph`."""
