"""Arrays that grow where they are: memory is added behind them, and nothing is copied.

A large array gets a range of addresses many times its size, of which only the first part has memory. To grow, memory is
added to that part: elements do not move, and arrays returned before stay valid as shorter views. An array that is
small, or made otherwise (by ``copy()``, from a file), is copied to such a range when it first grows large.

On the CPU the operating system adds memory page by page as it is touched. On the GPU memory is mapped in pieces of at
least 2 MiB, so arrays below `SMALL` are plain: copying them is faster than mapping.
"""

from __future__ import annotations

import mmap
import os
import weakref
from typing import Any

import numpy as np

from ..device import Device
from .elementwise import copy_to

SMALL = 8 << 20  # bytes. Smaller arrays are plain
STEP = 32 << 20  # bytes up to which a range on a GPU doubles as it grows: mapping any size costs the driver 0.2 ms
SPAN = 64  # a range has this many times the bytes that it was opened for: addresses cost nothing

_ranges: weakref.WeakValueDictionary[tuple[str, int], Any] = weakref.WeakValueDictionary()
"""Ranges in use, by kind of device and first address. The arrays in a range reference it."""


def empty(device: Device, size: int, dtype: Any) -> Any:
    """Allocate an array, with undefined contents, that `grow` will not copy if large. MemoryError if none is left."""
    dtype = np.dtype(dtype)
    space = _open_range(device, size * dtype.itemsize)
    return device.xp.empty(size, dtype) if space is None else space.array(size, dtype)


def grow(device: Device, array: Any, size: int) -> Any:
    """Return `array`, of one dimension, with at least `size` elements. The contents of new ones are undefined.

    The old array stays valid: as a view of the same elements, or on its own if they were copied, as for a small array
    or at the first growth. MemoryError, with `array` as it was, if memory is exhausted.
    """
    if size <= array.size:
        return array
    space = _range_of(device, array)
    if space is not None and space.holds(size * array.itemsize):
        return space.array(size, array.dtype)
    longer = empty(device, size, array.dtype)
    copy_to(longer[: array.size], array)
    return longer


