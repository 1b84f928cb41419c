"""CPU side of the slab graph: the view, the neighbor iterator, and the kernels of arcs, parts of batches and tables."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel, prefetch

from .cpu_slabs import (
    ALLOCATED,
    BASE,
    BUCKETS,
    CHANGED,
    DEFERRED,
    DEGREE,
    EMPTY,
    FOUND,
    FREED,
    GOLDEN,
    HALF,
    LEAD,
    LOW,
    OVERFULL,
    PENDING,
    RECORDED,
    REPEATED,
    TOMBSTONES,
    Pool,
    bucket_of,
    chain_of,
    clear_slab,
    erase_arcs,
    give_slab,
    insert_arcs,
    prefetch_arcs,
    probe,
    record_duplicate,
    slot_hash,
    take_slab,
)

SORTED = False
ALL = np.zeros(0, np.int32)  # arcs, instead of a list of them: another type would make kernels compile again


class View(NamedTuple):
    """`records` have columns BASE (first base slab, or -1), BUCKETS, DEGREE, TOMBSTONES. Slabs have `stride` slots."""

    records: Any
    neighbors: Any
    weights: Any
    stride: Any
    width: Any


@jit(forceinline=True)
def degree(view, v):
    return np.int64(view.records[v, DEGREE])


@jit(forceinline=True)
def prefetch_row(view, v):
    prefetch(view.records, (v, BASE))


@jit(forceinline=True)
def prefetch_list(view, v):
    """Prefetch the first keys of v's first slab, and its link, which may be on another cache line."""
    base = np.int64(view.records[v, BASE])
    if base >= 0:
        prefetch(view.neighbors, base * view.stride)
        prefetch(view.neighbors, base * view.stride + view.width - 1)


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


