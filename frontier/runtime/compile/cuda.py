"""Compilation, caching and launching of CUDA kernels.

Kernels in ``.cuh`` files are compiled with NVRTC (through ``cuda.core``), specialised by macros, and linked with users'
functors as LTO-IR. Linking inlines a functor as if it were written in the kernel. Compiling and linking need no GPU.
Loading and launching, through CuPy, need one.
"""

from __future__ import annotations

import functools
import hashlib
from threading import Lock
from typing import Any

from ..launch.arguments import ByValue, Parameters, words_of
from ..launch.launch import THREADS, Launch
from ..launch.recorder import recorder
from ..launch.streams import stream_getter
from . import progress
from .caches import clearable, once
from .device_code import machine_code, program_of
from .disk_cache import PROJECT_ROOT, cached, cuda_fingerprint
from .prebuilt import Shipped, shipped_cubin
from .requests import Request, requests
from .toolchain import import_toolchain
from .workers import Compile, Job, workers

BLOCKS_PER_MULTIPROCESSOR = 16


def compile_cubin(
    header: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...] = (), arch: str = "sm_90"
) -> bytes:
    """Compile all kernels in a header, a path from the project's root, with macros, and link the LTO-IR of functors."""
    import_toolchain()
    return machine_code(_source(header, defines), str(PROJECT_ROOT), arch, functors)


def compile_ltoir(header: str, defines: tuple[tuple[str, str], ...], arch: str) -> bytes:
    """LTO-IR of the functions in a header, which other kernels link in the same way as functors."""
    import_toolchain()
    return bytes(program_of(_source(header, defines), str(PROJECT_ROOT), arch, linked=True).compile("ltoir").code)


def _source(header: str, defines: tuple[tuple[str, str], ...]) -> str:
    macros = "".join(f"#define {name} {text}\n" for name, text in defines)
    # In angle brackets: a quoted name is looked up in the working directory first, which may have other headers.
    return f"{macros}#include <{header}>\n"


def cached_cubin(
    header: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...], arch: str,
    compile: Compile | None = None,
) -> bytes:  # fmt: skip
    """`compile_cubin` behind the package's own code and the disk cache. `compile` is tried first (see `workers`)."""
    shipped = None if functors else shipped_cubin(header, defines, arch)
    if shipped is not None:
        return shipped.code
    codes = tuple(hashlib.sha256(functor).hexdigest() for functor in functors)
    parts = (header, repr(defines), arch, toolchain_version(), cuda_fingerprint(), *codes)

    def build() -> bytes:
        progress.compiling(header)
        with progress.timed(header, "link" if functors else "kernel"):
            code = None if compile is None else compile(_source(header, defines), str(PROJECT_ROOT), arch, functors)
            return compile_cubin(header, defines, functors, arch) if code is None else code

    return cached("cuda", "cubin", parts, build)


def cached_ltoir(header: str, defines: tuple[tuple[str, str], ...], arch: str) -> bytes:
    """`compile_ltoir` behind the disk cache."""

    def build() -> bytes:
        with progress.timed(header, "functor"):
            return compile_ltoir(header, defines, arch)

    return cached("cuda", "ltoir", (header, repr(defines), arch, toolchain_version(), cuda_fingerprint()), build)


@functools.cache
def toolchain_version() -> str:
    """Versions of the compilers that produce device code."""
    import_toolchain()
    from cuda.bindings import nvrtc
    from cuda.core import __version__

    _, major, minor = nvrtc.nvrtcVersion()
    return f"{__version__} {major}.{minor}"


@functools.cache
def current_arch() -> str:
    """The architecture of the current GPU, such as ``"sm_90"``."""
    import cupy

    return f"sm_{cupy.cuda.Device().compute_capability}"


@functools.cache
def multiprocessors() -> int:
    """Number of multiprocessors of the current GPU."""
    import cupy

    return cupy.cuda.Device().attributes["MultiProcessorCount"]


COOPERATIVE_BLOCKS_EACH = 2  # matches the launch bounds of most kernels


def cooperative_blocks(each: int = COOPERATIVE_BLOCKS_EACH) -> int:
    """Blocks of a grid-cooperative launch, all of which must be resident at once: so many on each multiprocessor."""
    return multiprocessors() * each


@functools.cache
def cluster_blocks() -> int:
    """Blocks of a cluster, which `cluster.cuh` defines: one before compute capability 9."""
    return 8 if int(current_arch()[3:]) >= 90 else 1


@functools.cache
def shared_memory() -> int:
    """Bytes of shared memory that a block of the current GPU can have."""
    import cupy

    return cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]


@functools.cache
def shared_memory_each() -> int:
    """Bytes of shared memory that each multiprocessor of the current GPU has."""
    import cupy

    return cupy.cuda.Device().attributes["MaxSharedMemoryPerMultiprocessor"]


_shared_lock = Lock()


