"""CPU kernels of the time of edges."""

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel

SIGN = np.int64(-(2**63))
"""Times with this bit flipped are in order as numbers without a sign, of which 0 is the least."""


@cpu_kernel
def store_times(count, src, dst, slots, step, tagged, drops, times, held, earliest, ids, src_of, dst_of, logged):
    """Store the times of rows by the ids of their edges, and the ends of these. Rows with negative ids are
    skipped.

    With ``drops``, ids become -1 if their edge was in the graph with a time that counts more. An edge was present if
    its row's slot, one in every ``step``, is not negative, or, if they are ``tagged``, below -1. ``held``,
    ``src_of`` and ``dst_of`` are by id. ``logged`` becomes all times. Nothing is stored in arrays that are empty.
    """
    for i in range(count):
        if logged.size:
            logged[i] = times[i]
        if ids[i] < 0:
            continue
        if drops:
            slot, old = slots[i * step], held[ids[i]]
            known = slot < -1 if tagged else slot >= 0
            if known and ((old <= times[i]) if earliest else (old > times[i])):
                ids[i] = -1
                continue
        held[ids[i]] = times[i]
        if src_of.size:
            src_of[ids[i]] = src[i]
            dst_of[ids[i]] = dst[i]


@cpu_kernel
def time_bounds(count, times, counters, published):
    """The bounds of some times, as counters that start at 0: the complement of the least, with its SIGN flipped, the
    greatest, with its SIGN flipped, and whether any descend."""
    low = high = times[0]
    for i in range(1, count):
        low = min(low, times[i])
        high = max(high, times[i])
        if times[i] < times[i - 1]:
            counters[2] = 1
    counters[0] = ~(low ^ SIGN)
    counters[1] = high ^ SIGN


@cpu_kernel
def find_split(count, times, begin, size, before, token, published):
    """Given times that ascend from ``begin`` on, ``published[0]`` becomes the first position of a time not less than
    `before`, or ``size``, and ``published[1]`` that time. Then ``published[2]`` becomes the token."""
    low, high = begin, size
    while low < high:
        middle = (low + high) // 2
        if times[middle] < before:
            low = middle + 1
        else:
            high = middle
    published[0] = low
    if low < size:
        published[1] = times[low]
    published[2] = token


@cpu_kernel
def remember(count, ids, src, dst, src_of, dst_of):
    """Store the ends of the edges of rows by their ids. Negative ids are skipped."""
    for i in range(count):
        if ids[i] >= 0:
            src_of[ids[i]] = src[i]
            dst_of[ids[i]] = dst[i]


@cpu_kernel
def keep_expired(count, ids, src_of, dst_of, times, before, both, src, dst):
    """The arcs of entries whose edges are in the graph with times less than ``before``, and -1 for all other entries.

    ``src_of``, ``dst_of`` and ``times`` are by id. With ``both``, the arc of the other direction follows.
    """
    for i in range(count):
        u = v = -1
        if ids[i] >= 0 and src_of[ids[i]] >= 0 and times[ids[i]] < before:
            u, v = src_of[ids[i]], dst_of[ids[i]]
        if both:
            src[2 * i] = dst[2 * i + 1] = u
            dst[2 * i] = src[2 * i + 1] = v
        else:
            src[i] = u
            dst[i] = v


@cpu_kernel
def number_runs(count, last, runs, order, places):
    """For each of some sorted numbers, by the position that it had before, the run of equal numbers that contains it.
    `last` has the position of the last one in each."""
    run = 0
    for i in range(count):
        places[order[i]] = run
        run += i == last[run]


TINY, FEW = 12, 64
"""Entries that are sorted by insertion as they are, and as packed numbers."""
WIDEST_DIGIT = 11  # bits: more counters than that leave the fastest cache


