"""Pairs of vertices at the owners of the first ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime.arrays import as_ids, same_length
from frontier.runtime.memory import elementwise

from ..partition.owners_on_gpu import ByOwner, takes
from .agreement import attempt, raise_first

if TYPE_CHECKING:
    from ..base import BasePart


def to_sources(graph: BasePart, src: Any, dst: Any, *columns: Any) -> tuple[Any, ...]:
    """Pairs of vertices that parts list, at the owners of the first ones, with more columns; see `Pairs`."""
    return Pairs(graph, src, dst).send(*columns)


class Pairs:
    """Pairs of vertices that parts list, on their way to the owners of the first ones, and back.

    Those whose first is negative are skipped.

    Raises
    ------
    TypeError, ValueError
        On all parts: what one of them has listed is no array of ids of vertices.
    """

    def __init__(self, graph: BasePart, src: Any, dst: Any):
        comm, device = graph.comm, graph.device
        self._comm, self._xp = comm, graph.xp
        self._src, self._dst = src, dst
        self._at_owners = graph.is_notified(src) or comm.size == 1
        self._routed = None if self._at_owners else graph.routed_of_notified(dst, src)
        if self._at_owners or self._routed is not None:
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
        self._order, self._counts, dropped = graph.partition.by_valid_owner(u, valid)
        if dropped and (bad := int((named & ~valid).sum())):
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
        if self._at_owners:
            return (self._src, self._dst, *columns)
        if self._routed is not None:
            return self._routed.send(*map(self._routed.sort, columns))
        order = self._order[: sum(self._counts)]
        held = [*self._ends, *(column[order] for column in columns)]
        return tuple(self._comm.alltoallv_columns(held, self._counts, self._received)[0])

    def release(self, values: Any) -> Any:
        """What owners have found, where the pairs were listed."""
        if self._at_owners:
            return values
        if self._routed is not None:
            return self._routed.release(values)
        got, _ = self._comm.alltoallv(values, self._received, self._counts)
        out = self._xp.zeros(self._src.size, values.dtype)
        out[self._order[: got.size]] = got
        return out


def _not_ids(bad: int, src: Any, n: int) -> ValueError:
    return ValueError(f"{bad} of the {src.size} arcs in src and dst name ids outside 0..{n - 1}")
