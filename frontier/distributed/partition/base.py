"""`BasePartition`: the facts of a partition, which annotations below `Partition` name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frontier.runtime import Device


class BasePartition:
    """The base of `Partition`, which describes the attributes."""

    device: Device
    num_parts: int
    rank: int
    together: int

    def own_piece(self, counts: Sequence[int]) -> slice:
        """Where this part's entries are, of so many of each part, one part behind the other."""
        start = sum(counts[: self.rank])
        return slice(start, start + counts[self.rank])

    def without_own(self, values: Any, counts: Sequence[int]) -> Any:
        """Entries of all parts, so many of each, without those of this part."""
        own = self.own_piece(counts)
        before, behind = values[: own.start], values[own.stop :]
        if not before.size or not behind.size:  # of the first part and the last: no memory of their own
            return behind if behind.size else before
        return self.device.xp.concatenate([before, behind])
