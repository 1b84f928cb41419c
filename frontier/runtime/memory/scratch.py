"""Memory that operators and structures reuse from call to call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Device
from ..launch.recorder import not_recorded, refuse_to_wait
from .elementwise import fill_with
from .pinned import pinned


class Scratch:
    """Named arrays that grow when they must and are otherwise reused.

    Contents are undefined, except for arrays with a `fill`: users find it there, and must restore it.
    """

    def __init__(self, device: Device):
        self.device = device
        self._arrays: dict[tuple[str, Any, int | None], Any] = {}  # by name, type and fill value
        self._cut: dict[tuple[str, Any, int | None], Any] = {}  # of each array, the slice that was returned last

    def get(self, name: str, size: int, dtype: Any, fill: int | None = None) -> Any:
        """An array of at least `size` elements of `dtype`, cut to `size`."""
        key = name, dtype, fill  # with the type: else users of one name would replace each other's array
        cut = self._cut.get(key)
        if cut is not None and cut.size == size:
            return cut
        held = self._arrays.get(key)
        if held is None or held.size < size:
            capacity = max(size, 1) if held is None else max(size, held.size * 3 // 2)
            held = self.device.xp.empty(capacity, dtype)
            if fill is not None:
                with not_recorded():
                    fill_with(held, fill)
            self._arrays[key] = held
        self._cut[key] = cut = held[:size]
        return cut

    def arrays(self) -> list[Any]:
        """The present arrays."""
        return list(self._arrays.values())

    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(int(array.nbytes) for array in self._arrays.values())


class ArrayPart:
    """Some entries of an array of one dimension, with an address on a GPU. It becomes an array on demand, which costs
    CuPy microseconds."""

    __slots__ = ("_array", "_begin", "address", "size")

    def __init__(self, array: Any, begin: int, size: int, address: int):
        self._array = array
        self._begin = begin
        self.size = size
        self.address = address

    def array(self) -> Any:
        """The entries."""
        return self._array[self._begin : self._begin + self.size]


class OutputArena:
    """Memory on a GPU for small outputs of kernels, one after another, of at most `size` entries each.

    Nothing is written twice: a full array is replaced, and lives as long as its parts.
    """

    __slots__ = ("_address", "_at", "_device", "_itemsize", "_size", "array", "dtype")

    def __init__(self, device: Device, dtype: np.dtype, size: int):
        self._device = device
        self._size = size
        self._itemsize = dtype.itemsize
        self.dtype = dtype
        self._renew()

    def _renew(self) -> None:
        self.array = self._device.xp.empty(self._size, self.dtype)
        self._address = self.array.data.ptr
        self._at = 0

    def reserve(self, size: int) -> int:
        """The address of a range for an output, exclusive until `keep` sets the size that it needs."""
        if self._at + size > self._size:
            self._renew()
        return self._address + self._at * self._itemsize

    def reserved(self) -> ArrayPart:
        """The part for that output, without entries yet."""
        return ArrayPart(self.array, self._at, 0, self._address + self._at * self._itemsize)

    def keep(self, size: int) -> None:
        """Have the output be as long as this."""
        self._at = -(-(self._at + size) // ALIGNED) * ALIGNED


ALIGNED = 32
"""Outputs in `OutputArena` start at multiples of this number of entries, as kernels may read several at once."""

UNKNOWN = -0x5EED5EED5EED5EED
"""Marks a number that was not published yet. (If a number has this value, the host synchronizes with the stream.)"""
LOOKS = 200  # reads of the published numbers before the host blocks: some 100 microseconds


class Counters:
    """A few int64 numbers that kernels add to and the host reads, in the single synchronization of a call.

    The parameter of kernels is `array`, on the device, or its `address`. `published` is in the host's memory: an array,
    or its address for a GPU. A kernel whose last block copies the numbers there and zeroes `array` spares the host two
    calls of the driver. See `synchronize`.
    """

    def __init__(self, device: Device, size: int):
        self.device = device
        self.array = device.xp.zeros(size, np.int64)
        self._host = self.published = self.array
        self._is_zero = False  # as `synchronize` leaves them
        self._left = False  # whether a kernel may still publish numbers that no `poll` reads
        self._expected = False  # whether a launched kernel has not reported yet
        self._is_gpu = device.is_gpu
        if self._is_gpu:
            self._host = pinned(size, np.int64)
            self._host.fill(0)
            self._words, self._unknown = memoryview(self._host), memoryview(np.full(size, UNKNOWN))
            self._address = self._host.ctypes.data
            self.published = self._address
            self.address = self.array.data.ptr
            self._stream = device.xp.cuda.get_current_stream

    def reset(self) -> None:
        """Set all to zero, in stream order."""
        if not self._is_gpu:
            self.array.fill(0)
        elif not self._is_zero:
            fill_with(self.array, 0)
        self._is_zero = False

    def read(self) -> list[int]:
        """The numbers, after all queued work."""
        if self._is_gpu:
            refuse_to_wait()
            stream = self._stream()
            self.array.data.copy_to_host_async(self._address, self.array.nbytes, stream)
            stream.synchronize()
        return self._host.tolist()

    def synchronize(self) -> list[int]:
        """The numbers that the last kernel has published, after all queued work."""
        if self.device.is_gpu:
            refuse_to_wait()
            self._stream().synchronize()
            self._is_zero = True
            self._left = self._expected = False
        return self._host.tolist()

    def arm(self) -> None:
        """Before kernels are launched, the last of which publishes the numbers: `poll` returns these."""
        if self._is_gpu:
            self._left |= self._expected  # the host was interrupted, and that kernel may publish yet
            self._expected = True
            self._words[:] = self._unknown

    def poll(self, looks: int = LOOKS) -> list[int]:
        """The numbers of `synchronize`, as soon as the host can read them: shortly before the kernel ends.

        Synchronizing with the stream is several microseconds slower, a tenth of a small update, but lets other threads
        run. Long kernels use it.
        """
        refuse_to_wait()
        for _ in range(0 if self._left else looks):
            numbers = self._host.tolist()
            if UNKNOWN not in numbers:
                self._is_zero = True
                self._expected = False
                return numbers
        return self.synchronize()

    def mark_published(self) -> None:
        """Declare that the last kernel publishes the numbers, which the host need not know."""
        self._is_zero = self._left = True

    def peek(self) -> list[int]:
        """The numbers that kernels have published until now, without blocking."""
        return self._host.tolist()


class ErrorFlag:
    """An error flag that kernels set through `pointer` (an int64 array, or its address) and the host reads without a
    copy."""

    def __init__(self, device: Device):
        if device.is_gpu:
            self._flag = pinned(1, np.int64)
            self._flag[0] = 0
            self.pointer: Any = np.uint64(self._flag.ctypes.data)
        else:
            self.pointer = self._flag = np.zeros(1, np.int64)

    def raised(self) -> bool:
        """Whether it was set. Clears it."""
        if not self._flag[0]:
            return False
        self._flag[0] = 0
        return True


class Workspace:
    """The memory with which one thread (on a GPU: in one stream) works on a graph."""

    def __init__(self, device: Device, stream: int = 0):
        self.stream = stream  # its address, on a GPU
        self.scratch = Scratch(device)
        self.counters = Counters(device, 4)  # output vertices, arcs that leave them, and two more of an operator
        self.number = Counters(device, 1)  # that a kernel hands to the host, and is not added up
        self.outcome = Counters(device, 4)  # of a series of advances in one launch, likewise
        self.arc_maker: Any = None  # an `ArcMaker` of the graph, as are the next two
        self.staging: Any = None  # a `Staging` for small batches from the host
        self.pushes: Any = None  # `Pushes` of batches with edge data on a GPU
        self.record_space: Any = None  # a `CaptureSpace` of operators
        self.room: OutputArena | None = None  # output of `advance` from few vertices on a GPU
        self.graph_argument: Any = None  # the view for functors that walk the graph, and its copy on a GPU
        self.epoch = 0  # of the latest push. ``stamps[v] == epoch`` marks v as a member of its output
        self._stamps: Any = None
        self._stamps_address = 0  # on a GPU
        self._open = False  # whether epochs were assigned and the number of used ones is unknown

    def arrays(self) -> list[Any]:
        """All arrays."""
        own = self.counters, self.number, self.outcome, self._stamps, self.arc_maker, self.staging, self.graph_argument
        return [*self.scratch.arrays(), *self._kept_arrays(), *own]

    def nbytes(self) -> int:
        """Bytes that operators cache between calls."""
        return self.scratch.nbytes() + sum(int(array.nbytes) for array in self._kept_arrays())

    def _kept_arrays(self) -> list[Any]:
        """The arrays that its launches retain."""
        arrays = [array for kept in (self.record_space, self.pushes) if kept is not None for array in kept.arrays()]
        return arrays if self.room is None else [*arrays, self.room.array]

    def next_stamps(self, graph: Any) -> tuple[Any, Any]:
        """The stamp array and a number that it does not contain yet."""
        stamps = self._stamps_for(graph, 1)
        self.epoch += 1
        return stamps, np.int32(self.epoch)

    def next_stamp(self, graph: Any) -> int:
        """`next_stamps` for a GPU: returns the address of the array, and sets `epoch`."""
        self._stamps_for(graph, 1)
        self.epoch += 1
        return self._stamps_address

    def next_epochs(self, graph: Any, count: int) -> tuple[Any, Any]:
        """The stamp array and the first of `count` numbers that it does not contain yet."""
        stamps = self._stamps_for(graph, count)
        self._open = True
        return stamps, np.int32(self.epoch + 1)

    def used_epochs(self, count: int) -> None:
        """Report that so many numbers from `next_epochs` were used."""
        self.epoch += count
        self._open = False

    def _stamps_for(self, graph: Any, count: int) -> Any:
        """The stamp array, which contains none of the `count` numbers after `epoch`."""
        stamps = self._stamps
        if stamps is None or stamps.size < graph.num_vertices or self.epoch + count >= 2**31 or self._open:
            self._stamps = stamps = graph.xp.zeros(graph.num_vertices, np.int32)
            self._stamps_address = stamps.data.ptr if graph.device.is_gpu else 0
            self.epoch = 0
            self._open = False
        return stamps
