"""The check of arguments that are names of vertices."""

from __future__ import annotations

from typing import Any

from frontier.runtime.values import kind_of

from .names import VertexNames


def check_vertex_names(names: Any) -> VertexNames | None:
    """Return the argument `names`. Raises TypeError unless it is a `VertexNames`, or None."""
    if not isinstance(names, VertexNames | None):
        raise TypeError(f"names must be a frontier.VertexNames, not {kind_of(names)}")
    return names
