"""What a backend has to use of NetworkX's dispatching that has no public name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx


def dispatched() -> Mapping[str, Any]:
    """All functions that NetworkX dispatches, by name."""
    return nx.utils.backends._registered_algorithms


def original(name: str) -> Callable[..., Any]:
    """NetworkX's own function, not dispatched."""
    return dispatched()[name].orig_func


def look_for_backends() -> None:
    """Have functions look for backends also if NetworkX found none when it was imported."""
    kind = nx.utils.backends._dispatchable
    kind.__call__ = kind._call_if_any_backends_installed
