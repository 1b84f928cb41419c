"""Windows: memory of each part that the kernels of all parts read and write, on GPUs of one host."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.scratch import Counters

if TYPE_CHECKING:
    from .communicator import Communicator

PIECE = 2**21
"""Bytes of which windows are multiples: the driver shares whole pieces."""
HEAD_BYTES = 2048
"""Of each window, for what kernels tell each other; persistent.cuh has the same number."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Window:
    """The windows of all parts, as one of them sees them; all zero at first.

    Parameters
    ----------
    memory : array of uint8
        This part's window.
    addresses : sequence of int
        Of the windows, by the ranks of the parts.
    unmap, free : functions
        Forget the windows of the other parts, and give back the memory of this one's: after all have forgotten it.

    Attributes
    ----------
    nbytes : int
        Of each window.
    memory : array of uint8
        This part's window.
    addresses : array of uint64
        On the device.
    outcome : Counters
        What a kernel that works with the windows reports to the host.
    told : Counters
        What all parts have told each other of a batch, likewise: a row of each.
    """

    OUTCOMES = 9

    def __init__(
        self, comm: Communicator, memory: Any, addresses: Sequence[int], unmap: Callable[[], None],
        free: Callable[[], None],
    ):  # fmt: skip
        self.memory = memory
        self.nbytes = int(memory.size)
        self.addresses = comm.device.xp.asarray(np.asarray(addresses, np.uint64))
        self.outcome = Counters(comm.device, self.OUTCOMES)
        self.told = Counters(comm.device, comm.size * (comm.size + 2))
        self.unmap, self.free = unmap, free


def open_on_gpus(comm: Communicator, nbytes: int) -> Window | None:
    """Windows of processes with a GPU each, by CUDA's handles for other processes; None if any cannot see another's.

    NCCL has such windows, too, but CuPy does not know them.
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
    offers = comm.gather_objects((_this_host(), handle))
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


def _this_host() -> tuple[str, str]:
    """What tells this host, since its last start, from others."""
    return socket.gethostname(), BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""


def open_in_process(comm: Communicator, nbytes: int) -> Window:
    """Windows of threads whose kernels run at the same time."""
    memory = comm.device.xp.zeros(nbytes, np.uint8)
    addresses = comm.gather_objects(memory.data.ptr)

    return Window(comm, memory, addresses, lambda: None, lambda: None)
