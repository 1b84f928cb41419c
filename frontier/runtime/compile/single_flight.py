"""A cache whose entries are made once, however many threads ask for them at the same time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import RLock
from typing import Any


def once(function: Callable[..., Any]) -> Any:
    """Like `functools.cache`, but one thread makes an entry and existing ones are read without a lock; ``cache`` has
    them all.

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
