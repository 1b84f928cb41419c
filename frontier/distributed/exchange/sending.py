"""Send the arcs of a batch to the partitions that own them, on GPUs.

If partitions have windows, a kernel writes the arcs into their owners' windows. Otherwise they travel as messages.
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
BARRIERS = 3  # of the grid in a launch of sending.cuh
MAX_KEPT = 1 << 22
"""Arcs of a batch whose memory is reused by the next. Allocations are a small share of the time of larger batches."""
GIVEN = (
    "target", "spans", "count", "src", "dst", "weights", "together", "owners", "places", "out_src", "out_dst",
    "out_weights", "errors", "num_errors", "number",
)  # fmt: skip
"""The kernel's arguments that change from batch to batch."""


class Sending(Protocol):
    """A partition's arcs of a batch, whose ids may not be checked yet.

    After `begin`, `table` has a row of each partition: its counts of arcs for each partition, whether it has errors,
    and a number of its host's.
    """

    arcs: Arcs
    table: list[list[int]]

    def begin(self, errors: Any, number: int) -> None:
        """Send the arcs, and synchronize to read `table`. `errors`, on the device, are nonzero in an invalid batch."""

    def receive(self, lasting: bool) -> Sequence[Any]:
        """Return the sources, destinations and weights, if any, of this partition's arcs, ordered by sender.

        Unless they are `lasting`, they may lie in a window until the next batch or search.
        """


def sending_of(comm: Communicator, partition: Partition, arcs: Arcs, window: Window | None) -> Sending:
    return ByMessages(comm, partition, arcs) if window is None else ByWindows(comm, partition, arcs, window)


def received_by(table: list[list[int]], part: int) -> int:
    return sum(row[part] for row in table)


class ByMessages:
    """Arcs that are sent once all partitions know the counts."""

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
    """Memory to send batches of up to `size` arcs. `sorted` has their columns sorted by owner."""

    def __init__(self, device: Device, parts: int, size: int, kinds: Sequence[np.dtype]):
        empty = device.xp.empty
        self.size = size
        self.sorted = [empty(size, kind) for kind in kinds]
        self._others = empty(size, np.uint8), empty(-(-size // SPAN) * parts, np.int64)
        addresses = [each.data.ptr for each in (*self._others, *self.sorted)]
        self.addresses = tuple(addresses + [0] * (5 - len(addresses)))  # owners, positions, columns (0 without weights)


class Sender:
    """The kernel, memory and parameters that send batches of some column types through one window."""

    def __init__(self, comm: Communicator, window: Window, kinds: tuple[np.dtype, ...]):
        from frontier.runtime.compile.cuda import cooperative_blocks, load_kernel

        empty, parts = comm.device.xp.empty, comm.size
        self._kinds = kinds
        self.width = sum(kind.itemsize for kind in kinds)  # bytes of an arc
        self.room = (window.nbytes - HEAD_BYTES) // self.width // 128 * 128  # arcs that a window can receive
        self.received = []  # the columns in this partition's window
        start = HEAD_BYTES
        for kind in kinds:
            end = start + self.room * kind.itemsize
            self.received.append(window.memory[start:end].view(kind))
            start = end
        self._device, self._parts = comm.device, parts
        self._memory = Memory(comm.device, parts, 0, kinds)
        self._given = Struct(GIVEN)
        self._barriers = 0  # blocks that have reached barriers of their grids, as `arrived` counts them
        self._most_blocks = cooperative_blocks()
        rows = empty(parts * (parts + 2), np.int64)
        self.arrived = fill_with(empty(1, np.uint32), 0)
        self._kernel = load_kernel(HEADER, f"send_arcs_{IDS[kinds[0]]}", ()).bind(
            *(Field(self._given, name) for name in GIVEN), kinds[2].itemsize if len(kinds) > 2 else 0, self.room, rows,
            comm.rank, window.addresses, window.notices.published, window.abandoned, self.arrived,
        )  # fmt: skip

    def memory(self, count: int) -> Memory:
        if count > MAX_KEPT:
            return Memory(self._device, self._parts, count, self._kinds)
        if count > self._memory.size:
            self._memory = Memory(self._device, self._parts, 1 << (count - 1).bit_length(), self._kinds)
        return self._memory

    def launch(self, memory: Memory, arcs: Arcs, together: int, errors: Any, number: int) -> None:
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
    """Arcs that are in flight when the host receives their counts.

    All memory is allocated before, so nothing fails while other partitions wait.
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
    return comm.alltoallv_columns(columns, table[comm.rank][: comm.size], [row[comm.rank] for row in table])[0]


def can_use_windows(weight_dtype: np.dtype | None) -> bool:
    """Return whether kernels can write arcs with these weights, or none, into windows."""
    return weight_dtype is None or weight_dtype.itemsize in (4, 8)


def no_arcs(xp: Any, vertex_dtype: np.dtype, weight_dtype: np.dtype | None) -> Arcs:
    """Return the empty batch of a partition whose arcs are invalid."""
    empty = xp.empty(0, vertex_dtype)
    return Arcs(empty, empty, None if weight_dtype is None else xp.empty(0, weight_dtype))
