"""One name, two devices: kernels that host code calls without asking where it runs.

A folder that owns kernels has two files: ``cpu.py`` with a Numba function for each kernel, and ``kernels.cuh`` with a
CUDA function of the same name, exported in C. Both take the same arguments: first the number of work items, then
arrays, views and scalars.

What really differs by device, such as the order of launches, is host code: a structure has it in two modules of equal
functions, ``on_cpu.py`` and ``on_gpu.py``, and chooses between them once.
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
    """A header of CUDA kernels, which macros specialise.

    `source` is its path from the project's root, and the macros; for a CPU, too.
    """

    def __init__(self, path: str, device: Device, defines: tuple[tuple[str, str], ...] = ()):
        self._device = device
        self.source = path, defines

    def compile_ahead(self) -> None:
        """Begin to compile the kernels, in other processes. Does nothing on the CPU."""
        if self._device.is_gpu:
            from .cuda import compile_ahead

            compile_ahead(*self.source)

    def load(self) -> None:
        """Load the kernels onto the device, once they are compiled. Does nothing on the CPU."""
        if self._device.is_gpu:
            from .cuda import load_module

            load_module(*self.source)


class Kernels(Header):
    """The kernels of one folder on one device; each is an attribute.

    ``kernels.name(count, *args, **launch)`` runs `name` over `count` work items. Absent arrays are passed as None.
    `launch` are the options of `CudaKernel`, such as ``tile=4``; CPU kernels ignore them. On the GPU the call returns
    as soon as the kernel is queued.
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
    """The kernels for `device` of a package, the dotted name of a folder such as ``"structures.hornet"``.

    `defines` are macros that specialise the CUDA kernels: NumPy dtypes become C type names, other values their text.
    The CPU kernels specialise themselves by the types of their arguments.
    """
    kernels = _load(package, device, tuple((defines or {}).items()))
    if requests.listener is not None:
        requests.listener.note_package(Request(*kernels.source))
    return kernels


def define_text(value: Any) -> str:
    """The text of a macro for `value`."""
    if isinstance(value, np.dtype):
        return C_TYPES[value]
    if isinstance(value, bool):
        return str(int(value))
    return str(value)
