"""Batches and queries over partitions on their way to the owners of their vertices, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.features.edge_data import WEIGHT_COLUMN, make_rows

from ..operators.persistent import window_of
from ..partition.owners_on_gpu import takes
from . import memory_budget
from .agreement import EXPECTED, all_or_none, attempt, raise_first
from .sending import can_use_windows, no_arcs, received_by, sending_of

if TYPE_CHECKING:
    from ..base import BasePart

MANY = 1 << 16
"""Rows of all partitions above which CPU partitions verify that all have memory before an exchange, at little relative
cost. (The free memory of a GPU is known.)"""


@dataclass
class OwnedArcs:
    """The arcs of a batch that this partition owns: arcs of the first partition first, each partition's in its order.

    In a graph without observers, arrays may lie in the partition's window: they are valid until the next batch is sent
    or a search starts.
    """

    src: Any
    dst: Any
    columns: dict[str, Any]  # the weights and the edge data of an insertion, a value for each arc
    safe: bool  # whether all partitions have far more memory than the batch can use

    @property
    def weights(self) -> Any:
        return self.columns.get(WEIGHT_COLUMN)

    @property
    def data(self) -> dict[str, Any]:
        return {name: values for name, values in self.columns.items() if name != WEIGHT_COLUMN}


def route(graph: BasePart, src: Any, dst: Any, weights: Any = None, data: Mapping[str, Any] | None = None) -> OwnedArcs:
    """Check the edges of each partition, and send their arcs to the owners of their sources.

    The order of a batch is by partition, and within a partition the order of its arrays: the last of duplicates is the
    same as on one device. One exchange of counts, for which the host synchronizes, and one of arcs with all of their
    columns. `data` is the edge data of an insertion, and None for other updates.
    """
    comm = graph.comm
    if comm.size == 1:
        return _keep(graph, *_checked(graph, src, dst, weights, data))
    if graph.local.payload.table is None and takes(graph.device, comm.size, graph.vertex_dtype):
        return _route_unchecked(graph, src, dst, weights, data)
    return _send(graph, partial(_checked, graph, src, dst, weights, data))


def _keep(graph: BasePart, src: Any, dst: Any, columns: dict[str, Any], records: Any) -> OwnedArcs:
    """A batch of a graph in a single partition, which owns all arcs."""
    room = graph.spare.of(graph, src.size)
    graph.spare.take(src.size)
    kept = {name: values if isinstance(records, slice) else values[records] for name, values in columns.items()}
    return OwnedArcs(src, dst, kept, safe=src.size < room)


def _route_unchecked(graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None) -> OwnedArcs:
    """`route` on GPUs, without edge data: the host synchronizes once, when arcs are sorted, for errors and counts."""
    comm, xp = graph.comm, graph.xp
    carried = graph.weight_dtype if data is not None else None
    window = window_of(graph) if can_use_windows(carried) else None
    sending, error = attempt(
        lambda: sending_of(comm, graph.partition, _arcs_of(graph, src, dst, weights, data, passing=True), window)
    )
    if sending is None:
        sending = sending_of(comm, graph.partition, no_arcs(xp, graph.vertex_dtype, carried), window)
    errors = sending.arcs.error_counts if error is None else xp.ones(1, np.int64)
    sending.begin(errors, graph.spare.of(graph, len(sending.arcs)))
    table = sending.table
    if error is None:
        _, error = attempt(lambda: sending.arcs.check(waited=True))
    if any(row[comm.size] for row in table):
        raise_first(graph, error)
    received = [received_by(table, part) for part in range(comm.size)]
    graph.spare.take(received[comm.rank])
    # Observers retain them, and a structure may be made of its first batch. Otherwise a batch is read while it is
    # applied.
    u, v, *weighed = sending.receive(bool(graph._observers.live()) or not graph.local.num_arcs)
    is_safe = all(count < row[-1] for count, row in zip(received, table, strict=True))  # of memory
    return OwnedArcs(u, v, dict(zip([WEIGHT_COLUMN], weighed, strict=False)), is_safe)


def route_by_target(graph: BasePart, arcs: OwnedArcs) -> OwnedArcs:
    """Reversed arcs at the owners of their destinations, in the same order."""
    return _send(graph, lambda: (arcs.dst, arcs.src, arcs.columns, slice(None)))


def _checked(graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None) -> tuple:
    """The arcs of a batch, its columns, and the entry of each arc in these. Raises the errors of one device."""
    local, xp = graph.local, graph.xp
    if data is None or local.payload.table is None:
        arcs = _arcs_of(graph, src, dst, weights, data).valid(xp)
        return arcs.src, arcs.dst, {} if arcs.weights is None else {WEIGHT_COLUMN: arcs.weights}, slice(None)
    rows = make_rows(local, src, dst, weights, data)
    records = rows.arcs.check()
    kept = xp.flatnonzero(records.src >= 0)
    u, v = records.src[kept], records.dst[kept]
    if not graph.directed:  # both directions of a record, then of the next: the last is the last in both
        u, v = (xp.stack(ends, axis=1).reshape(-1) for ends in ((u, v), (v, u)))
        kept = xp.repeat(kept, 2)
    return u, v, rows.columns, kept


def _arcs_of(
    graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None, passing: bool = False
) -> Arcs:  # fmt: skip
    """The unchecked arcs of a batch of a graph without edge data, or of a deletion.

    The next batch may reuse the memory of `passing` ones. Types and shapes are checked as on one device.
    """
    if data:
        name = next(iter(data))
        raise TypeError(f"insert_edges() got {name}=..., but this graph has no edge data; make it with edge_data=")
    return graph.local.store.make_arcs(
        src, dst, weights, directed=graph.directed, weighted=data is not None, passing=passing
    )


def _send(graph: BasePart, list_arcs: Callable[[], tuple]) -> OwnedArcs:
    """Arcs at their owners. `list_arcs` lists them as `_checked` does."""
    rows = RowExchange(graph, list_arcs, memory_budget.spare_arcs(graph))
    src, dst, columns, records = rows.listed

    def columns_by_owner() -> list[Any]:
        order = rows.order
        held = [src[order], dst[order]]
        if columns:
            taken = order if isinstance(records, slice) else records[order]
            held += [values[taken] for values in columns.values()]
        return held

    u, v, *values = rows.send(columns_by_owner)
    return OwnedArcs(u, v, dict(zip(columns, values, strict=True)), rows.safe)


class RowExchange:
    """Rows that each partition lists, on their way to the owners of their keys, and back.

    Counts are exchanged first and define the memory that each partition needs. Unless all partitions certainly have it
    (`has_room`, equal on all), they allocate it before any of them sends: a failure raises on all, before a transfer.

    `list_rows` returns columns, of which the first has the vertices by whose owners rows are sent. Its errors are
    raised on all partitions. This partition certainly has memory for `spare` rows. `more` returns further numbers of
    this partition, from its listed rows (None after an error), which `table` has in a row for each partition. `order`
    sorts the `listed` rows by owner. `sent` and `received` count the rows to and from each partition. If it is `safe`,
    all partitions have far more memory than their rows can use.
    """

    def __init__(
        self, graph: BasePart, list_rows: Callable[[], tuple], spare: int,
        more: Callable[[Any], Sequence[int]] | None = None,
    ):  # fmt: skip
        self._graph, comm = graph, graph.comm
        self.listed: Any = None
        self.order: Any = None
        self.sent, error = [0] * comm.size, None
        try:
            listed = list_rows()
            self.order, self.sent = graph.partition.by_owner(listed[0])
            self.listed = listed
        except EXPECTED as raised:
            error = raised
        numbers = () if more is None else more(self.listed)
        table = comm.gather_counts([*self.sent, error is not None, spare, *numbers])
        if table[:, comm.size].any():
            raise_first(graph, error)
        counts, room = table[:, : comm.size], table[:, comm.size + 1]
        self.received = counts[:, comm.rank].tolist()
        self.table = table[:, comm.size + 2 :]
        self.safe = bool((counts.sum(axis=0) < room).all())
        self.has_room = self.safe and bool((counts.sum(axis=1) < room).all())
        self.has_room &= graph.device.is_gpu or int(counts.sum()) <= MANY

    def send(self, make: Callable[[], Sequence[Any]]) -> list[Any]:
        """Columns of the rows, in `order`, at the owners: rows of the first partition first."""
        return self.exchange(make, self.sent, self.received)

    def answer(self, make: Callable[[], Sequence[Any]]) -> list[Any]:
        """Columns of the received rows, where they were listed, in `order`."""
        return self.exchange(make, self.received, self.sent)

    def attempt(self, make: Callable[[], Any]) -> Any:
        """`all_or_none`, if memory may be short."""
        return make() if self.has_room else all_or_none(self._graph, make)

    def exchange(self, make: Callable[[], Sequence[Any]], sent: list[int], received: list[int]) -> list[Any]:
        """Send columns, of which each partition gets a piece."""
        comm = self._graph.comm
        if self.has_room:
            return comm.alltoallv_columns(make(), sent, received)[0]
        xp, count = self._graph.xp, sum(received)

        def allocate() -> tuple[Sequence[Any], list[Any]]:
            held = make()
            return held, [xp.empty(count, values.dtype) for values in held]

        held, outs = all_or_none(self._graph, allocate)
        return comm.alltoallv_columns(held, sent, received, outs)[0]


def query_owners(graph: BasePart, src: Any, dst: Any, answer: Callable[[Any, Any], Any]) -> Any:
    """Query the owner of each pair's first vertex, and return the answers in the order of this partition's pairs.

    Owners call ``answer(src, dst)`` with arrays. It returns an array.
    """

    def check() -> tuple[Any, Any]:
        arcs = graph.local.store.make_arcs(src, dst, directed=True, drop_loops=False).check()
        return arcs.src, arcs.dst

    rows = RowExchange(graph, check, graph.spare.of(graph, 0))
    src, dst = rows.listed
    asked = rows.send(lambda: [src[rows.order], dst[rows.order]])
    (answers,) = rows.answer(lambda: [answer(*asked)])

    def in_order() -> Any:
        out = graph.xp.empty_like(answers)
        out[rows.order] = answers
        return out

    return rows.attempt(in_order)
