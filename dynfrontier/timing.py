"""Time calls, including their work on a device, and observers within updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import frontier as fr


def timed_call(work: Callable[[], Any], synchronize: Callable[[], None]) -> tuple[float, Any]:
    """The seconds of a call, from an idle device until it is idle again, and its result."""
    synchronize()
    begin = time.perf_counter()
    result = work()
    synchronize()
    return time.perf_counter() - begin, result


def timed_calls(
    work: Callable[[], Any], synchronize: Callable[[], None], repeat: int, limit: float
) -> tuple[list[float], Any]:
    """The seconds of repeated calls, and the last result.

    The first call, a warm-up, counts only if it is the only one: if `repeat` is 0, or all would exceed `limit`.
    """
    first, result = timed_call(work, synchronize)
    seconds: list[float] = []
    while len(seconds) < repeat and first + sum(seconds) + first < limit:
        took, result = timed_call(work, synchronize)
        seconds.append(took)
    return seconds or [first], result


class Stopwatch:
    """Adds up the seconds of calls, on a GPU by events in the stream, without synchronizations around each call."""

    def __init__(self, device: fr.advanced.Device):
        self._device = device
        self._seconds = 0.0
        self._running: list[tuple[Any, Any]] = []  # pairs of events that were not read yet
        self._events: list[Any] = []  # events to reuse

    def measure(self, work: Callable[[], Any]) -> Any:
        if not self._device.is_gpu:
            begin = time.perf_counter()
            try:
                return work()
            finally:
                self._seconds += time.perf_counter() - begin
        begin, end = (self._events.pop() if self._events else self._device.xp.cuda.Event() for _ in range(2))
        begin.record()
        try:
            return work()
        finally:
            end.record()
            self._running.append((begin, end))

    @property
    def seconds(self) -> float:
        for begin, end in self._running:
            end.synchronize()
            self._seconds += self._device.xp.cuda.get_elapsed_time(begin, end) / 1e3
            self._events += begin, end
        self._running.clear()
        return self._seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self._events += (event for pair in self._running for event in pair)
        self._running.clear()
        self._seconds = value


class TimedObserver(Stopwatch, fr.UpdateObserver):
    """A proxy for another observer of a graph that forwards notifications and measures their time."""

    def __init__(self, graph: fr.DynamicGraph, observer: fr.UpdateObserver):
        super().__init__(graph.device)
        for name in ("exact", "sees_changes", "sees_records"):
            setattr(self, name, getattr(observer, name))
        self._observer = observer
        graph.attach(self, instead_of=observer)

    def failed(self, method: str, error: BaseException) -> None:
        self._observer.failed(method, error)


def _measured(name: str) -> Callable[..., Any]:
    def forward(self: TimedObserver, *args: Any) -> Any:
        return self.measure(partial(getattr(self._observer, name), *args))

    return forward


for _name in (
    "recomputes", "outdated", "find_edges", "edges_inserted", "edges_changing", "edges_changed", "edges_deleting",
    "edges_deleted", "records_inserted", "records_deleting", "records_deleted", "vertices_changed",
):  # fmt: skip
    setattr(TimedObserver, _name, _measured(_name))
