"""CPU side of the slab graph: the view, the neighbor iterator and the kernels that look up and change arcs."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel

from .cpu_parts import erase_parts, insert_parts, partition, replace_parts, sum_up  # noqa: F401  (kernels, by name)
from .cpu_rows import count_rows, gather, link, place_rows  # noqa: F401  (likewise)
from .cpu_slabs import (
    BASE,
    BUCKETS,
    DEFERRED,
    DEGREE,
    EMPTY,
    FOUND,
    OVERFULL,
    PENDING,
    RECORDED,
    REPEATED,
    TOMBSTONES,
    bucket_of,
    chain_of,
    clear_slab,
    give_slab,
    slot_hash,
)
from .cpu_tables import LEAD, erase_arcs, insert_arcs, prefetch_arcs, probe, record_duplicate

SORTED = False
ALL = np.zeros(0, np.int32)  # arcs, in place of a list of them: another type would have kernels compiled again


class View(NamedTuple):
    """Records have columns BASE (the first base slab, or -1), BUCKETS, DEGREE and TOMBSTONES; slab s begins at slot
    ``s * stride``."""

    records: Any
    neighbors: Any
    weights: Any
    stride: Any
    width: Any


@jit(forceinline=True)
def degree(view, v):
    return np.int64(view.records[v, DEGREE])


@jit(forceinline=True)
def segments(view, v):
    return np.int64(view.records[v, BUCKETS]) if view.records[v, BASE] >= 0 else np.int64(0)


@jit(forceinline=True)
def segment(view, v, i):
    """The i-th chain of v's table. A single chain has all keys, which bound the words of its first slab."""
    slab = np.int64(view.records[v, BASE]) + i
    words = view.width - 1
    if view.records[v, BUCKETS] == 1:
        words = min(words, np.int64(view.records[v, DEGREE]) + np.int64(view.records[v, TOMBSTONES]))
    return slab, slab * view.stride, slab * view.stride + words


@jit(forceinline=True)
def next_run(view, run):
    slab = np.int64(view.neighbors[run * view.stride + view.width - 1])
    if slab < 0:
        return np.int64(-1), np.int64(0), np.int64(0)
    return slab, slab * view.stride, slab * view.stride + view.width - 1


@jit
def find(view, u, v):
    base = np.int64(view.records[u, BASE])
    if base < 0:
        return np.int64(-1)
    slot, _, _ = probe(view.neighbors, view.stride, view.width, base + bucket_of(v, view.records[u, BUCKETS]), v)
    return slot if slot >= 0 else np.int64(-1)


@parallel_kernel
def find_arcs(begin, end, view, src, dst, slots):
    records, neighbors, stride, width = view.records, view.neighbors, view.stride, view.width
    src, dst, slots = src[begin:end], dst[begin:end], slots[begin:end]
    every = src[:0]
    for i in range(-LEAD, end - begin):
        prefetch_arcs(records, neighbors, stride, width, every, src, dst, i, end - begin)
        if i >= 0:
            slots[i] = find(view, src[i], dst[i]) if src[i] >= 0 else -1


def insert(
    count, pool, weights, error_counts, which, src, dst, new_weights, chain_limit, slots, table, table_size, recorded,
    finish,
):  # fmt: skip
    """Insert arcs (all, or those listed in `which`) by one kernel, with or without a list."""
    insert_listed(
        count, pool, weights, error_counts, ALL if which is None else which, src, dst, new_weights, chain_limit, slots,
        table, table_size, recorded, finish,
    )  # fmt: skip


@cpu_kernel
def insert_listed(count, pool, weights, error_counts, which, src, dst, new_weights, chain_limit, slots, table,
                  table_size, recorded, finish):  # fmt: skip
    """Insert arcs (those listed in `which`, or all if it is empty).

    ``slots[i]`` becomes the slot that arc i created, ``-2 - slot`` if the arc exists (then recorded in the table, if
    that has capacity), -1 if the arc is ignored, PENDING if its chain has `chain_limit` full slabs or the pool is
    exhausted. With `finish`, also `resolve_duplicates`, which is meant for few arcs.
    """
    insert_arcs(
        count, pool, weights, which, src, dst, new_weights, chain_limit, slots, table, table_size, recorded
    )  # fmt: skip
    if table is not None:  # noqa: SIM102  (Numba prunes the branch)
        if finish:
            _finish(count, pool, weights, new_weights, slots, table, table_size, recorded)