class CudaKernel:
    """A kernel, whose first parameter is the number of work items (``long long``), over which it strides by the grid.

    A grid has at most `blocks_limit` blocks, unless a launch specifies its blocks. `stream` returns the current stream.
    """

    __slots__ = ("_array_type", "_free", "_pointer", "_shared_limit", "blocks_limit", "driver", "function", "stream")

    def __init__(self, function: Any):
        import cupy

        self.function = function
        self._pointer = function.ptr
        self._array_type = cupy.ndarray
        self.driver = cupy.cuda.driver
        self.stream = stream_getter()
        self._free: list[Parameters] = []  # of completed launches, several if threads launch at the same time
        self.blocks_limit = multiprocessors() * BLOCKS_PER_MULTIPROCESSOR
        self._shared_limit = 0  # the requested limit: 48 KiB need no request, less the static arrays of the kernel

    def __call__(
        self, count: int, *args: Any, threads: int = THREADS, blocks: int | None = None, tile: int = 1, shared: int = 0,
        cooperative: bool = False,
    ) -> None:  # fmt: skip
        """Queue the kernel on the current stream, for `count` work items of `tile` threads each. 0 queues nothing.

        Arguments after the first are converted by `words_of`. By default there are enough blocks for `count`. `shared`
        is in bytes of dynamic shared memory. Blocks of a `cooperative` launch synchronize. It fails unless all are
        resident at once.
        """
        if count == 0:
            return
        if blocks is None:
            blocks = min((count * tile + threads - 1) // threads, self.blocks_limit)
        if shared > self._shared_limit:
            self._allow_shared(shared)
        words, structs = words_of(count, args, self._array_type)
        if recorder.launches is not None:
            recorder.launches.add(Launch(
                self, args, words, structs, blocks=blocks, threads=threads, shared=shared, cooperative=cooperative
            ))  # fmt: skip
            return
        self.launch(words, structs, blocks, threads, shared, cooperative)

    def launch(
        self, words: list[int], structs: list[tuple[int, ByValue]], blocks: int, threads: int = THREADS,
        shared: int = 0, cooperative: bool = False, stream: int | None = None,
    ) -> None:  # fmt: skip
        """Launch parameters of `words_of`, even during a capture, on the current stream, or that at an
        address."""
        try:
            parameters = self._free.pop()
        except IndexError:
            parameters = Parameters(len(words))
        parameters.fill(words, structs)
        address = parameters.address
        stream = self.stream().ptr if stream is None else stream
        if cooperative:
            self.driver.launchCooperativeKernel(
                self._pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address
            )  # fmt: skip
        else:
            self.driver.launchKernel(self._pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address, 0)
        self._free.append(parameters)  # the driver has copied them

    def bind(self, *args: Any) -> Launch:
        """A launch with constant arguments, except the contents of a `ByValue` among them."""
        return Launch(self, args, *words_of(0, args, self._array_type))

    def _allow_shared(self, size: int) -> None:
        """Raise the limit of dynamic shared memory. Never lower it: another thread may be about to launch."""
        with _shared_lock:
            if size > self._shared_limit:
                self.driver.funcSetAttribute(self._pointer, _MAX_DYNAMIC_SHARED, size)
                self._shared_limit = size


_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


_ahead: dict[tuple, Job] = clearable({})
"""Machine code that is being compiled, by `cached_cubin`'s arguments, before anyone has asked for it."""
_ahead_lock = Lock()


def compile_ahead(header: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...] = ()) -> None:
    """Start to compile a header in another process, unless its code is in the package. `load_module` blocks until it is
    done."""
    key = (header, defines, functors, current_arch())
    if not functors and shipped_cubin(header, defines, key[-1]) is not None:
        return
    with _ahead_lock:
        if key not in _ahead:
            _ahead[key] = workers.submit(lambda compile: cached_cubin(*key, compile))


def _cubin(header: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...] | Shipped) -> bytes:
    if isinstance(functors, Shipped):
        return functors.code
    key = (header, defines, functors, current_arch())
    with _ahead_lock:
        begun = _ahead.get(key)
    if begun is None:
        return cached_cubin(*key)
    try:
        begun.run()  # if its turn has not come, to compile it here is sooner
        return begun.result()
    except BaseException:  # Ctrl-C, for example: another attempt may succeed
        with _ahead_lock:
            _ahead.pop(key, None)
        raise


def load_module(
    header: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...] | Shipped = ()
) -> Any:  # fmt: skip
    """Load a header's kernels onto the current device, with the functors' LTO-IR, or the package's machine code."""
    return _load_module(header, defines, functors)


@clearable
@once
def _load_module(header: str, defines: tuple, functors: tuple[bytes, ...] | Shipped) -> Any:
    import cupy

    module = cupy.cuda.function.Module()
    module.load(_cubin(header, defines, functors))
    return module


@clearable
@once
def load_kernel(
    header: str, name: str, defines: tuple[tuple[str, str], ...], functors: tuple[bytes, ...] | Shipped = ()
) -> Any:
    """The kernel `name` of a header, a `CudaKernel` ready to launch on the current device. See `load_module`."""
    if requests.listener is not None:
        requests.listener.note(Request(header, defines))
        return requests.listener.launch
    return CudaKernel(load_module(header, defines, functors).get_function(name))
