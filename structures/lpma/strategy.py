"""LPMA's choice of the search for windows: Section 5 of the paper and its Algorithm 3."""

from __future__ import annotations

import time
from typing import Any

from frontier.runtime import Device

BOTTOM_UP, TOP_DOWN = "bottom-up", "top-down"
FIRST_THRESHOLD = 0.6  # the paper's empiric value


class Tuner:
    """Chooses the search for windows: `way`, if given, or the hybrid.

    The hybrid is bottom-up while the array is sparse. Then both ways alternate, timed, until top-down is faster, and
    top-down stays. A cycle lasts from one appended level to the next. Costs are times per arc, since batches may differ
    in size. On the GPU events measure them and are read once they have passed, without synchronization. `threshold` is
    the density pi of the paper, up to which the hybrid is bottom-up, or None with a fixed way.
    """

    def __init__(self, device: Device, way: str | None = None):
        self._device, self._way = device, way
        self.expanded()

    def expanded(self) -> None:
        """Start another cycle, after a level was appended."""
        self.threshold: float | None = FIRST_THRESHOLD if self._way is None else None
        self._settled = False
        self._costs: dict[str, float] = {}
        self._pending: tuple[str, float, int, Any, Any] | None = None
        self._current: tuple[str, float] | None = None

    def choose(self, density: float) -> str:
        """The search for windows in an array of this density."""
        if self._way is not None or self.threshold is None:
            return self._way or BOTTOM_UP
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
        """Start the clock: the chosen work is queued from here on."""
        if self._current is not None:
            self._begun = self._now()

    def end(self, arcs: int) -> None:
        """Stop the clock: the work has been queued."""
        self._look()  # the host has synchronized since the last update, so its events have passed
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
        """Read the last measurement, if it has ended. With one of each way, compare them."""
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
