"""Mixed batches over parts: each operation is answered by the part that owns its source.

The parts resolve the operations that they get by the code of one device, in the order of the records. An undirected
edge is an arc on the part of each end: insertions and deletions go to both, and a question to that of its source.

    records     the operations of a part as the user listed them
    rows        what is sent: a record, or the other direction of one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..edge_data import WEIGHT_COLUMN
from ..opera.apply import Batch, MixedResult, answer, check_multi, check_operations
from ..opera.operations import DELETE, INSERT, NEIGHBORS
from ..sort import row_ids
from . import batches

if TYPE_CHECKING:
    from .base import BasePart

MIRRORED = 0x80
"""Marks the operation of a row that is the other direction of a record."""


def apply_operations(
    part: BasePart, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Mapping[str, Any]
) -> MixedResult:  # fmt: skip
    """`DynamicGraph.apply`, of the operations that all parts list: the answers to this part's own."""
    check_multi(part.multi)
    routed = _Routed(part, ops, src, dst, weights, edge_data)
    found, insert, delete = batches.agree(part, lambda: answer(part.local, routed.batch))
    counted = [insert.size, delete.size, found.inserted, found.replaced, found.deleted]
    inserting, deleting, *totals = part.comm.reduce_numbers(counted)
    if inserting:  # first, as it may take much more memory
        part._insert_batch(routed.chosen(insert), "replace", timed=False)
    if deleting:
        part._delete(routed.chosen(delete, columns=False))
    return routed.give_back(found, [total // (1 if part.directed else 2) for total in totals])


def joined(parts: Sequence[MixedResult]) -> MixedResult:
    """The answers to the operations of all parts, in the memory of the host."""
    first = parts[0]
    starts = np.cumsum([0, *(part.neighbors.size for part in parts[:-1])])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
    return MixedResult(
        np.concatenate([part.answers for part in parts]), np.concatenate([part.weights for part in parts]),
        np.concatenate([*offsets, [starts[-1] + parts[-1].neighbors.size]]),
        np.concatenate([part.neighbors for part in parts]), first.inserted, first.replaced, first.deleted,
    )  # fmt: skip


def replace_records(local: Any, src: Any, dst: Any, columns: Mapping[str, Any]) -> MixedResult:
    """Insert distinct arcs into a local graph with times, whatever the times of those that are there; ids stay."""
    xp = local.xp
    ops = xp.repeat(xp.asarray([DELETE, INSERT], np.uint8), src.size)
    twice = {name: xp.tile(values, 2) for name, values in columns.items()}
    weights = twice.pop(WEIGHT_COLUMN, None)
    return local.apply(ops, xp.tile(src, 2), xp.tile(dst, 2), weights, **twice)


class _Routed:
    """The rows of a mixed batch that this part gets, and the way back.

    One exchange of counts, for which the host waits, and one of rows.

    Attributes
    ----------
    batch : Batch
        The rows, those of the first part first, each part's in its order.
    """

    def __init__(self, part: BasePart, ops: Any, src: Any, dst: Any, weights: Any, data: Mapping[str, Any]):
        self._part = part
        xp, comm = part.xp, part.comm
        given, error = batches.attempt(lambda: check_operations(part.local, ops, src, dst, weights, data))
        sent, asked = [0] * comm.size, [0] * comm.size
        if given is not None:
            kinds, u, v, records = _rows(part, given)
            order, sent = part.partition.by_owner(u)
            asked = part.partition.by_owner(given.src)[1]
        has_data = given is not None and bool(given.columns)
        lists = 0 if given is None else int((given.ops == NEIGHBORS).sum())
        table = comm.gather_counts([*sent, *asked, error is not None, has_data, lists, batches.spare_arcs(part)])
        n = comm.size
        if table[:, 2 * n].any():
            batches.raise_first(part, error)
        self._ops, self._records = given.ops, records[order]
        self._asked, self._answered = asked, table[:, n + comm.rank].tolist()
        self._lists = bool(table[:, 2 * n + 2].any())
        self._safe = bool((table[:, :n].sum(axis=0) < table[:, -1]).all())
        columns = {} if given.weights is None else {WEIGHT_COLUMN: given.weights}
        if table[:, 2 * n + 1].any():  # a part whose share has no insertions may have been given none
            for name in part.local._edge_data.takes:
                held = given.columns.get(name)
                dtype = part.edge_dtypes[name]
                columns[name] = xp.zeros(given.ops.size, dtype) if held is None else held
        columns = {name: values[self._records] for name, values in columns.items()}
        self._received = table[:, comm.rank].tolist()
        held = [kinds[order], u[order], v[order]]
        self._mine = xp.flatnonzero(held[0] < MIRRORED)
        (kinds, u, v, *values), _ = comm.alltoallv_columns([*held, *columns.values()], sent, self._received)
        self._columns = dict(zip(columns, values, strict=True))
        self._to_answer = xp.flatnonzero(kinds < MIRRORED)
        others = {name: column for name, column in self._columns.items() if name != WEIGHT_COLUMN}
        self.batch = Batch(kinds & np.uint8(MIRRORED - 1), u, v, self._columns.get(WEIGHT_COLUMN), others)

    def chosen(self, rows: Any, *, columns: bool = True) -> batches.Batch:
        """Some rows as the batch of an update."""
        held = {name: values[rows] for name, values in self._columns.items()} if columns else {}
        return batches.Batch(self.batch.src[rows], self.batch.dst[rows], held, self._safe)

    def give_back(self, found: MixedResult, totals: list[int]) -> MixedResult:
        """The answers where the operations were listed.

        Parameters
        ----------
        found : MixedResult
            Those to this part's rows.
        totals : list of int
            Edges inserted, replaced and deleted by all parts.
        """
        part, xp, comm, size = self._part, self._part.xp, self._part.comm, int(self._ops.size)
        rows = self._to_answer
        columns = [found.answers[rows], found.weights[rows]]
        (got, weights), _ = comm.alltoallv_columns(columns, self._answered, self._asked)
        records = self._records[self._mine]
        answers, of_records = xp.zeros(size, np.int64), xp.zeros(size, weights.dtype)
        answers[records], of_records[records] = got, weights
        offsets = xp.zeros(size + 1, np.int64)
        neighbors = xp.empty(0, part.vertex_dtype)
        if self._lists:
            lengths = xp.where(self._ops == NEIGHBORS, answers, 0)
            xp.cumsum(lengths, out=offsets[1:])
            ends = xp.concatenate([offsets[:1], xp.cumsum(lengths[records])])
            # Rows that nobody waits for have no lists.
            bounds = [found.offsets[_ends(xp, self._received)], ends[_ends(xp, self._asked)]]
            sent, received = np.diff(part.device.to_host(xp.stack(bounds)), axis=1).tolist()
            listed, _ = comm.alltoallv(found.neighbors, sent, received)
            rows = row_ids(part.device, ends, np.dtype(np.int64))
            neighbors = xp.empty_like(listed)
            neighbors[offsets[records[rows]] + xp.arange(listed.size) - ends[rows]] = listed
        return MixedResult(answers, of_records, offsets, neighbors, *totals)


def _rows(part: BasePart, given: Batch) -> tuple[Any, Any, Any, Any]:
    """The operations, sources and destinations of the rows of a batch, and their records."""
    xp = part.xp
    if part.directed:
        return given.ops, given.src, given.dst, xp.arange(given.ops.size)
    kinds = xp.stack([given.ops, given.ops | np.uint8(MIRRORED)], axis=1).reshape(-1)
    u, v = (xp.stack(ends, axis=1).reshape(-1) for ends in ((given.src, given.dst), (given.dst, given.src)))
    rows = xp.flatnonzero((kinds < MIRRORED) | ((kinds <= MIRRORED + DELETE) & (u != v)))
    return kinds[rows], u[rows], v[rows], rows // 2


def _ends(xp: Any, counts: list[int]) -> Any:
    """Where the pieces of an array begin, and the last one ends."""
    return xp.asarray(np.cumsum([0, *counts]))
