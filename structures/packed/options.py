"""The options that graphs in a packed memory array take, for type checkers and editors."""

from __future__ import annotations

from typing import TypedDict

from frontier.core.options import BuildOptions, GraphOptions


class LeafOptions(TypedDict, total=False):
    """Those of `PackedArray`, which describes them."""

    leaf_density: tuple[float, float]
    root_density: tuple[float, float]
    deletion: str


class PackedOptions(GraphOptions, LeafOptions, total=False):
    """Those of `PackedArray` and of `Graph`."""


class PackedBuildOptions(BuildOptions, LeafOptions, total=False):
    """Those of `PackedArray` and of `Graph.from_edges`."""
