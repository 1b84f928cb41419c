"""Cutting what a source yields into parts that hold whole batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .records import RecordColumns, join

PART_RECORDS = 1 << 20
"""Most records of a part of several batches. One copy of a part costs the host as much as one of a batch, so that
batches of large arrays are copied together."""


class SourceError(Exception):
    """A source has failed, or what it yielded is no records; ``__cause__`` says how.

    Attributes
    ----------
    record : int
        Number of the first record of the item.
    """

    def __init__(self, record: int):
        super().__init__(record)
        self.record = record


def decoded(items: Iterable[Any], decode: Callable[[Any], RecordColumns], begin: int) -> Iterator[RecordColumns]:
    """The records of items, of which the first is number `begin`; closes the generator that yields them at the end.

    Raises SourceError.
    """
    at = begin
    try:
        for item in items:
            records = decode(item)
            at += len(records)
            yield records
    except Exception as error:
        raise SourceError(at) from error
    finally:
        if isinstance(items, Iterator) and hasattr(items, "close"):
            items.close()


def without_first(items: Iterable[RecordColumns], count: int) -> Iterator[RecordColumns]:
    """All but the first `count` records, and items without any before them."""
    for item in items:
        if count and len(item) <= count:
            count -= len(item)
            continue
        yield item.cut(count, len(item))
        count = 0


def in_parts(items: Iterable[RecordColumns], size: int) -> Iterator[RecordColumns]:
    """Parts that hold a multiple of `size` records, except before another operation begins, and at the end."""
    most = max(size, PART_RECORDS // size * size)
    held: list[RecordColumns] = []
    count = 0
    try:
        for item in items:
            if not len(item):
                continue
            if held and not item.joins(held[0]):
                yield join(held)
                held, count = [], 0
            begin, end = 0, len(item)
            if held and count + end >= size:
                begin = size - count
                yield join([*held, item.cut(0, begin)])
                held, count = [], 0
            while end - begin >= size:
                stop = min(begin + most, begin + (end - begin) // size * size)
                yield item.cut(begin, stop)
                begin = stop
            if begin < end:
                held.append(item.cut(begin, end))
                count += end - begin
    except SourceError:
        if held:  # the records before the fault
            yield join(held)
        raise
    if held:
        yield join(held)
