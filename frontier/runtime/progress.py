"""Tells a waiting user that code is being compiled, the first time it is needed."""

from __future__ import annotations

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
def on_compile(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener(kernel_name)`` before each compilation within the ``with`` block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
