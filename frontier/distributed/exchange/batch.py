"""A batch as it arrives at a part, and errors that all parts raise alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.features.edge_data import WEIGHT_COLUMN

if TYPE_CHECKING:
    from ..base import BasePart

EXPECTED = (TypeError, ValueError, OverflowError, MemoryError, OSError)
"""The errors of invalid updates and files, after which the part is as it was."""


def all_or_none(graph: BasePart, step: Callable[[], Any]) -> Any:
    """Do something on all parts; if it raises what is expected on any, all raise the first part's error."""
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
    """Raise the error of the first part that has one, on all parts; one small exchange if there is none."""
    if not graph.comm.reduce_numbers([error is not None], "max")[0]:
        return
    kind, text = next(found for found in graph.comm.gather_objects(_described(error)) if found is not None)
    if error is not None and str(error) == text:
        raise error
    raise next(known for known in EXPECTED if known.__name__ == kind)(text)


def _described(error: Exception | None) -> tuple[str, str] | None:
    """An error as all parts can build it: CuPy's for exhausted memory is a MemoryError to those without it."""
    if error is None:
        return None
    return next(known.__name__ for known in reversed(EXPECTED) if isinstance(error, known)), str(error)


@dataclass
class Batch:
    """The arcs of a batch that this part owns: those of the first part first, each part's in its order.

    In a graph without observers, arrays may lie in the part's window: they are read while the batch is applied, and
    not any more when the next one is sent, or a search begins.

    Attributes
    ----------
    columns : dict of str to array
        The weights and the edge data of an insertion, a value for each arc.
    safe : bool
        Whether all parts have far more memory than the batch can take.
    """

    src: Any
    dst: Any
    columns: dict[str, Any]
    safe: bool

    @property
    def weights(self) -> Any:
        """The weights; None if there are none."""
        return self.columns.get(WEIGHT_COLUMN)

    @property
    def data(self) -> dict[str, Any]:
        """The columns of edge data."""
        return {name: values for name, values in self.columns.items() if name != WEIGHT_COLUMN}
