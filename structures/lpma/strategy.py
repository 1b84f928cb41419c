"""Which way LPMA looks for the windows to rebalance: Section 5 of the paper and its Algorithm 3."""

from __future__ import annotations

import time
from typing import Any

from frontier.runtime import Device

BOTTOM_UP, TOP_DOWN = "bottom-up", "top-down"
FIRST_THRESHOLD = 0.6  # the paper's empiric value


class Fixed:
    """The same way for every batch.

    Parameters
    ----------
    way : {"bottom-up", "top-down"}
    """

    threshold: float | None = None

    def __init__(self, way: str):
        self._way = way

    def choose(self, density: float) -> str:
        """The way to look for windows in an array of this density."""
        return self._way

    def begin(self) -> None:
        """The work that the way decides on is queued from here on."""

    def end(self, arcs: int) -> None:
        """It has been queued."""

    def expanded(self) -> None:
        """A level was appended: another cycle begins."""


class Hybrid(Fixed):
    """Bottom-up while the array is sparse; then both in turn, timed, until top-down is the faster; then top-down.

    A cycle lasts from one appended level to the next. Costs are times per arc, since batches may differ in size. On the
    GPU they are taken from events, looked at only once they have passed: nothing waits for a measurement.

    Attributes
    ----------
    threshold : float
        The density pi of the paper: up to it windows are looked for bottom-up.
    """

    def __init__(self, device: Device):
        super().__init__(BOTTOM_UP)
        self._device = device
        self.expanded()

    def expanded(self) -> None:
        self.threshold: float = FIRST_THRESHOLD
        self._settled = False
        self._costs: dict[str, float] = {}
        self._pending: tuple[str, float, int, Any, Any] | None = None
        self._current: tuple[str, float] | None = None

    def choose(self, density: float) -> str:
        self._look()
        if density <= self.threshold:
            way = BOTTOM_UP
        elif self._settled or TOP_DOWN not in self._costs:
            way = TOP_DOWN
        else:
            way = BOTTOM_UP if BOTTOM_UP not in self._costs else TOP_DOWN
        probing = density > self.threshold and not self._settled
        self._current = (way, density) if probing else None
        return way

    def begin(self) -> None:
        if self._current is not None:
            self._begun = self._now()

    def end(self, arcs: int) -> None:
        self._look()  # the host has waited since the update before, whose events have passed by now
        if self._current is not None and arcs:
            self._pending = (*self._current, arcs, self._begun, self._now())
        self._current = None

    def _now(self) -> Any:
        if not self._device.is_gpu:
            return time.perf_counter()
        event = self._device.xp.cuda.Event()
        event.record()
        return event

    def _look(self) -> None:
        """Take in the last measurement, if it has ended; with one of each way, compare them."""
        if self._pending is None:
            return
        way, density, arcs, begun, ended = self._pending
        if not self._device.is_gpu:
            seconds = ended - begun
        elif ended.done:
            seconds = self._device.xp.cuda.get_elapsed_time(begun, ended) / 1000
        else:
            return
        self._pending = None
        self._costs[way] = seconds / arcs
        if len(self._costs) < 2:
            return
        if self._costs[TOP_DOWN] < self._costs[BOTTOM_UP]:
            self.threshold, self._settled = density, True
        self._costs.clear()
