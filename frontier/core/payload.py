"""`Payload`: what a graph keeps of each edge besides its ends, and how updates and look-ups take it.

Structures store a number of `Payload.stored_dtype` with each arc, whatever it means. In most graphs it is the weight
(`frontier.core.weights`); others store which row of a table belongs to the edge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from .component import Component
from .results import UpdateResult


class Payload(Component, ABC):
    """What a graph keeps of each edge. Methods get the graph, or its transpose, which shares the payload."""

    table: Any = None
    """The columns of edge data; None where edges have weights at most."""

    # ---- reading ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def stored_dtype(self, weight_dtype: np.dtype | None) -> np.dtype | None:
        """Type of what structures store with each arc; None for nothing."""

    @abstractmethod
    def edges_at(self, graph: Any, slots: Any, out: Any = None) -> Any:
        """What operators see as `edge` of the arcs in these slots (int64); -1 for those below 0.

        They may be written to `out`, which may be `slots`.
        """

    @abstractmethod
    def edge_capacity(self, graph: Any) -> int:
        """An exclusive upper bound on what operators see as `edge`."""

    @abstractmethod
    def weights_of(self, stored: Any) -> Any:
        """Weights, for what structures store; None in graphs without weights."""

    @abstractmethod
    def weights_by_edge(self, graph: Any) -> Any:
        """The weights by what operators see as `edge`; None in graphs without weights."""

    def weights_at(self, graph: Any, slots: Any) -> Any:
        """The weights of the arcs in these slots, in a weighted graph."""
        return self.weights_of(graph._weights[slots])

    def moved(self, graph: Any) -> None:
        """Its arrays, which views refer to, may have been replaced."""
        graph._view = None
        for component in graph._components:
            component.columns_moved()

    # ---- updates ----------------------------------------------------------------------------------------------------

    @property
    def update_kernels(self) -> list[Any]:
        """Kernels that batches need, compiled in parallel while the first one is on its way."""
        return []

    @abstractmethod
    def build(self, graph: Any, src: Any, dst: Any, weights: Any, data: Mapping[str, Any]) -> None:
        """Fill an empty graph with a user's edges."""

    @abstractmethod
    def insert(
        self, graph: Any, src: Any, dst: Any, weights: Any, on_existing: str, data: Mapping[str, Any]
    ) -> UpdateResult:  # fmt: skip
        """See `DynamicGraph.insert_edges`."""

    @abstractmethod
    def delete(self, graph: Any, src: Any, dst: Any) -> UpdateResult:
        """See `DynamicGraph.delete_edges`."""

    @abstractmethod
    def delete_incident(self, graph: Any, src: Any, dst: Any) -> UpdateResult:
        """Delete arcs that are there, and are listed in both directions in undirected graphs."""
