"""Iteration to a tolerance, without a synchronization in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frontier as fr


class Errors:
    """The errors of the iterations so far. The copy of the last one to the host may be in flight.

    The next iteration is launched before the error of this one is known, which keeps the GPU busy. It is not launched
    if this one is expected to be the last, as errors fall at a steady rate. Iteration ends with an error below `least`.
    If the partitions of a graph iterate `together` on GPUs, no decision depends on a copy that only some have.
    """

    def __init__(self, least: float, together: bool = False):
        self.count = 0
        self._least = least
        self._together = together
        self._known: list[float] = []
        self._pending: fr.advanced.HostCopy | None = None

    def add(self, change: fr.advanced.HostCopy) -> None:
        """Note the error of an iteration that has been launched."""
        self._read()
        self._pending = change
        self.count += 1

    @property
    def decided(self) -> bool:
        """Whether the error is known to have fallen below the limit."""
        known = self._known
        may_be_last = len(known) > 1 and known[-1] * known[-1] < self._least * known[-2]
        if self._pending is not None and (may_be_last or (not self._together and self._pending.ready)):
            self._read()
        return any(error < self._least for error in known)  # one that was late may be followed by a larger one

    def last(self) -> tuple[float, int]:
        """The error and the number of the first iteration below the limit, or of the last one."""
        if not self.decided:
            self._read()
        below = [number for number, error in enumerate(self._known, 1) if error < self._least]
        number = below[0] if below else len(self._known)
        return (self._known[number - 1] if number else np.inf), number

    def _read(self) -> None:
        if self._pending is not None:
            self._known.append(float(self._pending.result()[0]))
            self._pending = None


def iterate(graph: fr.Graph, step: Callable[[], None], change: Any, least: float, most: int) -> tuple[float, int, bool]:
    """Repeat a step, which leaves its error in `change[0]`, until the error falls below `least`, at most `most` times.

    Returns the error and the number of the deciding step, and whether one more step ran before the error was known: the
    result is then the state before that step.
    """
    errors = Errors(least, together=graph.in_parts and graph.device.is_gpu)
    while errors.count < most and not errors.decided:
        step()
        errors.add(graph.copy_to_host_async(change))
    error, iterations = errors.last()
    return error, iterations, iterations < errors.count
