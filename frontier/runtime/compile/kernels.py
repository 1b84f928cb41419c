"""One name, two devices: kernels that host code calls without knowing where they run.

A folder with kernels has two files: ``cpu.py`` with a Numba function for each kernel, and ``kernels.cuh`` with a CUDA
function of the same name, exported in C. Both have the same parameters: the number of work items, then arrays, views
and scalars. Host code that differs by device, such as the order of launches, is in modules of equal functions,
``on_cpu.py`` and ``on_gpu.py``.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..device import Device
from .parallel import ParallelKernel
from .requests import Request, requests

C_TYPES = {
    np.dtype(np.int8): "i8",
    np.dtype(np.uint8): "u8",
    np.dtype(np.bool_): "bool",
    np.dtype(np.int32): "int",
    np.dtype(np.uint32): "u32",
    np.dtype(np.int64): "i64",
    np.dtype(np.uint64): "u64",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}


class Header:
    """A header of CUDA kernels, specialised by macros. `source` is its path from the project's root, and the macros."""

    def __init__(self, path: str, device: Device, defines: tuple[tuple[str, str], ...] = ()):
        self._device = device
        self.source = path, defines

    def compile_ahead(self) -> None:
        """Start compiling the kernels, in other processes. Does nothing on the CPU."""
        if self._device.is_gpu:
            from .cuda import compile_ahead

            compile_ahead(*self.source)

    def load(self) -> None:
        """Load the kernels onto the device, once they are compiled. Does nothing on the CPU."""
        if self._device.is_gpu:
            from .cuda import load_module

            load_module(*self.source)


class Kernels(Header):
    """The kernels of one folder on one device, each an attribute.

    ``kernels.name(count, *args, **launch)`` runs `name` over `count` work items, with None for absent arrays. CPU
    kernels ignore the options `launch` of `CudaKernel`. On the GPU the call only queues the kernel.
    """

    def __init__(self, package: str, device: Device, defines: tuple[tuple[str, str], ...]):
        super().__init__(package.replace(".", "/") + "/kernels.cuh", device, defines)
        self._package = package

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._device.is_gpu:
            from .cuda import load_kernel

            call: Callable[..., Any] = load_kernel(self.source[0], name, self.source[1])
        else:
            try:
                call = _ignore_launch(getattr(importlib.import_module(f"{self._package}.cpu"), name))
            except (AttributeError, ModuleNotFoundError):
                raise AttributeError(f"{self._package}.cpu has no kernel {name!r}") from None
        self.__dict__[name] = call
        return call


def _ignore_launch(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A CPU kernel as one that may be called with the launch options of a CUDA kernel."""
    if isinstance(kernel, ParallelKernel):
        return kernel

    def call(*args: Any, **launch: Any) -> Any:
        return kernel(*args)

    return call


@functools.cache
def _load(package: str, device: Device, defines: tuple[tuple[str, Any], ...]) -> Kernels:
    return _load_texts(package, device, tuple(sorted((name, define_text(value)) for name, value in defines)))


_load_texts = functools.cache(Kernels)
"""One object for each set of macros, by their texts."""


def load_kernels(package: str, device: Device, defines: Mapping[str, Any] | None = None) -> Kernels:
    """Load the kernels of a package, such as ``"structures.hornet"``, for a device.

    `defines` are macros for CUDA kernels: NumPy dtypes become C type names. CPU kernels specialise by argument types.
    """
    kernels = _load(package, device, tuple((defines or {}).items()))
    if requests.listener is not None:
        requests.listener.note_package(Request(*kernels.source))
    return kernels


def define_text(value: Any) -> str:
    """The text of a macro for `value`."""
    if isinstance(value, np.dtype):
        return C_TYPES[value]
    return str(int(value) if isinstance(value, bool) else value)
