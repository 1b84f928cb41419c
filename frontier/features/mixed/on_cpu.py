"""What a mixed batch is taken apart into, on a CPU. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.sort import id_bits, sort_pairs

from .history import History, effects_of
from .operations import ASKED, DEGREE, INSERT, INSERTIONS, LISTED, NEIGHBORS, TALLY, UNKNOWN, WEIGHED, WEIGHT, no_pair
from .pairs import MixedBatch, SortedPairs


def taken(graph: Any, given: Any, src: Any, dst: Any, weights: Any) -> MixedBatch:
    """A user's operations as a batch, of which `check` is still to be called.

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
    """The operations by pair. `tally` counts what is asked."""
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
    """Arrays by operation for `resolve_pairs`: changes and net effects, zeros; and origins."""
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
    """The lists of neighbors that operations ask for, whose lengths are among `answers`: offsets by operation, and
    neighbors."""
    size = int(batch.ops.size)
    listed = np.flatnonzero(batch.ops == NEIGHBORS)
    history = History(graph, effects_of(graph, batch.src, batch.dst, changes), size)
    lengths = np.zeros(size + 1, np.int64)
    lengths[listed + 1] = answers[listed]
    return np.cumsum(lengths), history.neighbors(batch.src[listed], listed)


def net_operations(graph: Any, id_dtype: np.dtype, net: Any, counts: list[int]) -> tuple[Any, Any]:
    """The positions of operations to be applied in the end: insertions, and deletions."""
    return np.flatnonzero(net > 0), np.flatnonzero(net < 0)


def chosen_arcs(graph: Any, batch: MixedBatch, chosen: Any, weights: Any) -> Arcs:
    """The arcs of the edges of some operations."""
    src, dst = batch.src[chosen], batch.dst[chosen]
    weights = None if weights is None else weights[chosen]
    if graph.directed:
        return Arcs(src, dst, weights)
    twice = None if weights is None else np.concatenate([weights, weights])
    return Arcs(np.concatenate([src, dst]), np.concatenate([dst, src]), twice)
