"""Whether to try a repair again after earlier ones were given up."""

from __future__ import annotations

import frontier as fr

MAX_SKIPPED = 31
LITTLE = 1 / 16
"""A smaller fraction of a recomputation is not counted as a loss."""

MOST_SAVED = 1
"""The largest credit for successful repairs, in recomputations, against which later failures are set off."""
SIMILAR = 1 / 2
"""Batches below this fraction of the size of one whose repair was given up are tried regardless."""


class Trials:
    """Decide which batches are repaired, and which are left to a recomputation from scratch.

    After a repair that was given up, the next 1, 3, 7, ... batches of its size are not tried, up to `MAX_SKIPPED`,
    until one succeeds. So abandoned repairs cost a small fraction of the work of recomputations. A repair that wastes n
    recomputations counts as n failures. A failure within the credit of earlier repairs is not counted.
    """

    def __init__(self) -> None:
        self._skip = self._skipped = 0  # batches to skip, and the number skipped after the last failure
        self._size = self._failed_size = 0
        self._saved = 0.0  # recomputations, by the last repairs

    @property
    def skips(self) -> bool:
        """Whether the next batch is recomputed without a trial."""
        return self._skip > 0 and not fr.advanced.is_warming_up()

    def pays(self, size: int = 0) -> bool:
        """Whether to repair the changes of a batch of this size. It may be asked again if it does."""
        if self.skips and size >= SIMILAR * self._failed_size:
            self._skip -= 1
            return False
        self._size = size
        return True

    def note(self, wasted: float, saved: float = 0.0) -> None:
        """Learn the outcome of the last repair: wasted or saved work, in recomputations."""
        self._saved = min(self._saved + saved - wasted, MOST_SAVED)
        if self._saved < 0:
            self._saved = 0.0
            if wasted <= LITTLE:
                return
            self._failed_size = self._size
            lost = max(int(wasted), 1)
            self._skip = self._skipped = min(2 * self._skipped + lost, MAX_SKIPPED * lost)
        elif not wasted and self._size >= SIMILAR * self._failed_size:
            self._skip = self._skipped = 0
