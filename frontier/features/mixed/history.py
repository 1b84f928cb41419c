"""Degrees and neighbor lists in the course of a batch, from the effects of its updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.sort import arc_keys, id_bits, last_of_runs, row_ids, sort_pairs
from frontier.operators.extract import extract_successors


class Effects(NamedTuple):
    """The arcs that come (1) and go (-1) in the course of a batch, by ascending position of the operation."""

    src: Any
    dst: Any
    positions: Any
    changes: Any


def effects_of(graph: BaseGraph, src: Any, dst: Any, changes: Any) -> Effects:
    """The effects of operations whose `changes` are not 0; of both directions in undirected graphs."""
    xp = graph.xp
    positions = xp.flatnonzero(changes)
    src, dst = src[positions].astype(np.int64), dst[positions].astype(np.int64)
    signs = changes[positions].astype(np.int64)
    if graph.directed:
        return Effects(src, dst, positions, signs)
    both = xp.stack([src, dst], axis=1).ravel(), xp.stack([dst, src], axis=1).ravel()
    return Effects(*both, xp.stack([positions, positions], axis=1).ravel(), xp.stack([signs, signs], axis=1).ravel())


class History:
    """The graph as it is at each position of a batch of `size` operations, from the graph as it is before."""

    def __init__(self, graph: BaseGraph, effects: Effects, size: int):
        self._graph = graph
        self._effects = effects
        self._bits = size.bit_length()  # `size` itself fits: a position after all others
        self._key_bits = id_bits(graph.num_vertices) + self._bits
        self._size = size

    def _at(self, vertices: Any, positions: Any) -> Any:
        """Keys that sort by vertex and position."""
        return (vertices.astype(np.int64) << self._bits) | positions

    def degrees(self, vertices: Any, positions: Any) -> Any:
        """The degree of each vertex at a position, by a sort of the effects, and a look-up for each vertex."""
        xp, effects = self._graph.xp, self._effects
        degrees = self._graph.store.degrees_of(vertices).astype(np.int64)
        if not effects.positions.size:
            return degrees
        at = self._at(effects.src, effects.positions)
        keys, changes = sort_pairs(self._graph.device, at, effects.changes, key_bits=self._key_bits)
        sums = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(changes)])
        end = xp.searchsorted(keys, self._at(vertices, positions))
        begin = xp.searchsorted(keys, self._at(vertices, 0))
        return degrees + sums[end] - sums[begin]

    def neighbors(self, vertices: Any, positions: Any) -> Any:
        """The neighbors of each vertex at a position, ascending, one list after the other; positions must ascend. Three
        sorts."""
        graph, xp = self._graph, self._graph.xp
        device, n = graph.device, graph.num_vertices
        queries, order = sort_pairs(device, self._at(vertices, positions), key_bits=self._key_bits)
        src, dst, begin, end = self._intervals(queries)
        first = xp.searchsorted(queries, self._at(src, begin))
        count = xp.maximum(xp.searchsorted(queries, self._at(src, end)) - first, 0)
        ends = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(count)])
        rows = row_ids(device, ends, np.dtype(np.int64))
        covered = first[rows] + xp.arange(rows.size) - ends[rows]
        shift = id_bits(n)
        found = (order[covered] << shift) | dst[rows]
        found.sort()
        return (found & ((1 << shift) - 1)).astype(graph.vertex_dtype)

    def _intervals(self, queries: Any) -> tuple[Any, Any, Any, Any]:
        """Arcs whose sources are queried, and their lifetimes: a query sees an arc if ``begin <= position < end``. All
        int64."""
        graph, xp, effects = self._graph, self._graph.xp, self._effects
        device, n = graph.device, graph.num_vertices
        arcs = arc_keys(device, effects.src, effects.dst, n)
        keys, order = sort_pairs(device, arcs, key_bits=2 * id_bits(n))  # equal keys stay in order of position
        positions, inserted = effects.positions[order], effects.changes[order] > 0
        last = xp.zeros(keys.size, bool)
        last[last_of_runs(device, keys)] = True
        until = xp.where(last, self._size, xp.roll(positions, -1))
        opening = xp.ones(keys.size, bool)  # the first effect on its arc
        opening[1:] = last[:-1]
        come, gone = xp.flatnonzero(inserted), xp.flatnonzero(opening & ~inserted)
        before, begin_end = self._there_before(queries, keys[gone])
        found = [xp.concatenate([effects.src[order][come], effects.src[order][gone], before[0]])]
        found.append(xp.concatenate([effects.dst[order][come], effects.dst[order][gone], before[1]]))
        found.append(xp.concatenate([positions[come], xp.zeros(gone.size, np.int64), begin_end[0]]))
        found.append(xp.concatenate([until[come], positions[gone], begin_end[1]]))
        return found[0], found[1], found[2], found[3]

    def _there_before(self, queries: Any, deleted: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Arcs present before the batch that stay, or stay until a deletion and insertion; those of the ascending
        `deleted` do not."""
        graph, xp = self._graph, self._graph.xp
        device, n = graph.device, graph.num_vertices
        asked = queries >> self._bits
        asked = asked[last_of_runs(device, asked)]
        offsets, dst, _ = extract_successors(graph, asked.astype(graph.vertex_dtype), weighted=False)
        src = asked[row_ids(device, offsets, np.dtype(np.int64))]
        dst = dst.astype(np.int64)
        if deleted.size and dst.size:
            keys = arc_keys(device, src, dst, n)
            place = xp.minimum(xp.searchsorted(deleted, keys), deleted.size - 1)
            stay = xp.flatnonzero(deleted[place] != keys)
            src, dst = src[stay], dst[stay]
        return (src, dst), (xp.zeros(src.size, np.int64), xp.full(src.size, self._size, np.int64))
