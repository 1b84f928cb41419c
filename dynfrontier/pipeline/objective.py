"""`Objective` and `BatchSize`: the largest batches whose latency stays within bounds.

The controller tracks a quantile q by unequal steps. A batch that exceeds the limit halves the batch size. Any other
batch multiplies it by 2 to the power of (1 - q) / q. Both cancel out if the share 1 - q of the batches exceeds the
limit, so the size settles there, for any distribution of latencies. That growth is slow (0.7 % a batch for p99). So the
size grows by a quarter per batch at first, until a batch exceeds the limit. It does so again after more batches within
the limit than chance explains. An outlier, such as a compilation, costs one step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from frontier.runtime.values import kind_of

UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
SHRINK = 0.5  # factor of the size after a batch that exceeds the limit
QUICK = 1.25  # factor of the size after other batches at first
CALM = 5  # times the usual number of batches between two that exceed the limit, after which growth is quick again
SMALLEST, LARGEST = 64, 1 << 22


@dataclass(frozen=True)
class Objective:
    """A bound in seconds for a quantile, between 0 and 1, of the latency of batches."""

    quantile: float
    seconds: float

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Parse a text such as ``"p99<5ms"``. Raises TypeError or ValueError."""
        if not isinstance(text, str):
            raise TypeError(f"objective must be a string such as 'p99<5ms', not {kind_of(text)}")
        match = re.fullmatch(r"\s*p(\d+(?:\.\d+)?)\s*<=?\s*(\d+(?:\.\d*)?)\s*(us|µs|ms|s)\s*", text)
        if match is None or not 0 < float(match[1]) < 100 or not float(match[2]):
            raise ValueError(f"objective must be a percentile and a time, such as 'p99<5ms', not {text!r}")
        return cls(round(float(match[1]) / 100, 9), float(match[2]) * UNITS[match[3]])


class BatchSize:
    """The number of rows of the next batch, from `start` on."""

    def __init__(self, objective: Objective, start: int):
        self.objective = objective
        self._exact = float(min(max(start, SMALLEST), LARGEST))
        self._slow = SHRINK ** -((1 - objective.quantile) / objective.quantile)
        self._patience = CALM / (1 - objective.quantile)
        self._quick, self._calm = True, 0

    @property
    def size(self) -> int:
        return int(self._exact)

    def observe(self, records: int, seconds: float) -> None:
        """Learn from a batch. A batch that the source cut short counts only if it exceeds the limit."""
        if seconds > self.objective.seconds:
            self._quick, self._calm = False, 0
            self._change(SHRINK)
        elif 2 * records > self.size:
            self._calm += 1
            self._quick |= self._calm > self._patience
            self._change(QUICK if self._quick else self._slow)

    def _change(self, factor: float) -> None:
        self._exact = min(max(self._exact * factor, float(SMALLEST)), float(LARGEST))
