"""The caches of compiled code in memory, and how they are emptied."""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar

from ..values import flag
from .disk_cache import cache_directory

C = TypeVar("C")

in_memory: list = []
"""Dictionaries, and functions with a cache, that grow with the functors that a program makes (`clearable`)."""
times_cleared = 0
"""The number of times the caches were cleared, by which captured launches notice it."""


def clearable(cache: C) -> C:
    """Have `clear_caches` empty a dictionary, or the cache of a function. Caches of a few entries stay."""
    in_memory.append(getattr(cache, "cache", cache))
    return cache


def clear_caches(*, disk: bool = False) -> None:
    """Drop compiled functors and operators' kernels from memory. They are loaded again at their next use.

    For programs that make functors without end, such as a notebook whose cells are edited and run again for days. Each
    new text, and each new value of a name that a functor uses, is compiled and cached. Graphs, frontiers and results
    are not touched. Other threads may be at work meanwhile.

    Parameters
    ----------
    disk : bool
        Also delete the compiled code on disk (in ``$DYNFRONTIER_CACHE_DIR``, or ``dynfrontier`` in the user's cache
        directory), after which every first use compiles again. Other processes lose nothing that they have loaded.

    Raises
    ------
    TypeError
        `disk` is not True or False.

    See Also
    --------
    interpreted : Run functors without compiling them.

    Notes
    -----
    On a GPU it synchronizes with queued work, and unloads the kernels' modules. On a CPU Numba's data of a function are
    freed for reuse, but not its machine code and LLVM module, which Numba retains to the end of the process. A kernel
    that was loaded from disk uses 0.7 MB, nearly all of which is freed. A kernel that this process compiled uses 3.6
    MB, of which 0.9 MB are freed.
    """
    global times_cleared
    disk = flag(disk, "disk")
    times_cleared += 1
    cupy = sys.modules.get("cupy")
    if cupy is not None and cupy.is_available():
        cupy.cuda.runtime.deviceSynchronize()
    for cache in in_memory:
        if isinstance(cache, dict):
            cache.clear()
        else:
            cache.cache_clear()
    gc.collect()  # kernels and the functions in them refer to each other
    if disk:
        for folder in ("cpu", "cuda"):
            for path in (cache_directory() / folder).glob("*"):
                with contextlib.suppress(OSError):
                    path.unlink()


def once(function: Callable[..., Any]) -> Any:
    """Like `functools.cache`, but one thread makes an entry, and readers need no lock. ``cache`` has all entries.

    With `functools.cache` several threads may make one entry, of which all but the last are dropped. A GPU may still
    use a dropped kernel.
    """
    made: dict[tuple, Any] = {}
    lock = RLock()

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        try:
            return made[args]
        except KeyError:
            pass
        with lock:
            try:
                return made[args]
            except KeyError:
                entry = made[args] = function(*args)
                return entry

    call.cache = made  # type: ignore[attr-defined]
    return call
