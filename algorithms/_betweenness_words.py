"""The arrays that `DynamicBetweennessCentrality` has for each 32 sources. Its module explains them."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._betweenness_functors import WordState
from ._shortest_paths import UNREACHED, Found, found_by
from .incremental import extended


class Word:
    """Up to `WIDTH` sources: their results, and the vertices whose results may have changed."""

    state: WordState
    pulled: Any  # scratch memory of the shape of the results, for reductions and changes

    def __init__(self, graph: fr.Graph, num_vertices: int, count: int):
        xp, found = graph.xp, found_by(graph, count)
        self.shape = num_vertices, count
        gain, reached = xp.zeros_like(found.paths), xp.zeros(found.paths.shape[1], np.int64)
        self._adopt(graph, found, gain, reached, [xp.zeros(num_vertices, np.uint64) for _ in range(5)])

    def _adopt(self, graph: fr.Graph, found: Found, gain: Any, reached: Any, bits: list[Any]) -> None:
        """Adopt these results and words, and make lists of the vertices that have any."""
        self.found, self._bits, n = found, bits, graph.num_vertices
        moved, last, again, down, up = bits
        self.numbers = graph.xp.zeros(2, np.int64)
        lists = [(graph.xp.empty(n, graph.vertex_dtype), self.numbers[i : i + 1]) for i in range(2)]
        self.state = WordState(*found, gain, moved, last, reached, again, down, *lists[0], up, *lists[1], n)

    def down(self, graph: fr.Graph) -> fr.Frontier:
        """The vertices that are listed in `down`."""
        return fr.Frontier.listed(graph, self.state.down_list, self.state.num_down)

    def up(self, graph: fr.Graph) -> fr.Frontier:
        """The vertices that are listed in `up`."""
        return fr.Frontier.listed(graph, self.state.up_list, self.state.num_up)

    def clear(self) -> None:
        """Forget all results."""
        self.found.clear()
        fr.advanced.clear(self.numbers)
        for array in (self.state.gain, *self._bits):
            array.fill(0)

    def adapt(self, graph: fr.Graph, absent: Any) -> None:
        """Give entries to new vertices, and clear the entries of deleted ones."""
        self.shape = graph.num_vertices, self.shape[1]
        distance = extended(graph, self.found.distance, UNREACHED)
        *numbers, gain = (extended(graph, array, 0) for array in (*self.found[1:], self.state.gain))
        bits = [extended(graph, array, 0) for array in self._bits]
        reached = self.state.reached
        reached -= (numbers[0][absent] > 0).sum(axis=0)
        distance[absent] = UNREACHED
        for array in (*numbers, gain, *bits):
            array[absent] = 0
        self._adopt(graph, Found(distance, *numbers), gain, reached, bits)
        state = self.state
        for words, listed, number in (
            (state.down, state.down_list, state.num_down), (state.up, state.up_list, state.num_up),
        ):  # fmt: skip
            ids = graph.xp.flatnonzero(words)
            listed[: ids.size] = ids
            number[0] = ids.size
