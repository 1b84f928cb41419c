"""Code that may be chosen later is compiled along with code that is needed now.

Operators choose by the data they meet, for example the number of lanes that share a neighbor list. Without a warm-up, a
choice would be compiled when the data have changed: in the middle of a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

_loads: dict[Hashable, Callable[[], object]] = {}
_turns: dict[Hashable, bool] = {}
_depth = 0


@contextmanager
def warming_up() -> Iterator[None]:
    """In the ``with`` block, also compile the alternatives that operators may choose later. At its end all are loaded.

    For a block that warms up, before a stream: otherwise such kernels would be compiled when the data have changed so
    much that operators choose them. Functions that choose between several ways on a CPU, such as `traverse`, alternate
    between them, in all threads: call them twice.

    See Also
    --------
    is_warming_up : Whether such a block runs.

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
    """Whether any thread is in a block of `warming_up`. Code that may be needed later must run then, too.

    See Also
    --------
    warming_up : Compile kernels ahead of time.
    """
    return _depth > 0


def takes_alternative(key: Hashable) -> bool:
    """While warming up, True at every second call for `key`: the caller then chooses its alternative path."""
    if not _depth:
        return False
    _turns[key] = turn = not _turns.get(key, True)
    return turn


def add(key: Hashable, begin: Callable[[], Callable[[], object]]) -> None:
    """Register an alternative, once a `key`: `begin` starts to compile it, and returns a function that loads it."""
    if key not in _loads:
        _loads[key] = begin  # so `begin` does not add it again
        try:
            _loads[key] = begin()
        except BaseException:
            _loads.pop(key, None)
            raise
