"""Memory that operators and structures reuse from call to call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Device
from ..launch.recorder import not_recorded, refuse_to_wait
from .elementwise import fill_with


class Scratch:
    """Named arrays that grow when they must and are otherwise handed out again.

    The contents of an array are whatever its last user left, except for arrays asked for with a `fill`, which hold it
    when they are first handed out and must be handed back that way.
    """

    def __init__(self, device: Device):
        self.device = device
        self._arrays: dict[tuple[str, int | None], Any] = {}  # by name and what they were filled with
        self._cut: dict[tuple[str, int | None], Any] = {}  # of each array, what was handed out last

    def get(self, name: str, size: int, dtype: Any, fill: int | None = None) -> Any:
        """An array of at least `size` elements of `dtype`, cut to `size`."""
        key = name, fill
        cut = self._cut.get(key)
        if cut is not None and cut.size == size and cut.dtype == dtype:
            return cut
        held = self._arrays.get(key)
        if held is None or held.size < size or held.dtype != dtype:
            capacity = max(size, 1) if held is None else max(size, held.size * 3 // 2)
            xp = self.device.xp
            held = xp.empty(capacity, dtype)
            if fill is not None:
                with not_recorded():
                    fill_with(held, fill)
            self._arrays[key] = held
        self._cut[key] = cut = held[:size]
        return cut

    def arrays(self) -> list[Any]:
        """Those that are held now."""
        return list(self._arrays.values())

    def nbytes(self) -> int:
        """Bytes held."""
        return sum(int(array.nbytes) for array in self._arrays.values())


class ArrayPart:
    """Some entries of an array of one dimension, with an address on a GPU.

    They become an array of their own when they are asked for, which takes CuPy microseconds.
    """

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
    """Memory on a GPU for small outputs of kernels, one behind the other. What one does not need is the next one's.

    Nothing is written twice: when an array of `size` entries, at least those of the largest output, is full there is a
    new one, and the old one lives as long as its parts.
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
        """The address of room for an output, which nobody else gets before it is known how much of it is needed."""
        if self._at + size > self._size:
            self._renew()
        return self._address + self._at * self._itemsize

    def reserved(self) -> ArrayPart:
        """What is to become of that output: none of its entries are there yet."""
        return ArrayPart(self.array, self._at, 0, self._address + self._at * self._itemsize)

    def keep(self, size: int) -> None:
        """Have the output be as long as this."""
        self._at = -(-(self._at + size) // ALIGNED) * ALIGNED


ALIGNED = 32
"""Outputs in `OutputArena` begin at multiples of so many entries, as kernels may read several at once."""

UNKNOWN = -0x5EED5EED5EED5EED
"""What stands for a number that was not published yet. (Should it be one, the host waits for the stream.)"""
LOOKS = 200  # at what was published, before the host waits: some 100 microseconds


class Counters:
    """A few int64 numbers that kernels add to and the host reads.

    Reading them is the single host synchronization of an operator or update, so they hold all a call needs to know.
    Kernels take `array`, on the device, or its `address` on a GPU. `published` is in the host's memory: an array, or
    its address as seen by the GPU. A kernel whose last block copies the numbers there, and sets `array` to zero, spares
    the host two calls of the driver; see `synchronize`.
    """

    def __init__(self, device: Device, size: int):
        self.device = device
        self.array = device.xp.zeros(size, np.int64)
        self._host = self.published = self.array
        self._is_zero = False  # as `synchronize` leaves them
        self._left = False  # whether a kernel may yet publish what nobody waits for
        self._expected = False  # whether one was launched that nobody has heard of
        self._is_gpu = device.is_gpu
        if self._is_gpu:
            import cupyx

            self._host = cupyx.zeros_pinned(size, np.int64)
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
        """The numbers that `synchronize` returns, as soon as the host can read them: shortly before the kernel ends.

        To wait for the stream takes the host several microseconds longer, a tenth of a small update. It is done all the
        same for a kernel that takes long, so that other threads of Python may go on.
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
        """Take note that the last kernel publishes the numbers, which the host need not know."""
        self._is_zero = self._left = True

    def peek(self) -> list[int]:
        """The numbers that kernels have published by now, without waiting."""
        return self._host.tolist()


class ErrorFlag:
    """An error flag that kernels set, and that the host reads without a copy after a synchronization.

    Kernels take the `pointer`, an int64 array or its address as seen by the GPU, and write 1.
    """

    def __init__(self, device: Device):
        if device.is_gpu:
            import cupyx

            self._flag = cupyx.zeros_pinned(1, np.int64)
            self.pointer: Any = np.uint64(self._flag.ctypes.data)
        else:
            self.pointer = self._flag = np.zeros(1, np.int64)

    def raised(self) -> bool:
        """Whether it was set; clears it."""
        if not self._flag[0]:
            return False
        self._flag[0] = 0
        return True
