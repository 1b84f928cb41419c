"""CPU kernels that sort arcs."""

import numpy as np

from frontier.runtime import cpu_kernel


@cpu_kernel
def sort_arcs(count, src, dst, offsets, order):
    """Positions of a batch's distinct arcs by source, then destination. The last of equal arcs counts.

    Two stable counting sorts, by destination and then by source. Arcs with ``src < 0`` are left out. ``offsets``
    becomes the CSR offsets, the first ``offsets[-1]`` entries of ``order`` the positions.
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
    # Retain the last of each run of equal arcs.
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


@cpu_kernel
def sort_keys(bits, passes, keys, order, other_keys, other_order):
    """Keys of so many bits in ascending order, and their positions before, unless `order` is empty: a radix sort.

    One stable counting sort for each digit, from the lowest one on, to and fro between `keys` and `other_keys`. The
    number of passes is even, so the last one ends in `keys`, and in `order`, whose contents before are not read.
    """
    count, with_order = keys.size, order.size > 0
    width = (bits + passes - 1) // passes
    size = 1 << width
    mask = size - 1
    starts = np.zeros((passes, size), np.int64)
    for i in range(count):
        key = keys[i]
        for p in range(passes):
            starts[p, key >> p * width & mask] += 1
    for p in range(passes):
        total = 0
        for digit in range(size):
            total, starts[p, digit] = total + starts[p, digit], total
    first = True
    for p in range(0, passes, 2):
        for half in range(2):
            shift = (p + half) * width
            old, new = (keys, other_keys) if half == 0 else (other_keys, keys)
            old_order, new_order = (order, other_order) if half == 0 else (other_order, order)
            for i in range(count):
                key = old[i]
                digit = key >> shift & mask
                place = starts[p + half, digit]
                starts[p + half, digit] = place + 1
                new[place] = key
                if with_order:
                    new_order[place] = i if first else old_order[i]
            first = False
