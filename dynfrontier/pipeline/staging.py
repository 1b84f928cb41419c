"""Copy the rows of a source to the device, ahead of their use.

On the CPU nothing is copied. On the GPU the reading thread copies them into a *slot*: pinned memory of the host, and as
much of the device's. The copy to the device has its own CUDA stream, so neither it nor the kernels of other batches
wait for each other. Two events order the accesses:

* ``copied``, in the copy stream: the stream of the updates waits for it before it reads the slot. The host waits for it
  before it writes the pinned memory again.
* ``used``, in the stream of the updates, after the last batch of the slot: the copy stream waits for it before it
  writes the slot again.

The slots are two more than the parts ahead: one slot is being filled, and one is in use.

The caller's thread blocks while the reading thread runs Python or calls CUDA. So a slot caches its arrays on the
device, and the batches cut from them, for the next part of the same layout: only the copies remain.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.memory.pinned import pinned

from .channel import Channel, ChannelClosed
from .records import RecordColumns

ALIGNMENT = 256  # bytes, of each column in a slot
SMALLEST = 1 << 23
"""Bytes of a slot: a part of plain edges. Pinned memory is allocated at once for all slots, since this blocks other
calls of the driver, and CuPy caches it for the next pipeline of the same size."""
LARGE = 1 << 26  # bytes of a slot. A larger part gets a larger slot
MAX_CUTS = 256  # batches of a part that a slot caches

_local = threading.local()  # `streams`, by device: the streams in which this thread's pipelines copy


class Part:
    """Rows on the device, or on their way, from number `begin` of the source, which had yielded them at
    `read_at`."""

    __slots__ = ("_slot", "begin", "read_at", "records", "size")

    def __init__(self, records: RecordColumns, begin: int, slot: Slot | None = None, read_at: float | None = None):
        self.records = records
        self.size = len(records)
        self.begin = begin
        self.read_at = time.perf_counter() if read_at is None else read_at
        self._slot = slot

    def cut(self, begin: int, end: int) -> RecordColumns:
        if end - begin == self.size:
            return self.records
        return self.records.cut(begin, end) if self._slot is None else self._slot.cut(self.records, begin, end)

    def wait(self) -> None:
        """Let the current stream wait for the copy."""
        if self._slot is not None:
            self._slot.wait()

    def release(self) -> None:
        """Declare that work queued in the current stream from now on does not use the rows."""
        if self._slot is not None:
            self._slot.release()
            self._slot = None


class Staging:
    """Copies up to `ahead` parts to a device, the current CUDA device if it is a GPU."""

    def __init__(self, device: Device, ahead: int):
        self.device = device
        self._free: Channel | None = None
        self._slots: list[Slot] = []
        if device.is_gpu:
            self._number = device.xp.cuda.runtime.getDevice()
            stream = _copy_stream(self._number)
            self._free = Channel(ahead + 2)
            pinned = PinnedMemory(ahead + 2)
            self._slots = [Slot(self._free, stream, pinned, number) for number in range(ahead + 2)]
            for slot in self._slots:
                self._free.put(slot)

    def place(self, parts: Iterable[RecordColumns], begin: int) -> Iterator[Part]:
        """The parts, from row `begin` on. Runs in the reading thread."""
        if self._free is None:
            for records in parts:
                yield Part(records, begin)
                begin += len(records)
            return
        with self.device.xp.cuda.Device(self._number):
            for records in parts:
                read_at = time.perf_counter()
                try:
                    slot = self._free.get()
                except ChannelClosed:
                    return
                yield Part(slot.fill(records), begin, slot, read_at)
                begin += len(records)

    def close(self) -> None:
        """Let the reading thread stop waiting for a slot."""
        if self._free is None:
            return
        self._free.close()
        if any(slot.in_use for slot in self._slots):  # by kernels that may still run while CuPy reuses their memory
            with suppress(self.device.xp.cuda.runtime.CUDARuntimeError):  # after a fault nothing runs any more
                self.device.synchronize()


def _copy_stream(number: int) -> Any:
    """The stream in which this thread's pipelines copy to a device.

    CuPy's pool caches memory by stream: a new one would allocate, which costs as much as many batches.
    """
    import cupy

    if not hasattr(_local, "streams"):
        _local.streams = {}
    if number not in _local.streams:
        _local.streams[number] = cupy.cuda.Stream(non_blocking=True)
    return _local.streams[number]


class PinnedMemory:
    """Pinned memory of the host for several slots, of equal size."""

    def __init__(self, slots: int):
        self._slots = slots
        self._size = 0
        self._memory: Any = None

    def of(self, number: int, size: int) -> np.ndarray:
        """At least this number of bytes for a slot. Its previous memory stays while it is used."""
        if size > LARGE:  # not for slots that may not need as much
            return pinned(size, np.uint8)
        if size > self._size:
            self._memory, self._size = pinned(self._slots * size, np.uint8), size
        return self._memory[number * self._size : (number + 1) * self._size]


class Slot:
    """Memory for the rows of one part, on the host and on the GPU, `in_use` while kernels may read it.

    It is filled in `stream`, to which its memory belongs, and returns to `free` afterwards.
    """

    def __init__(self, free: Channel, stream: Any, pinned: PinnedMemory, number: int):
        import cupy

        self.in_use = False
        self._free = free
        self._stream = stream
        self._copied, self._used = (cupy.cuda.Event(disable_timing=True) for _ in range(2))
        self._filled = False
        self._memory, self._number = pinned, number
        self._pinned: Any = None  # its part
        self._device: Any = None
        self._size = 0  # bytes of the memory on the device
        self._layout: tuple[Any, ...] = ()  # names, types and sizes of the columns that are copied
        self._columns: dict[str, Any] = {}  # these, on the device
        self._cuts: dict[tuple[int, int], dict[str, Any]] = {}  # batches of them
        self._held: tuple[Any, ...] = ()  # a user's arrays that the copy, or the update, reads
        self._holds_device = False  # whether some of these are on the GPU

    def fill(self, records: RecordColumns) -> RecordColumns:
        """Start copying rows, and return them as device columns."""
        import cupy

        produced = cupy.cuda.get_current_stream()  # in which the source has made arrays that are on the GPU
        if self._filled and not self._copied.done:
            self._copied.synchronize()
        if self._holds_device:
            produced.wait_event(self._used)  # before CuPy reuses their memory, which is freed with `_held`
        columns = records.columns
        host = {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}
        self._holds_device = len(host) < len(columns)
        self._held = tuple(columns.values())
        if not host:
            self._cuts = {}
            self._copied.record(produced)
        else:
            if self._holds_device:
                self._stream.wait_event(produced.record())
            self._copy(host)
            self._copied.record(self._stream)
            columns = columns | self._columns if self._holds_device else self._columns
        self._filled = True
        return RecordColumns(columns, records.operation, records.needed)

    def cut(self, records: RecordColumns, begin: int, end: int) -> RecordColumns:
        """Some of the latest rows."""
        if self._holds_device:
            return records.cut(begin, end)
        columns = self._cuts.get((begin, end))
        if columns is None:
            columns = {name: column[begin:end] for name, column in records.columns.items()}
            if len(self._cuts) < MAX_CUTS:
                self._cuts[begin, end] = columns
        return RecordColumns(columns, records.operation, None if records.needed is None else records.needed[begin:end])

    def _copy(self, columns: dict[str, np.ndarray]) -> None:
        layout = tuple((name, column.dtype, column.size) for name, column in columns.items())
        if layout != self._layout:
            self._lay_out(columns)
            self._layout = layout
        for name, column in columns.items():
            if not column.nbytes:
                continue
            target = self._columns[name].data
            if not _is_pinned(column):
                column = self._in_pinned(column, target.ptr - self._device.ptr)
            target.copy_from_host_async(column.ctypes.data, column.nbytes, self._stream)

    def _in_pinned(self, column: np.ndarray, begin: int) -> np.ndarray:
        """A copy in the slot's own pinned memory, at the same offset as on the device."""
        if self._pinned is None or self._pinned.size < self._size:
            self._pinned = self._memory.of(self._number, self._size)
        copy = self._pinned[begin : begin + column.nbytes].view(column.dtype)
        copy[:] = column
        return copy

    def _lay_out(self, columns: dict[str, np.ndarray]) -> None:
        """Make arrays on the device for columns like these. Allocation is slow, so the memory grows seldom."""
        import cupy

        begins, size = {}, 0
        for name, column in columns.items():
            begins[name] = size
            size += -(-column.nbytes // ALIGNMENT) * ALIGNMENT
        self._layout, self._columns, self._cuts = (), {}, {}
        if self._device is None or self._size < size:
            self._size = max(SMALLEST, 1 << (size - 1).bit_length())
            self._device = None
            with self._stream:
                self._device = cupy.cuda.alloc(self._size)
        self._columns = {
            name: cupy.ndarray(column.shape, column.dtype, self._device + begins[name])
            for name, column in columns.items()
        }

    def wait(self) -> None:
        """Let the current stream wait for the copy."""
        import cupy

        self.in_use = True
        cupy.cuda.get_current_stream().wait_event(self._copied)

    def release(self) -> None:
        """Let the slot be filled again, after the work that is queued in the current stream."""
        import cupy

        self._used.record(cupy.cuda.get_current_stream())
        self._stream.wait_event(self._used)
        self.in_use = False
        with suppress(ChannelClosed):
            self._free.put(self)


def _is_pinned(array: np.ndarray) -> bool:
    """Whether an array is contiguous in pinned memory, from which the GPU copies without help of the host."""
    import cupy

    if not array.flags.c_contiguous:
        return False
    return cupy.cuda.runtime.pointerGetAttributes(array.ctypes.data).type == 1  # cudaMemoryTypeHost
