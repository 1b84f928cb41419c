"""Tells a waiting user that code is being compiled, the first time it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..log import logger

_listeners: list[Callable[[str], None]] = []


def compiling(name: str) -> None:
    """Report that the kernel `name` is about to be compiled."""
    logger.debug("compiling %s", name)
    for listener in _listeners:
        listener(name)


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Log how long the compilation of `name` takes, which is that of the block."""
    begin = time.perf_counter()
    yield
    logger.debug("compiled %s in %.1f ms", name, 1e3 * (time.perf_counter() - begin))


@contextmanager
def on_compile(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener(kernel_name)`` before each compilation within the ``with`` block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