@cpu_kernel
def record_duplicates(count, pool, slots, table, table_size, recorded):
    for i in range(count):
        if slots[i] <= -2 and slots[i] != PENDING:
            record_duplicate(-2 - slots[i], i, table, table_size, recorded, pool.counters)


@cpu_kernel
def resolve_duplicates(count, pool, weights, new_weights, slots, table, table_size, recorded, finish):
    """Resolve arcs that created a slot against those that found it; with `finish`, also `commit_duplicates`.

    With `finish`, does nothing if the insertion is incomplete or the table overflowed.
    """
    if finish:
        _finish(count, pool, weights, new_weights, slots, table, table_size, recorded)
    else:
        _resolve(count, slots, table, table_size, pool.counters)


@jit
def _finish(count, pool, weights, new_weights, slots, table, table_size, recorded):
    counters = pool.counters
    if counters[FOUND] > 0 and counters[DEFERRED] == 0 and counters[OVERFULL] == 0:
        _resolve(count, slots, table, table_size, counters)
        _commit(counters[RECORDED], weights, new_weights, table, recorded)


@jit
def _resolve(count, slots, table, table_size, counters):
    mask = table_size - 1
    for i in range(count):
        slot = slots[i]
        if slot >= 0:
            at = slot_hash(slot) & mask
            while table[2 * at] != slot and table[2 * at] != EMPTY:
                at = (at + 1) & mask
            if table[2 * at] == slot:
                counters[REPEATED] += 1
                table[2 * at + 1] = max(table[2 * at + 1], i)


@jit
def _commit(count, weights, new_weights, table, recorded):
    for k in range(count):
        at = recorded[k]
        if weights is not None:
            weights[table[2 * at]] = new_weights[table[2 * at + 1]]
        table[2 * at] = EMPTY
        table[2 * at + 1] = EMPTY


@cpu_kernel
def commit_duplicates(count, pool, weights, new_weights, table, recorded):
    """Set the weight of each of `count` recorded slots to that of its last arc, and clear the table."""
    _commit(count, weights, new_weights, table, recorded)


@cpu_kernel
def locate(count, view, moved, src, dst, slots):
    """Look up the slots of inserted or existing arcs again if the table of their source has `moved`."""
    for i in range(count):
        if src[i] < 0 or not moved[src[i]]:
            continue
        if slots[i] >= 0:
            slots[i] = find(view, src[i], dst[i])
        elif slots[i] <= -2:
            slots[i] = -2 - find(view, src[i], dst[i])


@cpu_kernel
def erase(count, pool, error_counts, src, dst, chosen, slots):
    """Turn arcs into tombstones: all, or those with ``chosen[i] >= 0``.

    ``slots[i]``, if given, becomes the slot of a deleted arc, once for equal ones; otherwise -1.
    """
    erase_arcs(count, pool, pool.counters, src[:0], src, dst, chosen, slots)


@cpu_kernel
def compact(count, pool, weights, ids, rows, offsets):
    """Remove the tombstones from `count` chains, those of the `rows` vertices `ids`; return superfluous slabs."""
    neighbors, records, stride, width = pool.neighbors, pool.records, pool.stride, pool.width
    row = 0
    for item in range(count):
        while offsets[row + 1] <= item:
            row += 1
        if item == offsets[row]:
            records[ids[row], TOMBSTONES] = 0
        source = target = np.int64(records[ids[row], BASE]) + item - offsets[row]
        filled = 0
        while source >= 0:
            for slot in range(source * stride, source * stride + width - 1):
                key = neighbors[slot]
                if key < 0:
                    continue
                if filled == width - 1:
                    target = np.int64(neighbors[target * stride + width - 1])
                    filled = 0
                neighbors[target * stride + filled] = key
                if weights is not None:
                    weights[target * stride + filled] = weights[slot]
                filled += 1
            source = np.int64(neighbors[source * stride + width - 1])
        neighbors[target * stride + filled : target * stride + width - 1] = EMPTY
        spare = np.int64(neighbors[target * stride + width - 1])
        neighbors[target * stride + width - 1] = EMPTY
        while spare >= 0:
            following = np.int64(neighbors[spare * stride + width - 1])
            clear_slab(pool, spare)
            give_slab(pool, spare)
            spare = following


@cpu_kernel
def release(count, pool, records, rows, offsets):
    """Return the slabs of `count` chains, those of the tables in `records`."""
    row = 0
    for item in range(count):
        slab, row = chain_of(records, offsets, row, item)
        while slab >= 0:
            following = np.int64(pool.neighbors[slab * pool.stride + pool.width - 1])
            clear_slab(pool, slab)
            give_slab(pool, slab)
            slab = following
