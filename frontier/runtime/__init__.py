"""Where and how things run: devices, compilation, caching, kernel launches and scratch memory."""

from .cpu import cpu_kernel
from .device import Device, gpu_available, resolve_device
from .kernels import Kernels, load_kernels
from .scratch import Alarm, Counters, Scratch

__all__ = [
    "Alarm", "Counters", "Device", "Kernels", "Scratch", "cpu_kernel", "gpu_available", "load_kernels",
    "resolve_device",
]  # fmt: skip
