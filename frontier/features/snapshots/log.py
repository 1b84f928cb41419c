"""`UpdateLog`: updates of a graph that can be repeated on its copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseDynamicGraph
from frontier.core.component import Call
from frontier.core.locking import mark_work
from frontier.runtime.arrays import as_device_array
from frontier.runtime.memory.elementwise import copy_of

ARCS_A_RECORD = 128
"""Half of the arcs that are copied in the time in which a record of an update is repeated: on a CPU, 150 (slab) to 900
(faimgraph). Halved, because copying the graph may block updates, and repeating one does not."""
ARCS_AN_UPDATE = 1 << 16
"""The same for an update without records."""


class LoggedUpdate(NamedTuple):
    """An applied update, which owns the arrays of `call` on the graph's device.

    `cost` is in copied arcs. `wait` makes the current stream wait for the arrays.
    """

    call: Call
    cost: int
    nbytes: int
    wait: Callable[[], None]

    @property
    def is_atomic(self) -> bool:
        """Whether exhausted memory leaves the graph unchanged (exceptions: see `DynamicGraph.insert_edges`)."""
        return self.call.options.get("on_existing") != "add" and self.call.method != "apply"

    def repeat(self, graph: BaseDynamicGraph) -> None:
        """Update a copy of the graph."""
        self.wait()
        getattr(graph, self.call.method)(*self.call.arguments, **self.call.options)


def make_step(graph: BaseDynamicGraph, call: Call) -> LoggedUpdate | None:
    """An update that was applied to a graph, with copies of its arrays. None if they cannot be copied."""
    arrays: list[Any] = []

    def keep(given: Any) -> Any:
        if given is None or isinstance(given, str | int | np.integer):
            return given
        arrays.append(copy_of(as_device_array(graph.device, given, "array")))
        return arrays[-1]

    try:
        arguments = tuple(keep(given) for given in call.arguments)
        options = {name: keep(given) for name, given in call.options.items()}
    except (MemoryError, TypeError, ValueError):
        return None
    cost = ARCS_AN_UPDATE + ARCS_A_RECORD * max((int(array.size) for array in arrays), default=0)
    nbytes = sum(int(array.nbytes) for array in arrays)
    return LoggedUpdate(Call(call.method, arguments, options), cost, nbytes, mark_work(graph.device))


class UpdateLog:
    """The latest updates of a graph, from position `begin` to `end`. Each leads from a position to the next."""

    def __init__(self) -> None:
        self.begin = self.end = 0
        self._steps: list[LoggedUpdate | None] = []
        self._sums = [(0, 0)]  # cost, and number of gaps, of all steps before each position from `begin` on

    def append(self, step: LoggedUpdate | None) -> None:
        """Add an update, or None for one that cannot be repeated."""
        cost, gaps = self._sums[-1]
        self._steps.append(step)
        self._sums.append((cost + step.cost, gaps) if step is not None else (cost, gaps + 1))
        self.end += 1

    def forget_before(self, position: int) -> None:
        """Drop the updates that lead to a position."""
        if position > self.begin:
            del self._steps[: position - self.begin]
            del self._sums[: position - self.begin]
            self.begin = position

    def leads(self, begin: int, end: int) -> bool:
        """Whether the updates between two positions are known, and can be repeated."""
        if begin == end:
            return True
        known = self.begin <= begin < end <= self.end
        return known and self._sums[begin - self.begin][1] == self._sums[end - self.begin][1]

    def cost(self, begin: int, end: int) -> int:
        """The cost of the updates between two positions, which the log covers, in copied arcs."""
        return 0 if begin == end else self._sums[end - self.begin][0] - self._sums[begin - self.begin][0]

    def steps(self, begin: int, end: int) -> list[Any]:
        """The updates between two positions, between which it leads."""
        return [] if begin == end else self._steps[begin - self.begin : end - self.begin]

    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(step.nbytes for step in self._steps if step is not None)
