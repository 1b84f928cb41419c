"""Columns of words: names of vertices, numbered, and dates, as nanoseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

NANOSECOND = 10**9
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)  # no digit may match in two positions
_INTEGER_DIGITS = 4000  # Python reads no integers of more than 4,300
_YEARS = ("1678-01-01", "2262-01-01")  # nanoseconds since 1970 fit in int64 between them


def starts_like_number(word: str) -> bool:
    """Return whether a word is a number, or starts like one and has a fault further on."""
    return re.match(r"[-+.]?[0-9]", word) is not None


def is_number(word: str) -> bool:
    """Return whether a word is a number, or starts like a date."""
    return _NUMBER.fullmatch(word) is not None or is_date(word)


def is_date(word: str) -> bool:
    """Return whether a word starts like a date of ISO 8601, such as ``2020-01-31``."""
    return re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", word) is not None


def fits(word: str) -> str | None:
    """Return the possible role of a word: ``"weight"`` or ``"time"``, or None if it is neither a number nor a date."""
    return "weight" if _NUMBER.fullmatch(word) else "time" if _DATE.fullmatch(word) else None


def number_words(columns: Sequence[Sequence]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the distinct words (objects), ascending, and for each column the positions of its words among them."""
    distinct = sorted(set().union(*columns))
    number = {word: k for k, word in enumerate(distinct)}
    ids = np.empty(len(distinct), dtype=object)
    ids[:] = distinct
    return ids, [np.fromiter(map(number.__getitem__, column), np.int64, len(column)) for column in columns]


def dates(words: Sequence[str], fault: Callable[[int, str], Exception]) -> np.ndarray:
    """Dates of ISO 8601 as nanoseconds since 1970-01-01, in UTC where they name no zone.

    They are such as ``2020-01-31``, ``2020-01-31 10:00``, ``2020-01-31T10:00:00.5Z`` or ``2020-01-31T10:00:00+01:00``.
    `fault` makes the exception for a word that is no date, from its position and a reason.
    """
    found: dict[str, int] = {}
    result = np.empty(len(words), np.int64)
    for k, word in enumerate(words):
        if word not in found:
            try:
                found[word] = _nanoseconds(word)
            except ValueError as error:
                raise fault(k, str(error)) from None
        result[k] = found[word]
    return result


def _nanoseconds(word: str) -> int:
    match = _DATE.fullmatch(word)
    if match is None:
        raise ValueError(f"{word!r} is no date; dates are such as 2020-01-31 or 2020-01-31T10:00:00")
    day, minute, second, fraction, zone = match.groups()
    if not _YEARS[0] <= day < _YEARS[1]:
        raise ValueError(f"the date {word!r} is out of range; years go from {_YEARS[0][:4]} to {_YEARS[1][:4]}")
    try:
        whole = int(np.datetime64(f"{day}T{minute or '00:00'}:{second or '00'}", "s").astype(np.int64))
    except ValueError:
        raise ValueError(f"there is no date {word!r}") from None
    if zone not in (None, "Z", "UTC"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        hours, minutes = int(digits[:2]), int(digits[2:])
        if hours > 23 or minutes > 59:
            raise ValueError(f"there is no date {word!r}")
        whole -= (-1 if zone[0] == "-" else 1) * (hours * 3600 + minutes * 60)
    return whole * NANOSECOND + int((fraction or "0").ljust(9, "0"))


def numbers(words: Sequence[str], fault: Callable[[int, str], Exception]) -> np.ndarray:
    """Decimal numbers as float64, or as int64 if all are integers that fit."""
    for k, word in enumerate(words):
        if not _NUMBER.fullmatch(word):
            raise fault(k, f"{word!r} is not a number")
    if all(len(word) < _INTEGER_DIGITS and re.fullmatch(r"[+-]?\d+", word, re.ASCII) for word in words):
        whole = [int(word) for word in words]
        if all(-(2**63) <= value < 2**63 for value in whole):
            return np.array(whole, dtype=np.int64)
    return np.array([float(word) for word in words], dtype=np.float64)
