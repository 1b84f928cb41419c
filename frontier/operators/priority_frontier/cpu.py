"""CPU kernels of PriorityFrontier."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, nonnegative

from ..dispatch.neighbor_loop import neighbor_loop, prefetches
from ..dispatch.weights import edge_at, weight_at

STATES = 2
"""The offset of the states in `deferred`, which the CUDA kernels define, too."""

DIGITS, LEVELS = 256, 8
NUM_BUCKETS = DIGITS * LEVELS
HIGHEST = 2**62
"""The highest number of steps, which all higher priorities get."""
CHUNK = 32
"""Positions next to each other, for entries of one bucket. The last one is unused, so that no chunk ends where another
begins."""
SOON = 3
"""Entries between a prefetch of a vertex's arcs and its visit."""
BEGIN, END, FIELDS = 0, 1, 2
"""Fields of a bucket: the positions of its first entry, and after its last one. Both are -1 if it has no chunk."""


class Buckets(NamedTuple):
    """Lists of vertices by priority, of which each vertex is a member of one at most.

    `member_of` has the number of each vertex's bucket plus 1, or 0. A bucket has entries in chunks of `entries`, which
    `following` links. Entries of vertices that have moved to lower buckets stay until they are met. `bounds` has the
    `FIELDS` of all buckets and of a spare one. `spare` has the first of the free chunks, which are linked as well,
    their number, and the number required for a visit of a vertex with the most neighbors.
    """

    member_of: Any
    entries: Any
    following: Any
    bounds: Any
    spare: Any


def empty_buckets(num_vertices: int, dtype: np.dtype) -> Buckets:
    """Buckets without members."""
    most = NUM_BUCKETS + num_vertices // (CHUNK - 1) + 1  # enough for one entry of each member
    chunks = 2 * most + num_vertices // (CHUNK - 1)
    return Buckets(np.zeros(num_vertices, np.int16), np.empty(chunks * CHUNK + SOON, dtype), np.arange(1, chunks + 1),
                   np.full((NUM_BUCKETS + 1) * FIELDS, -1), np.array([0, chunks, most]))  # fmt: skip


def make_visit_by_priority(iterator: ModuleType, op: Any, is_float: bool) -> Any:
    """Visit the members of the lowest bucket, one after another, until all buckets are empty.

    A priority is a number of steps above the lowest one. Level 0 has a bucket for each number that differs from the
    current one in its last digit only. Level 1 has one for each digit before the last, and so on. When a bucket of a
    higher level is the lowest, its members are distributed to the levels below. So a vertex moves up to once a level,
    and most never do. These are buckets of a calendar (Brown, "Calendar Queues", CACM 1988) with the bounds of a radix
    heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster Algorithms for the Shortest Path Problem", J. ACM 1990).
    """
    each_neighbor = neighbor_loop(iterator).each
    soon = prefetches(iterator)
    prefetch_row, prefetch_arcs, prefetch_ends = soon.row, soon.arcs, soon.ends
    steps = _steps_of_float if is_float else _steps_of_integer

    @jit(forceinline=True)
    def put(buckets, v, priority, low, scale, current):
        """Append v to the bucket where it belongs, unless it is already in it."""
        number = max(steps(priority[nonnegative(v)], low, scale), current)
        differs = number ^ current
        level = 0
        while differs >= DIGITS:
            differs >>= 8
            level += 1
        bucket = level * DIGITS + ((number >> 8 * level) & (DIGITS - 1))
        if buckets.member_of[nonnegative(v)] != bucket + 1:
            _append(buckets, bucket, v)

    @jit
    def distribute(buckets, bucket, priority, low, scale, current):
        """Put the members of a bucket where they belong."""
        v = _pop(buckets, bucket)
        while v >= 0:
            put(buckets, v, priority, low, scale, current)
            v = _pop(buckets, bucket)

    @jit(forceinline=True)
    def prefetch_following(view, weights, buckets, bucket, priority):
        """Prefetch for the entries after the last one removed from a bucket."""
        begin = buckets.bounds[nonnegative(bucket * FIELDS + BEGIN)]
        prefetch_arcs(view, weights, _entry_or_any(buckets, begin + SOON))
        following = _entry_or_any(buckets, begin + 1)
        prefetch_ends(view, following, priority)
        prefetch_ends(view, following, buckets.member_of)

    @cpu_kernel
    def visit_by_priority(view, weights, vertices, buckets, priority, low, scales, many, out, state, args):
        # state: the current number of steps, arcs to visit until steps become the finest, scales[1], and members
        # returned.
        current = state[0]
        left = state[1]
        lowest = low[0]
        spare = buckets.spare
        scale = scales[0] if left > 0 else scales[1]
        for i in range(vertices.size):
            put(buckets, vertices[i], priority, lowest, scale, current)
        held = 0
        recent = np.int64(0), np.int64(0), np.int64(0)  # the last vertices put, whose rows are on their way
        bucket = _lowest_bucket(buckets.bounds, current)
        while bucket >= 0:
            level = bucket // DIGITS
            current = ((current >> 8 * level) & ~np.int64(DIGITS - 1) | bucket % DIGITS) << 8 * level
            if level > 0:
                distribute(buckets, bucket, priority, lowest, scale, current)
            elif many and _count(buckets, bucket, many) >= many:
                held = _take(buckets, bucket, out)
                break
            visits = many or HIGHEST
            while visits > 0:
                visits -= 1
                v = _pop(buckets, bucket)
                if v < 0:
                    break
                prefetch_following(view, weights, buckets, bucket, priority)
                for w, slot in each_neighbor(view, v):
                    left -= 1
                    weight = weight_at(weights, nonnegative(slot))
                    if op(nonnegative(v), w, edge_at(weights, slot), weight, *args):
                        prefetch_row(view, w)
                        prefetch_arcs(view, weights, nonnegative(recent[2]))
                        recent = np.int64(w), recent[0], recent[1]
                        put(buckets, w, priority, lowest, scale, current)
                if spare[1] < spare[2] or (left <= 0 and scale != scales[1]):
                    scale = scales[0] if left > 0 else scales[1]
                    lowest = _gather(buckets, priority, lowest)
                    low[0] = lowest
                    current = np.int64(0)
                    distribute(buckets, NUM_BUCKETS, priority, lowest, scale, current)
                    break
            bucket = _lowest_bucket(buckets.bounds, current)
        state[0] = current
        state[1] = left
        state[2] = held

    return visit_by_priority


