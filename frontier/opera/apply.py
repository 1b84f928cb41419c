"""Applying a mixed batch to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import as_device_array, as_ids, as_weights, same_length
from ..batch import Arcs
from ..display import fields_text, html_table
from ..edge_data import WEIGHT_COLUMN, Rows, delete_arcs, delete_rows, insert_rows
from ..runtime import Device, elementwise, fill_with
from ..sort import check_key_bits, id_bits, places_of_ids, sort_pairs
from ..temporal import TIME
from . import on_cpu, on_gpu
from .history import History, effects_of
from .on_gpu import opera_kernels
from .operations import DEGREE, INSERT, NEIGHBORS, TALLY, UNKNOWN, WEIGHT, no_pair

if TYPE_CHECKING:
    from ..dynamic import DynamicGraph


@dataclass(frozen=True, eq=False, repr=False)
class MixedResult:
    """The answers of a mixed batch, by operation, and what its updates did. Arrays are on the graph's device.

    Attributes
    ----------
    answers : array of int64, shape (m,)
        ``INSERT``, ``DELETE``: 1 if the edge was inserted (was new), or deleted (was there), else 0. ``HAS_EDGE``,
        ``WEIGHT``: 1 if the edge was there, else 0. ``DEGREE``, ``NEIGHBORS``: the number of neighbors.
    weights : array, shape (m,)
        Of `weight_dtype`; float32 for graphs without weights, in which all are 1. The weights of edges that ``WEIGHT``
        asked for and found, else 0.
    offsets : array of int64, shape (m + 1,)
        The answer to operation i, if it is ``NEIGHBORS``, is ``neighbors[offsets[i]:offsets[i + 1]]``.
    neighbors : array of `vertex_dtype`
        In ascending order for each.
    inserted, replaced, deleted : int
        Sums of what each update did in its turn, as in `UpdateResult`; an edge may have come and gone.
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


@dataclass
class Batch:
    """The operations of a mixed batch, checked, as arrays of the graph's types.

    Attributes
    ----------
    ops : array of uint8
    src, dst : arrays of `vertex_dtype`
        Equal where `dst` has no meaning.
    weights : array or None
        None in graphs without weights.
    columns : dict of str to array
        Of edge data, other than the weights.
    """

    ops: Any
    src: Any
    dst: Any
    weights: Any
    columns: dict[str, Any]


def apply_operations(graph: DynamicGraph, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Any) -> MixedResult:
    """See `DynamicGraph.apply`."""
    check_multi(graph.multi)
    batch = check_operations(graph, ops, src, dst, weights, edge_data)
    answers, insert, delete = answer(graph, batch)
    _update(graph, batch, insert, delete)
    return answers


def check_multi(multi: str) -> None:
    """Raise unless each edge is its last record."""
    if multi != "last":
        raise ValueError(f"apply() is for graphs whose edges are their last records, not for multi={multi!r}")


def answer(graph: DynamicGraph, batch: Batch) -> tuple[MixedResult, Any, Any]:
    """The answers of a mixed batch, and the operations to be applied in the end: insertions, and deletions.

    No pair of vertices is in both. The graph is unchanged.
    """
    xp = graph.xp
    size = int(batch.ops.size)
    answers, changes = xp.zeros(size, np.int64), xp.zeros(size, np.int8)
    resolved = _resolve_pairs(graph, batch, answers, changes)
    offsets, neighbors = xp.zeros(size + 1, np.int64), xp.empty(0, graph.vertex_dtype)
    if resolved.asked:
        asked = xp.flatnonzero(batch.ops >= DEGREE)
        history = History(graph, effects_of(graph, batch.src, batch.dst, changes), size)
        answers[asked] = history.degrees(batch.src[asked], asked)
        if resolved.listed:
            listed = xp.flatnonzero(batch.ops == NEIGHBORS)
            offsets[listed + 1] = answers[listed]
            offsets = xp.cumsum(offsets)
            neighbors = history.neighbors(batch.src[listed], listed)
    result = MixedResult(answers, resolved.weights, offsets, neighbors, *resolved.totals)
    return result, *(places_of_ids(graph.device, net) for net in resolved.net)


def as_operations(device: Device, ops: Any) -> Any:
    """Operations as an array of uint8; raises if there are others among them."""
    ops = _numbers(device, ops)
    _refuse_unknown(device, ops)
    return ops.astype(np.uint8)


def _numbers(device: Device, ops: Any) -> Any:
    """What a user gives for operations, as an array of integers."""
    ops = as_device_array(device, ops, "ops")
    if ops.size and ops.dtype.kind not in "iu":
        raise TypeError(f"ops must hold operations (Op.INSERT, ...), not {ops.dtype}")
    return ops


def _refuse_unknown(device: Device, ops: Any) -> None:
    """Raise if there are numbers that are no operations."""
    bad = device.xp.flatnonzero((ops < 0) | (ops > NEIGHBORS))
    if bad.size:
        raise ValueError(f"ops[{int(bad[0])}] is {int(ops[bad[0]])}, which is no operation ({bad.size} such numbers)")


