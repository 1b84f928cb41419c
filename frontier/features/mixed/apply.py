"""Applying a mixed batch to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from frontier.core.base import BaseDynamicGraph
from frontier.core.batch import Arcs, refuse_weights
from frontier.core.change import DELETE, INSERT, Change
from frontier.core.sort import check_key_bits
from frontier.core.updates import notifications_of, run
from frontier.runtime import Device
from frontier.runtime.arrays import as_device_array, as_ids, as_weights, same_length
from frontier.runtime.display import fields_text, html_table
from frontier.runtime.memory import elementwise

from ..edge_data import WEIGHT_COLUMN, Rows, delete_arcs, delete_rows, insert_rows
from ..times import TIME
from . import on_cpu, on_gpu
from .on_gpu import mixed_kernels
from .operations import (
    ASKED,
    DELETED,
    INSERTED,
    INSERTIONS,
    LISTED,
    NEIGHBORS,
    REPLACED,
    TALLY,
    UNKNOWN,
    WEIGHED,
    no_pair,
)
from .pairs import MixedBatch


@dataclass(frozen=True, eq=False, repr=False)
class MixedResult:
    """The answers of a mixed batch, by operation, and counts of its updates. Arrays are on the graph's device.

    Attributes
    ----------
    answers : array of int64, shape (m,)
        ``INSERT``, ``DELETE``: 1 if the edge was inserted (was new), or deleted (existed), else 0. ``HAS_EDGE``,
        ``WEIGHT``: 1 if the edge existed, else 0. ``DEGREE``, ``NEIGHBORS``: the number of neighbors.
    weights : array, shape (m,)
        The weights of edges that ``WEIGHT`` asked for and found, else 0, as `weight_dtype`. Graphs without weights have
        float32 here, and edges of weight 1.
    offsets : array of int64, shape (m + 1,)
        The answer to operation i, if it is ``NEIGHBORS``, is ``neighbors[offsets[i]:offsets[i + 1]]``.
    neighbors : array of `vertex_dtype`
        In ascending order for each.
    inserted, replaced, deleted : int
        Sums over the updates in their order, as in `UpdateResult`. A batch may insert and delete the same edge.

    See Also
    --------
    DynamicGraph.apply : Returns it.
    """

    answers: Any
    weights: Any
    offsets: Any
    neighbors: Any
    inserted: int
    replaced: int
    deleted: int

    def __repr__(self) -> str:
        return fields_text("MixedResult", vars(self))

    def _repr_html_(self) -> str:
        return html_table("MixedResult", vars(self))


def apply_operations(
    graph: BaseDynamicGraph, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Any
) -> MixedResult:
    """See `DynamicGraph.apply`."""
    check_multi(graph.multi_edges)
    batch = check_operations(graph, ops, src, dst, weights, edge_data, wait=False)
    answers, insert, delete = answer(graph, batch)
    data = graph.payload.table
    has_replaced = data is not None and data.has_replaced
    _update(graph, batch, insert, delete)
    if data is not None:  # an edge that is deleted and inserted again has no other time, but one inserted twice does
        data.has_replaced = has_replaced or (data.times is not None and answers.replaced > 0)
    return answers


def check_multi(multi_edges: str) -> None:
    """Raise unless each edge is its last record."""
    if multi_edges != "last":
        raise ValueError(
            f"apply() is for graphs whose edges are their last records, not for multi_edges={multi_edges!r}"
        )


def answer(graph: BaseDynamicGraph, batch: MixedBatch) -> tuple[MixedResult, Any, Any]:
    """A mixed batch's answers, and its net insertions and deletions, which share no pair. Raises if it is invalid."""
    xp, host, size = graph.xp, _host(graph), int(batch.ops.size)
    answers, found = xp.zeros(size, np.int64), xp.zeros(size, graph.weight_dtype or np.dtype(np.float32))
    changes, net, origins = host.marks(graph, size)
    tally = xp.zeros(TALLY, np.int64) if batch.tally is None else batch.tally
    slots = _resolve_pairs(graph, batch, answers, changes, origins, net, tally)
    counts = graph.device.to_host(tally).tolist()  # the host synchronizes here
    if batch.check is not None:
        batch.check(counts)
    if counts[WEIGHED]:
        host.put_weights(graph, batch, slots, origins, answers, found)
    if counts[ASKED]:
        host.put_degrees(graph, batch, changes, answers, changed=bool(counts[INSERTED] or counts[DELETED]))
    if counts[LISTED]:
        offsets, neighbors = host.neighbor_lists(graph, batch, changes, answers)
    else:
        offsets, neighbors = xp.zeros(size + 1, np.int64), xp.empty(0, graph.vertex_dtype)
    totals = (counts[what] for what in (INSERTED, REPLACED, DELETED))
    result = MixedResult(answers, found, offsets, neighbors, *totals)
    return result, *host.net_operations(graph, batch.src.dtype, net, counts)


def as_operations(device: Device, ops: Any) -> Any:
    """Operations as an array of uint8. Raises if a number is no operation."""
    ops = _numbers(device, ops)
    _refuse_unknown(device, ops)
    return ops.astype(np.uint8)


