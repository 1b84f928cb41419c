"""The arcs that a part certainly has memory for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.core.files import stored_arrays
from frontier.operators.layout import free_bytes

if TYPE_CHECKING:
    from ..base import BasePart

GROWTH, BATCH_BYTES = 3, 256
"""Structures that grow may hold their arrays twice for a moment, and a batch some dozens of bytes for each arc, and for
each column its values."""
PLENTY, BATCHES = 8, 32
"""`MemoryBudget` looks at memory after so many batches, or when there may be room for less than so many times a
batch."""


def spare_arcs(graph: BasePart) -> int:
    """How many arcs a batch may have here at most, so that memory cannot run out; 0 if that is not known."""
    free = free_bytes(graph.local)
    if free is None:
        return 0
    held = 0
    for local in graph.locals():
        for _, array in stored_arrays(local.store):
            held += int(array.nbytes)
    columns = 0
    if graph.local.payload.table is not None:
        held += sum(sum(local.payload.array_bytes().values()) for local in graph.locals())
        columns = GROWTH * sum(dtype.itemsize for dtype in graph.edge_dtypes.values())
    return max((free - GROWTH * held) // (BATCH_BYTES + columns), 0)


class MemoryBudget:
    """The spare arcs of a part, looked up only now and then: on a GPU that takes a call of the driver, and as long as
    the rest of a small batch."""

    def __init__(self) -> None:
        self._arcs = self._batches = self._received = 0

    def of(self, graph: BasePart, arcs: int) -> int:
        """How many arcs the part may receive at most, which has listed some."""
        self._batches -= 1
        if self._batches < 0 or self._arcs < PLENTY * max(arcs, self._received):
            self._arcs, self._batches = spare_arcs(graph), BATCHES
        return self._arcs

    def take(self, arcs: int) -> None:
        """Take note that the part has received some."""
        self._received = arcs
        self._arcs -= arcs
