"""Windows: memory of each partition that the kernels of all partitions read and write, on GPUs of one host."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime.launch.arguments import Field, Struct
from frontier.runtime.memory.pinned import pinned
from frontier.runtime.memory.scratch import Counters

if TYPE_CHECKING:
    from .base import BaseCommunicator

PIECE = 2**21  # bytes: windows are multiples, since the driver shares whole pieces
HEAD_BYTES = 24576  # of each window, for small exchanges of kernels (window_layout.cuh has the same number)
HEADER = "frontier/distributed/transport/windows.cuh"
MAX_WINDOWS, MAX_NUMBERS, FROM_HOST = 32, 34, 8
OPERATIONS = {"sum": 1, "min": 2, "max": 3}  # as in windows.cuh
ONE_BLOCK = {"threads": 64, "blocks": 1}
GIVEN = (*(f"number {k}" for k in range(FROM_HOST)), "operation")  # kernel arguments that change from call to call
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Window:
    """The windows of all partitions, of `nbytes` each, as one of them sees them, initially zero.

    This partition's window is `memory` (uint8). `addresses` (uint64, on the device) has the addresses of all windows. A
    kernel leaves results for the host in `outcome`, each partition its numbers of a batch in a row of `notices`, and
    all partitions combined numbers in `sums`. The address `abandoned`, in the host's memory, ends the kernels' waits
    for other partitions. `senders` of batches are found by the types of their columns (`sending`).

    `unmap` forgets the windows of the other partitions. `free`, after all partitions have done so, frees this one's
    memory.
    """

    OUTCOMES = 9

    def __init__(
        self, comm: BaseCommunicator, memory: Any, addresses: Sequence[int], unmap: Callable[[], None],
        free: Callable[[], None],
    ):  # fmt: skip
        self.memory = memory
        self.nbytes = int(memory.size)
        self.addresses = comm.device.xp.asarray(np.asarray(addresses, np.uint64))
        self.outcome = Counters(comm.device, self.OUTCOMES)
        self.notices = Counters(comm.device, comm.size * (comm.size + 2))
        self.sums = Counters(comm.device, FROM_HOST)
        self._abandoned = _pinned()
        self.abandoned = self._abandoned.ctypes.data
        self.senders: dict[tuple[np.dtype, ...], Any] = {}
        self._given = Struct(GIVEN)
        self._combine: Any = None
        self.unmap, self.free = unmap, free
        self._xp, self._rank, self._parts = comm.device.xp, comm.rank, comm.size

    def abandon(self) -> None:
        """End the kernels' waits for other partitions."""
        self._abandoned[0] = 1

    def can_exchange(self, count: int) -> bool:
        """Return whether kernels exchange rows of this length."""
        return count <= MAX_NUMBERS

    def exchange_rows(self, row: Any) -> Any:
        """Queue the exchange of a row of int64 numbers on the device, and return the rows of all partitions."""
        rows = self._xp.empty((self._parts, row.size), np.int64)
        none = (0,) * FROM_HOST
        self._kernel()(int(row.size), row, *none, *self._others(), rows, 0, None, self.abandoned, **ONE_BLOCK)
        return rows

    def combine(self, numbers: Sequence[int], op: str) -> list[int] | None:
        """Combine up to `FROM_HOST` numbers of all partitions, and synchronize to read the result. None if the
        partitions are abandoned."""
        if self._combine is None:
            given = [Field(self._given, name) for name in GIVEN]
            self._combine = self._kernel().bind(
                None, *given[:-1], *self._others(), None, given[-1], self.sums.published, self.abandoned
            )
        self._given.set(*map(int, numbers), *(0,) * (FROM_HOST - len(numbers)), OPERATIONS[op])
        self.sums.arm()
        self._combine(len(numbers), **ONE_BLOCK)
        found = self.sums.poll()[: len(numbers)]
        return None if self._abandoned[0] else found

    def _kernel(self) -> Any:
        from frontier.runtime.compile.cuda import load_kernel

        return load_kernel(HEADER, "exchange_rows", ())

    def _others(self) -> tuple:
        return self.addresses, self._rank, self._parts


def _pinned() -> Any:
    """Return a number of the host that kernels can read, 0 at first."""
    number = pinned(1, np.int64)
    number[0] = 0
    return number


def open_on_gpus(comm: BaseCommunicator, nbytes: int) -> Window | None:
    """Return windows of processes with a GPU each, by CUDA's IPC handles, or None if any cannot see another's.

    CuPy does not wrap NCCL's own windows.
    """
    from cupy import cuda
    from cupy.cuda import runtime

    nbytes = -(-nbytes // PIECE) * PIECE
    pointer, handle = 0, None
    try:
        pointer = runtime.malloc(nbytes)
        runtime.memset(pointer, 0, nbytes)
        handle = runtime.ipcGetMemHandle(pointer)
        runtime.deviceSynchronize()
    except runtime.CUDARuntimeError:  # memory is exhausted, or the system has no such handles
        pass
    this_host = socket.gethostname(), BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""  # since its last boot
    offers = comm.gather_objects((this_host, handle))
    opened: dict[int, int] = {comm.rank: pointer}

    def unmap() -> None:
        for rank, address in opened.items():
            if rank != comm.rank:
                runtime.ipcCloseMemHandle(address)

    def free() -> None:
        if pointer:
            runtime.free(pointer)

    good = all(theirs is not None and host == offers[comm.rank][0] for host, theirs in offers)
    if good:
        try:
            for rank, (_, theirs) in enumerate(offers):
                if rank != comm.rank:
                    opened[rank] = runtime.ipcOpenMemHandle(theirs)
        except runtime.CUDARuntimeError:
            good = False
    if not comm.reduce_numbers([good], "min")[0]:
        unmap()
        comm.barrier()
        free()
        return None
    held = cuda.MemoryPointer(cuda.UnownedMemory(pointer, nbytes, None), 0)
    memory = comm.device.xp.ndarray(nbytes, np.uint8, held)
    return Window(comm, memory, [opened[rank] for rank in range(comm.size)], unmap, free)


def open_in_process(comm: BaseCommunicator, nbytes: int) -> Window:
    """Return windows of threads whose kernels run at the same time."""
    memory = comm.device.xp.zeros(nbytes, np.uint8)
    return Window(comm, memory, comm.gather_objects(memory.data.ptr), lambda: None, lambda: None)