def _numbers(device: Device, ops: Any) -> Any:
    """The operations that the user passed, as an array of integers."""
    ops = as_device_array(device, ops, "ops")
    if ops.size and ops.dtype.kind not in "iu":
        raise TypeError(f"ops must contain operations (Op.INSERT, ...), not {ops.dtype}")
    return ops


def _refuse_unknown(device: Device, ops: Any) -> None:
    """Raise if there are numbers that are no operations."""
    bad = device.xp.flatnonzero((ops < 0) | (ops > NEIGHBORS))
    if bad.size:
        raise ValueError(f"ops[{int(bad[0])}] is {int(ops[bad[0]])}, which is no operation ({bad.size} such numbers)")


def check_operations(
    graph: BaseDynamicGraph, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Any, *, wait: bool = True
) -> MixedBatch:
    """The checked batch. Without `wait`, `answer` reports invalid values in arrays, as it synchronizes anyway."""
    device = graph.device
    given = _numbers(device, ops)
    src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
    same_length(ops=given, src=src, dst=dst)
    if src.dtype != dst.dtype:
        src, dst = (elementwise.converted(device, ids, np.dtype(np.int64)) for ids in (src, dst))
    if weights is not None:
        refuse_weights(graph.weight_dtype)
        weights = as_weights(device, weights, "weights", graph.weight_dtype)
        same_length(ops=given, weights=weights)
    batch = _host(graph).taken(graph, given, src, dst, weights)
    batch.check = partial(_check_values, device, given, batch.check)
    data = graph.payload.table
    if data is None and edge_data:
        raise TypeError(f"apply() got {next(iter(edge_data))}=..., but this graph has no edge data")
    if data is not None and (edge_data or int(batch.tally[INSERTIONS])):
        batch.columns = data.rows(edge_data, "apply")
        same_length(ops=given, **batch.columns)
    if wait:
        batch.check(device.to_host(batch.tally).tolist())
        batch.check = None
    return batch


def _check_values(device: Device, given: Any, check: Any, counts: list[int]) -> None:
    """Raise if numbers are no operations, or if `check` finds an error."""
    if counts[UNKNOWN]:
        _refuse_unknown(device, given)
    check(counts)


def _resolve_pairs(
    graph: BaseDynamicGraph, batch: MixedBatch, answers: Any, changes: Any, origins: Any, net: Any, tally: Any
) -> Any:
    """Answer the operations on pairs, and return the slots that the pairs have before the batch."""
    xp, data, none = graph.xp, graph.payload.table, no_pair(graph)
    check_key_bits(graph.num_vertices)
    pairs = _host(graph).sorted_pairs(graph, batch, tally)
    slots = graph.store.find(pairs.src, pairs.dst)
    timed = data is not None and data.times is not None and TIME in batch.columns
    times = edges = held = xp.empty(0, np.int64)
    if timed:
        times, edges, held = batch.columns[TIME], graph.payload.edges_at(graph, slots), data.columns[TIME]  # type: ignore[union-attr]
    plain = graph.weight_dtype is None and not batch.columns
    mixed_kernels(graph, batch.src.dtype).resolve_pairs(
        int(batch.ops.size), pairs.keys, none, pairs.records, batch.ops, slots, timed,
        timed and data.times.earliest, plain, times, edges, held, answers, changes, origins, net, tally,  # type: ignore
    )  # fmt: skip
    return slots


def _host(graph: BaseDynamicGraph) -> Any:
    return on_gpu if graph.device.is_gpu else on_cpu


def _update(graph: BaseDynamicGraph, batch: MixedBatch, insert: Any, delete: Any) -> None:
    """Insert the edges at `insert`, and delete the edges at `delete`. No pair is in both."""
    data, arcs = graph.payload.table, partial(_host(graph).chosen_arcs, graph, batch)
    leaving: Any = None
    if delete.size and graph._observers.live():  # notifications may fail, so make them before anything changes
        leaving = notifications_of(graph, arcs(delete, None), present=True), []
    if insert.size:  # first, as it may need much more memory
        if data is not None:
            columns = {name: _chosen(graph, values, insert) for name, values in batch.columns.items()}
            if batch.weights is not None:
                columns = {WEIGHT_COLUMN: _chosen(graph, batch.weights, insert), **columns}
            insert_rows(graph, Rows(_edges(graph, batch, insert), columns), timed=False)
        else:
            # In graphs without weights all of them are new.
            distinct = graph.store.supports_insert_and_find and graph.weight_dtype is None
            run(graph, Change(INSERT, arcs(insert, batch.weights), finds=distinct))
    if delete.size:
        if data is None:
            run(graph, Change(DELETE, arcs(delete, None), notifications=leaving))
        elif graph.store.supports_insert_and_find:
            delete_arcs(graph, arcs(delete, None), leaving)
        else:
            delete_rows(graph, _edges(graph, batch, delete), leaving)


def _edges(graph: BaseDynamicGraph, batch: MixedBatch, at: Any) -> Arcs:
    """The edges of some operations, as they are listed."""
    return Arcs(_chosen(graph, batch.src, at), _chosen(graph, batch.dst, at), None)


def _chosen(graph: BaseDynamicGraph, values: Any, at: Any) -> Any:
    return elementwise.take(graph.device, values, at)
