"""Vertices that functors list, so that what follows need not look through all vertices for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr


class Listed:
    """A list of vertices of a graph. One may be listed several times.

    Attributes
    ----------
    arguments : tuple
        Of `enlist`, behind the vertex.
    """

    def __init__(self, graph: fr.Graph):
        self._graph = graph
        self._ids = graph.xp.empty(graph.num_vertices, graph.vertex_dtype)
        self._number = graph.xp.zeros(1, np.int64)  # of vertices listed, ever
        self._taken = 0

    @property
    def arguments(self) -> tuple[Any, ...]:
        return self._ids, self._number, self._ids.size

    def take(self) -> Any:
        """Those listed since this was last called; all vertices if they are many. The host waits for the device.

        The list goes on behind them, so that they may be read while others are listed.
        """
        xp, room = self._graph.xp, self._ids.size
        begin, self._taken = self._taken, int(self._number[0])
        if self._taken - begin > room // 2:
            return xp.arange(room, dtype=self._ids.dtype)
        if begin == self._taken:
            return self._ids[:0]
        first, last = begin % room, (self._taken - 1) % room
        if first <= last:
            return self._ids[first : last + 1]
        return xp.concatenate([self._ids[first:], self._ids[: last + 1]])


def enlist(v, listed, number, room):
    """List v."""
    listed[fr.atomic_add(number, 0, 1) % room] = v
