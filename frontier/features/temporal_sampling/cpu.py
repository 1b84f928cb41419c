"""CPU kernels of sample_temporal_neighbors.

They read rows that are sorted by time (`RowsByTime`). The neighbors of a vertex before some time are the last of its
row: `sizes[i]` of them from `firsts[i]` on, for each vertex i of the list. The sample of vertex i goes to the positions
from ``starts[i]`` to ``starts[i + 1]``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frontier.functor import cpu_functor
from frontier.functor.intrinsics.random import random, random_pair, scaled
from frontier.runtime import jit, parallel_kernel
from frontier.runtime.compile.cpu import is_compiling

LINKED_FROM = 64
"""Draws from a row: so many or more are looked up in a hash table (sample_temporal_neighbors.cuh has the same)."""
MIXER = 0x9E3779B1  # 2**32 divided by the golden ratio
MAX_BUCKETS = 2**30  # so the product with 32 bits fits
LEAST_WAIT = 2.0**-54  # replaces 0, which is drawn once in 2**53 times
LEAST_KEY = -37.5  # below the logarithm of that
STRIDE = 16  # neighbors, all of which are measured by the age of the first
ROUNDING = 4e-16  # relative, of a sum


def make_locate() -> Any:
    """The position of the neighbors before each vertex's limit, and the size of each sample: ``found[i + 1]``.

    With ``inclusive``, neighbors at the limit, too.
    """

    @parallel_kernel(few=512, grain=128)
    def locate(begin, end, offsets, times, rows, limits, closed, inclusive, most, firsts, sizes, found):
        # closed: there are no limits.
        for i in range(begin, end):
            low, high = offsets[rows[i]], offsets[rows[i] + 1]
            if not closed:
                limit, last = limits[i], high
                while low < last:
                    middle = (low + last) // 2
                    if times[middle] < limit or (inclusive and times[middle] == limit):
                        last = middle
                    else:
                        low = middle + 1
            firsts[i] = low
            sizes[i] = high - low
            found[i + 1] = min(high - low, most)

    return locate


def make_take_latest() -> Any:
    """The first neighbors of each."""

    @parallel_kernel(few=512, grain=64)
    def take_latest(begin, end, row_times, row_ids, row_edges, firsts, sizes, starts, ids, times, edges):
        for i in range(begin, end):
            first, base = firsts[i], starts[i]
            for at in range(starts[i + 1] - base):
                times[base + at] = row_times[first + at]
                ids[base + at] = row_ids[first + at]
                edges[base + at] = row_edges[first + at]

    return take_latest


def make_draw_uniformly() -> Any:
    """The start of a random permutation of the neighbors of each. If all are sampled, they stay in order.

    Step t of Fisher and Yates swaps the entry at position t with the entry at a random position from t on. The
    permutation is not made: `edges` first contain these positions. The entry that step t draws was put there by the
    last earlier step that drew the same position. That step moved it from its own position, and so on back. That step
    is found by a walk over `edges`, or if they are many, over the steps in a bucket of a hash table, the last step
    first, in ``heads`` and ``links``.
    """
    compiled = is_compiling()
    pair, scale = (cpu_functor(each) if compiled else each for each in (random_pair, scaled))

    @jit(forceinline=True)
    def bucket_of(place, count):
        mixed = (place & 0x7FFFFFFF) * MIXER & 0xFFFFFFFF
        return mixed * min(count, MAX_BUCKETS) >> 32

    @parallel_kernel(few=256, grain=64)
    def draw_uniformly(
        begin, end, row_times, row_ids, row_edges, firsts, sizes, starts, seed, heads, links, ids, times, edges
    ):
        for i in range(begin, end):
            first, size, base = firsts[i], sizes[i], starts[i]
            count = starts[i + 1] - base
            if size == count:
                for at in range(base, base + count):
                    place = first + at - base
                    times[at], ids[at], edges[at] = row_times[place], row_ids[place], row_edges[place]
                continue
            linked = count >= LINKED_FROM
            if linked:
                for at in range(base, base + count):
                    heads[at] = -1
            even, odd = pair(seed, i, 0)
            for t in range(count):
                if t > 1 and t % 2 == 0:
                    even, odd = pair(seed, i, t // 2)
                drawn = t + scale(odd if t % 2 else even, size - t)
                edges[base + t] = drawn
                place = drawn
                if not linked:
                    for step in range(t - 1, -1, -1):
                        if edges[base + step] == place:
                            place = step
                else:
                    before, step = t, heads[base + bucket_of(place, count)]
                    while step >= 0:
                        if step < before and edges[base + step] == place:
                            place = before = step
                            step = heads[base + bucket_of(place, count)]
                        else:
                            step = links[base + step]
                    bucket = base + bucket_of(drawn, count)
                    links[base + t], heads[bucket] = heads[bucket], t
                times[base + t] = first + place
            for at in range(base, base + count):
                place = times[at]
                times[at], ids[at], edges[at] = row_times[place], row_ids[place], row_edges[place]

    return draw_uniformly


def make_draw_fading() -> Any:
    """The neighbors of each with the lowest keys, ``log(-log(1 - drawn)) + rate * age``. A drawn number belongs to the
    entry of `row_numbers`, which are distinct in a row.

    Keys grow with age: the walk stops at a neighbor so old that its key would be too high for any drawn number. And as
    -log(1 - x) is above x, most rejected neighbors are known by the drawn number, without a logarithm.

    The present sample is a heap, the one with the highest key (of equal ones, the larger id) at the root. In the end it
    is sorted. Meanwhile `edges` are positions in the row, and ``keys`` and `times` are the same memory.
    """
    draw = cpu_functor(random) if is_compiling() else random

    @jit(forceinline=True)
    def is_before(keys, ids, a, b):
        return keys[a] < keys[b] or (keys[a] == keys[b] and ids[a] < ids[b])

    @jit(forceinline=True)
    def swap(keys, ids, edges, a, b):
        keys[a], keys[b] = keys[b], keys[a]
        ids[a], ids[b] = ids[b], ids[a]
        edges[a], edges[b] = edges[b], edges[a]

    @jit(forceinline=True)
    def sift_down(keys, ids, edges, base, size):
        at = 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and is_before(keys, ids, base + child, base + child + 1):
                child += 1
            if not is_before(keys, ids, base + at, base + child):
                break
            swap(keys, ids, edges, base + at, base + child)
            at = child

    @parallel_kernel(few=64, grain=16)
    def draw_fading(
        begin, end, row_times, row_ids, row_edges, firsts, sizes, starts, row_numbers, seed, rate, keys, ids, times,
        edges,
    ):  # fmt: skip
        for i in range(begin, end):
            first, base = firsts[i], starts[i]
            count, held = starts[i + 1] - base, 0
            if count == 0:
                continue
            newest = row_times[first]  # ages are measured against it: only their differences count
            least = 1.0  # upper bound of useful drawn numbers
            for place in range(first, first + sizes[i]):
                if held == count and (place - first) % STRIDE == 0:
                    worst = keys[base]
                    fade = rate * np.float64(np.uint64(newest - row_times[place]))
                    if LEAST_KEY + fade > worst:
                        break
                    least = math.exp(min(worst - fade + abs(worst) * ROUNDING + 1e-9, 0.0))
                v = row_ids[place]
                drawn = draw(seed, i, row_numbers[place])
                if drawn >= least:
                    continue
                fade = rate * np.float64(np.uint64(newest - row_times[place]))
                key = math.log(max(-math.log(1 - drawn), LEAST_WAIT)) + fade
                if held < count:
                    at = held
                    held += 1
                    keys[base + at], ids[base + at], edges[base + at] = key, v, place
                    while at > 0 and is_before(keys, ids, base + (at - 1) // 2, base + at):
                        swap(keys, ids, edges, base + (at - 1) // 2, base + at)
                        at = (at - 1) // 2
                elif key < keys[base] or (key == keys[base] and v < ids[base]):
                    keys[base], ids[base], edges[base] = key, v, place
                    sift_down(keys, ids, edges, base, held)
            for size in range(held - 1, 0, -1):
                swap(keys, ids, edges, base, base + size)
                sift_down(keys, ids, edges, base, size)
            for at in range(base, base + held):
                place = edges[at]
                times[at], edges[at] = row_times[place], row_edges[place]

    return draw_fading


CPU_KERNELS = {
    "locate": make_locate, "take_latest": make_take_latest, "draw_uniformly": make_draw_uniformly,
    "draw_fading": make_draw_fading,
}  # fmt: skip
