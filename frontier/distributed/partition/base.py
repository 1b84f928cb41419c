"""`BasePartition`: the facts of a partition, which annotations below `Partition` name."""

from __future__ import annotations

from frontier.runtime import Device


class BasePartition:
    """The base of `Partition`, which describes the attributes."""

    device: Device
    num_parts: int
    rank: int
    together: int