def check_operations(graph: DynamicGraph, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Any) -> Batch:
    """The batch; raises if anything is wrong with it."""
    device, xp = graph.device, graph.xp
    given = _numbers(device, ops)
    src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
    same_length(ops=given, src=src, dst=dst)
    if src.dtype != dst.dtype:
        src, dst = src.astype(np.int64), dst.astype(np.int64)
    values = None
    if weights is not None and graph.weight_dtype is not None:
        values = as_weights(device, weights, "weights", graph.weight_dtype)
        same_length(ops=given, weights=values)
    tally = xp.zeros(TALLY, np.int64)
    ops, dst, values = _host(graph).taken(graph, given, src, dst, values, tally)
    weights = weights if values is None else values
    if int(tally[UNKNOWN]):
        _refuse_unknown(device, given)
    columns = {}
    if graph._edge_data is not None:
        if edge_data or xp.flatnonzero(ops == INSERT).size:
            columns = graph._edge_data.rows(edge_data, "apply")
            same_length(ops=ops, **columns)
    elif edge_data:
        raise TypeError(f"apply() got {next(iter(edge_data))}=..., but this graph has no edge data")
    arcs = graph._prepare(src, dst, weights, directed=True, weighted=True, drop_loops=False).check()
    return Batch(ops, arcs.src, arcs.dst, arcs.weights, columns)


@dataclass
class Resolved:
    """What came of the operations on pairs.

    Attributes
    ----------
    weights : array
        Those that were asked for.
    net : pair of arrays of int32
        By operation, 0 for what is to be inserted, and to be deleted, in the end; -1 for all others.
    totals : list of int
        Edges inserted, replaced and deleted.
    asked, listed : int
        How many operations ask for degrees or neighbors, and how many for neighbors.
    """

    weights: Any
    net: tuple[Any, Any]
    totals: list[int]
    asked: int
    listed: int


def _resolve_pairs(graph: DynamicGraph, batch: Batch, answers: Any, changes: Any) -> Resolved:
    """Answer the operations on pairs."""
    device, xp, data = graph.device, graph.xp, graph._edge_data
    size, host = int(batch.ops.size), _host(graph)
    check_key_bits(graph.num_vertices)
    found, tally = xp.zeros(size, graph.weight_dtype or np.dtype(np.float32)), xp.zeros(TALLY, np.int64)
    origins = fill_with(xp.empty(size, np.int64), -1)
    net = fill_with(xp.empty(size, np.int32), -1), fill_with(xp.empty(size, np.int32), -1)
    keys = host.pair_keys(graph, batch.ops, batch.src, batch.dst, tally)
    keys, order = sort_pairs(device, keys, key_bits=2 * id_bits(graph.num_vertices))
    slots = graph._find(*host.pair_ends(graph, keys))
    timed = data is not None and data.times is not None and TIME in batch.columns
    none = xp.empty(0, np.int64)
    held = none
    if timed and graph.num_arcs:
        held = data.columns[TIME][xp.maximum(graph._edges_at(slots), 0)]  # type: ignore[union-attr]
    elif timed:
        held = xp.zeros(slots.size, np.int64)
    plain = graph.weight_dtype is None and not batch.columns
    opera_kernels(graph, batch.src.dtype).resolve_pairs(
        size, keys, no_pair(graph), order, batch.ops, slots, timed, timed and data.times.earliest,  # type: ignore
        plain, batch.columns[TIME] if timed else none, held, answers, changes, origins, *net, tally,
    )  # fmt: skip
    *totals, asked, listed, weighed, _ = tally.tolist()
    if weighed:
        wanted = xp.flatnonzero((batch.ops == WEIGHT) & (origins != -1))
        if wanted.size:
            found[wanted] = _weights_from(graph, batch, origins[wanted], slots)
    return Resolved(found, net, totals, asked, listed)


def _host(graph: DynamicGraph) -> Any:
    """The module of the graph's device."""
    return on_gpu if graph.device.is_gpu else on_cpu


def _weights_from(graph: DynamicGraph, batch: Batch, origins: Any, slots: Any) -> Any:
    """The weights of edges by where they are from: an operation, or a slot of the graph."""
    xp = graph.xp
    if graph.weight_dtype is None:
        return xp.ones(origins.size, np.float32)
    weights = batch.weights[xp.maximum(origins, 0)]
    held = xp.flatnonzero(origins < -1)
    if held.size:
        weights[held] = graph._weights_at(slots[-2 - origins[held]])
    return weights


def _update(graph: DynamicGraph, batch: Batch, insert: Any, delete: Any) -> None:
    """Insert the edges of some operations, and delete those of others; no pair is in both."""
    src, dst, data = batch.src, batch.dst, graph._edge_data
    if insert.size:  # first, as it may take much more memory
        ends = _chosen(graph, src, insert), _chosen(graph, dst, insert)
        weights = None if batch.weights is None else _chosen(graph, batch.weights, insert)
        if data is not None:
            columns = {name: _chosen(graph, values, insert) for name, values in batch.columns.items()}
            columns = columns if weights is None else {WEIGHT_COLUMN: weights, **columns}
            insert_rows(graph, Rows(Arcs(*ends, None), columns), timed=False)
        else:
            graph._insert_observed(_arcs(graph, *ends, weights))
    if delete.size:
        ends = _chosen(graph, src, delete), _chosen(graph, dst, delete)
        if data is None:
            graph._delete_observed(_arcs(graph, *ends))
        elif graph._tells_slots:
            delete_arcs(graph, _arcs(graph, *ends))
        else:
            delete_rows(graph, Arcs(*ends, None))


def _arcs(graph: DynamicGraph, src: Any, dst: Any, weights: Any = None) -> Arcs:
    """The arcs of edges."""
    if graph.directed:
        return Arcs(src, dst, weights)
    join = partial(elementwise.joined, graph.device)
    return Arcs(join(src, dst), join(dst, src), None if weights is None else join(weights, weights))


def _chosen(graph: DynamicGraph, values: Any, at: Any) -> Any:
    """Those at some positions."""
    return elementwise.take(graph.device, values, at)
