"""The arcs of a batch, sorted without a host synchronization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.runtime import load_kernels

from ..batch import Arcs
from ..locking import workspace_of
from .arcs import arc_keys, check_key_bits, id_bits, last_of_runs, sort_keys, sort_pairs

if TYPE_CHECKING:
    from ..base import BaseStore

SMALL_ARCS = 1 << 13
"""Up to as many arcs are sorted on a GPU by one kernel that compares each with all others; CuPy's radix sort needs more
time to launch its kernels."""
END = 2**63 - 1  # greater than all keys (keys.cuh has the same number)


class SortedKeys(NamedTuple):
    """A batch's arcs as ascending keys, ``(src << shift | dst) << bits | position``.

    Attributes
    ----------
    keys : array of int64, shape (m,)
        On the CPU one for each distinct arc. On the GPU one for each arc of the batch: of arcs listed more than once
        the last key counts, and arcs to be ignored have the key END.
    bits : int
        Number of low bits of a key that hold the arc's position in the batch. 0 on the CPU, and where positions were
        not asked for or do not fit.
    shift : int
        ``id_bits(num_vertices)``.
    order : array of int64, shape (m,), or None
        Position in the batch of each key's arc (on the CPU that of its last occurrence), if positions were asked for
        and are not in the keys.
    sums : array of int64, shape (tile_count(m),), or None
        How many of each tile of keys count, if that is known already.
    """

    keys: Any
    bits: int
    shift: int
    order: Any
    sums: Any = None


def sorted_keys(store: BaseStore, arcs: Arcs, *, origin: bool = False) -> SortedKeys:
    """A batch's arcs as keys in ascending order of source and destination.

    The batch need not have been checked; on the CPU it is checked here, where that needs no synchronization. The arrays
    are the graph's scratch memory: they hold until the next call.

    Parameters
    ----------
    origin : bool
        Also give each arc's position in the batch.

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
    # A sort of plain numbers takes a fraction of the time of one that moves positions along.
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
