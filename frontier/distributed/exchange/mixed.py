"""Mixed batches over partitions: the partition that owns an operation's source answers it.

The partitions resolve their operations by the code of one device, in the order of the records. An undirected edge is an
arc on the partition of each end: insertions and deletions go to both, and queries to the partition of their source.

    records     the operations of a partition as the user listed them
    rows        the unit that is sent: a record, or the other direction of one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.sort import row_ids
from frontier.features.edge_data import WEIGHT_COLUMN
from frontier.features.mixed.apply import MixedBatch, MixedResult, answer, check_multi, check_operations
from frontier.features.mixed.operations import DELETE, NEIGHBORS

from . import memory_budget
from .agreement import all_or_none
from .routing import OwnedArcs, RowExchange
from .updates import Deletion, Insertion, run

if TYPE_CHECKING:
    from ..base import BasePart

MIRRORED = 0x80  # mark of a row that is the other direction of a record


def apply_operations(
    part: BasePart, ops: Any, src: Any, dst: Any, weights: Any, edge_data: Mapping[str, Any]
) -> MixedResult:  # fmt: skip
    """`DynamicGraph.apply` for the operations that all partitions list: the answers to this partition's own."""
    check_multi(part.multi_edges)
    routed = _Routed(part, ops, src, dst, weights, edge_data)
    found, insert, delete = all_or_none(part, routed.answer)
    counted = [insert.src.size, delete.src.size, found.inserted, found.replaced, found.deleted]
    inserting, deleting, *totals = part.comm.reduce_numbers(counted)
    result = routed.release(found, [total // (1 if part.directed else 2) for total in totals])  # it may be refused
    if inserting:  # first, as it may need much more memory
        _insert(part, insert)
    if deleting:
        run(part, Deletion(delete))
    return result


def _insert(part: BasePart, arcs: OwnedArcs) -> None:
    """Insert edges. An edge that a batch deletes and inserts has only its last time (`has_replaced`)."""
    timed = [] if part.time_unit is None else [local.payload.table for local in part.locals()]
    known = [table.has_replaced for table in timed]
    run(part, Insertion(arcs, resolved=True))
    for table, has_replaced in zip(timed, known, strict=True):
        table.has_replaced = has_replaced


def joined(parts: Sequence[MixedResult]) -> MixedResult:
    """The answers to the operations of all partitions, in host memory."""
    first = parts[0]
    starts = np.cumsum([0, *(part.neighbors.size for part in parts[:-1])])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
    return MixedResult(
        np.concatenate([part.answers for part in parts]), np.concatenate([part.weights for part in parts]),
        np.concatenate([*offsets, [starts[-1] + parts[-1].neighbors.size]]),
        np.concatenate([part.neighbors for part in parts]), first.inserted, first.replaced, first.deleted,
    )  # fmt: skip


class _Routed:
    """The rows of a mixed batch that this partition gets, and the way back.

    One exchange of counts, for which the host synchronizes, and one of rows: rows of the first partition come first,
    each partition's in its order.
    """

    def __init__(self, part: BasePart, ops: Any, src: Any, dst: Any, weights: Any, data: Mapping[str, Any]):
        self._part = part
        xp, size = part.xp, part.comm.size

        def list_rows() -> tuple[Any, ...]:
            given = check_operations(part.local, ops, src, dst, weights, data)
            kinds, u, v, records = _rows(part, given)
            return u, v, kinds, records, given, part.partition.by_owner(given.src)[1]

        def more(listed: Any) -> list[int]:
            if listed is None:
                return [0] * (size + 2)
            *_, given, asked = listed
            return [*asked, bool(given.columns), int((given.ops == NEIGHBORS).sum())]

        self._route = route = RowExchange(part, list_rows, memory_budget.spare_arcs(part), more)
        u, v, kinds, records, given, self._asked = route.listed
        self._answered = route.table[:, part.comm.rank].tolist()
        has_data, lists = route.table[:, size:].any(axis=0).tolist()
        self._ops, self._lists = given.ops, lists
        route.has_room &= not lists
        names = [] if given.weights is None else [WEIGHT_COLUMN]
        names += [name for name in part.local.payload.table.takes if name not in names] if has_data else []

        def columns_by_owner() -> list[Any]:
            order = route.order
            self._records = records[order]
            kind = kinds[order]
            self._mine = xp.flatnonzero(kind < MIRRORED)
            return [kind, u[order], v[order], *(_column(part, given, name)[self._records] for name in names)]

        kinds, u, v, *values = route.send(columns_by_owner)
        self._received = kinds, u, v
        self._columns = dict(zip(names, values, strict=True))

    def answer(self) -> tuple[MixedResult, OwnedArcs, OwnedArcs]:
        """The answers to this partition's rows, and the rows to insert and to delete."""
        kinds, u, v = self._received
        others = {name: column for name, column in self._columns.items() if name != WEIGHT_COLUMN}
        batch = MixedBatch(kinds & np.uint8(MIRRORED - 1), u, v, self._columns.get(WEIGHT_COLUMN), others)
        found, insert, delete = answer(self._part.local, batch)
        columns = {name: values[insert] for name, values in self._columns.items()}
        inserted, deleted = ((u[rows], v[rows]) for rows in (insert, delete))
        safe = self._route.safe
        return found, OwnedArcs(*inserted, columns, safe), OwnedArcs(*deleted, {}, safe)

    def release(self, found: MixedResult, totals: list[int]) -> MixedResult:
        """The answers in the order of the operations. `found` has the answers to this partition's rows.

        `totals` are the edges inserted, replaced and deleted by all partitions.
        """
        xp, route, size = self._part.xp, self._route, int(self._ops.size)

        def wanted() -> list[Any]:
            rows = xp.flatnonzero(self._received[0] < MIRRORED)
            return [found.answers[rows], found.weights[rows]]

        got, weights = route.exchange(wanted, self._answered, self._asked)

        def in_order() -> tuple[Any, Any, Any]:
            records = self._records[self._mine]
            answers, of_records = xp.zeros(size, np.int64), xp.zeros(size, weights.dtype)
            answers[records], of_records[records] = got, weights
            return records, answers, of_records

        records, answers, of_records = route.attempt(in_order)
        lists = self._lists_of(found, answers, records) if self._lists else self._no_lists()
        return MixedResult(answers, of_records, *lists, *totals)

    def _no_lists(self) -> tuple[Any, Any]:
        xp = self._part.xp
        return xp.zeros(int(self._ops.size) + 1, np.int64), xp.empty(0, self._part.vertex_dtype)

    def _lists_of(self, found: MixedResult, answers: Any, records: Any) -> tuple[Any, Any]:
        """Offsets and neighbors of the requested lists. They may be long: all partitions allocate theirs first."""
        part, xp = self._part, self._part.xp

        def measure() -> tuple[Any, Any, list[list[int]]]:
            offsets, _ = self._no_lists()
            lengths = xp.where(self._ops == NEIGHBORS, answers, 0)
            xp.cumsum(lengths, out=offsets[1:])
            ends = xp.concatenate([offsets[:1], xp.cumsum(lengths[records])])
            # Rows that await no answer have no lists.
            bounds = [found.offsets[_ends(xp, self._route.received)], ends[_ends(xp, self._asked)]]
            return offsets, ends, np.diff(part.device.to_host(xp.stack(bounds)), axis=1).tolist()

        offsets, ends, (sent, received) = self._route.attempt(measure)
        (listed,) = self._route.exchange(lambda: [found.neighbors], sent, received)

        def in_order() -> Any:
            rows = row_ids(part.device, ends, np.dtype(np.int64))
            neighbors = xp.empty_like(listed)
            neighbors[offsets[records[rows]] + xp.arange(listed.size) - ends[rows]] = listed
            return neighbors

        return offsets, self._route.attempt(in_order)


def _column(part: BasePart, given: MixedBatch, name: str) -> Any:
    """A column of the operations. A partition whose share has no insertions may lack it."""
    held = given.weights if name == WEIGHT_COLUMN else given.columns.get(name)
    return part.xp.zeros(given.ops.size, part.edge_dtypes[name]) if held is None else held


def _rows(part: BasePart, given: MixedBatch) -> tuple[Any, Any, Any, Any]:
    """The operations, sources and destinations of the rows of a batch, and their records."""
    xp = part.xp
    if part.directed:
        return given.ops, given.src, given.dst, xp.arange(given.ops.size)
    kinds = xp.stack([given.ops, given.ops | np.uint8(MIRRORED)], axis=1).reshape(-1)
    u, v = (xp.stack(ends, axis=1).reshape(-1) for ends in ((given.src, given.dst), (given.dst, given.src)))
    rows = xp.flatnonzero((kinds < MIRRORED) | ((kinds <= MIRRORED + DELETE) & (u != v)))
    return kinds[rows], u[rows], v[rows], rows // 2


def _ends(xp: Any, counts: list[int]) -> Any:
    return xp.asarray(np.cumsum([0, *counts]))
