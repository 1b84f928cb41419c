"""Constants and steps that host code and CPU kernels of packed memory arrays share. layout.cuh and view.cuh match."""

from typing import Any, NamedTuple

LEAF_BITS = 5
LEAF = 1 << LEAF_BITS  # slots of a leaf
EMPTY, GUARD = -1, -2
KEY_SHIFT = 32  # of the row in an entry's key
COLUMN_MASK = (1 << KEY_SHIFT) - 1
PLACE_SHIFT = 7  # of the leaf in an entry of ``places``. Bit 0 is set if the arc exists
HEIGHT_BITS = 6  # of a window
INSERT, DELETE = 0, 1
FEW = 1024  # items, done in well under a millisecond: fewer are not worth waking other threads for
TILE_LEAVES = 2048  # that a thread block plans
PLAN_THREADS = 512  # of such a block
# Indices of the counters.
NEW, FOUND, OVERFLOW, LEAVES, WARPS, BLOCKS, LARGE, STAGED, MOVED, REDUNDANT = range(10)
TOUCHED = FOUND  # in deletions on the CPU: leaves that have become too empty
CHAIN = 16  # the first of three that chains report (SMALL of layout.cuh)
COUNTERS = 19


class Batch(NamedTuple):
    """Distinct arcs to insert and their places (see the kernel ``locate``). All are None in deletions."""

    keys: Any = None
    shift: int = 0
    places: Any = None
    weights: Any = None
    origin: Any = None

    @property
    def size(self) -> int:
        return 0 if self.keys is None else int(self.keys.size)


class Rebalance(NamedTuple):
    """Windows to rebalance: all in `leaves` on the CPU, by size on the GPU (see the kernel ``plan``)."""

    leaves: Any
    warps: Any = None
    blocks: Any = None
    large: Any = None
    tile_state: Any = None
    tile_sums: Any = None
    tile_marks: Any = None


class Capacity(NamedTuple):
    """Memory to rebalance large windows on the GPU: sums of entries and of new keys, and a staging area."""

    ends: Any = None
    ordinals: Any = None
    keys: Any = None
    weights: Any = None
