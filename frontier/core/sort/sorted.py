"""The arcs of a batch, sorted without a host synchronization."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import load_kernels

from ..base import BaseStore
from ..batch import Arcs
from ..locking import workspace_of
from .arcs import arc_keys, check_key_bits, id_bits, last_of_runs, sort_keys, sort_pairs
from .tiles import running_sums, tile_count, tile_launch

SMALL_ARCS = 1 << 13
"""Up to this many arcs are sorted on a GPU by one kernel that compares each with all arcs. CuPy's radix sort needs more
time to launch its kernels."""
END = 2**63 - 1  # greater than all keys (keys.cuh has the same number)


class SortedKeys(NamedTuple):
    """A batch's arcs as ascending int64 keys, ``(src << shift | dst) << bits | position``.

    On the CPU a key for each distinct arc. On the GPU a key for each arc of the batch: of equal arcs the last key
    counts, and ignored arcs have the key END.
    """

    keys: Any
    bits: int  # low bits of keys with positions. 0 on the CPU, without positions, and if they do not fit
    shift: int  # ``id_bits(num_vertices)``
    order: Any  # positions (on the CPU of the last occurrence) if asked for and not in keys, else None
    sums: Any = None  # the number of keys of each tile that count, if known


def sorted_keys(store: BaseStore, arcs: Arcs, *, origin: bool = False) -> SortedKeys:
    """Return a batch's arcs as ascending keys, with positions in the batch if `origin`. A sort, O(m log m) work.

    The CPU also checks the batch, which needs no synchronization there. The arrays are scratch memory, valid until the
    next call. Raises ValueError (`Arcs.check`) on the CPU, and OverflowError as `arc_keys`.
    """
    device, n = store.device, store.num_vertices
    shift, size = id_bits(n), len(arcs)
    if not device.is_gpu:
        arcs.check()
        valid = np.flatnonzero(arcs.src >= 0)
        keys = arc_keys(device, arcs.src[valid], arcs.dst[valid], n)
        if origin:
            keys, order = sort_pairs(device, keys)
            last = last_of_runs(device, keys)
            return SortedKeys(keys[last], 0, shift, valid[order[last]])
        sort_keys(device, keys)
        return SortedKeys(keys[last_of_runs(device, keys)], 0, shift, None)
    check_key_bits(n)
    # A sort of plain numbers is several times as fast as one that moves positions along.
    bits = size.bit_length() if origin and 2 * shift + size.bit_length() <= 62 else 0
    keys = workspace_of(store).scratch.get("sorted_keys", size, np.int64)
    if size <= SMALL_ARCS:
        order = workspace_of(store).scratch.get("sorted_order", size, np.int64) if origin and not bits else None
        sort_kernels(store).sort_few(size, arcs.src, arcs.dst, shift, bits, keys, order, tile=8)
        return SortedKeys(keys, bits, shift, order)
    sort_kernels(store).make_keys(size, arcs.src, arcs.dst, shift, bits, keys)
    if origin and not bits:
        keys, order = sort_pairs(device, keys)
        return SortedKeys(keys, 0, shift, order)
    keys.sort()
    return SortedKeys(keys, bits, shift, None)


def sort_kernels(store: BaseStore) -> Any:
    """The kernels of this folder for a graph's ids."""
    return load_kernels("frontier.core.sort", store.device, {"VID": store.vertex_dtype})


class DistinctKeys(NamedTuple):
    """The distinct arcs of a batch: `SortedKeys` without duplicates and without positions in the keys."""

    keys: Any  # int64, on the GPU one for each arc of the batch, END from `count` on
    origin: Any  # position in the batch of each arc's last occurrence, or None
    count: Any  # int64, shape (1,), on the graph's device


def distinct_keys(store: BaseStore, arcs: Arcs, *, origin: bool = False) -> DistinctKeys:
    """Return the distinct arcs of a batch, ascending, with the position of each arc's last occurrence if `origin`.

    Ignored arcs are left out. Checks, errors, lifetime and cost are as in `sorted_keys`.
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
