"""The number of arcs that a partition certainly has memory for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.core.files import stored_arrays
from frontier.operators.layout import free_bytes

if TYPE_CHECKING:
    from ..base import BasePart

GROWTH, BATCH_BYTES = 3, 256
"""Growing structures may briefly have their arrays twice. A batch uses dozens of bytes per arc, and its columns."""
PLENTY, BATCHES = 8, 32
"""`MemoryBudget` checks memory after so many batches, or when less than so many times a batch may be left."""


def spare_arcs(graph: BasePart) -> int:
    """The maximal number of arcs of a batch that cannot exhaust memory here, or 0 if unknown."""
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
    """The spare arcs of a partition, checked seldom: on a GPU that is a driver call, as long as a small batch."""

    def __init__(self) -> None:
        self._arcs = self._batches = self._received = 0

    def of(self, graph: BasePart, arcs: int) -> int:
        """The maximal number of arcs that the partition may receive after listing some."""
        self._batches -= 1
        if self._batches < 0 or self._arcs < PLENTY * max(arcs, self._received):
            self._arcs, self._batches = spare_arcs(graph), BATCHES
        return self._arcs

    def take(self, arcs: int) -> None:
        """Account for received arcs."""
        self._received = arcs
        self._arcs -= arcs
