"""NCCL, through CuPy: a process for each GPU, on one host or several."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from frontier.core.arguments import one_of
from frontier.runtime import resolve_device
from frontier.runtime.memory.elementwise import copy_to
from frontier.runtime.memory.pinned import pinned

from .communicator import REDUCTIONS, Communicator, PartLostError, Transfer
from .windows import FROM_HOST, MAX_WINDOWS, Window, open_on_gpus

UINT8 = 1  # ncclDataType_t
DEVICE_TO_DEVICE = 3  # cudaMemcpyKind
DTYPES = {"int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "float32": 7, "float64": 8}
OPS = {"sum": 0, "max": 2, "min": 3}  # ncclRedOp_t


def unique_id() -> tuple:
    """Return the identity by which the partitions find each other: one of them makes it for all."""
    return load_nccl().get_unique_id()


def load_nccl() -> Any:
    """Return CuPy's module. Raises RuntimeError unless it finds the library."""
    from cupy.cuda import nccl

    if not getattr(nccl, "available", True):
        raise RuntimeError("graphs on several GPUs need NCCL, which CuPy does not find: install nvidia-nccl-cu13")
    return nccl


class Numbers:
    """A few int64 numbers that go from the host to the device and back, through page-locked memory."""

    def __init__(self, xp: Any, size: int):
        self.size = size
        self._host = pinned(size, np.int64)
        self._address = self._host.ctypes.data
        self._device = xp.empty(size, np.int64)

    def send(self, numbers: Sequence[int], stream: Any) -> int:
        """Queue the copy to the device, and return the address there."""
        self._host[: len(numbers)] = numbers
        self._device.data.copy_from_host_async(self._address, 8 * len(numbers), stream)
        return self._device.data.ptr

    def receive(self, count: int, stream: Any) -> list[int]:
        """Return the first numbers on the device, after all queued work."""
        self._device.data.copy_to_host_async(self._address, 8 * count, stream)
        stream.synchronize()
        return self._host[:count].tolist()


