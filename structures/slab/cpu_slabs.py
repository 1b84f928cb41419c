"""Hashing, and the allocation of slabs, for all CPU kernels of the slab graph."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import jit

EMPTY = -1
TOMBSTONE = -2
PENDING = np.iinfo(np.int64).min

# The counters that kernels report in (``enum Counter`` of pool.cuh).
CHANGED, FOUND, DEFERRED, ALLOCATED, FREED, RECORDED, REPEATED, DONE, OVERFULL, EFFECTIVE, INVALID = range(11)
COUNTERS = 11

# The columns of a vertex record (``struct Record`` of slabs.cuh).
BASE, BUCKETS, DEGREE, TOMBSTONES = range(4)

GOLDEN = np.uint64(0x9E3779B1)
MURMUR = np.uint64(0x85EBCA6B)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
FOLD = np.uint64(15)


class Pool(NamedTuple):
    """The kernels' view of the pool; ``struct Pool`` of pool.cuh has the same fields.

    Free slabs are ``ring[free_head .. free_head + free_count)``, cyclically, and ``used .. capacity - 1``. Slab s is
    ``neighbors[s * stride .. s * stride + width)``.
    """

    records: Any
    neighbors: Any
    ring: Any
    counters: Any
    published: Any
    free_head: Any
    free_count: Any
    ring_size: Any
    used: Any
    capacity: Any
    stride: Any
    width: Any


@jit(forceinline=True)
def bucket_of(dst, buckets):
    x = np.uint64(dst)
    x = (x & LOW) ^ (((x >> HALF) * GOLDEN) & LOW)
    x = (x * GOLDEN) & LOW
    x ^= x >> FOLD
    x = (x * MURMUR) & LOW
    return np.int64((x * np.uint64(buckets)) >> HALF)


@jit(forceinline=True)
def slot_hash(slot):
    x = np.uint64(slot) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(x >> HALF)


@jit
def take_slab(pool):
    """An empty slab, or -1."""
    ticket = pool.counters[ALLOCATED]
    pool.counters[ALLOCATED] += 1
    if ticket < pool.free_count:
        return np.int64(pool.ring[(pool.free_head + ticket) % pool.ring_size])
    slab = pool.used + ticket - pool.free_count
    return slab if slab < pool.capacity else np.int64(-1)


@jit
def give_slab(pool, slab):
    at = pool.free_head + pool.free_count + pool.counters[FREED]
    pool.counters[FREED] += 1
    pool.ring[at % pool.ring_size] = slab


@jit
def clear_slab(pool, slab):
    """Empty the keys and the link; the weights of empty words are never read."""
    pool.neighbors[slab * pool.stride : slab * pool.stride + pool.width] = EMPTY


@jit
def chain_of(records, offsets, row, item):
    """The base slab of chain `item`, and the row of its table, at `row` or after it."""
    while offsets[row + 1] <= item:
        row += 1
    return np.int64(records[row, BASE]) + item - offsets[row], row
