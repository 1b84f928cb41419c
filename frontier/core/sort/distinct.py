"""The distinct arcs of a batch, sorted; their number is not read by the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import BaseStore
from ..batch import Arcs
from ..locking import workspace_of
from .sorted import SortedKeys, sort_kernels, sorted_keys
from .tiles import running_sums, tile_count, tile_launch


class DistinctKeys(NamedTuple):
    """The distinct arcs of a batch: `SortedKeys` without duplicates and without positions in the keys."""

    keys: Any  # int64; on the GPU as many as the batch has arcs, END from `count` on
    origin: Any  # position in the batch of each arc's last occurrence, or None
    count: Any  # int64, shape (1,), on the graph's device


def distinct_keys(store: BaseStore, arcs: Arcs, *, origin: bool = False) -> DistinctKeys:
    """Return the distinct arcs of a batch, ascending, with the position of each arc's last occurrence if `origin`.

    Ignored arcs are left out; checks, errors, lifetime and cost are those of `sorted_keys`.
    """
    keys = sorted_keys(store, arcs, origin=origin)
    if not store.device.is_gpu:
        return DistinctKeys(keys.keys, keys.order, np.array([keys.keys.size]))
    return distinct_of_sorted(store, keys, origin=origin)


def distinct_of_sorted(store: BaseStore, batch: SortedKeys, *, origin: bool) -> DistinctKeys:
    """`distinct_keys` on a GPU, of a batch that is sorted already."""
    keys, bits, _, order = batch
    size, scratch, kernels = int(keys.size), workspace_of(store).scratch.get, sort_kernels(store)
    sums = scratch("distinct_sums", tile_count(size), np.int64)
    kernels.count_distinct(size, keys, bits, sums, **tile_launch(size))
    distinct = scratch("distinct_keys", size, np.int64)
    places = scratch("distinct_origin", size, np.int64) if origin else None
    count = scratch("distinct_count", 1, np.int64)
    kernels.keep_distinct(
        size, keys, bits, order, *running_sums(store.device, kernels, sums), distinct, places, count,
        **tile_launch(size),
    )  # fmt: skip
    return DistinctKeys(distinct, places, count)
