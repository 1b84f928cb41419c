"""Lists of vertices sorted by owner on a GPU: three launches, and no host synchronization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.runtime import Device

if TYPE_CHECKING:
    from .base import BasePartition

HEADER = "frontier/distributed/partition/partition.cuh"
SPAN, SPAN_THREADS = 4096, 512  # entries and threads of a thread block: partition.cuh has the same numbers
MAX_PARTS = 254
IDS = {np.dtype(np.int32): "int", np.dtype(np.int64): "i64"}


def takes(device: Device, num_parts: int, dtype: np.dtype) -> bool:
    """Return whether kernels support this number of partitions and ids of this type."""
    return device.is_gpu and num_parts <= MAX_PARTS and dtype in IDS


class ByOwner:
    """Contiguous ids to sort by the partitions that own them. Negative ids have no owner. The order is stable.

    With `mates`, pairs have no owner if either end is no id below `limit`. `wrong` (int64, shape (1,)) counts such
    pairs whose first id is not negative.
    """

    def __init__(self, partition: BasePartition, ids: Any, *, mates: Any = None, limit: int = 0, wrong: Any = None):
        device, num_parts = partition.device, partition.num_parts
        empty, size = device.xp.empty, int(ids.size)
        self._device = device
        self._ids = ids
        self._parts = num_parts
        self._spans = -(-size // SPAN)
        self._owners = empty(size, np.uint8)
        self._places = empty(self._spans * num_parts, np.int64)
        _kernel(f"find_owners_{IDS[ids.dtype]}")(
            size, ids, mates, limit, wrong, partition.together, num_parts, self._spans, self._owners, self._places,
            **self._launch(),
        )  # fmt: skip

    def _launch(self) -> dict[str, int]:
        return {"threads": SPAN_THREADS, "blocks": self._spans}

    def count(self, errors: Any = None, number: int = 0) -> Any:
        """Return the number of vertices of each partition, whether any of `errors` is nonzero, and `number`.

        They are one array on the device (int64), in the form that partitions exchange. Called once, before `sort`.
        """
        row = self._device.xp.empty(self._parts + 2, np.int64)
        _kernel("place_spans")(
            self._parts, self._spans, self._places, errors, 0 if errors is None else int(errors.size), number, row,
            threads=1024, blocks=1,
        )  # fmt: skip
        return row

    def sort(self, *more: Any, order: bool = False) -> tuple[Any, ...]:
        """Return the ids sorted by owner, optionally with one more array of their type, and the order if requested.

        Contents behind the entries that have an owner are undefined.
        """
        empty, size = self._device.xp.empty, int(self._ids.size)
        out = [empty(size, self._ids.dtype) for _ in (self._ids, *more)]
        positions = empty(size, np.int64) if order else None
        second, out_second = (more[0], out[1]) if more else (None, None)
        _kernel(f"move_to_owners_{IDS[self._ids.dtype]}")(
            size, self._owners, self._parts, self._spans, self._places, self._ids, second, out[0], out_second,
            positions, **self._launch(),
        )  # fmt: skip
        return (*out, positions) if order else tuple(out)


def _kernel(name: str) -> Any:
    from frontier.runtime.compile.cuda import load_kernel

    return load_kernel(HEADER, name, ())