@parallel_kernel(few=1024, grain=512)
def order_rows(begin, end, offsets, slots, stored, column, times, ids, edges):
    """Look up the numbers `stored` in the slots of arcs, which are the ids of their edges, and the times of these. Then
    sort the entries of each row: the latest first, ties by smaller id.

    Work items are entries, which balances the threads: a row is sorted by the thread that has its first entry.
    """
    low, row = 0, offsets.size
    while low < row:  # the first row that starts here
        middle = (low + row) // 2
        if offsets[middle] < begin:
            low = middle + 1
        else:
            row = middle
    starts = np.empty(1 << WIDEST_DIGIT, np.int64)
    packed, other, room = np.empty(0, np.int64), np.empty(0, np.int64), 0
    other_ids, other_edges = np.empty(0, ids.dtype), np.empty(0, edges.dtype)
    while row + 1 < offsets.size and offsets[row] < end:
        low, high = offsets[row], offsets[row + 1]
        row += 1
        size = high - low
        for i in range(low, high):
            edges[i] = stored[slots[i]]
        for i in range(low, high):
            times[i] = column[edges[i]]
        if size <= TINY:
            insert_each(times, ids, edges, low, high)
            continue
        if size > room:
            room = max(size, 2 * room)
            packed, other = np.empty(room, np.int64), np.empty(room, np.int64)
            other_ids, other_edges = np.empty(room, ids.dtype), np.empty(room, edges.dtype)
        newest = oldest = times[low]
        for i in range(low + 1, high):
            newest, oldest = max(newest, times[i]), min(oldest, times[i])
        for i in range(low, high):
            times[i] = newest - times[i]  # a number without a sign
        bits = bit_length(newest - oldest)
        sort_entries(times, ids, edges, low, size, bits, packed, other, other_ids, other_edges, starts)
        first = low
        while first < high:
            age, last, ordered, largest = times[first], first + 1, True, ids[first]
            while last < high and times[last] == age:
                ordered = ordered and ids[last] > ids[last - 1]
                largest = max(largest, ids[last])
                last += 1
            if not ordered:
                for i in range(first, last):
                    times[i] = ids[i]
                bits, size = bit_length(np.int64(largest)), last - first
                sort_entries(times, ids, edges, first, size, bits, packed, other, other_ids, other_edges, starts)
            for i in range(first, last):
                times[i] = newest - age
            first = last


@jit
def insert_each(times, ids, edges, low, high):
    """Sort entries by insertion."""
    for i in range(low + 1, high):
        time, v, edge = times[i], ids[i], edges[i]
        at = i
        while at > low and (times[at - 1] < time or (times[at - 1] == time and ids[at - 1] > v)):
            times[at], ids[at], edges[at] = times[at - 1], ids[at - 1], edges[at - 1]
            at -= 1
        times[at], ids[at], edges[at] = time, v, edge


@jit
def bit_length(number):
    """Bits of a number without a sign."""
    bits = 0
    while bits < 64 and number >> bits != 0:
        bits += 1
    return bits


@jit
def sort_entries(keys, ids, edges, low, size, bits, packed, other, other_ids, other_edges, starts):
    """Sort entries by keys of `bits` bits, without a sign. Entries of equal keys retain their order.

    Keys are packed with positions into one number, and plain numbers are sorted. Keys that do not fit are sorted by
    their lower part first.
    """
    place_bits = bit_length(size - 1)
    done = 0
    while done < bits:
        width = min(bits - done, 63 - place_bits)
        for i in range(size):
            packed[i] = (keys[low + i] >> done & (1 << width) - 1) << place_bits | i
        sort_packed(packed, other, size, place_bits, width, starts)
        for i in range(size):
            other[i], other_ids[i], other_edges[i] = keys[low + i], ids[low + i], edges[low + i]
        for i in range(size):
            at = packed[i] & (1 << place_bits) - 1
            keys[low + i], ids[low + i], edges[low + i] = other[at], other_ids[at], other_edges[at]
        done += width


@jit
def sort_packed(packed, other, size, low_bit, bits, starts):
    """Sort numbers by `bits` bits from `low_bit` on, which are their highest. Numbers of equal bits retain their order.

    A radix sort, whose digits are the narrower the fewer numbers there are, as their counters are walked, too.
    """
    if size <= FEW:
        for i in range(1, size):
            number, at = packed[i], i
            while at > 0 and packed[at - 1] > number:
                packed[at] = packed[at - 1]
                at -= 1
            packed[at] = number
        return
    widest = min(max(bit_length(size) - 1, 4), WIDEST_DIGIT)
    passes = (bits + widest - 1) // widest
    passes += passes % 2  # so they end in the first buffer
    width = (bits + passes - 1) // passes
    mask = (1 << width) - 1
    for p in range(passes):
        old, new = (packed, other) if p % 2 == 0 else (other, packed)
        shift = low_bit + p * width
        for digit in range(mask + 1):
            starts[digit] = 0
        for i in range(size):
            starts[old[i] >> shift & mask] += 1
        total = 0
        for digit in range(mask + 1):
            total, starts[digit] = total + starts[digit], total
        for i in range(size):
            digit = old[i] >> shift & mask
            place = starts[digit]
            starts[digit] = place + 1
            new[place] = old[i]
