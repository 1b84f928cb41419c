"""What tells graphs from other things, for modules that `Graph` itself is made with."""

from __future__ import annotations

from typing import ClassVar


class AnyGraph:
    """The base of `Graph`."""

    read_only: ClassVar[bool]


class AnyDynamicGraph(AnyGraph):
    """The base of `DynamicGraph`."""
