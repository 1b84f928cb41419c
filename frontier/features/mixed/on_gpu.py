"""The steps of a mixed batch on a GPU, by kernels of the package. `on_cpu` has the same functions.

CuPy would compile a kernel for each array expression at the first mixed batch. The host synchronizes once for all
counts, which include errors, before anything changes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from frontier.core.batch import Arcs, explain_errors
from frontier.core.locking import workspace_of
from frontier.core.sort import accumulate, id_bits, running_sums, tile_count, tile_launch
from frontier.operators.degrees import degrees_of
from frontier.runtime import Kernels, fill_with, load_kernels
from frontier.runtime.memory import elementwise

from .lists_on_gpu import list_neighbors
from .operations import DEGREE, DELETING, GONE, INSERT, INSERTING, NAN_WEIGHTS, OUTSIDE, TALLY, no_pair
from .pairs import MixedBatch, SortedPairs

KEY_BITS = 63


def taken(graph: Any, given: Any, src: Any, dst: Any, weights: Any) -> MixedBatch:
    """A user's operations as a batch, before its `check`."""
    xp, size, dtype = graph.xp, int(given.size), graph.weight_dtype
    tally = xp.zeros(TALLY, np.int64)
    ops = xp.empty(size, np.uint8)
    ends = xp.empty(size, graph.vertex_dtype), xp.empty(size, graph.vertex_dtype)
    values = None
    if dtype is not None:
        values = elementwise.full(graph.device, size, 1, dtype) if weights is None else xp.empty(size, dtype)
    mixed_kernels(graph, src.dtype).take_operations(
        size, given, given.itemsize, given.dtype.kind == "i", src, dst, weights, graph.num_vertices,
        graph.store.absent, ops, *ends, None if weights is None else values, tally,
    )  # fmt: skip
    return MixedBatch(ops, *ends, values, {}, tally, partial(_check, graph, given, src, dst, weights))


def _check(graph: Any, given: Any, src: Any, dst: Any, weights: Any, counts: list[int]) -> None:
    """Raise if ids or weights are invalid, whose numbers are among `counts`."""
    if not any(counts[OUTSIDE : NAN_WEIGHTS + 1]):
        return
    xp = graph.xp
    dst = xp.where(given >= DEGREE, src, dst)
    if weights is not None:
        weights = xp.where(given == INSERT, weights, weights.dtype.type(1))
    errors = [counts[what] for what in (OUTSIDE, GONE, NAN_WEIGHTS)]
    explain_errors(graph.device, errors, src, dst, weights, graph.num_vertices, graph.store.absent)


def sorted_pairs(graph: Any, batch: MixedBatch, tally: Any) -> SortedPairs:
    """The operations by pair. `tally` counts queries.

    A pair and the operation's position share a number, as plain numbers are sorted several times as fast as pairs. If
    they do not fit, positions in the order of the higher ends go with the lower ends.
    """
    size, shift, directed = int(batch.ops.size), id_bits(graph.num_vertices), graph.directed
    get, kernels = workspace_of(graph).scratch.get, mixed_kernels(graph, batch.src.dtype)
    bits = max(size - 1, 0).bit_length()
    whole = 2 * shift + bits <= KEY_BITS
    ends = batch.ops, batch.src, batch.dst
    ordered, by_high = get("mixed_sorted", size, np.int64), None
    kernels.pair_keys(size, *ends, directed, shift, bits, whole, ordered, tally)
    ordered.sort()
    if not whole:
        by_high, ordered = ordered, get("mixed_sorted_again", size, np.int64)
        kernels.low_keys(size, by_high, *ends, directed, shift, bits, ordered)
        ordered.sort()
    keys, records = get("mixed_keys", size, np.int64), get("mixed_records", size, np.int64)
    src, dst = (get(f"mixed_{name}", size, graph.vertex_dtype) for name in ("src", "dst"))
    kernels.split_pairs(size, ordered, by_high, shift, bits, no_pair(graph), keys, records, src, dst)
    return SortedPairs(keys, records, src, dst)


