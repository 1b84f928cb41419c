"""The distinct arcs of a batch, sorted; their number is not read by the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..batch import Arcs
from ..locking import workspace_of
from .sorted import SortedKeys, sort_kernels, sorted_keys
from .tiles import running_sums, tile_count, tile_launch

if TYPE_CHECKING:
    from ..base import BaseStore


class DistinctKeys(NamedTuple):
    """The distinct arcs of a batch: `SortedKeys` without duplicates and without positions in the keys.

    Attributes
    ----------
    keys : array of int64, shape (m,)
        ``src << id_bits(num_vertices) | dst``, ascending. On the CPU m is the number of distinct arcs; on the GPU it is
        the size of the batch, and entries from `count` on are END.
    origin : array of int64, shape (m,), or None
        Position in the batch of each arc's last occurrence, if it was asked for.
    count : array of int64, shape (1,)
        Number of distinct arcs, on the graph's device.
    """

    keys: Any
    origin: Any
    count: Any


def distinct_keys(store: BaseStore, arcs: Arcs, *, origin: bool = False) -> DistinctKeys:
    """The distinct arcs of a batch, in ascending order of source and destination.

    Arcs that are to be ignored are left out. The batch need not have been checked; on the CPU it is checked here, where
    that needs no synchronization. The arrays are the graph's scratch memory: they hold until the next call.

    Parameters
    ----------
    origin : bool
        Also give the position in the batch of each arc's last occurrence.

    Raises
    ------
    ValueError
        On the CPU, if the batch is invalid (`Arcs.check`).
    OverflowError
        The ids of source and destination do not fit into 63 bits together.

    Notes
    -----
    A sort: O(m log m) work.
    """
    keys = sorted_keys(store, arcs, origin=origin)
    if not store.device.is_gpu:
        return DistinctKeys(keys.keys, keys.order, np.array([keys.keys.size]))
    return distinct_of_sorted(store, keys, origin=origin)


def distinct_of_sorted(store: BaseStore, batch: SortedKeys, *, origin: bool) -> DistinctKeys:
    """`distinct_keys` on a GPU, of a batch that is sorted already."""
    keys, bits, _, order, sums = batch
    size, scratch, kernels = int(keys.size), workspace_of(store).scratch.get, sort_kernels(store)
    if sums is None:
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
