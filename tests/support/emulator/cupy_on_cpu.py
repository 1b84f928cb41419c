"""CuPy as far as this package uses it, on NumPy's arrays. All work is done as soon as it is queued."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

MULTIPROCESSORS = 1
SHARED_MEMORY = 227 << 10
RUNTIME = 13000


class CUDARuntimeError(RuntimeError):
    """An error of CUDA's runtime, which is never raised."""


class Pointer:
    """The memory of an array."""

    def __init__(self, array: np.ndarray):
        self.ptr = array.__array_interface__["data"][0] if array.size else 0
        self.mem = self

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        ctypes.memset(self.ptr, value, size)

    memset = memset_async

    def copy_from_host_async(self, address: Any, size: int, stream: Any = None) -> None:
        ctypes.memmove(self.ptr, _address(address), size)

    def copy_to_host_async(self, address: Any, size: int, stream: Any = None) -> None:
        ctypes.memmove(_address(address), self.ptr, size)

    def copy_from_device_async(self, other: Pointer, size: int, stream: Any = None) -> None:
        ctypes.memmove(self.ptr, other.ptr, size)


def _address(value: Any) -> int:
    return value.value if isinstance(value, ctypes.c_void_p) else int(value)


class Memory(Pointer):
    """Memory that `alloc` gave, from some byte on."""

    def __init__(self, bytes_: np.ndarray):
        super().__init__(bytes_)
        self.bytes = bytes_

    def __add__(self, offset: int) -> Memory:
        return Memory(self.bytes[offset:])


def alloc(size: int) -> Memory:
    return Memory(empty(size, np.uint8))


class ndarray(np.ndarray):
    """An array of the emulated GPU."""

    def __new__(cls, shape: tuple[int, ...], dtype: Any = float, memptr: Memory | None = None) -> ndarray:
        if memptr is None:
            return empty(shape, dtype)
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return memptr.bytes[:size].view(dtype).reshape(shape)

    @property
    def data(self) -> Pointer:  # type: ignore[override]
        return Pointer(self)

    @property
    def device(self) -> Any:
        return Device()

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
        if out is not None:
            out[...] = self
            return out
        return np.array(self, subok=False)

    def set(self, values: Any, stream: Any = None) -> None:
        self[...] = values

    def __getitem__(self, key: Any) -> Any:
        return _ours(super().__getitem__(_plain(key)), self)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_plain(key), value)

    def nonzero(self) -> Any:
        return tuple(_ours(part) for part in super().nonzero())

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array if isinstance(array, ndarray) else _ours(np.asarray(array))  # a written array stays itself

    def __reduce__(self) -> Any:
        return asarray, (self.get(),)


def _reduction(name: str) -> Any:
    def reduce(self: ndarray, *args: Any, **options: Any) -> Any:
        return _ours(getattr(np.ndarray, name)(self.view(np.ndarray), *args, **options))

    return reduce


for _name in ("sum", "min", "max", "any", "all", "mean", "argmin", "argmax", "prod", "std", "cumsum", "argsort"):
    setattr(ndarray, _name, _reduction(_name))


def _plain(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain(part) for part in key)
    return key.view(np.ndarray) if isinstance(key, ndarray) else key


def _ours(value: Any, like: Any = None) -> Any:
    """Arrays, and NumPy's scalars, as arrays of the emulated GPU."""
    if isinstance(value, ndarray):
        return value
    if isinstance(value, np.ndarray):
        return _guarded(value) if value.base is None and value.size else value.view(ndarray)
    if isinstance(value, np.generic):
        return _guarded(np.asarray(value))
    if isinstance(value, tuple):
        return tuple(_ours(part) for part in value)
    return value


