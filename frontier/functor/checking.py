"""Modes for finding mistakes in functors: bounds-checked, or run as plain Python."""

from __future__ import annotations

import linecache
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.compile.cpu import interpreting
from frontier.runtime.launch.arguments import Matrix

ENVIRONMENT = "DYNFRONTIER_CHECK"

bounds_checked = ContextVar("checking", default=os.environ.get(ENVIRONMENT, "0") not in ("", "0"))
"""Whether the indices of compiled functors are checked."""


@contextmanager
def checking() -> Iterator[None]:
    """Within this block, every ``array[index]`` of a functor is checked, on either device.

    An index below 0 or beyond the end raises `FunctorIndexError`, which names the functor, the line, the array and the
    index. (Negative indices count from the end on a CPU but not on a GPU, so they are mistakes, too.) The first such
    access is reported. All further ones of that call access element 0, so the functor's output is of no use. Each
    functor is compiled once more for this mode, from its source, and runs several times slower. The environment
    variable ``DYNFRONTIER_CHECK=1`` checks the whole program.

    See Also
    --------
    interpreted : Run functors as plain Python.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import CSR
    >>> g = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> short = g.xp.zeros(3)
    >>> with fr.checking():
    ...     fr.compute(fr.Frontier.all(g), lambda v, short: short[v], short)
    Traceback (most recent call last):
    ...
    frontier...FunctorIndexError: <lambda>() reads short[v] at index 3, but its length is 3
    ...
    """
    token = bounds_checked.set(True)
    try:
        yield
    finally:
        bounds_checked.reset(token)


@contextmanager
def interpreted() -> Iterator[None]:
    """Within this block, operators on CPU graphs run functors as plain Python, one edge after another.

    ``print``, ``breakpoint()``, debuggers and Python's own errors work in them. Thousands of times slower.

    See Also
    --------
    checking : Check the indices of functors.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0], [1], device="cpu")
    >>> def show(v):
    ...     print("vertex", v)
    >>> with fr.interpreted():
    ...     fr.compute(fr.Frontier.all(graph), show)
    vertex 0
    vertex 1
    """
    token = interpreting.set(True)
    try:
        yield
    finally:
        interpreting.reset(token)


def is_checking() -> bool:
    """Whether functors are checked now. Functors that Python runs are not, as it checks indices itself."""
    return bounds_checked.get() and not interpreting.get()


def is_plain() -> bool:
    """Whether functors run as usual now: neither checked nor interpreted."""
    return not (bounds_checked.get() or interpreting.get())


class FunctorIndexError(IndexError):
    """A functor's index is outside an array, or a vertex not in a graph. The message names the functor, the line, the
    array and the index.

    See Also
    --------
    checking : Raises it.
    """


@dataclass(frozen=True)
class Site:
    """A functor's access of an array, by ``"index"`` or ``"pair"``, or its question about a ``"vertex"`` of a graph."""

    function: str
    access: str
    file: str
    line: int
    kind: str


sites: dict[int, Site] = {}
"""Lines of functors, by the number that compiled code reports."""

RAISED, SITE, INDEX, LENGTH, COLUMN, COLUMNS, TABLE = range(7)
"""A report: whether it is set, the site, the index and length, and the second index and length if the site has two.
Then a list of arrays that do not know their shape, as addresses and lengths, which ends with an address of 0."""


class Report:
    """The report that checked functors write if an index is bad: their last argument, an int64 array on the device."""

    def __init__(self, device: Device, args: tuple):
        table = []
        if device.is_gpu:
            arrays = [value for value in args if isinstance(value, device.xp.ndarray)]
            table = [number for array in arrays for number in (array.data.ptr, array.size)]
        self.array = device.xp.asarray(np.array([0] * TABLE + [*table, 0, 0], np.int64))
        self._device = device

    def check(self) -> None:
        """Synchronize with queued work, and raise FunctorIndexError if an index was bad."""
        raised, number, index, length, column, columns = self._device.to_host(self.array[:TABLE]).tolist()
        if not raised:
            return
        self.array[RAISED] = 0
        site = sites[number]
        line = linecache.getline(site.file, site.line).strip()
        outside = {
            "index": f"at index {index}, but its length is {length}",
            "pair": f"at index ({index}, {column}), but its shape is ({length}, {columns})",
            "vertex": f"with vertex {index}, but the graph has {length} vertices",
        }[site.kind]
        raise FunctorIndexError(
            f"{site.function}() {site.access} {outside}\n"
            f'  File "{site.file}", line {site.line}' + (f"\n    {line}" if line else "")
        )


_local = threading.local()


def checked_arguments(device: Device, args: tuple) -> tuple:
    """A functor's arguments, and this thread's new report. Empty arrays are replaced: faults lead to element 0."""
    args = tuple(_with_memory(device, value) for value in args)
    _local.report = Report(device, args)
    return (*args, _local.report.array)


def _with_memory(device: Device, value: Any) -> Any:
    """An argument, replaced by another of its shape if it is an empty array."""
    xp = device.xp
    array = value.array if isinstance(value, Matrix) else value
    if not isinstance(array, xp.ndarray) or array.size:
        return value
    filled = xp.zeros(tuple(max(size, 1) for size in array.shape), array.dtype)
    empty = filled[tuple(slice(size) for size in array.shape)]
    return Matrix(empty) if isinstance(value, Matrix) else empty


def check_report() -> None:
    """Raise the error that functors of this thread's latest call reported."""
    report = getattr(_local, "report", None)
    if report is not None:
        report.check()
