"""Ghosts: vertices of other partitions that a partition's arcs lead to, and the partitions to notify of entries.

A partition that reads entries at the other ends of its arcs needs only the entries of its ghosts. Each partition
notifies the owners once of the vertices that it needs, and later of new ones. Batches mark the other ends of inserted
arcs, and nothing is exchanged before the ghosts are needed. Ghosts whose arcs are all deleted stay, as finding them
would require a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from frontier.runtime.memory import elementwise

from ..partition.partition import Partition
from ..transport.communicator import Communicator

MOST = 0.9  # maximal share of all entries of other partitions at which only ghosts' entries are exchanged


class Ghosts:
    """The ghosts of one local graph of a partition, and other partitions' ghosts of its vertices.

    `local` returns the local graph. O(V) memory, once `bring_up` was called.
    """

    def __init__(self, comm: Communicator, partition: Partition, local: Callable[[], Any]):
        self._comm = comm
        self._partition = partition
        self._local = local
        self._held: Any = None  # whether an arc leads, or led, to each vertex. None until requested
        self._known: Any = None  # ghosts whose owners are notified, and own vertices
        self._new: tuple[Any, list[int]] | None = None  # ghosts to notify owners of, by owner. None to search for them
        self._ghosts: list[list[Any]] = [[] for _ in range(comm.size)]
        self._asked: list[list[Any]] = [[] for _ in range(comm.size)]
        self._few = False

    def mark(self, vertices: Any) -> None:
        """Note that arcs to some vertices are inserted."""
        if self._held is not None:
            self._grow()
            self._held[vertices] = True
            self._new = None

    def bring_up(self, number: int = 0) -> int:
        """Notify the owners of new ghosts, unless nearly all vertices are ghosts. Every worker calls this.

        An exchange of counts, for which the host synchronizes, and of ids if any are new. The first time, a pass over
        arcs. Returns the sum of `number` over all partitions, which travels with the counts.
        """
        comm, partition = self._comm, self._partition
        if comm.size == 1:
            return number
        ids, counts = self._unknown()
        table = comm.gather_counts([*counts, sum(counts) + sum(self._sizes(self._ghosts)), number])
        summed = int(table[:, comm.size + 1].sum())
        self._few = int(table[:, comm.size].sum()) <= MOST * partition.owners.size * (comm.size - 1)
        if not self._few or not table[:, : comm.size].any():
            return summed
        self._known[ids] = True
        self._new = ids[:0], [0] * comm.size
        received = table[:, comm.rank].tolist()
        asked, _ = comm.alltoallv(ids, counts, received)
        for lists, vertices, sizes in ((self._ghosts, ids, counts), (self._asked, asked, received)):
            ends = np.cumsum([0, *sizes]).tolist()
            for peer, pieces in enumerate(lists):
                if sizes[peer]:
                    pieces[:] = [elementwise.joined(comm.device, *pieces, vertices[ends[peer] : ends[peer + 1]])]
        return summed

    def _unknown(self) -> tuple[Any, list[int]]:
        """The ghosts that owners do not know, sorted by owner, and the number that each owns."""
        xp, comm, partition = self._comm.device.xp, self._comm, self._partition
        if self._held is None:
            self._held = self._local().in_degrees() > 0
            self._known = partition.owners == comm.rank
        self._grow()
        if self._new is None:
            new = xp.flatnonzero(self._held & ~self._known).astype(self._local().vertex_dtype)
            order, counts = partition.by_owner(new)
            self._new = new[order], counts
        return self._new

    def route(self) -> Route | None:
        """The exchange of entries with ghosts, after `bring_up`, or None if sending all of them is cheaper."""
        return Route(self._comm, self._asked, self._ghosts) if self._few and self._comm.size > 1 else None

    def asked(self) -> tuple[Any, list[int], list[int]] | None:
        """The requests of other partitions, after `bring_up`, or None if sending all entries is cheaper.

        Returns the vertices by requesting partition, the number of each partition's requests, and the number of this
        partition's ghosts that each partition owns.
        """
        if not self._few or self._comm.size == 1:
            return None
        found = [each for pieces in self._asked for each in pieces]
        none = self._comm.device.xp.empty(0, self._local().vertex_dtype)
        vertices = elementwise.joined(self._comm.device, *found) if found else none
        return vertices, self._sizes(self._asked), self._sizes(self._ghosts)

    def _grow(self) -> None:
        """Extend the marks to new vertices, which no arc leads to yet."""
        xp, n = self._comm.device.xp, int(self._partition.owners.size)
        more = n - int(self._held.size)
        if more:
            self._held = xp.concatenate([self._held, xp.zeros(more, np.bool_)])
            self._known = xp.concatenate([self._known, self._partition.owners[n - more :] == self._comm.rank])

    @staticmethod
    def _sizes(lists: Sequence[Sequence[Any]]) -> list[int]:
        return [sum(int(piece.size) for piece in pieces) for pieces in lists]


class Route:
    """The exchange of entries from owners to ghosts, in vectors by vertex id."""

    def __init__(self, comm: Communicator, asked: Sequence[Sequence[Any]], ghosts: Sequence[Sequence[Any]]):
        none = comm.device.xp.empty(0, np.int64)
        self._comm = comm
        self._sent, self._got = Ghosts._sizes(asked), Ghosts._sizes(ghosts)
        self._from, self._to = (
            comm.device.xp.concatenate([none, *(each for pieces in lists for each in pieces)])
            for lists in (asked, ghosts)
        )

    def copy(self, array: Any) -> None:
        """Copy the entries of ghosts from the partitions that own them."""
        device = self._comm.device
        got, _ = self._comm.alltoallv(elementwise.take(device, array, self._from), self._sent, self._got)
        elementwise.put(device, array, self._to, got)
