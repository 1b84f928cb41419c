"""Graph structures: each a folder with its layout, its updates and its neighbor iterator, on CPU and GPU."""

from __future__ import annotations

from typing import Any

from frontier.core.registry import register_structure

from .csr import CSR
from .faimgraph import FaimGraph
from .gpma import GPMA
from .graphvine import GraphVine
from .hornet import Hornet
from .lpma import LPMA
from .slab import SlabGraph

register_structure(CSR, static_copies=True)
register_structure(Hornet)
register_structure(SlabGraph)
register_structure(GPMA)
register_structure(LPMA)
register_structure(GraphVine)
register_structure(FaimGraph)

__all__ = ["CSR", "GPMA", "LPMA", "FaimGraph", "GraphVine", "Hornet", "SlabGraph"]

_offered: dict[str, Any] = {}


def offer(name: str, value: Any) -> None:
    """Make `value` available as ``structures.name``, for packages above this one, which are not imported here."""
    _offered[name] = value


def __getattr__(name: str) -> Any:
    if name in _offered:
        return _offered[name]
    if name == "recommend":  # it runs workloads, with algorithms
        raise AttributeError("structures.recommend exists once dynfrontier.workload has been imported")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
