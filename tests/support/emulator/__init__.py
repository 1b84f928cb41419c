"""A GPU on the CPU, for tests: `install` makes `cupy` a module of NumPy arrays, and CUDA kernels C++ that runs here.

With ``DYNFRONTIER_EMULATED_GPU=1`` the tests of GPUs run where there is none. They show whether kernels, functors and
the host code around them are right, in whatever order threads run; not how fast they are, and not what CUDA's compiler
makes of them. A kernel in which not all threads reach a barrier, or not all lanes an operation of their warp, is ended
with a message; one that goes beyond the end of an array, where it does. New arrays are full of garbage. It takes g++,
an x86-64 and Linux. What CuPy does by itself, such as recording launches, is not emulated.
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
    """Whether tests are to run on an emulated GPU."""
    return os.environ.get(VARIABLE) == "1"


def possible() -> bool:
    """Whether they can."""
    return (platform.system(), platform.machine()) == ("Linux", "x86_64") and (
        shutil.which("g++") is not None and find_spec("numba_cuda") is not None
    )


def install() -> None:
    """Put the emulated GPU in place; before anything looks for a real one.

    Compiled code gets a cache of its own: it has the names of what a real GPU runs.
    """
    cache = Path(os.environ.get("DYNFRONTIER_CACHE_DIR") or tempfile.mkdtemp(prefix="dynfrontier"))
    os.environ["DYNFRONTIER_CACHE_DIR"] = str(cache / "emulated")
    from . import compile_on_cpu, cupy_on_cpu

    cupy_on_cpu.install()
    compile_on_cpu.install()
