"""A GPU on the CPU, for tests: `install` makes `cupy` a module of NumPy arrays, and CUDA kernels C++ that runs here.

With ``DYNFRONTIER_EMULATED_GPU=1`` the tests of GPUs run where there is none. They show whether kernels, functors and
the host code around them are right, in whatever order threads run. They do not show their speed, nor the output of
CUDA's compiler. A kernel in which not all threads reach a barrier, or not all lanes an operation of their warp, ends
with a message. One that accesses memory beyond the end of an array ends at that access. New arrays are full of garbage.
It requires g++, an x86-64 and Linux. CuPy's own features, such as capturing launches, are not emulated.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "DYNFRONTIER_EMULATED_GPU"


def wanted() -> bool:
    """Whether tests should run on an emulated GPU."""
    return os.environ.get(VARIABLE) == "1"


def possible() -> bool:
    """Whether they can."""
    return (platform.system(), platform.machine()) == ("Linux", "x86_64") and (
        shutil.which("g++") is not None and find_spec("numba_cuda") is not None
    )


def install() -> None:
    """Install the emulated GPU, before any code looks for a real one.

    Compiled code gets a separate cache: it has the names of a real GPU's code.
    """
    cache = Path(os.environ.get("DYNFRONTIER_CACHE_DIR") or tempfile.mkdtemp(prefix="dynfrontier"))
    os.environ["DYNFRONTIER_CACHE_DIR"] = str(cache / "emulated")
    from . import compile_on_cpu, cupy_on_cpu

    cupy_on_cpu.install()
    compile_on_cpu.install()
