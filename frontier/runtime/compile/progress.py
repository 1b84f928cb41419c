"""Reports to a waiting user that code is being compiled, the first time it is needed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from ..log import logger

compilations: Counter[str] = Counter()
"""The number of compilations since the process started, by kind: ``"cpu"`` (kernels by Numba), ``"functor"`` (functors
to LTO-IR), ``"kernel"`` (CUDA kernels by NVRTC) and ``"link"`` (such kernels that are linked with functors)."""

_counting = Lock()
_listeners: list[Callable[[str], None]] = []


def count(kind: str) -> None:
    """Count a compilation."""
    with _counting:
        compilations[kind] += 1


def compiling(name: str) -> None:
    """Report that the kernel `name` is about to be compiled."""
    logger.debug("compiling %s", name)
    for listener in _listeners:
        listener(name)


@contextmanager
def timed(name: str, kind: str) -> Iterator[None]:
    """Count the block as the compilation of `name`, and log its duration."""
    count(kind)
    begin = time.perf_counter()
    yield
    logger.debug("compiled %s in %.1f ms", name, 1e3 * (time.perf_counter() - begin))


@contextmanager
def on_compile(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener(kernel_name)`` before each compilation within the ``with`` block.

    See Also
    --------
    compile_listed : Compile a list of kernels.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
