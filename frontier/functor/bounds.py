"""The functions that checked functors call for each index."""

from __future__ import annotations

from typing import Any

from .checking import COLUMN, COLUMNS, INDEX, LENGTH, RAISED, SITE, TABLE
from .intrinsics import neighbors
from .intrinsics.atomics import atomic_cas


def length_of(array: Any, report: Any) -> int:
    """The length of an argument of a functor."""
    return len(array)


def checked_index(array: Any, index: Any, site: int, report: Any) -> Any:
    """Return `index` if `array` has such an element. Otherwise report it, and return 0."""
    length = length_of(array, report)
    if 0 <= index < length:
        return index
    if atomic_cas(report, RAISED, 0, 1) == 0:
        report[SITE] = site
        report[INDEX] = index
        report[LENGTH] = length
    return index - index  # 0 of the same type


def checked_pair(array: Any, index: Any, site: int, report: Any) -> Any:
    """The same for the two indices of an array of two dimensions. Otherwise both are 0."""
    row, column = index
    rows, columns = array.shape
    if 0 <= row < rows and 0 <= column < columns:
        return row, column
    if atomic_cas(report, RAISED, 0, 1) == 0:
        report[SITE] = site
        report[INDEX] = row
        report[LENGTH] = rows
        report[COLUMN] = column
        report[COLUMNS] = columns
    return row - row, column - column


def checked_vertex(graph: Any, v: Any, site: int, report: Any) -> Any:
    """Return `v` if it is a vertex of the graph. Otherwise report it, and return 0."""
    count = neighbors.num_vertices(graph)
    if 0 <= v < count:
        return v
    if atomic_cas(report, RAISED, 0, 1) == 0:
        report[SITE] = site
        report[INDEX] = v
        report[LENGTH] = count
    return v - v


def find_length(address: int, report: Any) -> int:
    """The length of the array at this address, or the largest number if the report does not list it."""
    at = TABLE
    while report[at] != 0:
        if report[at] == address:
            return report[at + 1]
        at += 2
    return 2**63 - 1
