"""Pairs of vertices at the owners of the second ones, where each part has those whose first it owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.runtime.memory.elementwise import put, take

from ..partition.owners_on_gpu import ByOwner, takes

if TYPE_CHECKING:
    from ..base import BasePart


class RoutedEdges:
    """Pairs that parts have at the owners of the first ends, on their way to the owners of the others, and back.

    One exchange of counts, for which the host waits, when it is made; the pairs themselves travel when they are first
    needed, and once.

    Parameters
    ----------
    graph : GraphPart
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        Valid ids.

    Attributes
    ----------
    sent, received : list of int
        How many pairs go to each part, this one included, and how many come from each.
    total : int
        How many pairs all parts have.
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        The pairs, sorted by the owners of `dst`.
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
        """The positions of the pairs in the arrays that were given."""
        if self._order is None:
            assert self._found is not None
            self._order = self._found.sort(order=True)[-1]
        return self._order

    def sort(self, column: Any) -> Any:
        """A column of the pairs, which has their first order, in this one."""
        return take(self._comm.device, column, self.order)

    def send(self, *columns: Any) -> tuple[Any, ...]:
        """The pairs at the owners of `dst`, of each part one behind the other, as (dst, src), and more columns of
        theirs: sorted ones."""
        if self._arrived is None:
            v, u, *got = self._exchange(self.dst, self.src, *columns)
            self._arrived = v, u
        else:
            got = self._exchange(*columns) if columns else []
        return (*self._arrived, *got)

    def _exchange(self, *columns: Any) -> list[Any]:
        return self._comm.alltoallv_columns(columns, self.sent, self.received)[0]

    def release(self, values: Any) -> Any:
        """What the owners of `dst` have found, in the first order of the pairs."""
        got, _ = self._comm.alltoallv(values, self.received, self.sent)
        return self.restore(got)

    def restore(self, values: Any) -> Any:
        """Values of the sorted pairs in their first order."""
        out = self._comm.device.xp.empty(values.size, values.dtype)
        put(self._comm.device, out, self.order, values)
        return out

    @property
    def here(self) -> slice:
        """Which of the sorted pairs stay here."""
        return self._partition.own_piece(self.sent)