@cpu_kernel
def insert(count, pool, weights, error_counts, which, src, dst, new_weights, chain_limit, slots, table, table_size,
           recorded, finish):  # fmt: skip
    """Insert arcs (those listed in `which`, or all if it is empty).

    ``slots[i]`` becomes the slot that arc i created, ``-2 - slot`` if the arc exists, or -1 if it is ignored. Existing
    arcs are recorded in the table, if it has capacity. PENDING means that the arc's chain has `chain_limit` full slabs,
    or the pool is exhausted. With `finish`, also `resolve_duplicates`, which is meant for few arcs.
    """
    insert_arcs(count, pool, weights, which, src, dst, new_weights, chain_limit, slots, table, table_size, recorded)
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
    """Resolve arcs that created a slot against arcs that found it. With `finish`, also `commit_duplicates`.

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
    """Set the weight of each of `count` recorded slots to the weight of its last arc, and clear the table."""
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
    """Turn arcs into tombstones: all, or arcs with ``chosen[i] >= 0``.

    ``slots[i]``, if given, becomes the slot of a deleted arc, once for equal ones, otherwise -1.
    """
    erase_arcs(count, pool, pool.counters, src[:0], src, dst, chosen, slots)


@cpu_kernel
def compact(count, pool, weights, ids, rows, offsets):
    """Remove the tombstones from `count` chains of the `rows` vertices `ids`, and return superfluous slabs."""
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
    """Return the slabs of `count` chains of the tables in `records`."""
    row = 0
    for item in range(count):
        slab, row = chain_of(records, offsets, row, item)
        while slab >= 0:
            following = np.int64(pool.neighbors[slab * pool.stride + pool.width - 1])
            clear_slab(pool, slab)
            give_slab(pool, slab)
            slab = following


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
    """Link each of `count` base slabs from `first` on to the overflow slabs that it needs. Sets `fill` to zero."""
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


NEIGHBORHOOD = np.uint64(4)  # bits of an id: as many vertices, whose slabs may share a page, are in one part


@jit(forceinline=True)
def _part_of(u, parts):
    return np.int64((((np.uint64(u) >> NEIGHBORHOOD) * GOLDEN & LOW) * np.uint64(parts)) >> HALF) if u >= 0 else 0


@cpu_kernel
def partition(count, src, starts, order):
    """Divide a batch: ``order[starts[p] : starts[p + 1]]`` are the positions of part p, ascending."""
    parts = starts.size - 1
    ends = np.zeros(parts, np.int64)
    for i in range(count):
        ends[_part_of(src[i], parts)] += 1
    starts[0] = 0
    for p in range(parts):
        starts[p + 1] = starts[p] + ends[p]
        ends[p] = starts[p]
    for i in range(count):
        p = _part_of(src[i], parts)
        order[ends[p]] = i
        ends[p] += 1


@jit(_nrt=True)
def _share(pool, counters, low, high):
    """The pool with these counters, restricted to the slabs of the tickets ``low .. high - 1``."""
    first = min(low, pool.free_count)
    recycled = min(high, pool.free_count) - first
    used = min(pool.used + low - first, pool.capacity)
    return Pool(
        pool.records, pool.neighbors, pool.ring, counters, pool.published, (pool.free_head + first) % pool.ring_size,
        recycled, pool.ring_size, used, min(used + high - low - recycled, pool.capacity), pool.stride, pool.width,
    )  # fmt: skip


@parallel_kernel(few=1, grain=1)
def insert_parts(begin, end, pool, weights, starts, order, tickets, tallies, table, src, dst, new_weights, chain_limit,
                 slots):  # fmt: skip
    """`insert` for parts. Part p allocates slabs by the tickets ``tickets[p] .. tickets[p + 1] - 1``.

    The counters of part p are ``tallies[p]``. With a table, of two entries for each arc, RECORDED becomes the number of
    slots whose arcs existed already, and REPEATED the number of slots that the batch has created.
    """
    for p in range(begin, end):
        positions = order[starts[p] : starts[p + 1]]
        share = _share(pool, tallies[p], tickets[p], tickets[p + 1])
        insert_arcs(positions.size, share, weights, positions, src, dst, new_weights, chain_limit, slots, None, 0, None)
        if table is not None:  # noqa: SIM102  (Numba prunes the branch)
            if tallies[p, FOUND]:
                _count_slots(positions, slots, table[2 * starts[p] : 2 * starts[p + 1]], tallies[p])


@jit
def _count_slots(positions, slots, table, counters):
    """Count RECORDED and REPEATED. An entry of the hash table is the first arc that found its slot."""
    table[:] = EMPTY
    for i in positions:
        if slots[i] <= -2 and slots[i] != PENDING:
            at = _entry_of(-2 - slots[i], slots, table)
            if table[at] == EMPTY:
                table[at] = i
                counters[RECORDED] += 1
    for i in positions:
        if slots[i] >= 0 and table[_entry_of(slots[i], slots, table)] != EMPTY:
            counters[REPEATED] += 1


@jit
def _entry_of(slot, slots, table):
    """The entry of the arc that found this slot, or the empty one for it."""
    at = (slot_hash(slot) * table.size) >> 32
    while table[at] != EMPTY and slots[table[at]] != -2 - slot:
        at = at + 1 if at + 1 < table.size else 0
    return at


@parallel_kernel(few=1, grain=1)
def replace_parts(begin, end, starts, order, weights, new_weights, slots):
    """Give existing arcs their new weights, of equal arcs the last one's."""
    for p in range(begin, end):
        for k in range(starts[p], starts[p + 1]):
            i = order[k]
            if slots[i] <= -2:
                weights[-2 - slots[i]] = new_weights[i]


@cpu_kernel
def sum_up(count, pool, tickets, tallies):
    """Add the counters of parts to the counters of the pool, and return the slabs that they did not use."""
    counters = pool.counters
    available = pool.free_count + pool.capacity - pool.used
    for p in range(count):
        for number in (CHANGED, FOUND, DEFERRED, RECORDED, REPEATED):
            counters[number] += tallies[p, number]
        for ticket in range(tickets[p] + tallies[p, ALLOCATED], min(tickets[p + 1], available)):
            slab = pool.used + ticket - pool.free_count
            if ticket < pool.free_count:
                slab = np.int64(pool.ring[(pool.free_head + ticket) % pool.ring_size])
            at = pool.free_head + pool.free_count + counters[FREED]
            pool.ring[at % pool.ring_size] = slab
            counters[FREED] += 1
    counters[ALLOCATED] = min(tickets[count], available)


@parallel_kernel(few=1, grain=1)
def erase_parts(begin, end, pool, starts, order, tallies, src, dst, slots):
    """`erase` for parts. The counters of part p are ``tallies[p]``."""
    for p in range(begin, end):
        positions = order[starts[p] : starts[p + 1]]
        erase_arcs(positions.size, pool, tallies[p], positions, src, dst, None, slots)
