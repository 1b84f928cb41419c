"""Code that may be chosen later is compiled along with code that is needed now.

Operators choose by the data they meet, such as how many lanes share a neighbor list. Without a warm-up, a choice would
be compiled when the data have changed: in the middle of a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

_loads: dict[Hashable, Callable[[], object]] = {}
_turns: dict[Hashable, bool] = {}
_depth = 0


@contextmanager
def warming_up() -> Iterator[None]:
    """Within the ``with`` block, begin to compile what operators may choose in place of what they use; at its end it is
    all there.

    For a block that warms up, before a stream: otherwise such kernels would be compiled when the data have changed so
    much that operators choose them. What takes different ways on a CPU, such as `traverse`, takes them by turns, in all
    threads: call it twice.

    Examples
    --------
    >>> import frontier as fr
    >>> from algorithms import DynamicTriangleCount
    >>> from structures import SlabGraph
    >>> with fr.advanced.warming_up():
    ...     graph = SlabGraph(4, device="cpu")
    ...     with DynamicTriangleCount(graph):
    ...         _ = graph.insert_edges([0, 1, 0], [1, 2, 2])
    ...         _ = graph.delete_edges([0], [1])
    """
    global _depth
    _depth += 1
    try:
        yield
        for load in list(_loads.values()):
            load()
    finally:
        _depth -= 1
        if not _depth:
            _loads.clear()
            _turns.clear()


def is_warming_up() -> bool:
    """Whether any thread is in a block of `warming_up`: then what may be needed later is to be run, too."""
    return _depth > 0


def takes_alternative(key: Hashable) -> bool:
    """While warming up, True at every second call for `key`: the caller then takes the path it would not choose."""
    if not _depth:
        return False
    _turns[key] = turn = not _turns.get(key, True)
    return turn


def add(key: Hashable, begin: Callable[[], Callable[[], object]]) -> None:
    """Register an alternative, once a `key`: `begin` starts to compile it, and returns a function that loads it."""
    if key not in _loads:
        _loads[key] = begin  # so that what begins it does not add it again
        try:
            _loads[key] = begin()
        except BaseException:
            _loads.pop(key, None)
            raise
