"""Arcs of a batch on their way to the parts that own them, on GPUs: a kernel writes them into the windows of the
owners, where parts have windows, and otherwise they are sent as messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from frontier.core.batch import Arcs
from frontier.runtime import Device, fill_with
from frontier.runtime.launch.arguments import Field, Struct
from frontier.runtime.memory import elementwise

from ..partition.owners_on_gpu import IDS, SPAN, SPAN_THREADS, ByOwner
from ..transport.windows import HEAD_BYTES, Window

if TYPE_CHECKING:
    from ..partition.partition import Partition
    from ..transport.communicator import Communicator

HEADER = "frontier/distributed/exchange/sending.cuh"
BARRIERS = 3
"""Of the grid in a launch of sending.cuh."""
MAX_KEPT = 1 << 22
"""Arcs of a batch for which memory is kept for the next. Of larger ones, allocations are a small part of the time."""


GIVEN = (
    "target", "spans", "count", "src", "dst", "weights", "together", "owners", "places", "out_src", "out_dst",
    "out_weights", "errors", "num_errors", "number",
)  # fmt: skip
"""What the kernel takes that changes from batch to batch."""


class Sending(Protocol):
    """Arcs of a batch that a part lists. Their ids need not be checked yet.

    Attributes
    ----------
    arcs : Arcs
    table : list of list of int
        Once it has begun, a row of each part: how many arcs it sends to each, whether it has found errors, and a number
        of its host's.
    """

    arcs: Arcs
    table: list[list[int]]

    def begin(self, errors: Any, number: int) -> None:
        """Send them, and wait for `table`. `errors`, on the device, is not zero where the batch is no good."""

    def receive(self, lasting: bool) -> Sequence[Any]:
        """Sources, destinations, and weights if there are any, of the arcs that this part owns: those of the first part
        first. Unless they are `lasting`, they may be in a window until the next batch is sent, or a search begins."""


def sending_of(comm: Communicator, partition: Partition, arcs: Arcs, window: Window | None) -> Sending:
    """What sends some arcs."""
    return ByMessages(comm, partition, arcs) if window is None else ByWindows(comm, partition, arcs, window)


def received_by(table: list[list[int]], part: int) -> int:
    """How many arcs a part gets."""
    return sum(row[part] for row in table)


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
        self.table = self._comm.gather_rows(row).tolist()

    def receive(self, lasting: bool) -> Sequence[Any]:
        src, dst, *order = self._held
        count = sum(self.table[self._comm.rank][: self._comm.size])
        weights = [elementwise.take(self._comm.device, self.arcs.weights, positions[:count]) for positions in order]
        return receive_messages(self._comm, self.table, [src, dst, *weights])


class Memory:
    """What it takes to send batches of up to some arcs, if the windows have no room, too.

    Attributes
    ----------
    size : int
        Arcs that it is enough for.
    sorted : list of array
        Sources, destinations, and weights if there are any, sorted by owner.
    addresses : tuple of int
        Of owners, places, and these three; 0 for no weights.
    """

    def __init__(self, device: Device, parts: int, size: int, kinds: Sequence[np.dtype]):
        empty = device.xp.empty
        self.size = size
        self.sorted = [empty(size, kind) for kind in kinds]
        self._others = empty(size, np.uint8), empty(-(-size // SPAN) * parts, np.int64)
        addresses = [each.data.ptr for each in (*self._others, *self.sorted)]
        self.addresses = tuple(addresses + [0] * (5 - len(addresses)))


class Sender:
    """What batches with columns of some types are sent with through one window: a kernel, memory that stays, and
    parameters.

    Parameters
    ----------
    comm : Communicator
    window : Window
    kinds : tuple of dtype
        Of sources, destinations, and weights if there are any.

    Attributes
    ----------
    width : int
        Bytes of an arc.
    room : int
        Arcs for which each window has room.
    received : list of array
        That room in this part's window.
    arrived : array of uint32, shape (1,)
        The counter of the barriers of grids.
    """

    def __init__(self, comm: Communicator, window: Window, kinds: tuple[np.dtype, ...]):
        from frontier.runtime.compile.cuda import cooperative_blocks, load_kernel

        empty, parts = comm.device.xp.empty, comm.size
        self._kinds = kinds
        self.width = sum(kind.itemsize for kind in kinds)
        self.room = (window.nbytes - HEAD_BYTES) // self.width // 128 * 128
        self.received = []
        start = HEAD_BYTES
        for kind in kinds:
            end = start + self.room * kind.itemsize
            self.received.append(window.memory[start:end].view(kind))
            start = end
        self._device, self._parts = comm.device, parts
        self._memory = Memory(comm.device, parts, 0, kinds)
        self._given = Struct(GIVEN)
        self._barriers = 0  # blocks that have come to barriers of their grids, as `arrived` counts them
        self._most_blocks = cooperative_blocks()
        rows = empty(parts * (parts + 2), np.int64)
        self.arrived = fill_with(empty(1, np.uint32), 0)
        self._kernel = load_kernel(HEADER, f"send_arcs_{IDS[kinds[0]]}", ()).bind(
            *(Field(self._given, name) for name in GIVEN), kinds[2].itemsize if len(kinds) > 2 else 0, self.room, rows,
            comm.rank, window.addresses, window.notices.published, window.abandoned, self.arrived,
        )  # fmt: skip

    def memory(self, count: int) -> Memory:
        """Memory to send so many arcs with."""
        if count > MAX_KEPT:
            return Memory(self._device, self._parts, count, self._kinds)
        if count > self._memory.size:
            self._memory = Memory(self._device, self._parts, 1 << (count - 1).bit_length(), self._kinds)
        return self._memory

    def launch(self, memory: Memory, arcs: Arcs, together: int, errors: Any, number: int) -> None:
        """Queue the kernel."""
        count = len(arcs)
        spans = -(-count // SPAN)
        blocks = max(min(spans, self._most_blocks), 1)
        self._given.set(
            self._barriers, spans, count, *arcs.addresses, together, *memory.addresses, errors.data.ptr, errors.size,
            number,
        )  # fmt: skip
        self._kernel(self._parts, threads=SPAN_THREADS, blocks=blocks, cooperative=blocks > 1)
        self._barriers = (self._barriers + BARRIERS * blocks) & 0xFFFFFFFF


class ByWindows:
    """Arcs that are on their way already when the host receives their counts. All memory that it takes to send them is
    made before, so that nothing fails while other parts wait.
    """

    def __init__(self, comm: Communicator, partition: Partition, arcs: Arcs, window: Window):
        self.arcs = arcs
        self._comm, self._window, self._together = comm, window, partition.together
        kinds = arcs.kinds
        if kinds not in window.senders:
            window.senders[kinds] = Sender(comm, window, kinds)
        self._sender = window.senders[kinds]
        self._memory = self._sender.memory(len(arcs))

    def begin(self, errors: Any, number: int) -> None:
        comm, notices = self._comm, self._window.notices
        notices.arm()
        comm.queue(lambda: self._sender.launch(self._memory, self.arcs, self._together, errors, number))
        numbers, width = notices.poll(), comm.size + 2
        self.table = [numbers[i : i + width] for i in range(0, len(numbers), width)]
        comm.waits += 1
        comm.sent_bytes += 8 * width * (comm.size - 1)

    def receive(self, lasting: bool) -> Sequence[Any]:
        comm, table, sender = self._comm, self.table, self._sender
        if any(received_by(table, part) > sender.room for part in range(comm.size)):
            return receive_messages(comm, table, self._memory.sorted)
        sent = table[comm.rank]
        comm.sent_bytes += (sum(sent[: comm.size]) - sent[comm.rank]) * sender.width
        count = received_by(table, comm.rank)
        columns = [column[:count] for column in sender.received]
        return [elementwise.copy_of(column) for column in columns] if lasting else columns


def receive_messages(comm: Communicator, table: list[list[int]], columns: list[Any]) -> Sequence[Any]:
    """Exchange columns of arcs that are sorted by owner."""
    sent = table[comm.rank][: comm.size]
    return comm.alltoallv_columns(columns, sent, [row[comm.rank] for row in table])[0]


def can_use_windows(weight_dtype: np.dtype | None) -> bool:
    """Whether kernels can write arcs with such weights, or none, into windows."""
    return weight_dtype is None or weight_dtype.itemsize in (4, 8)


def no_arcs(xp: Any, vertex_dtype: np.dtype, weight_dtype: np.dtype | None) -> Arcs:
    """What a part sends whose arcs are no good."""
    empty = xp.empty(0, vertex_dtype)
    return Arcs(empty, empty, None if weight_dtype is None else xp.empty(0, weight_dtype))
