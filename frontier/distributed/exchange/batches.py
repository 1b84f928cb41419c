"""Batches of a graph in parts: checked where they are, sent to the owners, and applied everywhere or nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import stored_arrays
from frontier.core.results import UpdateResult
from frontier.features.edge_data import WEIGHT_COLUMN, make_rows
from frontier.operators.layout import free_bytes
from frontier.runtime.arrays import as_ids, same_length
from frontier.runtime.memory import elementwise

from ..operators.persistent import window_of
from ..partition.owners_on_gpu import ByOwner, takes
from .batch import Batch, all_or_none, attempt, raise_first
from .sending import can_use_windows, no_arcs, received_by, sending_of
from .undo import undo_of

if TYPE_CHECKING:
    from ..base import BasePart

GROWTH, BATCH_BYTES = 3, 256
"""Structures that grow may hold their arrays twice for a moment, and a batch some dozens of bytes for each arc, and for
each column its values."""


SMALL = 1 << 12
"""Arcs of larger batches are not checked again where they arrive. On a GPU smaller ones take one launch, which checks
them."""


MANY = 1 << 16
"""Rows of all parts together, above which parts on CPUs make sure that all have memory for theirs before they exchange
them, which takes little of the time then. (How much a GPU has is known.)"""


def route(
    graph: BasePart, src: Any, dst: Any, weights: Any = None, data: Mapping[str, Any] | None = None
) -> Batch:  # fmt: skip
    """Check the edges that each part has, and send their arcs to the owners of their sources.

    The order of a batch is that of the parts, and in each that of its arrays: the last of duplicates is the same as on
    one device. Counts are exchanged, for which the host waits, and arcs with all of their columns. `data` is the edge
    data of an insertion, and None for other updates.
    """
    comm = graph.comm
    if comm.size == 1:
        return _keep(graph, *_checked(graph, src, dst, weights, data))
    if graph.local.edge_data is None and takes(graph.device, comm.size, graph.vertex_dtype):
        return _route_unchecked(graph, src, dst, weights, data)
    return _send(graph, lambda: _checked(graph, src, dst, weights, data))


def _keep(graph: BasePart, src: Any, dst: Any, columns: dict[str, Any], records: Any) -> Batch:
    """A batch of a graph in a single part, which owns all arcs."""
    room = graph.spare.of(graph, src.size)
    graph.spare.take(src.size)
    kept = {name: values if isinstance(records, slice) else values[records] for name, values in columns.items()}
    return Batch(src, dst, kept, safe=src.size < room)


def _route_unchecked(graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None) -> Batch:
    """`route` on GPUs, without edge data: the host waits once, when arcs are sorted, for errors and counts."""
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
    # Observers keep them, and a structure may be made of its first batch. Others read a batch while it is applied.
    lasting = bool(graph._observers.live()) or not graph.local.num_arcs
    u, v, *weighed = sending.receive(lasting)
    is_safe = _is_safe(received, (row[-1] for row in table))
    return Batch(u, v, dict(zip([WEIGHT_COLUMN], weighed, strict=False)), is_safe)


def _is_safe(received: Iterable[int], spare: Iterable[int]) -> bool:
    """Whether all parts have far more memory than the arcs that they get can take."""
    return all(map(lt, received, spare))


def route_by_target(graph: BasePart, batch: Batch) -> Batch:
    """The arcs of a batch reversed, at the owners of their destinations, in the same order."""
    return _send(graph, lambda: (batch.dst, batch.src, batch.columns, slice(None)))


def _checked(graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None) -> tuple:
    """The arcs of a batch, its columns, and which entry of these each arc has; raises what one device raises."""
    local, xp = graph.local, graph.xp
    if data is None or local.edge_data is None:
        arcs = _arcs_of(graph, src, dst, weights, data).valid(xp)
        return arcs.src, arcs.dst, {} if arcs.weights is None else {WEIGHT_COLUMN: arcs.weights}, slice(None)
    rows = make_rows(local, src, dst, weights, data)
    records = rows.arcs.check()
    kept = xp.flatnonzero(records.src >= 0)
    u, v = records.src[kept], records.dst[kept]
    if not graph.directed:  # both directions of a record, before those of the next: the last is the last in both
        u, v = (xp.stack(ends, axis=1).reshape(-1) for ends in ((u, v), (v, u)))
        kept = xp.repeat(kept, 2)
    return u, v, rows.columns, kept


def _arcs_of(
    graph: BasePart, src: Any, dst: Any, weights: Any, data: Mapping[str, Any] | None, passing: bool = False
) -> Arcs:  # fmt: skip
    """The arcs of a batch of a graph without edge data, or of a deletion; ids are still to be checked.

    The next batch may have those that are `passing` in the same memory. Types and shapes are checked as on one device.
    """
    if data:
        name = next(iter(data))
        raise TypeError(f"insert_edges() got {name}=..., but this graph has no edge data; make it with edge_data=")
    return graph.local.store.make_arcs(
        src, dst, weights, directed=graph.directed, weighted=data is not None, passing=passing
    )


def _send(graph: BasePart, list_arcs: Callable[[], tuple]) -> Batch:
    """Arcs at their owners; `list_arcs` gives them as `_checked` does."""

    def list_rows() -> tuple[tuple, Any]:
        arcs = list_arcs()
        return arcs, arcs[0]

    route = Route(graph, list_rows, spare_arcs(graph))
    src, dst, columns, records = route.listed

    def columns_by_owner() -> list[Any]:
        order = route.order
        taken = order if isinstance(records, slice) else records[order]
        return [src[order], dst[order], *(values[taken] for values in columns.values())]

    u, v, *values = route.send(columns_by_owner)
    return Batch(u, v, dict(zip(columns, values, strict=True)), route.safe)


class Route:
    """The way of rows that each part lists to the owners of their keys, and back.

    Counts are exchanged before anything else, and say what memory each part needs. If that may not be there, or is
    much, all parts allocate it before any of them sends: one that cannot raises on all, and nothing is on its way.

    Parameters
    ----------
    list_rows : function
        Gives what the part lists, and the vertices by which it is sent. What it raises is raised on all parts.
    spare : int
        For how many rows this part has memory for certain.
    more : function, optional
        Gives more numbers of this part for `table`, of what it has listed (None after an error).

    Attributes
    ----------
    listed : any
        What this part lists.
    order : array
        Sorts the rows by owner.
    sent, received : list of int
        How many rows go to each part, and come from each.
    safe : bool
        Whether all parts have far more memory than their rows can take.
    has_room : bool
        Whether the memory for an exchange need not be allocated on all parts before it; alike on all.
    table : array
        The numbers that `more` gave: a row for each part.
    """

    def __init__(
        self, graph: BasePart, list_rows: Callable[[], tuple[Any, Any]], spare: int,
        more: Callable[[Any], Sequence[int]] = lambda _: (),
    ):  # fmt: skip
        self._graph, comm = graph, graph.comm

        def sort() -> tuple[Any, tuple[Any, list[int]]]:
            listed, keys = list_rows()
            return listed, graph.partition.by_owner(keys)

        found, error = attempt(sort)
        self.listed, (self.order, self.sent) = (None, (None, [0] * comm.size)) if found is None else found
        table = comm.gather_counts([*self.sent, error is not None, spare, *more(self.listed)])
        if table[:, comm.size].any():
            raise_first(graph, error)
        counts, room = table[:, : comm.size], table[:, comm.size + 1]
        self.received = counts[:, comm.rank].tolist()
        self.table = table[:, comm.size + 2 :]
        self.safe = _is_safe(counts.sum(axis=0).tolist(), room.tolist())
        self.has_room = self.safe and _is_safe(counts.sum(axis=1).tolist(), room.tolist())
        self.has_room &= graph.device.is_gpu or int(counts.sum()) <= MANY

    def send(self, make: Callable[[], Sequence[Any]]) -> list[Any]:
        """Columns of the rows, in `order`, at the owners: those of the first part first."""
        return self.exchange(make, self.sent, self.received)

    def answer(self, make: Callable[[], Sequence[Any]]) -> list[Any]:
        """Columns of what has come, where it was listed, in `order`."""
        return self.exchange(make, self.received, self.sent)

    def attempt(self, make: Callable[[], Any]) -> Any:
        """`all_or_none`, where memory may be short."""
        return make() if self.has_room else all_or_none(self._graph, make)

    def exchange(self, make: Callable[[], Sequence[Any]], sent: list[int], received: list[int]) -> list[Any]:
        """Send columns, of which each part gets a piece."""
        xp, count = self._graph.xp, sum(received)

        def allocate() -> tuple[Sequence[Any], list[Any]]:
            held = make()
            return held, [xp.empty(count, values.dtype) for values in held]

        held, outs = self.attempt(allocate)
        return self._graph.comm.alltoallv_columns(held, sent, received, outs)[0]


def spare_arcs(graph: BasePart) -> int:
    """How many arcs a batch may have here at most, so that memory cannot run out; 0 if that is not known."""
    free = free_bytes(graph.local)
    if free is None:
        return 0
    held = sum(int(array.nbytes) for local in graph.locals() for _, array in stored_arrays(local.store))
    held += sum(sum(local.payload.array_bytes().values()) for local in graph.locals())
    columns = GROWTH * sum(dtype.itemsize for dtype in graph.edge_dtypes.values())
    return max((free - GROWTH * held) // (BATCH_BYTES + columns), 0)


class MemoryBudget:
    """What `spare_arcs` says of a part, asked for again only now and then: it takes a call of the driver, and as long
    as the rest of a small batch."""

    def __init__(self) -> None:
        self._arcs = self._batches = self._received = 0

    def of(self, graph: BasePart, arcs: int) -> int:
        """How many arcs the part may receive at most, which has listed some."""
        self._batches -= 1
        if self._batches < 0 or self._arcs < PLENTY * max(arcs, self._received):
            self._arcs, self._batches = spare_arcs(graph), BATCHES
        return self._arcs

    def take(self, arcs: int) -> None:
        """Take note that the part has received some."""
        self._received = arcs
        self._arcs -= arcs


PLENTY, BATCHES = 8, 32
"""Memory is looked at after so many batches, or when there may be room for less than so many times a batch."""


def to_sources(graph: BasePart, src: Any, dst: Any, *columns: Any) -> tuple[Any, ...]:
    """Pairs of vertices that parts list, at the owners of the first ones, with more columns; see `Pairs`."""
    return Pairs(graph, src, dst).send(*columns)


class Pairs:
    """Pairs of vertices that parts list, on their way to the owners of the first ones, and back.

    Those whose first is negative are left out.

    Raises
    ------
    TypeError, ValueError
        On all parts: what one of them has listed is no array of ids of vertices.
    """

    def __init__(self, graph: BasePart, src: Any, dst: Any):
        comm, device = graph.comm, graph.device
        self._comm, self._xp = comm, graph.xp
        self._src, self._dst = src, dst
        self._is_placed = graph.is_notified(src) or comm.size == 1
        self._routed = None if self._is_placed else graph.routed_of_notified(dst, src)
        if self._is_placed or self._routed is not None:
            return

        found, error = attempt(lambda: self._ids(graph, src, dst))
        if found is not None and takes(device, comm.size, graph.vertex_dtype):
            table, error = self._sort_on_gpu(graph, *found)
        else:
            if found is not None:
                found, error = attempt(lambda: self._sorted(graph, *found))
            counts = (0,) * comm.size if found is None else self._counts
            table = comm.gather_counts([*counts, error is not None, 0])
        if table[:, comm.size].any():
            raise_first(graph, error)
        self._counts = table[comm.rank, : comm.size].tolist()
        self._received = table[:, comm.rank].tolist()

    @staticmethod
    def _ids(graph: BasePart, src: Any, dst: Any) -> tuple[Any, Any]:
        """Both ends as arrays of the device."""
        u, v = as_ids(graph.device, src, "src"), as_ids(graph.device, dst, "dst")
        same_length(src=u, dst=v)
        return u, v

    def _sorted(self, graph: BasePart, u: Any, v: Any) -> Any:
        """Sort the pairs by owner; an error names those that are no ids."""
        n = graph.num_vertices
        named = u >= 0
        valid = named & (u < n) & (v >= 0) & (v < n)
        self._order, self._counts, left_out = graph.partition.by_valid_owner(u, valid)
        if left_out and (bad := int((named & ~valid).sum())):
            raise _not_ids(bad, u, n)
        kind, order = graph.vertex_dtype, self._order
        self._ends = u.astype(kind, copy=False)[order], v.astype(kind, copy=False)[order]
        return self._ends

    def _sort_on_gpu(self, graph: BasePart, u: Any, v: Any) -> tuple[Any, Exception | None]:
        """The same, with what all parts send to each, for which the host waits."""
        xp, comm, n = graph.xp, graph.comm, graph.num_vertices
        if u.dtype != v.dtype:
            u, v = u.astype(np.int64), v.astype(np.int64)
        u, v = xp.ascontiguousarray(u), xp.ascontiguousarray(v)
        wrong = elementwise.fill_with(xp.empty(1, np.int64), 0)
        found = ByOwner(graph.partition, u, mates=v, limit=n, wrong=wrong)
        row = found.count(wrong)
        *ends, self._order = found.sort(v, order=True)
        self._ends = tuple(each.astype(graph.vertex_dtype, copy=False) for each in ends)
        table = comm.gather_rows(row)
        if not table[comm.rank, comm.size]:
            return table, None
        return table, _not_ids(int(graph.device.to_host(wrong)[0]), u, n)

    def send(self, *columns: Any) -> tuple[Any, ...]:
        """The pairs that this part owns, and more columns of theirs."""
        if self._is_placed:
            return (self._src, self._dst, *columns)
        if self._routed is not None:
            return self._routed.send(*map(self._routed.sort, columns))
        order = self._order[: sum(self._counts)]
        held = [*self._ends, *(column[order] for column in columns)]
        return tuple(self._comm.alltoallv_columns(held, self._counts, self._received)[0])

    def release(self, values: Any) -> Any:
        """What owners have found, where the pairs were listed."""
        if self._is_placed:
            return values
        if self._routed is not None:
            return self._routed.release(values)
        got, _ = self._comm.alltoallv(values, self._received, self._counts)
        out = self._xp.zeros(self._src.size, values.dtype)
        out[self._order[: got.size]] = got
        return out


def _not_ids(bad: int, src: Any, n: int) -> ValueError:
    return ValueError(f"{bad} of the {src.size} arcs in src and dst name ids outside 0..{n - 1}")


def prepare(graph: BasePart, batch: Batch, step: Callable[[], Any]) -> Any:
    """The notifications of observers: `all_or_none`, where there are any and memory may be short."""
    return step() if batch.safe or not graph._observers.live() else all_or_none(graph, step)


def apply(
    graph: BasePart, batch: Batch, update: Callable[[], UpdateResult], routed: Batch | None = None, *,
    sums: bool = False,
) -> UpdateResult:  # fmt: skip
    """Change the local graph of every part, or of none; returns what all parts have changed, in edges of the whole
    graph.

    What the batch changes is looked up before, so that it can be undone where another part fails. That takes about as
    long as the batch itself, and is left out where all parts have several times the memory that they may need. Should
    one fail nevertheless, the graph cannot be used again.

    `routed` is the same batch among the in-edges. With `sums`, the update may fail for other reasons than memory, as
    sums of weights that overflow do.
    """
    undo = None
    several = graph.comm.size > 1 or routed is not None  # local graphs that may fail one without the other
    if several and (sums or not batch.safe or not (routed is None or routed.safe)):
        changes = [("local", batch)] if routed is None else [("local", batch), ("inward", routed)]
        undo = all_or_none(graph, lambda: [undo_of(graph, name, each) for name, each in changes])
    graph.changes()
    done, error = attempt(update)
    numbers = (0, 0, 0) if done is None else (done.inserted, done.replaced, done.deleted)
    *totals, failures = graph.comm.reduce_numbers([*numbers, error is not None])
    if failures:
        undone = True
        if undo is not None and (error is None or routed is not None):
            undone = attempt(lambda: [step() for step in undo])[1] is None
        torn = failures < graph.comm.size or routed is not None
        if torn and (undo is None or not graph.comm.reduce_numbers([undone], "min")[0]):
            graph.broken = "a batch failed on some parts and not on others: load the graph from a file"
        raise_first(graph, error)
    copies = 1 if graph.directed else 2
    graph.changed(arcs=totals[0] - totals[2])
    return UpdateResult(*[total // copies for total in totals])


def ask(graph: BasePart, src: Any, dst: Any, answer: Callable[[Any, Any], Any]) -> Any:
    """Something of each of this part's pairs of vertices, from the owner of the first; in the order of the pairs.

    Owners call ``answer(src, dst)`` with arrays; it returns an array.
    """

    def check() -> tuple[tuple[Any, Any], Any]:
        arcs = graph.local.store.make_arcs(src, dst, directed=True, drop_loops=False).check()
        return (arcs.src, arcs.dst), arcs.src

    route = Route(graph, check, graph.spare.of(graph, 0))
    src, dst = route.listed
    asked = route.send(lambda: [src[route.order], dst[route.order]])
    (answers,) = route.answer(lambda: [answer(*asked)])

    def in_order() -> Any:
        out = graph.xp.empty_like(answers)
        out[route.order] = answers
        return out

    return route.attempt(in_order)
