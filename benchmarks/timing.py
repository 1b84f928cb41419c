"""Timing of single calls: wall clock, the device's work included, and device events."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dynfrontier.machine import python_loop_ms
from dynfrontier.timing import timed_call
from frontier.advanced import Device


@dataclass
class Samples:
    """Times of repeated calls.

    Attributes
    ----------
    wall : list of float
        Seconds from before a call until the device had finished its work.
    device : list of float
        Seconds between two events on the device's queue around a call, or empty on the CPU.
    cpu : list of float
        Seconds of CPU time of all threads, which other users of a CPU hardly change.
    """

    wall: list[float] = field(default_factory=list)
    device: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return float(np.median(self.wall))

    @property
    def best(self) -> float:
        return min(self.wall)

    @property
    def mean(self) -> float:
        return float(np.mean(self.wall))

    def percentile(self, share: float) -> float:
        """The time that `share` percent of the calls did not exceed."""
        return float(np.percentile(self.wall, share))

    def numbers(self) -> dict[str, Any]:
        """Median, minimum and raw times in milliseconds, for a results file."""
        found: dict[str, Any] = {
            "median_ms": 1e3 * self.median,
            "best_ms": 1e3 * self.best,
            "wall_ms": [round(1e3 * seconds, 5) for seconds in self.wall],
        }
        if self.device:
            found["device_median_ms"] = 1e3 * float(np.median(self.device))
            found["device_ms"] = [round(1e3 * seconds, 5) for seconds in self.device]
        return found


def timed(device: Device, work: Callable[[], Any], samples: Samples | None = None) -> tuple[float, Any]:
    """One call: its seconds, and its result. The times join `samples` if given."""
    if device.is_gpu:
        first, last = device.xp.cuda.Event(), device.xp.cuda.Event()

    def recorded() -> Any:
        if device.is_gpu:
            first.record()
        result = work()
        if device.is_gpu:
            last.record()
        return result

    begin = time.process_time()
    wall, result = timed_call(recorded, device.synchronize)
    if samples is not None:
        samples.wall.append(wall)
        samples.cpu.append(time.process_time() - begin)
        if device.is_gpu:
            samples.device.append(device.xp.cuda.get_elapsed_time(first, last) / 1e3)
    return wall, result


def measure(
    device: Device, work: Callable[[], Any], *, repeat: int, warm_up: int = 1, limit: float = float("inf")
) -> tuple[Samples, Any]:
    """Repeated calls of the same work, and the result of the last one.

    Parameters
    ----------
    repeat, warm_up : int
        Timed calls, and calls before them that are not counted.
    limit : float
        The total seconds of all calls, the first excepted, after which no more are made. At least one is timed.
    """
    return measure_each(device, (work for _ in range(warm_up + repeat)), warm_up=warm_up, limit=limit)


def measure_each(
    device: Device, works: Iterable[Callable[[], Any]], *, warm_up: int = 0, limit: float = float("inf")
) -> tuple[Samples, Any]:
    """As `measure`, for a series of calls that differ. The first `warm_up` of them are not counted."""
    samples = Samples()
    result, spent = None, 0.0
    for index, work in enumerate(works):
        if spent > limit and samples.wall:
            break
        wall, result = timed(device, work, samples if index >= warm_up else None)
        if index:
            spent += wall
    return samples, result


def fastest_core() -> int:
    """Return the core on which a loop of Python takes the least time. Linux only."""
    allowed = os.sched_getaffinity(0)
    times = {}
    try:
        for core in sorted(allowed):
            os.sched_setaffinity(0, {core})
            times[core] = python_loop_ms()
    finally:
        os.sched_setaffinity(0, allowed)
    return min(times, key=lambda core: times[core])
