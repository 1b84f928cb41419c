"""What the steps of an update of a packed memory array hand on to each other."""

from __future__ import annotations

from typing import Any, NamedTuple


class Batch(NamedTuple):
    """Distinct arcs to insert, and where they go (see the kernel ``locate``). All None in deletions."""

    keys: Any = None
    shift: int = 0
    places: Any = None
    weights: Any = None
    origin: Any = None

    @property
    def size(self) -> int:
        return 0 if self.keys is None else int(self.keys.size)


class Rebalance(NamedTuple):
    """Windows to rebalance: all in `leaves` on the CPU, separated by size on the GPU (see the kernel ``plan``)."""

    leaves: Any
    warps: Any = None
    blocks: Any = None
    large: Any = None
    tile_state: Any = None
    tile_sums: Any = None
    tile_marks: Any = None


class Capacity(NamedTuple):
    """What rebalancing large windows on the GPU takes: numbers of entries, of new keys, and a staging area."""

    ends: Any = None
    ordinals: Any = None
    keys: Any = None
    weights: Any = None
