"""Timing of a call, what it does on a device included."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def timed_call(work: Callable[[], Any], synchronize: Callable[[], None]) -> tuple[float, Any]:
    """The seconds that a call took, from an idle device until it is idle again, and what it returned."""
    synchronize()
    begin = time.perf_counter()
    result = work()
    synchronize()
    return time.perf_counter() - begin, result


def timed_calls(
    work: Callable[[], Any], synchronize: Callable[[], None], repeat: int, limit: float
) -> tuple[list[float], Any]:
    """The seconds of repeated calls, and what the last one returned.

    The first call warms up, and counts only where there is no other: because `repeat` is 0, or because all calls
    together would take more than `limit` seconds.
    """
    first, result = timed_call(work, synchronize)
    seconds: list[float] = []
    while len(seconds) < repeat and first + sum(seconds) + first < limit:
        took, result = timed_call(work, synchronize)
        seconds.append(took)
    return seconds or [first], result
