"""The NetworkX backend ``dynfrontier``, and NetworkX graphs whose edges are also in a dynamic structure.

Importing this imports neither NetworkX nor a compiler: NetworkX itself reads `info` whenever it is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import DiGraph, Graph

__all__ = ["DiGraph", "Graph"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import graph
        from .dispatching import ensure_registered

        ensure_registered()
        return getattr(graph, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
