"""Pairs of vertices on their way to the owners of their first, or from these to the owners of their second vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime.arrays import as_ids, same_length
from frontier.runtime.memory import elementwise
from frontier.runtime.memory.elementwise import put, take

from ..partition.owners_on_gpu import ByOwner, takes
from .agreement import attempt, raise_first
from .routing import RowExchange

if TYPE_CHECKING:
    from ..base import BasePart


class RoutedEdges:
    """Pairs at the owners of their first ends, on their way to the owners of the second ends, and back.

    The constructor exchanges counts, for which the host synchronizes. The pairs travel once, when first needed. `src`
    and `dst` must be valid ids of the vertex dtype. The attributes are sorted by the owners of `dst`. `sent` and
    `received` count the pairs to and from each partition, this one included, and `total` the pairs of all partitions.
    """

    def __init__(self, graph: BasePart, src: Any, dst: Any):
        comm, device = graph.comm, graph.device
        self._comm, self._partition = comm, graph.partition
        self._found: ByOwner | None = None
        self._order: Any = None
        self._arrived: tuple[Any, Any] | None = None
        if takes(device, comm.size, dst.dtype):
            self._found = ByOwner(graph.partition, device.xp.ascontiguousarray(dst))
            row = self._found.count()
            self.dst, self.src = self._found.sort(device.xp.ascontiguousarray(src))
            table = comm.gather_rows(row)
        else:
            self._order, counts = graph.partition.by_owner(dst)
            self.src, self.dst = src[self._order], dst[self._order]
            table = comm.gather_counts(counts)
        table = table[:, : comm.size]
        self.sent, self.received = table[comm.rank].tolist(), table[:, comm.rank].tolist()
        self.total = int(table.sum())

    @property
    def order(self) -> Any:
        """The positions of the pairs in the original arrays."""
        if self._order is None:
            assert self._found is not None
            self._order = self._found.sort(order=True)[-1]
        return self._order

    def sort(self, column: Any) -> Any:
        """Sort a column of the pairs from the original order."""
        return take(self._comm.device, column, self.order)

    def send(self, *columns: Any) -> tuple[Any, ...]:
        """The pairs at the owners of `dst`, by sending partition, as (dst, src), and sorted columns of theirs."""
        if self._arrived is None:
            v, u, *got = self._exchange(self.dst, self.src, *columns)
            self._arrived = v, u
        else:
            got = self._exchange(*columns) if columns else []
        return (*self._arrived, *got)

    def _exchange(self, *columns: Any) -> list[Any]:
        return self._comm.alltoallv_columns(columns, self.sent, self.received)[0]

    def release(self, values: Any) -> Any:
        """The results of the owners of `dst`, in the original order."""
        got, _ = self._comm.alltoallv(values, self.received, self.sent)
        return self.restore(got)

    def restore(self, values: Any) -> Any:
        """Values of the sorted pairs in the original order."""
        out = self._comm.device.xp.empty(values.size, values.dtype)
        put(self._comm.device, out, self.order, values)
        return out

    @property
    def here(self) -> slice:
        """The sorted pairs that stay here."""
        return self._partition.own_piece(self.sent)


def to_sources(graph: BasePart, src: Any, dst: Any, *columns: Any) -> tuple[Any, ...]:
    """Pairs of vertices that partitions list, at the owners of their first vertices, with more columns. See `Pairs`."""
    return Pairs(graph, src, dst).send(*columns)


class Pairs:
    """Pairs of vertices that partitions list, on their way to the owners of their first vertices, and back.

    Pairs whose first vertex is negative are skipped. If any partition lists something else than vertex ids, all raise
    its TypeError or ValueError.
    """

    def __init__(self, graph: BasePart, src: Any, dst: Any):
        comm = graph.comm
        self._comm, self._xp = comm, graph.xp
        self._src, self._dst = src, dst
        self._rows: RowExchange | None = None
        self._at_owners = graph.is_notified(src) or comm.size == 1
        self._routed = None if self._at_owners else graph.routed_of_notified(dst, src)
        if self._at_owners or self._routed is not None:
            return
        if not takes(graph.device, comm.size, graph.vertex_dtype):
            self._rows = RowExchange(graph, lambda: self._list(graph), graph.spare.of(graph, 0))
            return
        found, error = attempt(lambda: self._ids(graph))
        if found is None:
            table = comm.gather_counts([*(0,) * comm.size, error is not None, 0])
        else:
            table, error = self._sort_on_gpu(graph, *found)
        if table[:, comm.size].any():
            raise_first(graph, error)
        self._counts = table[comm.rank, : comm.size].tolist()
        self._received = table[:, comm.rank].tolist()

    def _ids(self, graph: BasePart) -> tuple[Any, Any]:
        u, v = as_ids(graph.device, self._src, "src"), as_ids(graph.device, self._dst, "dst")
        same_length(src=u, dst=v)
        return u, v

    def _list(self, graph: BasePart) -> tuple[Any, Any, Any]:
        """Both ends of the pairs that are not skipped, and their positions. An error names invalid ids."""
        u, v = self._ids(graph)
        n, kind, named = graph.num_vertices, graph.vertex_dtype, u >= 0
        if bad := int((named & ((u >= n) | (v < 0) | (v >= n))).sum()):
            raise _not_ids(bad, u, n)
        positions = graph.xp.flatnonzero(named)
        return u[positions].astype(kind, copy=False), v[positions].astype(kind, copy=False), positions

    def _sort_on_gpu(self, graph: BasePart, u: Any, v: Any) -> tuple[Any, Exception | None]:
        """Sort the pairs by owner, and return, after synchronizing, the counts of all partitions, and an error."""
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
        """The pairs that this partition owns, and more columns of theirs."""
        if self._at_owners:
            return (self._src, self._dst, *columns)
        if self._routed is not None:
            return self._routed.send(*map(self._routed.sort, columns))
        if self._rows is not None:
            order, (u, v, positions) = self._rows.order, self._rows.listed
            taken = positions[order]
            return tuple(self._rows.send(lambda: [u[order], v[order], *(column[taken] for column in columns)]))
        order = self._order[: sum(self._counts)]
        held = [*self._ends, *(column[order] for column in columns)]
        return tuple(self._comm.alltoallv_columns(held, self._counts, self._received)[0])

    def release(self, values: Any) -> Any:
        """The owners' answers, where the pairs were listed."""
        if self._at_owners:
            return values
        if self._routed is not None:
            return self._routed.release(values)
        if self._rows is not None:
            (got,) = self._rows.answer(lambda: [values])
            positions = self._rows.listed[2][self._rows.order]
        else:
            got, _ = self._comm.alltoallv(values, self._received, self._counts)
            positions = self._order[: got.size]
        out = self._xp.zeros(self._src.size, values.dtype)
        out[positions] = got
        return out


def _not_ids(bad: int, src: Any, n: int) -> ValueError:
    return ValueError(f"{bad} of the {src.size} arcs in src and dst name ids outside 0..{n - 1}")
