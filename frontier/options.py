"""The options that the constructors of all structures take, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from .runtime import Device


class GraphOptions(TypedDict, total=False):
    """Those of `Graph`, which describes them; a structure adds its own."""

    directed: bool
    device: str | Device
    weight_dtype: Any
    vertex_dtype: Any
    in_edges: bool
    edge_data: Mapping[str, Any] | None
    time: str | None
    keep_time: str
    multi: str
