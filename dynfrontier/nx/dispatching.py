"""Private functions of NetworkX's dispatching that a backend needs, and its registration without an entry point, for a
checkout that is on the path and not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import networkx as nx

from .info import DEFAULTS, NAME, get_info


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


def ensure_registered() -> None:
    """Register the backend. Does nothing if NetworkX found it when it was imported."""
    known = nx.utils.backends
    if NAME in known.backends:
        return
    known.backends[NAME] = EntryPoint(NAME, "dynfrontier.nx.interface:backend", "networkx.backends")
    known.backend_info[NAME] = get_info()
    nx.config.backends = nx.utils.Config(**nx.config.backends, **{NAME: nx.utils.Config(**DEFAULTS)})
    look_for_backends()
