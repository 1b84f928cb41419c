"""The options that the constructors and `from_edges` of all structures accept, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from frontier.runtime import Device


class BuildOptions(TypedDict, total=False):
    """The keyword-only options of `Graph.from_edges`. A structure adds its own."""

    weight_dtype: Any
    vertex_dtype: Any
    in_edges: bool
    keep_time: str
    multi_edges: str


class GraphOptions(BuildOptions, total=False):
    """The options of `Graph`, which describes them. A structure adds its own."""

    directed: bool
    device: str | Device
    edge_data: Mapping[str, Any] | None
    time_unit: str | None
