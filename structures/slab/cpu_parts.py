"""CPU kernels for a large batch of the slab graph in parts, each of which has all arcs of its sources.

So one thread changes each table, in the order of the batch, and the tables of a part stay in a core's cache. The parts,
and the slabs that each may allocate, depend on the batch alone: the graph is the same for any number of threads.
"""

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel

from .cpu_slabs import (
    ALLOCATED,
    CHANGED,
    DEFERRED,
    EMPTY,
    FOUND,
    FREED,
    GOLDEN,
    HALF,
    LOW,
    PENDING,
    RECORDED,
    REPEATED,
    Pool,
    slot_hash,
)
from .cpu_tables import erase_arcs, insert_arcs

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
    """`insert` for parts; part p takes slabs by the tickets ``tickets[p] .. tickets[p + 1] - 1``.

    The counters of part p are ``tallies[p]``. If there is a table, of two entries for each arc, RECORDED becomes the
    number of slots whose arcs were found in place, and REPEATED the number of those that the batch has created.
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
    """Give existing arcs their new weights, those of the last of equal ones."""
    for p in range(begin, end):
        for k in range(starts[p], starts[p + 1]):
            i = order[k]
            if slots[i] <= -2:
                weights[-2 - slots[i]] = new_weights[i]


@cpu_kernel
def sum_up(count, pool, tickets, tallies):
    """Add the counters of parts to those of the pool, and return the slabs that they did not use."""
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
    """`erase` for parts; the counters of part p are ``tallies[p]``."""
    for p in range(begin, end):
        positions = order[starts[p] : starts[p + 1]]
        erase_arcs(positions.size, pool, tallies[p], positions, src, dst, None, slots)
