"""The runtime: devices, compilation, caching, kernel launches and scratch memory."""

from .compile.cpu import cpu_kernel, jit
from .compile.kernels import Kernels, load_kernels
from .compile.parallel import parallel_kernel
from .compile.progress import on_compile
from .compile.warm_up import is_warming_up, warming_up
from .device import CPU, Device, gpu_available, resolve_device
from .elements import nonnegative, prefetch
from .interrupts import HeldInterrupts
from .memory.elementwise import fill_column, fill_with
from .memory.scratch import Counters, ErrorFlag, Scratch, Workspace
from .threads import threads_for

__all__ = [
    "CPU", "Counters", "Device", "ErrorFlag", "HeldInterrupts", "Kernels", "Scratch", "Workspace", "cpu_kernel",
    "fill_column", "fill_with", "gpu_available", "is_warming_up", "jit", "load_kernels", "nonnegative", "on_compile",
    "parallel_kernel", "prefetch", "resolve_device", "threads_for", "warming_up",
]  # fmt: skip
