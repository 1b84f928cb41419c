"""The arrays that `DynamicBetweennessCentrality` has for each 32 sources. Its module explains them."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._shortest_paths import UNREACHED, Found, found_by
from .incremental import extended


class Word:
    """Up to `WIDTH` sources: their results, and the vertices whose results may have changed."""

    pulled: Any  # scratch memory of the shape of the results, for reductions and changes

    def __init__(self, graph: fr.Graph, num_vertices: int, count: int):
        self.shape = num_vertices, count
        self.found = found_by(graph, count)
        self.gain = graph.xp.zeros_like(self.found.paths)
        self.reached = graph.xp.zeros(self.gain.shape[1], np.int64)
        self._set_bits(graph, [graph.xp.zeros(num_vertices, np.uint64) for _ in range(5)])

    def _set_bits(self, graph: fr.Graph, bits: list[Any]) -> None:
        """Adopt these words, and list the vertices that have any."""
        self._bits, n = bits, graph.num_vertices
        self.down, self.up, self.moved, self.again, self.last = bits
        self.numbers = graph.xp.zeros(2, np.int64)
        self._ids = [graph.xp.empty(n, graph.vertex_dtype) for _ in range(2)]
        self.lists = self.down, self._ids[0], self.numbers[:1], n, self.up, self._ids[1], self.numbers[1:], n

    def listed(self, graph: fr.Graph, which: int) -> fr.Frontier:
        """The vertices that are listed in `down` (0) or `up` (1)."""
        return fr.Frontier.listed(graph, self._ids[which], self.numbers[which : which + 1])

    def clear(self) -> None:
        """Forget all results."""
        self.found.clear()
        fr.advanced.clear(self.numbers)
        for array in (self.gain, *self._bits):
            array.fill(0)

    def adapt(self, graph: fr.Graph, absent: Any) -> None:
        """Give entries to new vertices, and clear the entries of deleted ones."""
        self.shape = graph.num_vertices, self.shape[1]
        distance, *numbers = self.found
        distance = extended(graph, distance, UNREACHED)
        *numbers, self.gain = (extended(graph, array, 0) for array in (*numbers, self.gain))
        bits = [extended(graph, array, 0) for array in self._bits]
        self.reached -= (numbers[0][absent] > 0).sum(axis=0)
        distance[absent] = UNREACHED
        for array in (*numbers, self.gain, *bits):
            array[absent] = 0
        self.found = Found(distance, *numbers)
        self._set_bits(graph, bits)
        for which in range(2):
            ids = graph.xp.flatnonzero(bits[which])
            self._ids[which][: ids.size] = ids
            self.numbers[which] = ids.size
