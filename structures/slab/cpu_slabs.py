"""Hashing, and the allocation of slabs, for all CPU kernels of the slab graph."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import jit, prefetch
from frontier.runtime.elements import AHEAD

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
    """The kernels' view of the pool. ``struct Pool`` of pool.cuh has the same fields.

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
    """Empty the keys and the link. The weights of empty words are never read."""
    pool.neighbors[slab * pool.stride : slab * pool.stride + pool.width] = EMPTY


@jit
def chain_of(records, offsets, row, item):
    """The base slab of chain `item`, and the row of its table, at `row` or after it."""
    while offsets[row + 1] <= item:
        row += 1
    return np.int64(records[row, BASE]) + item - offsets[row], row


LEAD = 3 * AHEAD  # arcs between the first of three steps of prefetching and the use
LINE = 64  # bytes of a cache line


@jit(forceinline=True)
def _compare(words, width, key):
    """The position of the key among so many words, plus one, or 0, and the number of empty words.

    All words are compared, as vectors: a search that stops at the key would mispredict a branch.
    """
    position = np.int32(0)
    empty = np.int32(0)
    for i in range(width):
        position += np.int32(i + 1) if words[i] == key else np.int32(0)
        empty += np.int32(1) if words[i] == EMPTY else np.int32(0)
    return position, empty


@jit
def probe(neighbors, stride, width, slab, v):
    """Walk a chain for the key v: ``(slot, last slab, steps along the chain)``.

    The slot is v's, or ``-2 - slot`` of the first empty one, or -1 if the chain is full.
    """
    steps = 1
    key = neighbors.dtype.type(v)
    while True:
        low = slab * stride
        words = neighbors[low : low + width]
        if width == 32:
            position, empty = _compare(words, 32, key)
        else:
            position, empty = _compare(words, 16, key)
        link = words[width - 1]
        if link == key:
            position -= np.int32(width)
        if position > 0:
            return low + position - 1, slab, steps
        if link < 0:  # only the last keys have no key behind them, and the link is empty, too
            if empty > 1:
                return -2 - (low + width - empty), slab, steps
            return np.int64(-1), slab, steps
        slab = np.int64(link)
        steps += 1


@jit(forceinline=True)
def listed(which, k):
    """The position in the batch of the k-th arc to process. `which` lists them, or is empty for all."""
    return np.int64(which[k]) if which.size else np.int64(k)


@jit
def prefetch_arcs(records, neighbors, stride, words, which, src, dst, k, count):
    """Prefetch for arcs after the k-th, in three steps of `AHEAD` arcs.

    The farthest arc: its ends, if `which` lists the arcs. The next: its record. The nearest: the first `words` words of
    its slab, which the record names. Loops over arcs start at ``-LEAD``.
    """
    near = k + AHEAD
    far = near + AHEAD
    if which.size and far + AHEAD < count:
        i = which[far + AHEAD]
        prefetch(src, i)
        prefetch(dst, i)
    if 0 <= far < count:
        u = src[listed(which, far)]
        if u >= 0:
            prefetch(records, (u, BASE))
    if 0 <= near < count:
        i = listed(which, near)
        u = src[i]
        if u >= 0 and records[u, BASE] >= 0:
            slot = (np.int64(records[u, BASE]) + bucket_of(dst[i], records[u, BUCKETS])) * stride
            for word in range(slot, slot + words, LINE // neighbors.itemsize):
                prefetch(neighbors, word)


@jit
def record_duplicate(slot, i, table, table_size, recorded, counters):
    """Record in the table that arc i of the batch names `slot`. The largest i counts."""
    mask = table_size - 1
    at = slot_hash(slot) & mask
    while table[2 * at] != slot:
        if table[2 * at] == EMPTY:
            table[2 * at] = slot
            recorded[counters[RECORDED]] = at
            counters[RECORDED] += 1
            break
        at = (at + 1) & mask
    table[2 * at + 1] = max(table[2 * at + 1], i)


@jit
def insert_arcs(count, pool, weights, which, src, dst, new_weights, chain_limit, slots, table, table_size, recorded):
    """See the kernel ``insert``."""
    neighbors, records, counters = pool.neighbors, pool.records, pool.counters
    stride, width = pool.stride, pool.width
    for k in range(-LEAD, count):
        prefetch_arcs(records, neighbors, stride, stride, which, src, dst, k, count)
        if k < 0:
            continue
        if which.size and k + AHEAD < count:
            prefetch(slots, which[k + AHEAD])
        i = listed(which, k)
        u = src[i]
        v = dst[i]
        if u < 0:
            slots[i] = -1
            continue
        slab = np.int64(records[u, BASE])
        steps = 0
        slot = np.int64(-1)
        if slab >= 0:
            slot, slab, steps = probe(neighbors, stride, width, slab + bucket_of(v, records[u, BUCKETS]), v)
        if slot >= 0:
            slots[i] = -2 - slot
            counters[FOUND] += 1
            if table is not None:
                if counters[FOUND] > table_size >> 1:
                    counters[OVERFULL] = 1
                else:
                    record_duplicate(slot, i, table, table_size, recorded, counters)
            continue
        fresh = np.int64(-1)
        if slot == -1 and steps < chain_limit:
            fresh = take_slab(pool)
        if steps > chain_limit or (slot == -1 and fresh < 0):
            slots[i] = PENDING
            counters[DEFERRED] += 1
            continue
        if slot != -1:
            slot = -2 - slot
        else:
            if slab < 0:
                records[u, BASE] = fresh
            else:
                neighbors[slab * stride + width - 1] = fresh
            slot = fresh * stride
        neighbors[slot] = v
        if weights is not None:
            weights[slot] = new_weights[i]
        records[u, DEGREE] += 1
        slots[i] = slot
        counters[CHANGED] += 1


@jit
def erase_arcs(count, pool, counters, which, src, dst, chosen, slots):
    """See the kernel ``erase``. Applies to the arcs listed in `which`, or to all if it is empty."""
    neighbors, records = pool.neighbors, pool.records
    stride, width = pool.stride, pool.width
    for k in range(-LEAD, count):
        prefetch_arcs(records, neighbors, stride, width, which, src, dst, k, count)
        if k < 0:
            continue
        i = listed(which, k)
        if slots is not None:
            slots[i] = -1
        if chosen is not None:  # noqa: SIM102  (Numba prunes the branch)
            if chosen[i] < 0:
                continue
        u = src[i]
        if u < 0:
            continue
        base = np.int64(records[u, BASE])
        if base < 0:
            continue
        slot, _, _ = probe(neighbors, stride, width, base + bucket_of(dst[i], records[u, BUCKETS]), dst[i])
        if slot >= 0:
            neighbors[slot] = TOMBSTONE
            if slots is not None:
                slots[i] = slot
            records[u, DEGREE] -= 1
            records[u, TOMBSTONES] += 1
            counters[CHANGED] += 1
