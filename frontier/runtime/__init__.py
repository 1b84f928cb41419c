"""Where and how things run: devices, compilation, caching, kernel launches and scratch memory."""

from .alternatives import loading_alternatives
from .cpu import cpu_kernel, jit
from .device import Device, gpu_available, resolve_device
from .elementwise import fill_column, fill_with
from .interrupts import HeldInterrupts
from .kernels import Kernels, load_kernels
from .parallel import parallel_kernel
from .progress import on_compile
from .scratch import Counters, ErrorFlag, Scratch
from .threads import threads_for
from .workspace import Workspace

__all__ = [
    "Counters", "Device", "ErrorFlag", "HeldInterrupts", "Kernels", "Scratch", "Workspace", "cpu_kernel",
    "fill_column", "fill_with", "gpu_available", "jit", "load_kernels", "loading_alternatives",
    "on_compile", "parallel_kernel", "resolve_device", "threads_for",
]  # fmt: skip
