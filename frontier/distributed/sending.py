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


def send(comm: Communicator, window: Window | None, found: ByOwner, arcs: Arcs, row: Any) -> Sending:
    """Send arcs, of which `found` has the owners, and `row` what others must know (`ByOwner.count`)."""
    return ByMessages(comm, found, arcs, row) if window is None else ByWindows(comm, window, found, arcs, row)


class ByMessages:
    """Arcs that are sent when all parts know how many come."""

    def __init__(self, comm: Communicator, found: ByOwner, arcs: Arcs, row: Any):
        self._comm = comm
        self._weights = arcs.weights
        self._held = found.sort(arcs.dst, order=arcs.weights is not None)
        self.table = comm.gather_rows(row)

    def receive(self, lasting: bool) -> Sequence[Any]:
        src, dst, *order = self._held
        count = int(self.table[self._comm.rank, : self._comm.size].sum())
        weights = [elementwise.take(self._comm.device, self._weights, positions[:count]) for positions in order]
        return receive_messages(self._comm, self.table, [src, dst, *weights])


class ByWindows:
    """Arcs that are on their way already when the host hears how many come: it has memory made meanwhile."""

    def __init__(self, comm: Communicator, window: Window, found: ByOwner, arcs: Arcs, row: Any):
        kinds = [each.dtype for each in (arcs.src, arcs.dst, arcs.weights) if each is not None]
        self._comm, self._window, self._kinds = comm, window, kinds
        self._room = (window.nbytes - HEAD_BYTES) // sum(kind.itemsize for kind in kinds) // 128 * 128
        rows = comm.queue_rows(row)
        self._held = found.send(arcs.dst, arcs.weights, rows, comm.rank, window, self._room)
        comm.queue_barrier()
        self.table = np.asarray(window.told.hear(), np.int64).reshape(comm.size, -1)
        comm.waits += 1

    def receive(self, lasting: bool) -> Sequence[Any]:
        comm, table = self._comm, self.table
        received = table[:, : comm.size].sum(axis=0)
        if received.max() > self._room:
            return receive_messages(comm, table, list(self._held))
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