@jit(forceinline=True)
def _append(buckets, bucket, v):
    bounds = buckets.bounds
    base = nonnegative(bucket * FIELDS)
    end = bounds[base + END]
    if (end + 1) & (CHUNK - 1) == 0:
        end = _extend(buckets.following, bounds, buckets.spare, base)
    buckets.entries[nonnegative(end)] = v
    bounds[base + END] = end + 1
    buckets.member_of[nonnegative(v)] = bucket + 1


@jit
def _extend(following, bounds, spare, base):
    """Reserve space for an entry at the end of a bucket, and return its position."""
    end = bounds[base + END]
    if end >= 0 and bounds[base + BEGIN] == end:  # no entry of the last chunk is left
        bounds[base + BEGIN] = end + 1 - CHUNK
        return end + 1 - CHUNK
    chunk = spare[0]
    spare[0] = following[chunk]
    spare[1] -= 1
    if end < 0:
        bounds[base + BEGIN] = chunk * CHUNK
    else:
        following[end // CHUNK] = chunk
    return chunk * CHUNK


@jit(forceinline=True)
def _pop(buckets, bucket):
    """Remove and return a member, -1 if there is none."""
    bounds = buckets.bounds
    base = nonnegative(bucket * FIELDS)
    begin = bounds[base + BEGIN]
    while begin != bounds[base + END]:
        v = buckets.entries[nonnegative(begin)]
        begin += 1
        if (begin + 1) & (CHUNK - 1) == 0 and begin != bounds[base + END]:
            begin = _leave_chunk(buckets.following, buckets.spare, begin)
        if buckets.member_of[nonnegative(v)] == bucket + 1:
            buckets.member_of[nonnegative(v)] = 0
            bounds[base + BEGIN] = begin
            return v
    if begin >= 0:
        _leave_chunk(buckets.following, buckets.spare, begin)
        bounds[base + BEGIN] = bounds[base + END] = -1
    return buckets.entries.dtype.type(-1)


@jit(forceinline=True)
def _entry_or_any(buckets, position):
    """The vertex at a position, or any vertex if none was ever written there."""
    last = buckets.member_of.size - 1
    return nonnegative(np.int64(min(np.uint64(buckets.entries[nonnegative(position)]), np.uint64(last))))


@jit
def _leave_chunk(following, spare, end):
    """Free the chunk of a position, and return where the next one begins."""
    chunk = end // CHUNK
    first = following[chunk] * CHUNK
    following[chunk] = spare[0]
    spare[0] = chunk
    spare[1] += 1
    return first


@jit
def _lowest_bucket(bounds, current):
    """The number of the lowest bucket with entries, -1 if there is none."""
    for level in range(LEVELS):
        digit = (current >> 8 * level) & (DIGITS - 1)
        for bucket in range(level * DIGITS + digit, (level + 1) * DIGITS):
            if bounds[nonnegative(bucket * FIELDS + END)] >= 0:
                return bucket
    return -1


@jit
def _count(buckets, bucket, most):
    """The number of entries of a bucket, up to `most`."""
    begin, end = buckets.bounds[bucket * FIELDS : (bucket + 1) * FIELDS]
    count = 0
    while begin // CHUNK != end // CHUNK:
        count += CHUNK - 1 - begin % CHUNK
        if count >= most:
            return count
        begin = buckets.following[begin // CHUNK] * CHUNK
    return count + end - begin


@jit
def _take(buckets, bucket, out):
    """Move the members of a bucket to `out`, and return their number."""
    count = 0
    v = _pop(buckets, bucket)
    while v >= 0:
        out[count] = v
        count += 1
        v = _pop(buckets, bucket)
    return count


@jit
def _gather(buckets, priority, low):
    """Move the members of all buckets to the spare one, and return the lowest of their priorities."""
    lowest = low
    first = True
    for bucket in range(NUM_BUCKETS):
        v = _pop(buckets, bucket)
        while v >= 0:
            value = priority[nonnegative(v)]
            lowest = value if first else min(lowest, value)
            first = False
            _append(buckets, NUM_BUCKETS, v)
            v = _pop(buckets, bucket)
    return lowest


@jit(forceinline=True)
def _steps_of_integer(value, low, shift):
    return (np.int64(value) >> shift) - (np.int64(low) >> shift)


@jit(forceinline=True)
def _steps_of_float(value, low, scale):
    if scale < 0:  # by the order of floats
        return (_ordered(np.float64(value)) >> 1) - (_ordered(np.float64(low)) >> 1)
    number = (np.float64(value) - np.float64(low)) * scale
    return np.int64(number) if number < HIGHEST else np.int64(HIGHEST)


@jit(forceinline=True)
def _ordered(value):
    """An integer for a float, of the same order."""
    bits = np.float64(value).view(np.int64)
    return bits if bits >= 0 else bits ^ np.int64(2**63 - 1)
