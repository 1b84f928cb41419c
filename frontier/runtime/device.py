"""The two devices a graph can live on, and how one is chosen."""

from __future__ import annotations

import functools
import os
import re
import threading
import warnings
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from .log import logger
from .memory.pinned import pinned


@dataclass(frozen=True)
class Device:
    """The location of arrays and kernels: a CPU or a GPU.

    Attributes
    ----------
    kind : {"cpu", "gpu"}
    xp : module
        The array module of the device: ``numpy`` or ``cupy``.
    is_gpu : bool

    See Also
    --------
    resolve_device : A device by name.
    """

    kind: str
    xp: ModuleType
    is_gpu: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_gpu", self.kind == "gpu")

    def to_host(self, array: Any) -> np.ndarray:
        """A NumPy array with the contents of `array`, after a synchronization with the device."""
        if not self.is_gpu:
            return np.asarray(array)
        return _few_to_host(self.xp, array) if array.nbytes <= SMALL_BYTES and array.flags.c_contiguous else array.get()

    def read_only(self, array: Any) -> Any:
        """A read-only form of `array`: a view that cannot be written, or a copy, as CuPy has no such views."""
        if self.is_gpu:
            twin = self.xp.empty_like(array)
            if array.size and array.flags.c_contiguous and twin.flags.c_contiguous:
                twin.data.copy_from_device_async(array.data, array.nbytes)  # CuPy's `copy` is a kernel to be compiled
            else:
                twin[...] = array
            return twin
        view = array.view()
        view.flags.writeable = False
        return view

    def synchronize(self) -> None:
        """Block until all work queued on the device is done."""
        if self.is_gpu:
            self.xp.cuda.get_current_stream().synchronize()

    def __repr__(self) -> str:
        return f"Device({self.kind!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """The state of a pickle: only the kind. Without a GPU, objects of a GPU are loaded on the CPU."""
        return _resolve_pickled, (self.kind,)


CPU = Device("cpu", np)

SMALL_BYTES = 1024
"""Arrays that are copied to the host through page-locked memory: the driver copies other memory in two steps. Results
that are read after each batch are only a few numbers."""

_landing = threading.local()  # `bytes`: SMALL_BYTES of page-locked memory of this thread


def _few_to_host(xp: ModuleType, array: Any) -> np.ndarray:
    size, stream = array.nbytes, xp.cuda.get_current_stream()
    landed = getattr(_landing, "bytes", None)
    if landed is None:
        landed = _landing.bytes = pinned(SMALL_BYTES, np.uint8)
        _landing.address = landed.ctypes.data
    if size:
        array.data.copy_to_host_async(_landing.address, size, stream)
    stream.synchronize()
    return landed[:size].view(array.dtype).reshape(array.shape).copy()


def _resolve_pickled(kind: str) -> Device:
    return resolve_device("auto" if kind == "gpu" else kind)


OLDEST_CUPY = (14, 1, 1)
"""Before it, a sort that ran out of memory returned numbers that were not sorted (cupy #9894, #9899)."""

_cuda_forked = False
"""Whether this process was forked from one that had looked for GPUs: CUDA cannot be used here."""


@functools.cache
def gpu_available() -> bool:
    """Whether CuPy is installed, not too old, and sees a GPU. A warning is issued if it sees one but is too old.

    See Also
    --------
    Graph : Chooses a device by default.
    """
    if not _sees_gpu():
        return False
    problem = _cupy_problem()
    if problem is not None:
        logger.info("the GPU is not used: %s", problem)
        warnings.warn(f"the GPU is not used: {problem}", stacklevel=2)
    return problem is None


def _sees_gpu() -> bool:
    try:
        import cupy
    except ImportError:
        return False
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


def _cupy_problem() -> str | None:
    """The problem of the installed CuPy, or None."""
    import cupy

    numbers = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", cupy.__version__)
    if numbers is None or tuple(int(n or 0) for n in numbers.groups()) >= OLDEST_CUPY:
        return None
    oldest = ".".join(map(str, OLDEST_CUPY))
    return (
        f"CuPy {cupy.__version__} is installed, which may sort wrongly when memory runs out; "
        f"install {oldest} or newer (pip install 'dynfrontier[cuda13]' or '[cuda12]')"
    )


@functools.cache
def _gpu() -> Device:
    import cupy

    return Device("gpu", cupy)


def resolve_device(device: str | Device = "auto") -> Device:
    """The device named by `device`.

    Parameters
    ----------
    device : {"auto", "cpu", "gpu"} or Device
        ``"auto"`` is the GPU where there is one, otherwise the CPU.

    Raises
    ------
    ValueError
        `device` is none of these.
    RuntimeError
        ``"gpu"`` was requested, but no GPU is available, or CuPy is not installed or too old. Or the device is a GPU
        and this process was forked from one that used it.

    See Also
    --------
    Device : The result.
    gpu_available : Whether a GPU is present.
    """
    chosen = device if isinstance(device, Device) else _named(device)
    if chosen.is_gpu and _cuda_forked:
        raise RuntimeError(
            "this process was forked from one that used CUDA, which does not survive a fork: start processes by "
            "'spawn' or 'forkserver' (multiprocessing.get_context), or use device='cpu'"
        )
    return chosen


def _named(device: str) -> Device:
    if device == "cpu" or (device == "auto" and not gpu_available()):
        return CPU
    if device == "auto":
        return _gpu()
    if device == "gpu":
        if not gpu_available():
            if _sees_gpu():
                raise RuntimeError(f"device='gpu' was asked for, but {_cupy_problem()}")
            raise RuntimeError(
                "device='gpu' was asked for, but CuPy is not installed or sees no GPU; "
                "install dynfrontier[cuda13] (or [cuda12]), or use device='cpu'"
            )
        return _gpu()
    raise ValueError(f"device must be 'auto', 'cpu' or 'gpu', not {device!r}")


def _after_fork() -> None:
    global _cuda_forked
    _cuda_forked = _cuda_forked or bool(gpu_available.cache_info().currsize and gpu_available())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