class Guarded:
    """Memory with unusable addresses behind its end, at which an access beyond the end fails at once.

    The end is the end of a page, except for the alignment of the start for all types.
    """

    held = 0  # bytes of all

    def __init__(self, nbytes: int):
        if Pool.limit and Guarded.held + nbytes > Pool.limit:
            raise OutOfMemoryError(f"{nbytes} bytes, where {Pool.limit - Guarded.held} are left")
        pages = -(-nbytes // PAGE) + 1
        self._size = pages * PAGE
        self._base = _libc.mmap(None, self._size, 3, 0x22, -1, 0)
        end = self._base + self._size - PAGE
        if self._base in (None, 2**64 - 1) or _libc.mprotect(end, PAGE, 0):
            raise MemoryError(f"{nbytes} bytes")
        self._nbytes = nbytes
        Guarded.held += nbytes
        begin = (end - nbytes) & ~(ALIGNMENT - 1)
        ctypes.memset(begin, POISON, nbytes)
        self.__array_interface__ = {"shape": (nbytes,), "typestr": "|u1", "data": (begin, False), "version": 3}

    def __del__(self) -> None:
        if hasattr(self, "_nbytes"):
            _libc.munmap(self._base, self._size)
            Guarded.held -= self._nbytes


PAGE, ALIGNMENT, POISON = 4096, 16, 0x5A
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """An array in separate memory, full of values that no code should rely on."""
    dtype = np.dtype(dtype)
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(size) for size in shape)
    size = int(np.prod(shape, dtype=np.int64))
    if not size:
        return np.empty(shape, dtype).view(ndarray)
    _allocators[-1](size * dtype.itemsize)
    return np.asarray(Guarded(size * dtype.itemsize)).view(dtype).reshape(shape).view(ndarray)


def _guarded(values: np.ndarray) -> ndarray:
    out = empty(values.shape, values.dtype)
    out[...] = values
    return out


def asarray(values: Any, dtype: Any = None, *args: Any, **options: Any) -> ndarray:
    if isinstance(values, ndarray) and (dtype is None or values.dtype == dtype):
        return values
    return _guarded(np.array(values, dtype=dtype, subok=False))


def asnumpy(values: Any, *args: Any, **options: Any) -> np.ndarray:
    return values.get() if isinstance(values, ndarray) else np.asarray(values)


def copy(values: Any) -> ndarray:
    return _guarded(np.array(values, subok=False))


class Stream:
    """A stream, in which nothing waits."""

    ptr = 1
    null: Any = None

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False, **options: Any):
        self.ptr = id(self) if non_blocking or not null else 1

    def synchronize(self) -> None: ...
    def wait_event(self, event: Any) -> None: ...
    def use(self) -> Stream:
        return self

    def record(self, event: Any = None) -> Any:
        return event or Event()

    @property
    def done(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def begin_capture(self, mode: Any = None) -> None:
        raise CUDARuntimeError("the emulated GPU records no launches")

    end_capture = begin_capture

    def __enter__(self) -> Stream:
        _streams.append(self)
        return self

    def __exit__(self, *raised: Any) -> None:
        _streams.pop()


Stream.null = Stream(null=True)
_streams = [Stream.null]


class Event:
    def __init__(self, *args: Any, **options: Any): ...
    def record(self, stream: Any = None) -> Event:
        self.time = time.perf_counter()
        return self

    def synchronize(self) -> None: ...

    @property
    def done(self) -> bool:
        return True


class Device:
    """The emulated GPU."""

    compute_capability = "90"

    def __init__(self, number: Any = 0):
        self.id = 0
        self.attributes = {
            "MultiProcessorCount": MULTIPROCESSORS, "MaxSharedMemoryPerBlockOptin": SHARED_MEMORY,
            "MaxSharedMemoryPerMultiprocessor": SHARED_MEMORY,
        }  # fmt: skip
        self.mem_info = (1 << 36, 1 << 37)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *raised: Any) -> None: ...
    def use(self) -> None: ...
    def synchronize(self) -> None: ...
    def __int__(self) -> int:
        return 0


class OutOfMemoryError(MemoryError):
    """The limit of the pool is reached."""


