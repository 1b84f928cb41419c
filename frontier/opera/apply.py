"""Applying a mixed batch to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import as_device_array, as_ids, as_weights, same_length
from ..batch import Arcs
from ..display import fields_text, html_table
from ..edge_data import WEIGHT_COLUMN, Rows, delete_arcs, delete_rows, insert_rows
from ..runtime import Device, load_kernels
from ..sort import arc_keys, id_bits, sort_pairs
from ..temporal import TIME
from .history import History, effects_of
from .operations import DEGREE, INSERT, NEIGHBORS, NET_DELETE, NET_INSERT, WEIGHT

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
    net, tally = xp.zeros(size, np.uint8), xp.zeros(3, np.int64)
    found = _resolve_pairs(graph, batch, answers, changes, net, tally)
    offsets, neighbors = xp.zeros(size + 1, np.int64), xp.empty(0, graph.vertex_dtype)
    asked = xp.flatnonzero(batch.ops >= DEGREE)
    if asked.size:
        history = History(graph, effects_of(graph, batch.src, batch.dst, changes), size)
        answers[asked] = history.degrees(batch.src[asked], asked)
        listed = xp.flatnonzero(batch.ops == NEIGHBORS)
        if listed.size:
            offsets[listed + 1] = answers[listed]
            offsets = xp.cumsum(offsets)
            neighbors = history.neighbors(batch.src[listed], listed)
    inserted, replaced, deleted = tally.tolist()
    result = MixedResult(answers, found, offsets, neighbors, inserted, replaced, deleted)
    return result, xp.flatnonzero(net == NET_INSERT), xp.flatnonzero(net == NET_DELETE)


def as_operations(device: Device, ops: Any) -> Any:
    """Operations as an array of uint8; raises if there are others among them."""
    xp = device.xp
    ops = as_device_array(device, ops, "ops")
    if ops.size and ops.dtype.kind not in "iu":
        raise TypeError(f"ops must hold operations (Op.INSERT, ...), not {ops.dtype}")
    bad = xp.flatnonzero((ops < 0) | (ops > NEIGHBORS))
    if bad.size:
        raise ValueError(f"ops[{int(bad[0])}] is {int(ops[bad[0]])}, which is no operation ({bad.size} such numbers)")
    return ops.astype(np.uint8)


def check_operations(graph: DynamicGraph, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Any) -> Batch:
    """The batch; raises if anything is wrong with it."""
    device, xp = graph.device, graph.xp
    ops = as_operations(device, ops)
    src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
    same_length(ops=ops, src=src, dst=dst)
    dst = xp.where(ops >= DEGREE, src, dst)
    inserting = ops == INSERT
    if weights is not None and graph.weight_dtype is not None:  # those of other operations have no meaning
        weights = as_weights(device, weights, "weights", graph.weight_dtype)
        same_length(ops=ops, weights=weights)
        weights = xp.where(inserting, weights, weights.dtype.type(1))
    columns = {}
    if graph._edge_data is not None:
        if edge_data or xp.flatnonzero(inserting).size:
            columns = graph._edge_data.rows(edge_data, "apply")
            same_length(ops=ops, **columns)
    elif edge_data:
        raise TypeError(f"apply() got {next(iter(edge_data))}=..., but this graph has no edge data")
    arcs = graph._prepare(src, dst, weights, directed=True, weighted=True, drop_loops=False).check()
    return Batch(ops, arcs.src, arcs.dst, arcs.weights, columns)


def _resolve_pairs(graph: DynamicGraph, batch: Batch, answers: Any, changes: Any, net: Any, tally: Any) -> Any:
    """Answer the operations on pairs; returns the weights that were asked for."""
    device, xp, data = graph.device, graph.xp, graph._edge_data
    size = int(batch.ops.size)
    weight_dtype = graph.weight_dtype or np.dtype(np.float32)
    found = xp.zeros(size, weight_dtype)
    on_pairs = xp.flatnonzero((batch.ops < DEGREE) & (batch.src != batch.dst))
    if not on_pairs.size:
        return found
    src, dst = batch.src[on_pairs], batch.dst[on_pairs]
    if not graph.directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    bits = 2 * id_bits(graph.num_vertices)
    keys, order = sort_pairs(device, arc_keys(device, src, dst, graph.num_vertices), key_bits=bits)
    slots = graph._find(src[order], dst[order])
    timed = data is not None and data.times is not None and TIME in batch.columns
    none = xp.empty(0, np.int64)
    held = none
    if timed and graph.num_arcs:
        held = data.columns[TIME][xp.maximum(graph._edges_at(slots), 0)]  # type: ignore[union-attr]
    elif timed:
        held = xp.zeros(slots.size, np.int64)
    origins = xp.full(size, -1, np.int64)
    plain = graph.weight_dtype is None and not batch.columns
    load_kernels("frontier.opera", device).resolve_pairs(
        int(keys.size), keys, on_pairs[order], batch.ops, slots, timed, timed and data.times.earliest,  # type: ignore
        plain, batch.columns[TIME] if timed else none, held, answers, changes, origins, net, tally,
    )  # fmt: skip
    asked = xp.flatnonzero((batch.ops == WEIGHT) & (origins != -1))
    if asked.size:
        found[asked] = _weights_from(graph, batch, origins[asked], slots)
    return found


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
        ends = src[insert], dst[insert]
        weights = None if batch.weights is None else batch.weights[insert]
        if data is not None:
            columns = {name: values[insert] for name, values in batch.columns.items()}
            columns = columns if weights is None else {WEIGHT_COLUMN: weights, **columns}
            insert_rows(graph, Rows(Arcs(*ends, None), columns), timed=False)
        else:
            graph._insert_observed(_arcs(graph, *ends, weights))
    if delete.size:
        ends = src[delete], dst[delete]
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
    xp = graph.xp
    both = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    return Arcs(*both, None if weights is None else xp.concatenate([weights, weights]))
