"""Arcs of a batch on their way to the parts that own them, on GPUs: a kernel writes them into the windows of the
owners, where parts have windows, and otherwise they are sent as messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..batch import Arcs
from ..runtime import elementwise, fill_with
from ..runtime.parameters import Field, Struct
from ..runtime.scratch import Scratch
from .owners_on_gpu import IDS, SPAN, SPAN_THREADS, ByOwner
from .windows import HEAD_BYTES, Window

if TYPE_CHECKING:
    from .communicator import Communicator
    from .partition import Partition

HEADER = "frontier/distributed/sending.cuh"
BARRIERS = 3
"""Of the grid in a launch of sending.cuh."""
MOST_KEPT = 1 << 23
"""Arcs of a batch for which memory is kept for the next. Of larger ones, allocations are a small part of the time."""


GIVEN = (
    "target", "spans", "count", "src", "dst", "weights", "weight_bytes", "together", "owners", "places", "errors",
    "num_errors", "number", "out_src", "out_dst", "out_weights", "room",
)  # fmt: skip
"""What the kernel takes that changes from batch to batch."""
SORTED = "sorted src", "sorted dst", "sorted weights"


class Sending(Protocol):
    """Arcs of a batch that a part lists, with the memory that it takes to send them, so that nothing fails while other
    parts wait. Their ids need not be checked yet.

    Attributes
    ----------
    arcs : Arcs
    table : array of int64, shape (parts, parts + 2)
        On the host, once it has begun: how many arcs each part sends to each, whether it has found errors, and a number
        of its host's.
    """

    arcs: Arcs
    table: np.ndarray

    def begin(self, errors: Any, number: int) -> None:
        """Send them, and wait for `table`.

        Parameters
        ----------
        errors : array of int64
            On the device: not zero where the batch is no good.
        """

    def receive(self, lasting: bool) -> Sequence[Any]:
        """Sources, destinations, and weights if there are any, of the arcs that this part owns: those of the first part
        first.

        Parameters
        ----------
        lasting : bool
            Whether they are needed when the next batch is sent, or a search begins. If not, they may be in a window.
        """


def sending_of(comm: Communicator, partition: Partition, arcs: Arcs, window: Window | None) -> Sending:
    """What sends some arcs."""
    return ByMessages(comm, partition, arcs) if window is None else ByWindows(comm, partition, arcs, window)


class ByMessages:
    """Arcs that are sent when all parts know how many come."""

    def __init__(self, comm: Communicator, partition: Partition, arcs: Arcs):
        self.arcs = arcs
        self._comm = comm
        self._by_owner = ByOwner(partition, arcs.src)
        self._held: tuple[Any, ...] = ()

    def begin(self, errors: Any, number: int) -> None:
        arcs, row = self.arcs, self._by_owner.count(errors, number)
        self._held = self._by_owner.sort(arcs.dst, order=arcs.weights is not None)
        self.table = self._comm.gather_rows(row)

    def receive(self, lasting: bool) -> Sequence[Any]:
        src, dst, *order = self._held
        count = int(self.table[self._comm.rank, : self._comm.size].sum())
        weights = [elementwise.take(self._comm.device, self.arcs.weights, positions[:count]) for positions in order]
        return receive_messages(self._comm, self.table, [src, dst, *weights])


class Sender:
    """What batches are sent with through one window: a kernel, memory that stays, and parameters.

    Parameters
    ----------
    comm : Communicator
    window : Window
    dtype : dtype
        Of ids.

    Attributes
    ----------
    scratch : Scratch
    """

    def __init__(self, comm: Communicator, window: Window, dtype: np.dtype):
        from ..runtime.cuda import cooperative_blocks, load_kernel

        empty, parts = comm.device.xp.empty, comm.size
        self.scratch = Scratch(comm.device)
        self.dtype = dtype
        self._given = Struct(GIVEN)
        self._parts = parts
        self._barriers = 0  # blocks that have come to barriers of their grids, as `arrived` counts them
        self._most_blocks = cooperative_blocks()
        rows, arrived = empty(parts * (parts + 2), np.int64), fill_with(empty(1, np.uint32), 0)
        given = {name: Field(self._given, name) for name in GIVEN}
        self._kernel = load_kernel(HEADER, f"send_arcs_{IDS[dtype]}", ()).bind(
            *given.values(), rows, comm.rank, window.addresses, window.told.published, window.abandoned, arrived
        )  # fmt: skip

    def launch(self, spans: int, *values: int) -> None:
        """Queue the kernel for arcs that take so many spans; `values` are the rest of `GIVEN`."""
        blocks = max(min(spans, self._most_blocks), 1)
        self._given.set(self._barriers, spans, *values)
        self._kernel(self._parts, threads=SPAN_THREADS, blocks=blocks, cooperative=blocks > 1)
        self._barriers = (self._barriers + BARRIERS * blocks) & 0xFFFFFFFF


class ByWindows:
    """Arcs that are on their way already when the host hears how many come: it has memory made meanwhile."""

    def __init__(self, comm: Communicator, partition: Partition, arcs: Arcs, window: Window):
        self.arcs = arcs
        self._comm, self._window, self._together = comm, window, partition.together
        self._columns = [each for each in (arcs.src, arcs.dst, arcs.weights) if each is not None]
        self._width = sum(each.itemsize for each in self._columns)
        self._room = (window.nbytes - HEAD_BYTES) // self._width // 128 * 128
        self._spans = -(-len(arcs) // SPAN)
        sender = window.sender
        if sender is None or sender.dtype != arcs.src.dtype:
            sender = window.sender = Sender(comm, window, arcs.src.dtype)

        def memory(name: str, size: int, dtype: Any) -> Any:
            if len(arcs) > MOST_KEPT:
                return comm.device.xp.empty(size, dtype)
            return sender.scratch.get(name, size, dtype)

        self._owners = memory("owners", len(arcs), np.uint8)
        self._places = memory("places", self._spans * comm.size, np.int64)
        self._sorted = [memory(name, len(arcs), each.dtype) for name, each in zip(SORTED, self._columns, strict=False)]

    def begin(self, errors: Any, number: int) -> None:
        comm, window = self._comm, self._window
        window.told.expect()
        comm.queue(lambda: self._launch(errors, number))
        self.table = np.asarray(window.told.hear(), np.int64).reshape(comm.size, -1)
        comm.waits += 1

    def _launch(self, errors: Any, number: int) -> None:
        columns = [each.data.ptr for each in self._columns]
        out = [each.data.ptr for each in self._sorted]
        weight_bytes = 0
        if len(columns) > 2:
            weight_bytes = self._columns[2].itemsize
        else:
            columns.append(0)
            out.append(0)
        self._window.sender.launch(
            self._spans, len(self.arcs), *columns, weight_bytes, self._together, self._owners.data.ptr,
            self._places.data.ptr, errors.data.ptr, int(errors.size), number, *out, self._room,
        )  # fmt: skip

    def receive(self, lasting: bool) -> Sequence[Any]:
        comm, table = self._comm, self.table
        received = table[:, : comm.size].sum(axis=0)
        if received.max() > self._room:
            return receive_messages(comm, table, self._sorted)
        sent = table[comm.rank, : comm.size]
        comm.sent_bytes += int(sent.sum() - sent[comm.rank]) * self._width + 8 * table.shape[1] * (comm.size - 1)
        columns, start = [], HEAD_BYTES
        for kind in (each.dtype for each in self._columns):
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
