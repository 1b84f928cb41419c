"""The distinct arcs of a batch in order, without the host waiting for how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..batch import Arcs
from ..runtime import load_kernels
from .arcs import arc_keys, id_bits, last_of_runs, sort_pairs

if TYPE_CHECKING:
    from ..graph import Graph

END = 2**63 - 1  # stands after all keys
KEYS = 512  # sorted keys to a thread block (kernels.cuh has the same number)
MAX_SUMS = 4096  # blocks of keys up to which each adds up the sums of all before it


class DistinctKeys(NamedTuple):
    """The distinct arcs of a batch.

    Attributes
    ----------
    keys : array of int64, shape (m,)
        ``src << id_bits(num_vertices) | dst``, ascending. On the GPU m is the size of the batch, and entries from
        `count` on are END; on the CPU m is the number of distinct arcs.
    origin : array of int64, shape (m,), or None
        Position in the batch of each key's last arc.
    count : array of int64, shape (1,)
        Number of distinct arcs, on the graph's device.
    """

    keys: Any
    origin: Any
    count: Any


def distinct_keys(graph: Graph, arcs: Arcs, *, origin: bool = False) -> DistinctKeys:
    """The distinct arcs of a batch, in ascending order of source and destination.

    Arcs that are to be ignored are left out. The batch need not have been checked; on the CPU it is checked here, where
    that needs no synchronization. The arrays are the graph's scratch memory: they hold until the next call.

    Parameters
    ----------
    origin : bool
        Find out where in the batch each arc was listed last.

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
    device, n = graph.device, graph.num_vertices
    if not device.is_gpu:
        arcs.check()
        valid = np.flatnonzero(arcs.src >= 0)
        keys = arc_keys(device, arcs.src[valid], arcs.dst[valid], n)
        if origin:
            keys, order = sort_pairs(device, keys)
            last = last_of_runs(device, keys)
            return DistinctKeys(keys[last], valid[order[last]], np.array([last.size]))
        keys.sort()
        last = last_of_runs(device, keys)
        return DistinctKeys(keys[last], None, np.array([last.size]))
    shift, size = id_bits(n), len(arcs)
    if 2 * shift > 63:
        raise OverflowError(f"a graph of {n} vertices cannot be sorted by 64-bit keys")
    scratch = graph._scratch.get
    kernels = load_kernels("frontier.sort", device, {"VID": graph.vertex_dtype})
    # A sort of plain numbers takes a fraction of the time of one that moves positions along.
    bits = size.bit_length() if origin and 2 * shift + size.bit_length() <= 62 else 0
    keys = scratch("sorted_keys", size, np.int64)
    kernels.make_keys(size, arcs.src, arcs.dst, shift, bits, keys)
    order = None
    if origin and not bits:
        keys, order = sort_pairs(device, keys)
    else:
        keys.sort()
    blocks = -(-size // KEYS)
    sums = scratch("distinct_sums", blocks, np.int64)
    launch = {"threads": KEYS, "blocks": blocks}
    kernels.count_distinct(size, keys, bits, sums, **launch)
    summed = blocks > MAX_SUMS
    if summed:
        sums = graph.xp.cumsum(sums)
    distinct = scratch("distinct_keys", size, np.int64)
    places = scratch("distinct_origin", size, np.int64) if origin else None
    count = scratch("distinct_count", 1, np.int64)
    kernels.keep_distinct(size, keys, bits, order, sums, summed, distinct, places, count, **launch)
    return DistinctKeys(distinct, places, count)
