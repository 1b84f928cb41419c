"""A cache whose entries are made once, however many threads ask for them at the same time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import RLock
from typing import Any


def once(function: Callable[..., Any]) -> Any:
    """Like `functools.cache`, but of all threads one at a time makes an entry; none waits for those that are there.

    With `functools.cache`, each thread that asks for an entry which is not there makes one, and the last one stays.
    That of another thread is dropped when the thread is done with it; a GPU may not be, if it is a kernel.

    The dictionary ``cache`` of the returned function has the entries, by the arguments.
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
