"""The steps of a mixed batch on a CPU. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.batch import Arcs
from frontier.core.sort import arc_keys, id_bits, last_of_runs, row_ids, sort_pairs
from frontier.operators.extract import extract_successors

from .operations import ASKED, DEGREE, INSERT, INSERTIONS, LISTED, NEIGHBORS, TALLY, UNKNOWN, WEIGHED, WEIGHT, no_pair
from .pairs import MixedBatch, SortedPairs


def taken(graph: Any, given: Any, src: Any, dst: Any, weights: Any) -> MixedBatch:
    """A user's operations as a batch, before its `check`.

    Ends that have no meaning are the first ones, and weights 1.
    """
    tally = np.zeros(TALLY, np.int64)
    tally[UNKNOWN] = np.count_nonzero((given < 0) | (given > NEIGHBORS))
    tally[INSERTIONS] = np.count_nonzero(given == INSERT)
    ends = np.where(given >= DEGREE, src, dst)
    if weights is not None:
        weights = np.where(given == INSERT, weights, weights.dtype.type(1))
    arcs = graph.store.make_arcs(src, ends, weights, directed=True, weighted=True, drop_loops=False)
    return MixedBatch(given.astype(np.uint8), arcs.src, arcs.dst, arcs.weights, {}, tally, lambda counts: arcs.check())


def sorted_pairs(graph: Any, batch: MixedBatch, tally: Any) -> SortedPairs:
    """The operations by pair. `tally` counts queries."""
    ops, src, dst = batch.ops, batch.src, batch.dst
    tally[ASKED] = np.count_nonzero(ops >= DEGREE)
    tally[LISTED] = np.count_nonzero(ops == NEIGHBORS)
    tally[WEIGHED] = np.count_nonzero(ops == WEIGHT)
    bits, dtype, none = id_bits(graph.num_vertices), graph.vertex_dtype, no_pair(graph)
    low, high = (src, dst) if graph.directed else (np.minimum(src, dst), np.maximum(src, dst))
    keys = low.astype(np.int64) << bits | high.astype(np.int64)
    keys[(ops >= DEGREE) | (src == dst)] = none
    keys, records = sort_pairs(graph.device, keys, key_bits=2 * bits)
    low, high = (keys >> bits).astype(dtype), (keys & ((1 << bits) - 1)).astype(dtype)
    low[keys == none] = -1
    return SortedPairs(keys, records, low, high)


def marks(graph: Any, size: int) -> tuple[Any, Any, Any]:
    """Arrays by operation for `resolve_pairs`: changes and net effects, all zero, and origins."""
    return np.zeros(size, np.int8), np.zeros(size, np.int8), np.empty(size, np.int64)


def put_weights(graph: Any, batch: MixedBatch, slots: Any, origins: Any, answers: Any, found: Any) -> None:
    """Put the weights that operations ask for where these are in `found`."""
    wanted = np.flatnonzero((batch.ops == WEIGHT) & (answers > 0))
    if graph.weight_dtype is None:
        found[wanted] = 1
        return
    origins = origins[wanted]
    weights = batch.weights[np.maximum(origins, 0)]
    held = np.flatnonzero(origins < 0)
    if held.size:
        weights[held] = graph.payload.weights_at(graph, slots[-2 - origins[held]])
    found[wanted] = weights


def put_degrees(graph: Any, batch: MixedBatch, changes: Any, answers: Any, *, changed: bool) -> None:
    """Put the degrees that operations ask for into `answers`."""
    asked = np.flatnonzero(batch.ops >= DEGREE)
    history = History(graph, effects_of(graph, batch.src, batch.dst, changes), int(batch.ops.size))
    answers[asked] = history.degrees(batch.src[asked], asked)


def neighbor_lists(graph: Any, batch: MixedBatch, changes: Any, answers: Any) -> tuple[Any, Any]:
    """The requested lists of neighbors, whose lengths are among `answers`: offsets by operation, and neighbors."""
    size = int(batch.ops.size)
    listed = np.flatnonzero(batch.ops == NEIGHBORS)
    history = History(graph, effects_of(graph, batch.src, batch.dst, changes), size)
    lengths = np.zeros(size + 1, np.int64)
    lengths[listed + 1] = answers[listed]
    return np.cumsum(lengths), history.neighbors(batch.src[listed], listed)


def net_operations(graph: Any, id_dtype: np.dtype, net: Any, counts: list[int]) -> tuple[Any, Any]:
    """The positions of the operations to apply in the end: insertions, and deletions."""
    return np.flatnonzero(net > 0), np.flatnonzero(net < 0)


def chosen_arcs(graph: Any, batch: MixedBatch, chosen: Any, weights: Any) -> Arcs:
    """The arcs of the edges of some operations."""
    src, dst = batch.src[chosen], batch.dst[chosen]
    weights = None if weights is None else weights[chosen]
    if graph.directed:
        return Arcs(src, dst, weights)
    twice = None if weights is None else np.concatenate([weights, weights])
    return Arcs(np.concatenate([src, dst]), np.concatenate([dst, src]), twice)


class Effects(NamedTuple):
    """The arcs that come (1) and go (-1) in the course of a batch, by ascending position of the operation."""

    src: Any
    dst: Any
    positions: Any
    changes: Any


def effects_of(graph: BaseGraph, src: Any, dst: Any, changes: Any) -> Effects:
    """The effects of operations whose `changes` are not 0, in both directions in undirected graphs."""
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
        """Each vertex's neighbors at a position, ascending, list after list. Positions must ascend. Three sorts."""
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
        """Arcs whose sources are queried, and their lifetimes: a query sees an arc if ``begin <= position < end``."""
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
        """Earlier arcs that stay, or stay until a deletion and insertion. The ascending arcs `deleted` do not."""
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