def marks(graph: Any, size: int) -> tuple[Any, Any, Any]:
    """Arrays by operation for `resolve_pairs`: changes and net effects, all zero, and origins."""
    zeros = fill_with(workspace_of(graph).scratch.get("mixed_marks", 2 * size, np.int8), 0)
    return zeros[:size], zeros[size:], workspace_of(graph).scratch.get("mixed_origins", size, np.int64)


def put_weights(graph: Any, batch: MixedBatch, slots: Any, origins: Any, answers: Any, found: Any) -> None:
    """Put the weights that operations ask for where these are in `found`."""
    data, held, places = graph.payload.table, None, None
    if graph.weight_dtype is not None:
        held, places = (
            (graph.store.weights, slots) if data is None else (data.weights, graph.payload.edges_at(graph, slots))
        )
    mixed_kernels(graph, batch.src.dtype).answer_weights(
        int(batch.ops.size), batch.ops, answers, origins, batch.weights, places, held, found
    )


def put_degrees(graph: Any, batch: MixedBatch, changes: Any, answers: Any, *, changed: bool) -> None:
    """Put queried degrees into `answers`: the earlier degree plus prior effects, from a sort by vertex and position."""
    size, kernels = int(batch.ops.size), mixed_kernels(graph, batch.src.dtype)
    before = degrees_of(graph, batch.src)
    if not changed:
        kernels.answer_degrees(size, None, None, 0, batch.ops, before, answers)
        return
    bits, events = max(size - 1, 0).bit_length(), size if graph.directed else 2 * size
    keys, sums = (workspace_of(graph).scratch.get(f"mixed_{name}", events, np.int64) for name in ("events", "sums"))
    kernels.event_keys(size, batch.ops, batch.src, batch.dst, changes, graph.directed, bits, keys)
    keys.sort()
    kernels.event_changes(events, keys, bits, changes, sums)
    accumulate(graph.device, sums)
    kernels.answer_degrees(events, keys, sums, bits, batch.ops, before, answers)


def neighbor_lists(graph: Any, batch: MixedBatch, changes: Any, answers: Any) -> tuple[Any, Any]:
    """The requested lists of neighbors, whose lengths are among `answers`: offsets by operation, and neighbors."""
    return list_neighbors(graph, mixed_kernels(graph, batch.src.dtype), batch, changes, answers)


def net_operations(graph: Any, id_dtype: np.dtype, net: Any, counts: list[int]) -> tuple[Any, Any]:
    """The positions of the operations to apply in the end: insertions, and deletions."""
    xp, device, size = graph.xp, graph.device, int(net.size)
    insert, delete = xp.empty(counts[INSERTING], np.int64), xp.empty(counts[DELETING], np.int64)
    if insert.size or delete.size:
        kernels, tiles = mixed_kernels(graph, id_dtype), tile_count(size)
        inserting, deleting = (
            workspace_of(graph).scratch.get(f"mixed_{name}", tiles, np.int64) for name in ("come", "go")
        )
        kernels.count_net(size, net, inserting, deleting, **tile_launch(size))
        running_sums(device, kernels, inserting)
        _, summed = running_sums(device, kernels, deleting)
        kernels.list_net(size, net, inserting, deleting, summed, insert, delete, **tile_launch(size))
    return insert, delete


def chosen_arcs(graph: Any, batch: MixedBatch, chosen: Any, weights: Any) -> Arcs:
    """The arcs of the edges of some operations."""
    xp, size = graph.xp, int(chosen.size)
    total = size if graph.directed else 2 * size
    src, dst = xp.empty(total, graph.vertex_dtype), xp.empty(total, graph.vertex_dtype)
    values = None if weights is None else xp.empty(total, weights.dtype)
    mixed_kernels(graph, batch.src.dtype).chosen_arcs(
        size, chosen, batch.src, batch.dst, weights, graph.directed, src, dst, values
    )
    return Arcs(src, dst, values)


def mixed_kernels(graph: Any, id_dtype: np.dtype) -> Kernels:
    """The kernels of this folder for users' ids of a type, also for a CPU."""
    defines = {"ID": id_dtype, "VID": graph.vertex_dtype, "VALUE": graph.weight_dtype or np.dtype(np.float32)}
    return load_kernels("frontier.features.mixed", graph.device, defines)
