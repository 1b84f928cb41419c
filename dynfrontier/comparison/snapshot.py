"""A version of a graph, in the forms that peers accept."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import on_host

from ..peers import BasePeer
from .inputs import both_once


class Snapshot:
    """The edges of a graph; deleted vertices are left out, and the rest is numbered without gaps. `seconds` is its
    cost."""

    def __init__(self, graph: fr.Graph):
        xp = graph.xp
        graph.to_coo()  # kernels are compiled before the clock runs
        graph.device.synchronize()
        begin = time.perf_counter()
        self.graph = graph
        self._src, self._dst, self._weights = graph.to_coo()
        present = graph.has_vertices(xp.arange(graph.num_vertices))
        self.num_vertices = int(present.sum())
        self._vertices: Any = None
        if self.num_vertices < graph.num_vertices:
            self._vertices = xp.flatnonzero(present)
            self._numbers = (xp.cumsum(present) - 1).astype(graph.vertex_dtype)
            self._src, self._dst = self._numbers[self._src], self._numbers[self._dst]
        graph.device.synchronize()
        self.seconds = time.perf_counter() - begin

    def edge_list(self) -> fr.io.EdgeList:
        src, dst, weights = (
            None if part is None else self.graph.device.to_host(part) for part in (self._src, self._dst, self._weights)
        )
        return fr.io.EdgeList(src, dst, weights, num_vertices=self.num_vertices, directed=self.graph.directed)

    def has_good_weights(self) -> bool:
        """Whether all weights are finite and not negative."""
        weights = self._weights
        return weights is None or bool(((weights >= 0) & (weights < np.inf)).all())

    def vertices(self) -> np.ndarray:
        """The vertices of the snapshot, in the graph's numbers, on the host."""
        return np.arange(self.num_vertices) if self._vertices is None else self.graph.device.to_host(self._vertices)

    def number(self, vertex: int) -> int:
        return vertex if self._vertices is None else int(self._numbers[vertex])

    def values(self, analytic: Analytic, result: Any) -> tuple[Any, ...]:
        """The compared values of a result, for the vertices of the snapshot and in their numbers, on the host."""
        found = analytic.read(result)
        if self._vertices is not None and analytic.per == "vertex":
            found = tuple(values[self._vertices] if np.ndim(values) else values for values in found)
            names = analytic.values or ("",) * len(found)
            found = tuple(
                self._renumbered(values) if name in analytic.vertex_values else values
                for name, values in zip(names, found, strict=True)
            )
        elif self._vertices is not None and analytic.per == "edge":
            src, dst, *rest = found
            found = (self._numbers[src], self._numbers[dst], *rest)
        return on_host(self.graph.device, found)

    def _renumbered(self, vertices: Any) -> Any:
        return self.graph.xp.where(vertices >= 0, self._numbers[vertices], -1)

    def convert(self, peer: BasePeer, *, weighted: bool, directed: bool) -> tuple[Any, float]:
        """Make a peer's graph; returns the seconds, this snapshot included, too. Unless `directed`, directions are
        dropped."""
        begin = time.perf_counter()
        src, dst, weights = self._src, self._dst, self._weights if weighted else None
        if self.graph.directed and not directed:
            src, dst = both_once(self.graph.xp, src, dst, self.num_vertices)
            weights = None
        if not peer.on_gpu:
            to_host = self.graph.device.to_host
            src, dst, weights = to_host(src), to_host(dst), None if weights is None else to_host(weights)
        built = peer.build(peer.prepare(self.num_vertices, src, dst, weights, directed=directed))
        peer.synchronize()
        return built, self.seconds + time.perf_counter() - begin
