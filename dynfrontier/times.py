"""Times of rows in a file: their unit, as integers for graphs, and as dates."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .console import fail

if TYPE_CHECKING:
    import frontier as fr

UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
_LARGEST = (("s", 10**11), ("ms", 10**14), ("us", 10**17))
"""Numbers below these are interpreted in the unit: each is a date between 5138 and 1973 of the next."""
EARLIEST = 10**8  # numbers of seconds below this are no dates: of March 1973 since 1970


class Span(NamedTuple):
    """The length of a window in `unit`, the unit of the stream's times, and its name, such as ``"10min"``."""

    length: int
    unit: str
    name: str


def unit_of(edges: fr.io.EdgeList) -> str:
    """The unit of an edge list's times: the unit of dates, or the one in which numbers are dates of our age."""
    if edges.time_unit is not None or edges.times is None or not len(edges.times):
        return edges.time_unit or "s"
    largest = max(abs(float(edges.times.min())), abs(float(edges.times.max())))
    return next((unit for unit, limit in _LARGEST if largest < limit), "ns")


def with_integer_times(edges: fr.io.EdgeList) -> fr.io.EdgeList:
    """The same with int64 times of `time_unit` for graphs. Fractions of a unit are preserved to the nanosecond."""
    times, unit = edges.times, unit_of(edges)
    assert times is not None
    if times.dtype.kind == "f":
        scale = 1 if bool((np.rint(times) == times).all()) else _nanoseconds(unit)
        if len(times) and float(np.abs(times).max()) * scale >= 2**63:
            fail("the times are too large for integers of 64 bits")
        times, unit = np.rint(times * scale).astype(np.int64), unit if scale == 1 else "ns"
    return replace(edges, times=times, time_unit=unit)


def as_in_file(edges: fr.io.EdgeList, times: np.ndarray, unit: str) -> Any:
    """The file's times for times that `with_integer_times` made: dates, or its numbers."""
    if edges.time_unit is not None:
        return as_dates(times, unit)
    return times if unit == unit_of(edges) else times / _nanoseconds(unit_of(edges))


def _nanoseconds(unit: str) -> int:
    return 10 ** (9 - 3 * list(UNITS).index(unit))


def describe(edges: fr.io.EdgeList) -> str:
    """The first and the last time of an edge list. Numbers that look like dates are shown as such, too."""
    times = edges.times
    if times is None:
        return "no"
    if not len(times):
        return "of no record"
    low, high = times.min(), times.max()
    if edges.time_unit is not None:
        return " to ".join(as_dates(np.array([low, high]), edges.time_unit))
    said = f"{low:g} to {high:g}" if times.dtype.kind == "f" else f"{low} to {high}"
    if low < EARLIEST:
        return said
    unit = unit_of(edges)
    first, last = as_dates(np.array([low, high]).astype(np.int64), unit)
    return f"{said} ({first} to {last}, in {UNITS[unit]} since 1970)"


def as_date(text: str) -> datetime.datetime | None:
    """Parse a date of ISO 8601. None if the text is no date."""
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) if text[4:5] == "-" else None
    except ValueError:
        return None


def as_dates(times: Any, unit: str) -> list[str]:
    """Times since 1970 as dates of ISO 8601, all to the coarsest precision that is exact."""
    stamps = np.asarray(times).astype(f"datetime64[{unit}]")
    for precision in ("D", "s", "ms", "us"):
        if bool((stamps.astype(f"datetime64[{precision}]") == stamps)[~np.isnat(stamps)].all()):
            stamps = stamps.astype(f"datetime64[{precision}]")
            break
    return ["" if text == "NaT" else text for text in np.datetime_as_string(stamps).tolist()]
