"""Arcs of a batch on their way to the parts that own them, on GPUs: kernels write them into the windows of the owners,
where parts have windows, and otherwise they are sent as messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..batch import Arcs
from ..runtime import elementwise
from .owners_on_gpu import ByOwner
from .windows import HEAD_BYTES, Window

if TYPE_CHECKING:
    from .communicator import Communicator
    from .partition import Partition


class Listed:
    """Arcs that a part lists, with the memory that it takes to send them, so that nothing fails while other parts wait.

    Parameters
    ----------
    arcs : Arcs
        Their ids need not be checked yet.
    window : Window or None
        Where they are sent to.

    Attributes
    ----------
    by_owner : ByOwner
    columns : list of array
        Sources, destinations, and weights if there are any.
    sorted : list of array
        Room for the same sorted by owner, if there are windows.
    """

    def __init__(self, partition: Partition, arcs: Arcs, window: Window | None):
        self.arcs = arcs
        self.columns = [each for each in (arcs.src, arcs.dst, arcs.weights) if each is not None]
        empty = partition.device.xp.empty
        self.sorted = [] if window is None else [empty(each.size, each.dtype) for each in self.columns]
        self.by_owner = ByOwner(partition, arcs.src)


class Sending(Protocol):
    """Arcs that have been sorted by owner.

    Attributes
    ----------
    table : array of int64, shape (parts, parts + 2)
        What `ByOwner.count` says on all parts, on the host.
    """

    table: np.ndarray

    def receive(self, lasting: bool) -> Sequence[Any]:
        """Sources, destinations, and weights if there are any, of the arcs that this part owns: those of the first part
        first.

        Parameters
        ----------
        lasting : bool
            Whether they are needed when the next batch is sent, or a search begins. If not, they may be in a window.
        """


def send(comm: Communicator, window: Window | None, listed: Listed, row: Any) -> Sending:
    """Send arcs; `row` is what others must know of them (`ByOwner.count`)."""
    return ByMessages(comm, listed, row) if window is None else ByWindows(comm, window, listed, row)


class ByMessages:
    """Arcs that are sent when all parts know how many come."""

    def __init__(self, comm: Communicator, listed: Listed, row: Any):
        self._comm = comm
        self._weights = listed.arcs.weights
        self._held = listed.by_owner.sort(listed.arcs.dst, order=self._weights is not None)
        self.table = comm.gather_rows(row)

    def receive(self, lasting: bool) -> Sequence[Any]:
        src, dst, *order = self._held
        count = int(self.table[self._comm.rank, : self._comm.size].sum())
        weights = [elementwise.take(self._comm.device, self._weights, positions[:count]) for positions in order]
        return receive_messages(self._comm, self.table, [src, dst, *weights])


class ByWindows:
    """Arcs that are on their way already when the host hears how many come: it has memory made meanwhile."""

    def __init__(self, comm: Communicator, window: Window, listed: Listed, row: Any):
        kinds = [each.dtype for each in listed.columns]
        self._comm, self._window, self._kinds, self._sorted = comm, window, kinds, listed.sorted
        self._room = (window.nbytes - HEAD_BYTES) // sum(kind.itemsize for kind in kinds) // 128 * 128
        rows = comm.queue_rows(row)
        listed.by_owner.send(listed.columns, listed.sorted, rows, comm.rank, window, self._room)
        comm.queue_barrier()
        self.table = np.asarray(window.told.hear(), np.int64).reshape(comm.size, -1)
        comm.waits += 1

    def receive(self, lasting: bool) -> Sequence[Any]:
        comm, table = self._comm, self.table
        received = table[:, : comm.size].sum(axis=0)
        if received.max() > self._room:
            return receive_messages(comm, table, self._sorted)
        sent = table[comm.rank, : comm.size]
        comm.sent_bytes += int(sent.sum() - sent[comm.rank]) * sum(kind.itemsize for kind in self._kinds)
        columns, start = [], HEAD_BYTES
        for kind in self._kinds:
            end = start + int(received[comm.rank]) * kind.itemsize
            columns.append(self._window.memory[start:end].view(kind))
            start += self._room * kind.itemsize
        return [elementwise.copy_of(column) for column in columns] if lasting else columns


def receive_messages(comm: Communicator, table: np.ndarray, columns: list[Any]) -> Sequence[Any]:
    """Exchange columns of arcs that are sorted by owner."""
    sent = table[:, : comm.size]
    return comm.alltoallv_columns(columns, sent[comm.rank].tolist(), sent[:, comm.rank].tolist())[0]


def can_use_windows(weight_dtype: np.dtype | None) -> bool:
    """Whether kernels can write arcs with such weights, or none, into windows."""
    return weight_dtype is None or weight_dtype.itemsize in (4, 8)


def no_arcs(xp: Any, vertex_dtype: np.dtype, weight_dtype: np.dtype | None) -> Arcs:
    """What a part sends whose arcs are no good."""
    empty = xp.empty(0, vertex_dtype)
    return Arcs(empty, empty, None if weight_dtype is None else xp.empty(0, weight_dtype))
