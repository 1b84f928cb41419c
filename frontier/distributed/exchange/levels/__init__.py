"""The delivery of a push's copies to the partitions that own them, on GPUs, by this package's kernels.

A level of a search that reaches few vertices is all latency. So its messages have a fixed capacity (`ROOM`), and travel
before their contents are known. A level is then two exchanges, the messages and the sums of a few numbers, and the host
synchronizes once, for these sums. If a message overflows, everything for that partition travels in a second message,
with another sum and another synchronization: such a level is bound by bandwidth.

    numbers    members of the next frontier, arcs that leave them, pairs beyond the capacity, members of this frontier:
               of this partition, and of all partitions. Then the counts sent to each partition and received, the fill
               of the second messages, and the number of reached vertices, and of their arcs. One copy brings all to the
               host.

Members are without duplicates. Stamps mark the vertices that the level has listed already, so nothing is cleared, and
the work of a level depends only on the vertices that it reaches.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.locking import reads, workspace_of
from frontier.operators.dispatch.gpu_balance import blocks_for_at_most
from frontier.operators.dispatch.kernels import begin_to_load, cuda_kernels_for
from frontier.runtime.memory.scratch import Counters

if TYPE_CHECKING:
    from ...partition.partition import Partition
    from ...transport.communicator import Communicator

HEADER = "frontier/distributed/exchange/levels/levels.cuh"
ROOM = 2048
"""Maximal capacity of a first message in vertices, a multiple of 8. It travels hardly longer than an empty one. It is
smaller if all partitions know that a level reaches fewer."""
MAX_PARTS, MAX_COLUMNS, SOLO = 32, 4, 1024  # as in levels.cuh
BYTES_AHEAD = 16  # of a message, before its columns (HEADER in levels.cuh)
LEFT, TOTALS, ROWS = 2, 4, 8  # indices of the numbers (levels.cuh has the same)
RULES = {"min": 0, "max": 1, "add": 2, "or": 3, "countdown": 5}
IDLE = {"add": 0, "countdown": 1}
"""By the rules of which copies contain amounts, the entries of copies if there is nothing to add."""
FOLLOW = 4
TYPES = {
    np.dtype(name): code for code, name in enumerate(
        ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")
    )
}  # fmt: skip


@dataclass
class Columns:
    """The arrays whose entries travel, and their kernel arguments."""

    arrays: list[Any]  # first arrays with a rule, then arrays that follow one of them
    adds: bool  # whether copies of an array contain amounts to add
    width: int  # bytes of an entry of each
    args: tuple

    @classmethod
    def of(cls, ruled: Sequence[tuple[Any, str]], followers: Sequence[tuple[Any, Any]]) -> Columns | None:
        """Return the columns of arrays with their rules, and with their leaders. None if they are too many, or kernels
        do not support the type of one."""
        arrays = [array for array, _ in (*ruled, *followers)]
        if len(arrays) > MAX_COLUMNS or any(array.dtype not in TYPES for array in arrays):
            return None
        codes = [TYPES[array.dtype] | RULES[rule] << 4 for array, rule in ruled]
        for array, leader in followers:
            at = next(i for i, (each, _) in enumerate(ruled) if each is leader)
            codes.append(TYPES[array.dtype] | FOLLOW << 4 | at << 8)
        packed = sum(code << 16 * i for i, code in enumerate(codes))
        adds = any(rule in IDLE for _, rule in ruled)
        return cls([], adds, sum(array.itemsize for array in arrays), (len(arrays), packed)).of_others(arrays)

    def of_others(self, arrays: list[Any]) -> Columns:
        """Columns of the same types and rules for other arrays."""
        pointers = (*arrays, *[None] * (MAX_COLUMNS - len(arrays)))
        return Columns(arrays, self.adds, self.width, (*self.args[:2], *pointers))


@dataclass
class Level:
    """The result of a level."""

    members: Any  # this partition's members of the next frontier, without duplicates
    arcs: int  # that leave them
    total: int  # members of all partitions
    total_arcs: int
    entered: int  # vertices in the last frontiers of all partitions


class Mail:
    """The messages from and to one partition, level by level, and their memory."""

    def __init__(self, comm: Communicator, partition: Partition):
        self._comm = comm
        self._partition = partition
        parts = comm.size
        self._cursors_at = ROWS + 2 * parts
        self._reached_at = ROWS + 3 * parts
        self._counters = Counters(comm.device, self._reached_at + 2)
        numbers = self._counters.array
        self.numbers = numbers
        self.reached = numbers[self._reached_at :]
        self._own, self._totals = numbers[:TOTALS], numbers[TOTALS:ROWS]
        self._cursors = numbers[self._cursors_at : self._reached_at]
        self._room = ROOM  # of the messages of this level
        self._stride = 0  # bytes of a message, for which the pieces are cut
        self._messages: Any = None
        self._received: Any = None
        self._outgoing: list[Any] = []
        self._sizes: list[int] = []

    @staticmethod
    def load_ahead(local: Any) -> None:
        """Compile the kernels in the background: a search with windows uses them only if these overflow."""
        begin_to_load(_kernels(local))

    @staticmethod
    def can_carry(comm: Communicator) -> bool:
        """Whether kernels make the messages between partitions."""
        return comm.device.is_gpu and 1 < comm.size <= MAX_PARTS

    def begin(self, local: Any, columns: Columns, entered: int, reached: int = 0, most: int | None = None) -> None:
        """Prepare a level, for which this partition's frontier has `entered` members.

        `reached` is the number of vertices that `deliver` sends, if the host knows it. All partitions together send at
        most `most`, which is the same on all.
        """
        self._room = ROOM if most is None else min(ROOM, max(rounded_up(most), 8))
        self._cut(BYTES_AHEAD + self._room * (local.vertex_dtype.itemsize + columns.width))
        size = int(self.numbers.size)
        _kernels(local).begin(
            size, self.numbers, entered, self._reached_at, reached, self._messages, self._comm.size, self._stride
        )

    def _cut(self, stride: int) -> None:
        """Make messages of so many bytes."""
        if stride == self._stride:
            return
        comm, xp = self._comm, self._comm.device.xp
        if self._messages is None or stride * comm.size > self._messages.size:
            self._messages = xp.empty(stride * comm.size, np.uint8)
            self._received = xp.empty(stride * comm.size, np.uint8)
        self._stride = stride
        self._outgoing = [self._messages[p * stride : (p + 1) * stride] for p in range(comm.size)]
        self._outgoing[comm.rank] = self._messages[:0]
        self._sizes = [0 if p == comm.rank else stride for p in range(comm.size)]

    def deliver(self, local: Any, columns: Columns, reached: Any, most: int, stamps: Any, epoch: Any) -> Level:
        """Send the copies of `reached`, vertices without duplicates, to the owners.

        Their number is on the device, in the mail's `reached`. It is at most `most`, which is 0 if there are none. No
        `stamps` of other vertices equal `epoch` yet.
        """
        comm, kernels, view, rank = self._comm, _kernels(local), local.view(), self._comm.rank
        members = comm.device.xp.empty(local.num_vertices, local.vertex_dtype)
        owners, room = self._partition.owners, self._room
        listed = (stamps, epoch, members, self.numbers)

        def pack(more: Any) -> None:
            if not most:
                return
            blocks = blocks_for_at_most(most)
            kernels.pack(
                1, view, self.reached, reached, owners, rank, comm.size, room, self._messages, more, *listed,
                self._cursors, *columns.args, blocks=blocks,
            )  # fmt: skip
            if columns.adds:
                again = int(more is not None)
                kernels.forget(
                    1, self.reached, reached, owners, rank, room, self._messages, again, *columns.args, blocks=blocks
                )

        pack(None)
        comm.exchange_into(self._outgoing, self._sizes, self._received)
        kernels.combine_messages(
            1, view, self._messages, self._received, rank, comm.size, room, *listed, *columns.args, blocks=1,
            threads=SOLO,
        )  # fmt: skip
        numbers = self.sum_up()
        if numbers[TOTALS + LEFT]:
            self._deliver_rest(local, columns, numbers, listed, pack)
            numbers = self.sum_up()
        count, arcs = numbers[:2]
        return Level(members[:count], arcs, *numbers[TOTALS : TOTALS + 2], numbers[TOTALS + 3])

    def _deliver_rest(self, local: Any, columns: Columns, numbers: list[int], listed: tuple, pack: Any) -> None:
        """Exchange the second messages, and combine them partition by partition."""
        comm, xp = self._comm, self._comm.device.xp
        width = local.vertex_dtype.itemsize + columns.width

        def bytes_of(counts: list[int]) -> list[int]:
            return [0 if count <= self._room else BYTES_AHEAD + rounded_up(count) * width for count in counts]

        sent, received = (numbers[start : start + comm.size] for start in (ROWS, ROWS + comm.size))
        going, coming = bytes_of(sent), bytes_of(received)
        messages, arrived = (xp.empty(max(sum(sizes), 1), np.uint8) for sizes in (going, coming))
        if sum(going):
            pack(messages)
        ends = [0, *itertools.accumulate(going)]
        comm.exchange_into([messages[a:b] for a, b in itertools.pairwise(ends)], coming, arrived)
        offset = 0
        for count, size in zip(received, coming, strict=True):
            if size:
                _kernels(local).combine_message(count, local.view(), arrived, offset, *listed, *columns.args)
            offset += size

    def sum_up(self) -> list[int]:
        """Sum up the numbers of all partitions, and read all. The host synchronizes."""
        self._comm.sum_into(self._own, self._totals)
        self._comm.waits += 1
        return self._counters.read()

    def send(self, local: Any, columns: Columns, reached: Any, entered: int) -> Level:
        """`deliver` for a list whose length the host knows."""
        size = int(reached.size)
        follow_updates(local)
        self.begin(local, columns, entered, size)
        return self.deliver(local, columns, reached, size, *workspace_of(local).next_stamps(local))


@reads
def follow_updates(graph: Any) -> None:
    """Make the current stream wait for the last update of a graph, if that was made in another one."""


def _kernels(local: Any) -> Any:
    return cuda_kernels_for(local, HEADER, (), ())


def rounded_up(count: int) -> int:
    """The capacity for so many vertices."""
    return -(-count // 8) * 8