def ample_size(device: Device, array: Any, size: int, share: int) -> int:
    """The size to which `array` should grow if it needs `size`: larger by one in `share`, while large arrays on a GPU
    double, or grow by `STEP`."""
    held = int(array.size)
    more = held // share
    if device.is_gpu and array.nbytes >= SMALL:
        more = max(more, min(held, STEP // array.itemsize))
    return max(size, held + more)


def prepare(device: Device, array: Any, size: int) -> None:
    """Map the memory now that `array` needs to grow to `size` elements. MemoryError if it is exhausted."""
    space = _range_of(device, array)
    if space is not None and space.holds(size * array.itemsize):
        space.commit(size * array.itemsize)


def prepared_bytes(device: Device, array: Any) -> int:
    """Bytes of memory that `prepare` has added behind `array`."""
    space = _range_of(device, array)
    return 0 if space is None else max(space.committed - int(array.nbytes), 0)


def _range_of(device: Device, array: Any) -> Any:
    """The range whose first address is the address of `array`, or None."""
    return _ranges.get((device.kind, array.data.ptr if device.is_gpu else array.ctypes.data))


def _open_range(device: Device, nbytes: int) -> Any:
    """A range for an array of `nbytes` that will grow. None if it is small or the addresses are exhausted."""
    if nbytes < SMALL:
        return None
    try:
        space = _DeviceRange(SPAN * nbytes) if device.is_gpu else _HostRange.open(nbytes)
    except (OSError, OverflowError):
        return None
    if space is not None:
        _ranges[device.kind, space.address] = space
    return space


class _HostRange(mmap.mmap):
    """Addresses of the host, which get memory when they are first written to."""

    committed = 0

    @classmethod
    def open(cls, nbytes: int) -> _HostRange | None:
        """A range for `nbytes` that will grow. None if the system has none, or less memory, so a plain array raises
        MemoryError."""
        if not hasattr(mmap, "MAP_ANONYMOUS"):
            return None
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if nbytes > memory:
            return None
        space = cls(-1, min(SPAN * nbytes, memory), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            space.madvise(mmap.MADV_HUGEPAGE)  # as NumPy does for its own large arrays
        return space

    @property
    def address(self) -> int:
        return np.frombuffer(self, np.uint8, 1).ctypes.data

    def holds(self, nbytes: int) -> bool:
        """Whether `nbytes` from its beginning are in the range."""
        return nbytes <= len(self)

    def commit(self, nbytes: int) -> None:
        """Does nothing: the system adds memory when it is first written."""

    def array(self, size: int, dtype: np.dtype) -> np.ndarray:
        """The first `size` elements."""
        return np.frombuffer(self, dtype, size)


class _DeviceRange:
    """Addresses of the current GPU, the first of which have memory, of `committed` bytes."""

    def __init__(self, nbytes: int):
        import cupy
        from cuda.bindings import driver

        self._driver: Any = driver
        self._cupy: Any = cupy
        self._device = int(cupy.cuda.Device().id)
        self._properties = driver.CUmemAllocationProp()
        self._properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        self._properties.location.id = self._device
        self._access = driver.CUmemAccessDesc()
        self._access.location = self._properties.location
        self._access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        self._unit = self._call("cuMemGetAllocationGranularity", self._properties, minimum)
        self._size = -(-nbytes // self._unit) * self._unit
        self.address = int(self._call("cuMemAddressReserve", self._size, 0, 0, 0))
        self.committed = 0
        self._pieces: list[tuple[int, int]] = []  # address and bytes of each mapping
        release = weakref.finalize(self, _release, driver, cupy, self._device, self.address, self._size, self._pieces)
        release.atexit = False  # a process that ends leaves nothing behind

    def _call(self, name: str, *args: Any) -> Any:
        """Call the driver. OSError means that it refused."""
        error, *values = getattr(self._driver, name)(*args)
        if error != self._driver.CUresult.CUDA_SUCCESS:
            raise OSError(f"{name}: {error.name}")
        return values[0] if values else None

    def holds(self, nbytes: int) -> bool:
        """Whether `nbytes` from its beginning are in the range."""
        return nbytes <= self._size

    def commit(self, nbytes: int) -> None:
        """Give the first `nbytes` memory."""
        if nbytes <= self.committed:
            return
        address = self.address + self.committed
        size = -(-(nbytes - self.committed) // self._unit) * self._unit
        handle = self._memory(size)
        try:
            self._call("cuMemMap", address, size, 0, handle, 0)
        except OSError as error:
            raise MemoryError(str(error)) from None
        finally:
            self._call("cuMemRelease", handle)  # the mapping stays
        self._pieces.append((address, size))
        try:
            self._call("cuMemSetAccess", address, size, [self._access], 1)
        except OSError as error:
            self._pieces.pop()
            self._call("cuMemUnmap", address, size)
            raise MemoryError(str(error)) from None
        self.committed += size

    def _memory(self, size: int) -> Any:
        """A handle of `size` bytes of memory, if need be of unused memory in CuPy's pool."""
        try:
            return self._call("cuMemCreate", size, self._properties, 0)
        except OSError:
            self._cupy.get_default_memory_pool().free_all_blocks()
        try:
            return self._call("cuMemCreate", size, self._properties, 0)
        except OSError as error:
            raise MemoryError(f"cannot allocate {size} bytes of GPU memory ({error})") from None

    def array(self, size: int, dtype: np.dtype) -> Any:
        """The first `size` elements, which are given memory."""
        nbytes = size * dtype.itemsize
        self.commit(nbytes)
        memory = self._cupy.cuda.UnownedMemory(self.address, nbytes, self, self._device)
        return self._cupy.ndarray((size,), dtype, self._cupy.cuda.MemoryPointer(memory, 0))


def _release(driver: Any, cupy: Any, device: int, address: int, size: int, pieces: list[tuple[int, int]]) -> None:
    """Give a range back, once kernels that may still use it have ended."""
    with cupy.cuda.Device(device):
        cupy.cuda.runtime.deviceSynchronize()
        for piece in pieces:
            driver.cuMemUnmap(*piece)
        driver.cuMemAddressFree(address, size)