class Pool:
    """CuPy's pool of memory, which frees unused memory at once."""

    limit = 0

    def malloc(self, size: int) -> Any:
        """Nothing: arrays have separate memory, and only ask an allocator for permission."""

    def free_all_blocks(self, *args: Any) -> None: ...
    def free_bytes(self) -> int:
        return 0

    def used_bytes(self) -> int:
        return Guarded.held

    total_bytes = used_bytes

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        Pool.limit = size or 0

    def get_limit(self) -> int:
        return Pool.limit


_allocators: list[Any] = [Pool().malloc]


@contextlib.contextmanager
def using_allocator(allocate: Any) -> Iterator[None]:
    """Have new arrays ask another function, which may raise an error."""
    _allocators.append(allocate)
    try:
        yield
    finally:
        _allocators.pop()


_OWN = {"ndarray": ndarray, "empty": empty, "asarray": asarray, "array": asarray, "asnumpy": asnumpy, "copy": copy}


class _CuPy(types.ModuleType):
    """Functions of NumPy that accept and return arrays of the emulated GPU."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(np, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args: Any, **options: Any) -> Any:
            return _ours(found(*(_plain(value) for value in args), **{k: _plain(v) for k, v in options.items()}))

        call.__name__ = name
        self.__dict__[name] = call
        return call


def install() -> None:
    """Make this what ``import cupy`` gives."""
    from . import compile_on_cpu

    cupy = _CuPy("cupy")
    cupy.__dict__.update(_OWN)
    cupy.__version__ = "14.2.0"
    cupy.__path__ = []
    cupy.is_available = lambda: True
    cupy.get_default_memory_pool = Pool
    cupy.get_default_pinned_memory_pool = Pool
    cuda = types.ModuleType("cupy.cuda")
    runtime = types.ModuleType("cupy.cuda.runtime")
    runtime.CUDARuntimeError = CUDARuntimeError
    runtime.getDeviceCount = lambda: 1
    runtime.getDevice = lambda: 0
    runtime.deviceSynchronize = lambda: None
    runtime.pointerGetAttributes = lambda address: types.SimpleNamespace(type=0)  # no memory is pinned
    runtime.memsetAsync = lambda address, value, size, stream: ctypes.memset(address, value, size)
    runtime.getDeviceProperties = lambda device: {"name": b"Emulated", "totalGlobalMem": 1, "multiProcessorCount": 1}
    runtime.memGetInfo = lambda: (1 << 36, 1 << 37)
    runtime.runtimeGetVersion = runtime.driverGetVersion = lambda: RUNTIME
    cuda.runtime, cuda.Stream, cuda.Event, cuda.Device = runtime, Stream, Event, Device
    cuda.get_current_stream = lambda *_: _streams[-1]
    cuda.get_elapsed_time = lambda begin, end: 1e3 * (end.time - begin.time)
    cuda.alloc = alloc
    cuda.alloc_pinned_memory = bytearray
    cuda.get_allocator = lambda: _allocators[-1]
    cuda.using_allocator = using_allocator
    driver = types.ModuleType("cupy.cuda.driver")
    driver.launchKernel = compile_on_cpu.launch
    driver.launchCooperativeKernel = compile_on_cpu.launch_cooperatively
    driver.funcSetAttribute = lambda *_: None
    driver.CUDADriverError = CUDARuntimeError
    function = types.ModuleType("cupy.cuda.function")
    function.Module = compile_on_cpu.Module
    memory = types.ModuleType("cupy.cuda.memory")
    memory.OutOfMemoryError = OutOfMemoryError
    cuda.driver, cuda.function, cuda.memory = driver, function, memory
    cupy.cuda = cuda
    cupyx = types.ModuleType("cupyx")
    cupyx.__path__ = []
    cupyx.empty_pinned = np.empty
    sys.modules.update({
        "cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.runtime": runtime, "cupy.cuda.driver": driver,
        "cupy.cuda.function": function, "cupy.cuda.memory": memory, "cupyx": cupyx,
    })  # fmt: skip
