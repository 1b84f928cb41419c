"""Check the arrays of a slab graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frontier.core.invariants import count_at, cover, enumerate_rows, require, require_integer, require_size, within

from .cpu_slabs import BASE, BUCKETS, DEGREE, EMPTY, FOLD, GOLDEN, HALF, LOW, MURMUR, TOMBSTONE, TOMBSTONES
from .pool import MAX_SLABS


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`. `SlabStore` and `SlabPool` list the invariants."""
    xp, n, width = store.xp, store.num_vertices, store.slab_words
    _check_numbers(store)
    base, buckets = _check_tables(store)
    words = store.neighbors.reshape(-1, store.slab_stride)[:, :width]
    links, keys = words[:, -1], words[:, :-1]
    root = _chains(store, base, buckets, links, _check_free(store, words))
    full = ~(keys == EMPTY).any(axis=1)
    require((full | (links == EMPTY)).all(), "a slab that is not full has another after it")
    require(((keys[:, :-1] != EMPTY) | (keys[:, 1:] == EMPTY)).all(), "a slab has a gap among its keys")
    # Each table's vertex and bucket, by its base slabs. `root` leads each slab to them.
    _, tables, bucket = enumerate_rows(store.device, buckets)
    vertex_of = xp.zeros(words.shape[0], np.int64)
    bucket_in = xp.zeros(words.shape[0], np.int64)
    owners = xp.flatnonzero(base >= 0)
    vertex_of[base[owners][tables] + bucket] = owners[tables]
    bucket_in[base[owners][tables] + bucket] = bucket
    slabs = xp.flatnonzero(root >= 0)
    live, at = xp.nonzero(keys[slabs] >= 0)
    slab = slabs[live]
    src, dst = vertex_of[root[slab]], keys[slab, at]
    require(within(dst, n).all(), "a key is no vertex")
    bucket = bucket_of(dst, store.records[src, BUCKETS])
    require((bucket == bucket_in[root[slab]]).all(), "a key is in the wrong bucket")
    require((count_at(xp, src, n) == store.records[:n, DEGREE]).all(), "a degree is not the number of keys")
    dead = vertex_of[root[slabs[xp.nonzero(keys[slabs] == TOMBSTONE)[0]]]]
    require((count_at(xp, dead, n) == store.records[:n, TOMBSTONES]).all(), "a number of tombstones is wrong")
    return src, dst, slab * store.slab_stride + at


def _check_numbers(store: Any) -> None:
    load = store.load_factor
    require(isinstance(load, float) and math.isfinite(load) and 0 < load <= 4, f"load_factor is {load!r}")
    stride = store.slab_stride
    capacity = int(store.neighbors.size) // stride
    whole = store.neighbors.size == capacity * stride
    require(1 <= capacity <= MAX_SLABS and whole, "neighbors are no whole number of slabs")
    require_size(store.separate_weights, int(store.neighbors.size), "weights")
    require_size(store.ring, 2 * capacity, "ring")
    require_integer(store._used, "_used", 0, capacity)
    require_integer(store._free_count, "_free_count", 0, store._used)
    require_integer(store._free_head, "_free_head", 0, 2 * capacity - 1)
    require_integer(store._tombstones, "_tombstones", 0, int(store.neighbors.size))


def _check_tables(store: Any) -> tuple[Any, Any]:
    """Check that tables do not overlap. Return each vertex's first base slab, and the buckets of tables."""
    xp, n, records = store.xp, store.num_vertices, store.records
    require(records.shape[0] >= n, f"vertices has fewer records than the {n} vertices")
    base, buckets = records[:, BASE].astype(np.int64), records[:, BUCKETS].astype(np.int64)
    none = (base == -1) & (buckets == 1) & (records[:, DEGREE] == 0) & (records[:, TOMBSTONES] == 0)
    require(((base >= 0) | none).all(), "a vertex without slabs has keys")
    require(none[n:].all(), "a record behind the last vertex has slabs")
    base = base[:n]
    has = xp.flatnonzero(base >= 0)
    buckets = buckets[has]
    require((buckets >= 1).all() and (base[has] + buckets <= store._used).all(), "a table is outside the slabs in use")
    require((records[has, 2:] >= 0).all(), "a vertex has a negative number of keys")
    require((cover(xp, base[has], buckets, store._used) <= 1).all(), "two tables overlap")
    require(int(records[:n, TOMBSTONES].sum(dtype=np.int64)) == store._tombstones, "_tombstones is not their number")
    return base, buckets


def _check_free(store: Any, words: Any) -> Any:
    """Check that ring slabs are free once, were used, and are empty, as unused ones. Return which are free."""
    xp, used = store.xp, store._used
    at = (store._free_head + xp.arange(store._free_count)) % int(store.ring.size)
    slabs = store.ring[at].astype(np.int64)
    require(within(slabs, used).all(), "ring names a slab that is not in use")
    times = count_at(xp, slabs, used)
    require((times <= 1).all(), "ring names a slab twice")
    free = xp.ones(words.shape[0], bool)
    free[:used] = times > 0
    require((words[free] == EMPTY).all(), "a free slab is not empty")
    return free


def _chains(store: Any, base: Any, buckets: Any, links: Any, free: Any) -> Any:
    """The base slab of each slab's chain, or -1. Each slab must be in one chain at most, and no free one in any."""
    xp, slabs = store.xp, int(links.size)
    is_base = xp.zeros(slabs, bool)
    is_base[: store._used] = cover(xp, base[xp.flatnonzero(base >= 0)], buckets, store._used) > 0
    require(((links == EMPTY) | within(links, slabs)).all(), "a link leads out of the pool")
    sources = xp.flatnonzero(links >= 0)
    targets = links[sources].astype(np.int64)
    require(((count_at(xp, targets, slabs) + is_base) <= 1).all(), "a slab is linked twice")
    require(not (free & is_base).any() and not free[targets].any(), "a slab of a chain is free, too")
    # From each slab to the one that links to it, then twice as far in each round, until all have come to the first. A
    # ring of links, which no chain leads to, never does: as many rounds as numbers have bits are enough to see that.
    root = xp.full(slabs + 1, slabs, np.int64)
    root[targets] = sources
    root[:-1] = xp.where(is_base, xp.arange(slabs), root[:-1])
    for _ in range(slabs.bit_length()):
        root = root[root]
    root = root[:-1]
    return xp.where((root < slabs) & is_base[xp.minimum(root, slabs - 1)], root, -1)


def bucket_of(dst: Any, buckets: Any) -> Any:
    """The kernels' hash, for arrays."""
    x = dst.astype(np.uint64)
    x = (x & LOW) ^ (((x >> HALF) * GOLDEN) & LOW)
    x = (x * GOLDEN) & LOW
    x = x ^ (x >> FOLD)
    x = (x * MURMUR) & LOW
    return ((x * buckets.astype(np.uint64)) >> HALF).astype(np.int64)
