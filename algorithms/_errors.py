"""The errors of an iteration, read without a wait in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frontier as fr


class Errors:
    """The errors of the iterations so far, of which the last may still be on its way to the host.

    So that the GPU need not wait for the host, the next iteration is launched before the error of this one is known,
    unless this one is expected to be the last: errors fall about as they did before.

    Parameters
    ----------
    least : float
        Iteration ends with an error below this.
    together : bool
        Whether parts of a graph iterate together on GPUs. Then no decision depends on what a part happens to know
        already, which others may not.

    Attributes
    ----------
    count : int
        Iterations so far.
    """

    def __init__(self, least: float, together: bool = False):
        self.count = 0
        self._least = least
        self._together = together
        self._known: list[float] = []
        self._pending: fr.advanced.HostCopy | None = None

    def add(self, change: fr.advanced.HostCopy) -> None:
        """Another iteration has been launched, which has this error."""
        self._read()
        self._pending = change
        self.count += 1

    @property
    def decided(self) -> bool:
        """Whether the error is known to have fallen below the least."""
        known = self._known
        may_be_last = len(known) > 1 and known[-1] * known[-1] < self._least * known[-2]
        if self._pending is not None and (may_be_last or (not self._together and self._pending.ready)):
            self._read()
        return any(error < self._least for error in known)  # one that was late may be followed by a larger one

    def last(self) -> tuple[float, int]:
        """The error of the first iteration below the least, or of the last one, and the number of that iteration."""
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
    """Repeat a step on a graph until its error falls below the least, at most so often.

    Parameters
    ----------
    graph : Graph
    step : function without parameters
        Leaves its error in `change`, an array of one number.

    Returns
    -------
    error : float
    iterations : int
        Of the first step whose error was below the least, or of the last one, and its number.
    is_ahead : bool
        Whether one more step was taken, before that was known: the result is then what there was before it.
    """
    errors = Errors(least, together=graph.in_parts and graph.device.is_gpu)
    while errors.count < most and not errors.decided:
        step()
        errors.add(graph.copy_to_host_async(change))
    error, iterations = errors.last()
    return error, iterations, iterations < errors.count


def array_before(graph: fr.Graph, values: Any) -> Any:
    """An array for the values before the last step of `iterate`, which is ahead on GPUs and in several parts alone:
    elsewhere the values themselves, of which the step writes no copy then."""
    return graph.xp.zeros_like(values) if graph.device.is_gpu or graph.in_parts else values
