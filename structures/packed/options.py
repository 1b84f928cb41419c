"""The options that graphs in a packed memory array take, for type checkers and editors."""

from __future__ import annotations

from frontier.options import GraphOptions


class PackedOptions(GraphOptions, total=False):
    """Those of `PackedArray`, which describes them, and of `Graph`."""

    leaf_density: tuple[float, float]
    root_density: tuple[float, float]
    deletion: str
