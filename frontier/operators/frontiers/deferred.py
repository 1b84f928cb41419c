"""`DeferredFrontier`: a frontier during a capture, when nothing has run that would determine its size."""

from __future__ import annotations

from typing import Any

from frontier.core.base import BaseGraph

from .frontier import Frontier


class DeferredFrontier(Frontier):
    """A frontier whose size is known once it is read: the output of kernels, or vertices that functors listed.

    Captured operators read its size on the device. It is true, since it may have members. `listed` has vertices and
    spare capacity, and `number` (one int64) their number. Beyond the capacity, all vertices of the graph are members.
    """

    def __init__(self, graph: BaseGraph, listed: Any, number: Any):
        self._take(graph, None, size=0)
        self._size = None
        self.listed = listed
        self.number = number

    def _on(self, graph: BaseGraph) -> Frontier:
        return DeferredFrontier(graph, self.listed, self.number)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"DeferredFrontier({self.graph.num_vertices:,} vertices)"

    def _make_set(self) -> int:
        raise RuntimeError(UNKNOWN)

    def _walk_length(self) -> int:
        raise RuntimeError(UNKNOWN)

    def _check_members(self) -> None:
        raise RuntimeError(UNKNOWN)


UNKNOWN = (
    "a frontier that was made while launches were recorded has no size that the host could ask for; filter, compute "
    "and traverse take it as it is"
)
