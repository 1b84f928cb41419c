"""Times and spans of time, from any library, as int64 counts of a unit since 1970-01-01 UTC. Exact, or an error."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.arrays import as_numbers, cudf_kind, cudf_null, is_cudf
from frontier.runtime.values import kind_of

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
"""The units that times can be stored in, in nanoseconds."""
TICKS = UNITS | {"m": 60 * 10**9, "h": 3600 * 10**9, "D": 86400 * 10**9, "W": 604800 * 10**9}
"""NumPy's units of constant length."""
WORDS = {
    "ns": "ns nanosecond nanoseconds", "us": "us µs microsecond microseconds", "ms": "ms millisecond milliseconds",
    "s": "s sec second seconds", "m": "m min minute minutes", "h": "h hr hour hours", "D": "d day days",
    "W": "w week weeks",
}  # fmt: skip
LENGTHS = {word: TICKS[unit] for unit, words in WORDS.items() for word in words.split()}
INT64 = np.dtype(np.int64)
LOWEST, HIGHEST = int(np.iinfo(INT64).min), int(np.iinfo(INT64).max)


def as_times(device: Device, values: Any, name: str, unit: str) -> Any:
    """Return times as an int64 array of `device`, in `unit`.

    Integers are used as they are. Timestamps are NumPy, pandas, Arrow or cuDF columns, or a sequence of ``datetime``,
    in UTC without a time zone. TypeError for other types. ValueError if a time is missing, beyond int64, or no whole
    number of units, or for more than one dimension.
    """
    if type(values) is device.xp.ndarray and values.dtype == INT64 and values.ndim == 1:
        return device.xp.ascontiguousarray(values)
    if is_cudf(values):
        if cudf_kind(values) != "M":
            return as_numbers(device, values, name, INT64)
        return _rescaled(device.xp, *_of_cudf(device, values, name), name, unit)
    interface = getattr(values, "__cuda_array_interface__", None)
    if interface is not None and interface["typestr"][1] == "M":
        ticks = as_numbers(device, _Integers(interface), name, INT64)
        return _rescaled(device.xp, ticks, interface["typestr"][3:].strip("[]"), name, unit)
    stamps = _timestamps(values)
    if stamps is None:
        return as_numbers(device, values, name, INT64)
    if isinstance(stamps, list):
        if None in stamps:
            raise TypeError(f"{name}[{stamps.index(None)}] is no timestamp, and {name}[0] is one")
        ticks = [_single(stamp, f"{name}[{i}]", unit) for i, stamp in enumerate(stamps)]
        return device.xp.asarray(np.array(ticks, np.int64))
    if stamps.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not {stamps.ndim}-dimensional (shape {stamps.shape})")
    return device.xp.asarray(_in_unit(stamps, name, unit))


def as_time(value: Any, name: str, unit: str) -> int:
    """One time, as by `as_times`: an integer, a ``datetime``, or a timestamp of NumPy or pandas."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64):
        value = int(value)
        if not LOWEST <= value <= HIGHEST:
            raise ValueError(f"{name} is {value}, which does not fit in int64")
        return value
    return _single(_timestamp(value), name, unit, value)


def _single(stamp: np.datetime64 | None, name: str, unit: str, value: Any = None) -> int:
    if stamp is None:
        raise TypeError(f"{name} must be an integer or a timestamp, not {kind_of(value)}")
    return int(_in_unit(np.asarray(stamp).reshape(1), name, unit, single=True)[0])


def as_span(value: Any, name: str, unit: str) -> int:
    """Return a length of time in `unit`, from an integer, a ``timedelta``, or a string such as ``"10min"``.

    TypeError for other types. ValueError if it is negative, no whole number of units, or an invalid string.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64):
        span = Fraction(int(value))
    else:
        span = Fraction(_nanoseconds(value, name), UNITS[unit])
    if span < 0:
        raise ValueError(f"{name} must not be negative, got {value!r}")
    if span.denominator != 1:
        raise ValueError(f"{name} is {value!r}, no whole number of the times' unit, {unit}")
    return min(int(span), HIGHEST)


def _nanoseconds(value: Any, name: str) -> Fraction:
    """A length of time that includes its unit."""
    if isinstance(value, str):
        return _parsed(value, name)
    if hasattr(value, "to_timedelta64"):  # pandas
        value = value.to_timedelta64()
    if isinstance(value, np.timedelta64):
        tick, number = np.datetime_data(value.dtype)
        if np.isnat(value) or tick not in TICKS:
            raise ValueError(f"{name} is {value!r}, which is no constant length of time")
        return Fraction(int(value.astype(np.int64)) * number * TICKS[tick])
    if isinstance(value, datetime.timedelta):
        return Fraction(((value.days * 86400 + value.seconds) * 10**6 + value.microseconds) * 1000)
    raise TypeError(f"{name} must be an integer, a timedelta or a string such as '10min', not {kind_of(value)}")


def _parsed(text: str, name: str) -> Fraction:
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*", text.lower())
    rest = re.sub(r"(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*", "", text.lower()).strip()
    if rest or not parts or any(word not in LENGTHS for _, word in parts):
        raise ValueError(f"{name} is {text!r}, which names no length of time; one is '10min', '1h 30min' or '500ms'")
    return sum((Fraction(number) * LENGTHS[word] for number, word in parts), Fraction(0))