class NcclCommunicator(Communicator):
    """A partition on the current GPU, which no other partition of the group may use. `identity` is from `unique_id`.

    All calls go to the current stream. The host synchronizes only if it needs counts.
    """

    def __init__(self, rank: int, size: int, identity: tuple):
        super().__init__(rank, size, resolve_device("gpu"))
        self._nccl = load_nccl()
        self._group: Any = self._nccl.NcclCommunicator(size, identity, rank)
        self._numbers: Numbers | None = None

    def _exchange(self, transfers: Sequence[Transfer]) -> None:
        stream = self.device.xp.cuda.get_current_stream().ptr
        prepared = []
        for transfer in transfers:
            outgoing = [values if values.flags.c_contiguous else values.copy() for values in transfer.outgoing]
            ends = [0, *itertools.accumulate(transfer.received)]
            own = outgoing[self.rank]
            if own.size:
                copy_to(transfer.out[ends[self.rank] : ends[self.rank + 1]], own)
            prepared.append((outgoing, ends, transfer.out.data.ptr, transfer.out.itemsize))
        self._nccl.groupStart()
        try:
            for outgoing, ends, address, itemsize in prepared:
                for peer, (begin, end) in enumerate(itertools.pairwise(ends)):
                    if peer == self.rank:
                        continue
                    values = outgoing[peer]
                    if values.size:
                        self._group.send(values.data.ptr, values.nbytes, UINT8, peer, stream)
                    if end > begin:
                        self._group.recv(address + begin * itemsize, (end - begin) * itemsize, UINT8, peer, stream)
        finally:
            self._nccl.groupEnd()

    def alltoallv_columns(
        self, columns: Sequence[Any], counts: Sequence[int], received: Sequence[int] | None = None,
        outs: Sequence[Any] | None = None,
    ) -> tuple[list[Any], list[int]]:  # fmt: skip
        known = received is not None and outs is None
        if self.size == 1 or not known or not all(each.flags.c_contiguous for each in columns):
            return super().alltoallv_columns(columns, counts, received, outs)
        # By addresses, since batches use this method: slicing arrays costs the host more than the rest.
        xp, rank = self.device.xp, self.rank
        stream = xp.cuda.get_current_stream().ptr
        sent_from, got_at = ([0, *itertools.accumulate(each)] for each in (counts, received))
        outs = [xp.empty(got_at[-1], each.dtype) for each in columns]
        start = self._begin()
        for each, out in zip(columns, outs, strict=True):
            width = each.itemsize
            self.sent_bytes += (sent_from[-1] - counts[rank]) * width
            if counts[rank]:
                source, target = each.data.ptr + sent_from[rank] * width, out.data.ptr + got_at[rank] * width
                xp.cuda.runtime.memcpyAsync(target, source, counts[rank] * width, DEVICE_TO_DEVICE, stream)
        self._nccl.groupStart()
        try:
            for each, out in zip(columns, outs, strict=True):
                width, source, target = each.itemsize, each.data.ptr, out.data.ptr
                for peer in range(self.size):
                    if peer != rank and counts[peer]:
                        self._group.send(source + sent_from[peer] * width, counts[peer] * width, UINT8, peer, stream)
                    if peer != rank and received[peer]:
                        self._group.recv(target + got_at[peer] * width, received[peer] * width, UINT8, peer, stream)
        finally:
            self._nccl.groupEnd()
        self._end(start)
        return outs, list(received)

    def sum_into(self, values: Any, out: Any) -> None:
        self._reduce_into(values, out, "sum")

    def _reduce_into(self, values: Any, out: Any, op: str) -> None:
        start = self._begin()
        stream = self.device.xp.cuda.get_current_stream().ptr
        code = DTYPES[values.dtype.name]
        self._group.allReduce(values.data.ptr, out.data.ptr, int(values.size), code, OPS[op], stream)
        self._end(start)
        self.sent_bytes += 2 * values.nbytes * (self.size - 1) // self.size  # of a ring

    def allreduce(self, values: Any, op: str = "sum") -> Any:
        if values.dtype.name not in DTYPES or op not in OPS or self.size == 1 or not values.size:
            return super().allreduce(values, op)
        out = self.device.xp.empty_like(values)
        self._reduce_into(values if values.flags.c_contiguous else values.copy(), out, op)
        return out

    def queue_rows(self, row: Any) -> Any:
        window = self._window_for(int(row.size))
        if self.size == 1 or row.dtype != np.int64:
            return super().queue_rows(row)
        start = self._begin()
        if window is not None:
            rows = window.exchange_rows(row)
        else:
            rows = self.device.xp.empty((self.size, row.size), row.dtype)
            stream = self.device.xp.cuda.get_current_stream().ptr
            self._group.allGather(row.data.ptr, rows.data.ptr, int(row.size), DTYPES[row.dtype.name], stream)
        self._end(start)
        self.sent_bytes += row.nbytes * (self.size - 1)
        return rows

    def reduce_numbers(self, numbers: Sequence[int], op: str = "sum") -> list[int]:
        if self.size == 1:
            return super().reduce_numbers(numbers, op)
        one_of(op, "op", REDUCTIONS)
        self.waits += 1
        window = self._window_for(1) if len(numbers) <= FROM_HOST else None
        start = self._begin()
        if window is not None:
            found = window.combine(numbers, op)
            self._end(start)
            if found is None:
                raise PartLostError("the parts of this graph were given up while one waited for the others")
            self.sent_bytes += 8 * len(numbers) * (self.size - 1)
            return found
        held = self._numbers
        if held is None or held.size < len(numbers):
            held = self._numbers = Numbers(self.device.xp, max(len(numbers), 64))
        stream = self.device.xp.cuda.get_current_stream()
        address = held.send(numbers, stream)
        self._group.allReduce(address, address, len(numbers), DTYPES["int64"], OPS[op], stream.ptr)
        self._end(start)
        self.sent_bytes += 16 * len(numbers) * (self.size - 1) // self.size
        return held.receive(len(numbers), stream)

    def _window_for(self, count: int) -> Window | None:
        """Return the window, if kernels exchange this many numbers with it."""
        return self._window if self._window is not None and self._window.can_exchange(count) else None

    def _open_window(self, nbytes: int) -> Window | None:
        return open_on_gpus(self, nbytes) if self.size <= MAX_WINDOWS else None

    def close(self) -> None:
        if self._window is not None:
            self._window.abandon()
        if self._group is not None:  # first: freeing memory blocks on queued work, which may wait for a lost partition
            group, self._group = self._group, None
            group.abort()
        self._close_window(last=True)
