"""CPU kernels that sort arcs."""

import numpy as np

from ..runtime import cpu_kernel


@cpu_kernel
def sort_arcs(count, src, dst, offsets, order):
    """Positions of a batch's distinct arcs by source, then destination; of equal arcs the last.

    Two stable counting sorts, by destination and then by source. Arcs with ``src < 0`` are left out. ``offsets``
    becomes the CSR offsets; the first ``offsets[-1]`` entries of ``order`` the positions.
    """
    n = offsets.size - 1
    starts = np.zeros(n + 1, np.int64)
    for i in range(count):
        if src[i] >= 0:
            starts[dst[i] + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    by_dst = np.empty(starts[n], np.int64)
    for i in range(count):
        if src[i] >= 0:
            by_dst[starts[dst[i]]] = i
            starts[dst[i]] += 1
    offsets[:] = 0
    for i in by_dst:
        offsets[src[i] + 1] += 1
    for v in range(n):
        offsets[v + 1] += offsets[v]
    for v in range(n):
        starts[v] = offsets[v]
    for i in by_dst:
        order[starts[src[i]]] = i
        starts[src[i]] += 1
    # Keep the last of each run of equal arcs.
    kept = 0
    low = offsets[0]
    for v in range(n):
        high = offsets[v + 1]
        for j in range(low, high):
            if j + 1 == high or dst[order[j + 1]] != dst[order[j]]:
                order[kept] = order[j]
                kept += 1
        low = high
        offsets[v + 1] = kept