def _of_cudf(device: Device, column: Any, name: str) -> tuple[Any, str]:
    """Timestamps of cuDF as the integers that they are stored as, in UTC, and their unit."""
    if getattr(column.dtype, "tz", None) is not None:
        column = (column.dt if hasattr(column, "dt") else column).tz_convert(None)
    if (row := cudf_null(column, name)) is not None:
        raise ValueError(f"{name}[{row}] is missing (NaT)")
    tick, _ = np.datetime_data(np.dtype(getattr(column.dtype, "numpy_dtype", column.dtype)))
    return as_numbers(device, column.astype("int64"), name, INT64), tick


class _Integers:
    """Timestamps on a GPU as the integers that they are stored as, since CuPy has no such type."""

    def __init__(self, interface: dict[str, Any]):
        self.__cuda_array_interface__ = interface | {"typestr": "<i8", "descr": [("", "<i8")]}


def _timestamps(values: Any) -> np.ndarray | list[np.datetime64 | None] | None:
    """Values as NumPy's datetime64, as a list if their units may differ, or None if they are no timestamps."""
    dtype = getattr(values, "dtype", None)
    if hasattr(values, "dt") or hasattr(values, "tz_convert"):  # pandas
        if hasattr(dtype, "pyarrow_dtype"):
            values = values.array.__arrow_array__()
        elif getattr(dtype, "tz", None) is not None:
            values = (values.dt if hasattr(values, "dt") else values).tz_convert(None)
    kind = str(getattr(values, "type", ""))
    if kind.startswith(("timestamp", "date32", "date64")):  # Arrow
        values = values.to_numpy(zero_copy_only=False) if not hasattr(values, "chunks") else values.to_numpy()
        if kind.startswith("date"):
            values = np.asarray(values).astype("datetime64[ms]" if kind.startswith("date64") else "datetime64[D]")
    if hasattr(values, "__cuda_array_interface__") or isinstance(values, range):
        return None
    if isinstance(values, list | tuple) and not any(_looks_like_a_time(value) for value in values[:1]):
        return None
    if not isinstance(values, np.ndarray) and (hasattr(values, "__dlpack__") and not hasattr(values, "to_numpy")):
        return None
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.dtype.kind == "M":
        return array
    if array.dtype == object and array.size and _looks_like_a_time(array.flat[0]):
        return [_timestamp(value) for value in array.ravel()]
    return None


def _looks_like_a_time(value: Any) -> bool:
    return isinstance(value, np.datetime64 | datetime.date) or hasattr(value, "to_datetime64")


def _timestamp(value: Any) -> np.datetime64 | None:
    """A single time as NumPy's, in UTC, or None if it is none."""
    if hasattr(value, "to_datetime64"):  # pandas, which preserves nanoseconds
        return value.to_datetime64()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return np.datetime64(value, "us")
    if isinstance(value, datetime.date):
        return np.datetime64(value, "D")
    return value if isinstance(value, np.datetime64) else None


def _in_unit(stamps: np.ndarray, name: str, unit: str, *, single: bool = False) -> np.ndarray:
    """NumPy's timestamps as integers."""
    missing = np.flatnonzero(np.isnat(stamps))
    if missing.size:
        raise ValueError(f"{_item(name, missing[0], single)} is missing (NaT)")
    tick, number = np.datetime_data(stamps.dtype)
    if tick in ("Y", "M"):  # calendar units, which start on a day
        stamps = stamps.astype("M8[D]")
        tick, number = "D", 1
    if tick == "generic":
        raise ValueError(f"{name} has no unit")
    ticks = np.ascontiguousarray(stamps).view(np.int64) if stamps.dtype.isnative else stamps.astype(np.int64)
    return _rescaled(np, ticks, f"{number}{tick}" if number != 1 else tick, name, unit, single=single)


def _rescaled(xp: Any, ticks: Any, tick: str, name: str, unit: str, *, single: bool = False) -> Any:
    """Counts of one unit as counts of another."""
    digits = re.match(r"\d*", tick)
    assert digits is not None
    number, tick = int(digits[0] or 1), tick[digits.end() :]
    finer = {"ps": 10**3, "fs": 10**6, "as": 10**9}
    ratio = Fraction(number * TICKS.get(tick, 1), UNITS[unit] * finer.get(tick, 1))
    if not ticks.size or ratio == 1:
        return ticks.astype(np.int64)
    if ratio.denominator > 1:
        if ratio.denominator > HIGHEST:
            raise ValueError(f"{name} is in {tick}, which is too fine for times in {unit}")
        bad = xp.flatnonzero(ticks * (1 if ratio.numerator == 1 else ratio.numerator) % ratio.denominator != 0)
        if bad.size:
            where = _item(name, bad[0], single)
            raise ValueError(f"{where} is {int(ticks[bad[0]])} {tick}, no whole number of {unit}; "
                             "make the graph with a finer unit of time")  # fmt: skip
        return ticks // ratio.denominator * ratio.numerator
    most = HIGHEST // ratio.numerator
    bad = xp.flatnonzero((ticks > most) | (ticks < -most))
    if bad.size:
        raise ValueError(
            f"{_item(name, bad[0], single)} is {int(ticks[bad[0]])} {tick} after 1970, which does not fit in int64 as "
            f"{unit}; make the graph with a coarser unit of time"
        )
    return ticks * ratio.numerator


def _item(name: str, index: Any, single: bool) -> str:
    return name if single else f"{name}[{int(index)}]"
