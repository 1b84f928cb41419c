"""CPU kernels of the time of edges."""

import numpy as np

from ..runtime import cpu_kernel

SIGN = np.int64(-(2**63))
"""Times with this bit flipped are in order as numbers without a sign, of which 0 is the least."""


@cpu_kernel
def store_times(count, src, dst, slots, step, tagged, drops, times, held, earliest, ids, src_of, dst_of, logged):
    """Store the times of records by the ids of their edges, and the ends of these; those with negative ids are skipped.

    With ``drops``, ids become -1 if their edge was in the graph with a time that counts more. An edge was there if its
    record's slot, one in every ``step``, is not negative; or, if they are ``tagged``, below -1. ``held``, ``src_of``
    and ``dst_of`` are by id; ``logged`` becomes all times. Nothing is stored in arrays that are empty.
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
    """The bounds of some times, as counters that begin at 0: of the least, with its SIGN flipped, the complement; the
    greatest, with its SIGN flipped; whether any descend."""
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
    """Of times that ascend from ``begin`` on, ``published[0]`` becomes the first place with one not less than `before`,
    or ``size``, and ``published[1]`` that time; then ``published[2]`` the token."""
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
    """Store the ends of the edges of records by their ids; those with negative ids are skipped."""
    for i in range(count):
        if ids[i] >= 0:
            src_of[ids[i]] = src[i]
            dst_of[ids[i]] = dst[i]


@cpu_kernel
def keep_expired(count, ids, src_of, dst_of, times, before, both, src, dst):
    """The arcs of entries whose edges are in the graph with times less than ``before``; -1 for the others.

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
