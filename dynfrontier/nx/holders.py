"""`Converted`, and how functions of the backend find the mirror of a graph."""

from __future__ import annotations

import threading
from typing import Any

import networkx as nx

import frontier as fr

from .info import NAME
from .mirror import Mirror


class Unsupported(NotImplementedError):
    """The backend does not support the request, and NetworkX may."""


def structure_maker(structure: str, device: str) -> Any:
    """A function that makes graphs of a structure on a device. ValueError if either does not exist."""
    kind, place = fr.advanced.structure_class(structure), fr.advanced.resolve_device(device)

    def make(src: Any, dst: Any, weights: Any, **options: Any) -> Any:
        return kind.from_edges(src, dst, weights, device=place, **options)

    return make


class Converted:
    """A converted NetworkX graph, which NetworkX's dispatching passes to functions, and caches until the graph changes.

    Each attribute that is requested as weight is converted once.
    """

    __networkx_backend__ = NAME

    def __init__(self, source: nx.Graph):
        self.source = source
        self._lock = threading.RLock()
        self._mirrors: dict[Any, Mirror] = {}

    def is_directed(self) -> bool:
        return self.source.is_directed()

    def is_multigraph(self) -> bool:
        return self.source.is_multigraph()

    def mirror(self, weight: Any) -> Mirror:
        """The mirror with this attribute as weights, or any if it is None."""
        with self._lock:
            if weight is None and self._mirrors:
                return next(iter(self._mirrors.values()))
            if weight not in self._mirrors:
                options = nx.config.backends[NAME]
                self._mirrors[weight] = Mirror(self.source, weight, structure_maker(options.structure, options.device))
            return self._mirrors[weight]


def source_of(graph: Any) -> nx.Graph:
    """The NetworkX graph that a graph of the backend is or was converted from."""
    return graph.source if isinstance(graph, Converted) else graph


def mirror_of(graph: Any, weight: Any = None) -> Mirror:
    """The current mirror of a graph of the backend. Unsupported if some `weight` is no finite number."""
    found = graph.mirror(weight) if isinstance(graph, Converted) else graph.synchronized(weight)
    if weight is not None and (found.unsuitable or None in found.loops.values()):
        raise Unsupported(f"some edge has a {weight!r} that is no finite number, or too large an integer")
    return found
