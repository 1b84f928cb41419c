"""CPU kernels that move whole tables of the slab graph from and to rows."""

import numpy as np

from frontier.runtime import cpu_kernel

from .cpu_slabs import BASE, BUCKETS, bucket_of, chain_of, take_slab


@cpu_kernel
def gather(
    count, neighbors, weights, stride, width, records, rows, chain_offsets, row_offsets, cursors, dst, out_weights
):  # fmt: skip
    """Copy the keys (and weights) of `count` chains to the rows of their tables."""
    row = 0
    for item in range(count):
        slab, row = chain_of(records, chain_offsets, row, item)
        while slab >= 0:
            for slot in range(slab * stride, slab * stride + width - 1):
                if neighbors[slot] >= 0:
                    at = row_offsets[row] + cursors[row]
                    cursors[row] += 1
                    dst[at] = neighbors[slot]
                    if weights is not None:
                        out_weights[at] = weights[slot]
            slab = np.int64(neighbors[slab * stride + width - 1])


@cpu_kernel
def count_rows(count, rows, offsets, dst, records, first, fill):
    """Count into ``fill[base - first + bucket]`` the keys of each bucket of the new tables."""
    for row in range(rows):
        base = np.int64(records[row, BASE])
        buckets = records[row, BUCKETS]
        if buckets == 1 and base >= 0:
            fill[base - first] = offsets[row + 1] - offsets[row]
        elif base >= 0:
            for i in range(offsets[row], offsets[row + 1]):
                fill[base - first + bucket_of(dst[i], buckets)] += 1


@cpu_kernel
def link(count, pool, first, fill):
    """Link each of `count` base slabs from `first` on to the overflow slabs that it needs; sets `fill` to zero."""
    neighbors, stride, width = pool.neighbors, pool.stride, pool.width
    for b in range(count):
        slab = first + b
        for _ in range((fill[b] - 1) // (width - 1)):
            fresh = take_slab(pool)
            neighbors[slab * stride + width - 1] = fresh
            slab = fresh
        fill[b] = 0


@cpu_kernel
def place_rows(count, pool, weights, rows, offsets, dst, new_weights, records, first, fill):
    """Write the keys of rows into their tables, whose chains are linked and empty."""
    neighbors, stride, width = pool.neighbors, pool.stride, pool.width
    for row in range(rows):
        base = np.int64(records[row, BASE])
        buckets = records[row, BUCKETS]
        for i in range(offsets[row], offsets[row + 1]):
            bucket = bucket_of(dst[i], buckets)
            at = np.int64(fill[base + bucket - first])
            fill[base + bucket - first] += 1
            slab = base + bucket
            while at >= width - 1:
                slab = np.int64(neighbors[slab * stride + width - 1])
                at -= width - 1
            neighbors[slab * stride + at] = dst[i]
            if weights is not None:
                weights[slab * stride + at] = new_weights[i]
