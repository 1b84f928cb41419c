"""Errors that all partitions raise together: either all partitions make a step, or none does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..base import BasePart

EXPECTED = (TypeError, ValueError, OverflowError, MemoryError, OSError)
"""The errors of invalid updates and files, which leave the partition unchanged."""


def all_or_none(graph: BasePart, step: Callable[[], Any]) -> Any:
    """Make a step on all partitions. If it raises an expected error on any, all raise the first partition's error."""
    value, error = attempt(step)
    raise_first(graph, error)
    return value


def attempt(step: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """The result of `step`, and its error if that is an expected one."""
    try:
        return step(), None
    except EXPECTED as error:
        return None, error


def raise_first(graph: BasePart, error: Exception | None) -> None:
    """Raise the error of the first partition that has one, on all partitions. One small exchange without an error."""
    if not graph.comm.reduce_numbers([error is not None], "max")[0]:
        return
    kind, text = next(found for found in graph.comm.gather_objects(_described(error)) if found is not None)
    if error is not None and str(error) == text:
        raise error
    raise next(known for known in EXPECTED if known.__name__ == kind)(text)


def _described(error: Exception | None) -> tuple[str, str] | None:
    """An error as all partitions can build it: CuPy's for exhausted memory is a MemoryError."""
    if error is None:
        return None
    return next(known.__name__ for known in reversed(EXPECTED) if isinstance(error, known)), str(error)
