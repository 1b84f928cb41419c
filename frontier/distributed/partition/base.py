"""`BasePartition`: the attributes of a partition, for annotations below `Partition`."""

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
        """Return the slice of this partition's entries, given the contiguous partitions' counts."""
        start = sum(counts[: self.rank])
        return slice(start, start + counts[self.rank])

    def without_own(self, values: Any, counts: Sequence[int]) -> Any:
        """Return the entries of all partitions, given their counts, without the entries of this partition."""
        own = self.own_piece(counts)
        before, behind = values[: own.start], values[own.stop :]
        if not before.size or not behind.size:  # on the first and the last partition: a view
            return behind if behind.size else before
        return self.device.xp.concatenate([before, behind])
