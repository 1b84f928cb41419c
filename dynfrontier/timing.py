"""Timing of a call, what it does on a device included, and of what an observer does within updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import frontier as fr


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


class TimedObserver(fr.UpdateObserver):
    """A proxy for another observer of a graph that forwards notifications and measures their time."""

    def __init__(self, graph: fr.DynamicGraph, observer: fr.UpdateObserver):
        self.seconds = 0.0
        self.exact, self.sees_changes = observer.exact, observer.sees_changes  # type: ignore[misc]
        self._device = graph.device
        self._observer = observer
        graph.attach(self, instead_of=observer)

    def _measure(self, method: Callable, *args: Any) -> Any:
        taken, result = timed_call(partial(method, *args), self._device.synchronize)
        self.seconds += taken
        return result

    def find_edges(self, find: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
        return self._measure(self._observer.find_edges, find)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        self._measure(self._observer.edges_inserted, src, dst)

    def edges_changing(self, src: Any, dst: Any) -> None:
        self._measure(self._observer.edges_changing, src, dst)

    def edges_changed(self, src: Any, dst: Any) -> None:
        self._measure(self._observer.edges_changed, src, dst)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        self._measure(self._observer.edges_deleting, src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        self._measure(self._observer.edges_deleted, src, dst)

    def vertices_changed(self) -> None:
        self._measure(self._observer.vertices_changed)

    def failed(self, method: str, error: BaseException) -> None:
        self._observer.failed(method, error)
