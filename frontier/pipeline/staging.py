"""Placing the records that a source yields on the device, ahead of their use.

On the CPU there is nothing to copy. On the GPU the reading thread copies them into a *slot*: pinned memory of the host,
and as much of the device's. The copy to the device goes through a CUDA stream of its own, so that it does not wait for
the kernels of other batches, nor they for it. Two events keep the order:

* ``copied``, in the copy stream: the stream of the updates waits for it before it reads the slot;
* ``used``, in the stream of the updates, after the last batch of the slot: the copy stream waits for it before it
  writes the slot again. The host waits for ``copied`` before it writes the pinned memory again.

There are as many slots as parts may be ahead, and two: one that is filled, and one that is used.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from ..runtime import Device
from .channel import Channel, ChannelClosed
from .records import Records

ALIGNMENT = 256  # bytes, of each column in a slot
SMALLEST = 1 << 20  # bytes of a slot


class Part:
    """Records that are on their way to the device, or there.

    Attributes
    ----------
    records : Records
    begin : int
        Number of the first record in the source.
    size : int
        Number of the records.
    read_at : float
        When the source had yielded them, by `time.perf_counter`.
    """

    def __init__(self, records: Records, begin: int, slot: Slot | None = None):
        self.records = records
        self.size = len(records)
        self.begin = begin
        self.read_at = time.perf_counter()
        self._slot = slot

    def wait(self) -> None:
        """Have the current stream wait for the copy."""
        if self._slot is not None:
            self._slot.wait()

    def release(self) -> None:
        """The records are not used any more by what will be queued in the current stream."""
        if self._slot is not None:
            self._slot.release()
            self._slot = None


class Staging:
    """Places records on a device.

    Parameters
    ----------
    device : Device
        Of the current CUDA device, if it is a GPU.
    ahead : int
        How many parts may wait for their use.
    """

    def __init__(self, device: Device, ahead: int):
        self.device = device
        self._free: Channel | None = None
        if device.is_gpu:
            self._number = device.xp.cuda.runtime.getDevice()
            self._free = Channel(ahead + 2)
            for _ in range(ahead + 2):
                self._free.put(Slot(self._free))

    def place(self, parts: Iterable[Records], begin: int) -> Iterator[Part]:
        """The parts, of which the first begins with record `begin`; runs in the reading thread."""
        if self._free is None:
            yield from _numbered(parts, begin)
            return
        cupy = self.device.xp
        with cupy.cuda.Device(self._number):
            stream = cupy.cuda.Stream(non_blocking=True)
            for part in _numbered(parts, begin):
                try:
                    slot = self._free.get()
                except ChannelClosed:
                    return
                yield Part(slot.fill(part.records, stream), part.begin, slot)

    def close(self) -> None:
        """Let the reading thread not wait for a slot any more."""
        if self._free is not None:
            self._free.close()


def _numbered(parts: Iterable[Records], begin: int) -> Iterator[Part]:
    for records in parts:
        yield Part(records, begin)
        begin += len(records)


class Slot:
    """Memory for the records of one part, on the host and on the GPU."""

    def __init__(self, free: Channel):
        self._free = free
        self._pinned: Any = None
        self._device: Any = None
        self._copied: Any = None
        self._used: Any = None
        self._held: tuple[Any, ...] = ()  # a user's arrays that the copy, or the update, reads

    def fill(self, records: Records, stream: Any) -> Records:
        """Begin to copy records in a stream; returns them as they will be on the device."""
        import cupy

        produced = cupy.cuda.get_current_stream()  # in which the source has made arrays that are on the GPU
        if self._used is not None:
            stream.wait_event(self._used)
            produced.wait_event(self._used)  # before their memory, which is freed with `_held`, is given to others
        if self._copied is not None:
            self._copied.synchronize()
        host = {name: column for name, column in records.columns.items() if isinstance(column, np.ndarray)}
        self._held = tuple(records.columns.values())
        if len(host) < len(records.columns):
            stream.wait_event(produced.record())
        columns = dict(records.columns) | (self._copy(host, stream) if host else {})
        self._copied = stream.record()
        return Records(columns, records.operation, records.needed)

    def _copy(self, columns: dict[str, np.ndarray], stream: Any) -> dict[str, Any]:
        import cupy

        begins, size = {}, 0
        for name, column in columns.items():
            begins[name] = size
            size += -(-column.nbytes // ALIGNMENT) * ALIGNMENT
        self._reserve(size)
        copies = {}
        for name, column in columns.items():
            begin, end = begins[name], begins[name] + column.nbytes
            memory = self._device[begin:end]
            if column.nbytes:
                if not _is_pinned(column):
                    self._pinned[begin:end].view(column.dtype)[:] = column
                    column = self._pinned[begin:end]
                memory.data.copy_from_host_async(column.ctypes.data, column.nbytes, stream)
            copies[name] = cupy.ndarray(columns[name].shape, columns[name].dtype, memory.data)
        return copies

    def _reserve(self, size: int) -> None:
        """Have memory for so many bytes. Pinned memory takes long to allocate, so that it seldom grows."""
        if self._pinned is not None and self._pinned.size >= size:
            return
        import cupy
        import cupyx

        size = max(SMALLEST, 1 << (size - 1).bit_length())
        self._pinned = cupyx.empty_pinned(size, np.uint8)
        # Not from the pool: what that hands out, another stream may still use.
        self._device = cupy.ndarray(size, np.uint8, cupy.cuda.MemoryPointer(cupy.cuda.Memory(size), 0))

    def wait(self) -> None:
        """Have the current stream wait for the copy."""
        import cupy

        cupy.cuda.get_current_stream().wait_event(self._copied)

    def release(self) -> None:
        """Let the slot be filled again, after what is queued in the current stream."""
        import cupy

        self._used = cupy.cuda.get_current_stream().record()
        with suppress(ChannelClosed):
            self._free.put(self)


def _is_pinned(array: np.ndarray) -> bool:
    """Whether an array is contiguous in pinned memory, from which the GPU copies without help of the host."""
    import cupy

    if not array.flags.c_contiguous:
        return False
    return cupy.cuda.runtime.pointerGetAttributes(array.ctypes.data).type == 1  # cudaMemoryTypeHost
