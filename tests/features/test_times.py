"""Times and spans of time: users' values become int64 counts of a unit, exactly, or an error gives the reason."""

import datetime

import numpy as np
import pytest

from frontier.features.times import as_span, as_time, as_times
from frontier.runtime import resolve_device

CPU = resolve_device("cpu")
NANOSECONDS = [1_700_000_000_123_456_789, 5]
TOKYO = "Asia/Tokyo"


def pandas_columns():
    pandas = pytest.importorskip("pandas")
    index = pandas.DatetimeIndex(np.array(NANOSECONDS).view("M8[ns]"))
    yield from (index, pandas.Series(index), list(index), index.tz_localize("UTC").tz_convert(TOKYO))
    yield from (pandas.Series(index.tz_localize("UTC").tz_convert(TOKYO)), pandas.Series(NANOSECONDS))
    if pytest.importorskip("pyarrow"):
        yield pandas.Series(index).astype("timestamp[ns][pyarrow]")


def arrow_columns():
    arrow = pytest.importorskip("pyarrow")
    zoned = arrow.array(NANOSECONDS, arrow.timestamp("ns", TOKYO))
    yield from (arrow.array(NANOSECONDS), arrow.array(NANOSECONDS, arrow.timestamp("ns")), zoned)
    yield from (arrow.chunked_array([zoned]), arrow.table({"t": zoned})["t"])


def numpy_columns():
    plain = np.array(NANOSECONDS)
    yield from (NANOSECONDS, plain, plain.view("M8[ns]"), plain.astype(">i8").view(">M8[ns]"), plain.astype(np.uint64))


@pytest.mark.parametrize("columns", [numpy_columns, pandas_columns, arrow_columns])
def test_nanoseconds_are_exact(columns):
    for given in columns():
        times = as_times(CPU, given, "time", "ns")
        assert times.dtype == np.int64 and times.tolist() == NANOSECONDS, type(given)


@pytest.mark.parametrize(
    ("given", "unit", "expected"),
    [
        (np.array(["2024-01-01"], "M8[D]"), "s", [1_704_067_200]),
        (np.array(["2024-01"], "M8[M]"), "ms", [1_704_067_200_000]),
        (np.array(["1969-12-31T23:59:59"], "M8[s]"), "us", [-1_000_000]),
        (np.array([3], "M8[10s]"), "ms", [30_000]),
        (np.array([-2_000], "M8[ms]"), "s", [-2]),
        (np.array([7_000], "M8[ps]"), "ns", [7]),
        (np.array([], "M8[s]"), "ns", []),
        ([], "ns", []),
        ([datetime.date(1970, 1, 2)], "s", [86_400]),
        ([datetime.datetime(1970, 1, 1, 0, 0, 1, 5)], "us", [1_000_005]),
        ([datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))], "s", [-3600]),
    ],
)
def test_units(given, unit, expected):
    assert as_times(CPU, given, "time", unit).tolist() == expected


@pytest.mark.parametrize(
    ("given", "unit", "error", "text"),
    [
        (np.array([0, 2**40], "M8[s]"), "ns", ValueError, r"time\[1\] is 1099511627776 s .* fit in int64 as ns"),
        (np.array([0, 1500], "M8[ms]"), "s", ValueError, r"time\[1\] is 1500 ms, no whole number of s"),
        (np.array([0, "NaT"], "M8[s]"), "s", ValueError, r"time\[1\] is missing"),
        ([datetime.date(1970, 1, 1), 3], "s", TypeError, r"time\[1\] is no timestamp"),
        (np.array([2**63], np.uint64), "ns", ValueError, "does not fit in int64"),
        ([1.5], "ns", TypeError, "float64"),
        (["2024-01-01"], "ns", TypeError, "time must contain numbers"),
        (np.zeros((2, 2), "M8[s]"), "s", ValueError, "one-dimensional"),
    ],
)
def test_bad_times(given, unit, error, text):
    with pytest.raises(error, match=text):
        as_times(CPU, given, "time", unit)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("10min", 600_000), ("1h 30min", 5_400_000), ("1.5 hours", 5_400_000), ("500ms", 500),
        ("2 weeks", 1_209_600_000), (7, 7), (datetime.timedelta(minutes=10), 600_000), (np.timedelta64(3, "s"), 3000),
    ],
)  # fmt: skip
def test_spans(given, expected):
    assert as_span(given, "span", "ms") == expected


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("10 parsecs", ValueError), ("", ValueError), ("min", ValueError), ("1ns", ValueError), (-3, ValueError),
        (1.5, TypeError), (np.timedelta64(1, "M"), ValueError), (datetime.timedelta(-1), ValueError), (True, TypeError),
    ],
)  # fmt: skip
def test_bad_spans(given, error):
    with pytest.raises(error, match="span"):
        as_span(given, "span", "ms")


def test_single_times():
    assert as_time(3, "before", "s") == as_time(np.int32(3), "before", "s") == 3
    assert as_time(np.datetime64("2024-01-01"), "before", "s") == 1_704_067_200
    assert as_time(datetime.datetime(2024, 1, 1), "before", "ms") == 1_704_067_200_000
    bad = [("2024", TypeError), (1.5, TypeError), (2**64, ValueError), (np.datetime64("NaT"), ValueError)]
    for given, error in bad:
        with pytest.raises(error, match="before"):
            as_time(given, "before", "ns")
