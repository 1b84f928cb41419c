"""Compact forms of the times of log entries: evenly spaced numbers, or short offsets.

Other times are arrays of int64, as are times that GPU kernels have stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import Device
from frontier.runtime.memory import elementwise


class EvenTimes(NamedTuple):
    """Equal times (`step` 0), or consecutive ones (`step` 1), as windows of pushes and of rows number their rows. They
    need no memory."""

    first: int
    step: int
    size: int

    @property
    def nbytes(self) -> int:
        return 0

    @property
    def last(self) -> int:
        return self.at(self.size - 1)

    def at(self, position: int) -> int:
        """The time of an entry."""
        return self.first + self.step * position


class OffsetTimes(NamedTuple):
    """Times on the host as offsets from `base`, in the narrowest unsigned type that fits."""

    base: int
    offsets: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.offsets.nbytes


def compact(device: Device, times: Any, first: int, last: int) -> Any:
    """An array of times with these bounds, in a compact form if they fit. On a GPU, where narrowing would cost a launch
    for each batch, they stay as they are."""
    dtype = np.min_scalar_type(last - first)
    if device.is_gpu or dtype.itemsize >= times.itemsize:
        return times
    return OffsetTimes(first, np.subtract(times, first).astype(dtype))


def after(times: Any, begin: int) -> Any:
    """A copy of the times from an entry on."""
    if isinstance(times, EvenTimes):
        return EvenTimes(times.at(begin), times.step, times.size - begin)
    if isinstance(times, OffsetTimes):
        return OffsetTimes(times.base, times.offsets[begin:].copy())
    return elementwise.copy_of(times[begin:])


def as_array(device: Device, times: Any, begin: int) -> Any:
    """The times from an entry on as an array of int64."""
    if isinstance(times, EvenTimes):
        size, first = times.size - begin, times.at(begin)
        if times.step:
            return elementwise.arange(device, size, np.int64, first)
        return elementwise.full(device, size, first, np.int64)
    if isinstance(times, OffsetTimes):
        return times.offsets[begin:].astype(np.int64) + times.base
    return times[begin:]


def split(times: EvenTimes | OffsetTimes, begin: int, before: int) -> tuple[int, int]:
    """The position of the first entry, from `begin` on, that is not before some time, and its time.

    `before` is after the time of entry `begin`, and not after the last time.
    """
    if isinstance(times, EvenTimes):  # with steps of 1: equal times are never split
        return before - times.first, before
    end = begin + int(times.offsets[begin:].searchsorted(times.offsets.dtype.type(before - times.base)))
    return end, times.base + int(times.offsets[end])


def joined(one: Any, begin: int, two: Any, other_begin: int) -> EvenTimes | None:
    """The times of two chunks, from an entry of each on, if they are evenly spaced."""
    are_even = isinstance(one, EvenTimes) and isinstance(two, EvenTimes) and one.step == two.step
    if not are_even or one.at(one.size) != two.at(other_begin):
        return None
    return EvenTimes(one.at(begin), one.step, one.size - begin + two.size - other_begin)
