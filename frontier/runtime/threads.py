"""Numba's threading layer: which one is used, and where parallel regions cannot be entered."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import sys
import threading

import numba
from numba.core import config

TBB = {"linux": "libtbb.so.12", "win32": "tbb12.dll"}

_forked = False
"""Whether this process was forked from one with parallel regions of GNU OpenMP, which cannot continue here."""


RELUCTANCE = 8
"""The factor by which the work must be larger to enter a region of other layers than TBB."""


def has_one_thread() -> bool:
    """Whether the process has one thread for kernels, whose functors then need no atomic instructions."""
    return config.NUMBA_NUM_THREADS == 1  # type: ignore[attr-defined]


def threads_for(work: int, few: int) -> int:
    """The number of threads for `work`, given that below `few` one thread is faster. 1 if no more can be used."""
    if work < few or has_one_thread() or _forked:
        return 1
    find_tbb()
    threads = numba.get_num_threads()
    return threads if work >= few * RELUCTANCE or numba.threading_layer() == "tbb" else 1


def enter_region() -> bool:
    """Whether this thread may enter a parallel region now. If so, `leave_region` must follow.

    Numba's own threading layer ("workqueue") ends the process if two threads enter at once.
    """
    return numba.threading_layer() != "workqueue" or _region.acquire(blocking=False)


def leave_region() -> None:
    """Let another thread enter."""
    if numba.threading_layer() == "workqueue":
        _region.release()


_region = threading.Lock()


@functools.cache
def find_tbb() -> None:
    """Load the library of the package ``tbb``, which pip installs where loaders do not look, for Numba.

    Many threads may enter its regions at once, and it survives a fork. It does not depend on threads that a busy
    machine has not scheduled, which costs GNU OpenMP milliseconds.
    """
    name = TBB.get(sys.platform)
    if name is None or config.THREADING_LAYER not in ("default", "tbb", "safe", "threadsafe", "forksafe"):  # type: ignore[attr-defined]
        return
    try:
        for file in importlib.metadata.files("tbb") or []:
            if file.name == name:
                ctypes.CDLL(str(file.locate()), mode=ctypes.RTLD_GLOBAL)
                return
    except (importlib.metadata.PackageNotFoundError, OSError):
        return


def _after_fork() -> None:
    global _forked, _region
    _region = threading.Lock()
    try:
        layer = numba.threading_layer()
    except ValueError:  # no parallel region has been entered yet
        return
    _forked = layer == "omp" and sys.platform == "linux"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
