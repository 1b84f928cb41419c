"""CPU kernel of sample_temporal_neighbors."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from ...functor import cpu_functor
from ...philox import random
from ...runtime import jit, parallel_kernel
from ...runtime.cpu import is_compiling
from ..weights import edge_at


def make_sample(iterator: ModuleType, latest: bool, fades: bool) -> Any:
    """Those neighbors of each vertex of a list, over edges before its limit, whose keys are lowest.

    Those held so far are a heap from ``starts[i]`` on, the one with the highest key (of equal ones, the larger id) at
    the root; in the end it is sorted. ``closed``: whether the limit itself counts as before it.
    """
    segments, segment, next_run = iterator.segments, iterator.segment, iterator.next_run
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
    def sample(begin, end, view, stored, vertices, limits, closed, starts, times, seed, rate, keys, ids, edges, found):
        for i in range(begin, end):
            u, limit, base = vertices[i], limits[i], starts[i]
            room, held = starts[i + 1] - base, 0
            newest = limit
            if fades:  # ages are measured against the newest edge: only their differences count
                newest = np.int64(-(2**63))
                for s in range(segments(view, u)):
                    run, low, high = segment(view, u, s)
                    while run >= 0:
                        for slot in range(low, high):
                            if view.neighbors[slot] >= 0:
                                time = times[edge_at(stored, slot)]
                                if time < limit or (closed and time == limit):
                                    newest = max(newest, time)
                        run, low, high = next_run(view, run)
            for s in range(segments(view, u)):
                run, low, high = segment(view, u, s)
                while run >= 0:
                    for slot in range(low, high):
                        v = view.neighbors[slot]
                        if v < 0:
                            continue
                        edge = edge_at(stored, slot)
                        time = times[edge]
                        if not (time < limit or (closed and time == limit)):
                            continue
                        if latest:
                            key = ~time
                        else:
                            key = draw(seed, i, v)
                            if fades:
                                gone = -math.log(1 - key)
                                key = math.log(gone) if gone > 0 else -math.inf
                                key += rate * np.float64(np.uint64(newest) - np.uint64(time))
                        if held < room:
                            at = held
                            held += 1
                            keys[base + at], ids[base + at], edges[base + at] = key, v, edge
                            while at > 0 and is_before(keys, ids, base + (at - 1) // 2, base + at):
                                swap(keys, ids, edges, base + (at - 1) // 2, base + at)
                                at = (at - 1) // 2
                        elif key < keys[base] or (key == keys[base] and v < ids[base]):
                            keys[base], ids[base], edges[base] = key, v, edge
                            sift_down(keys, ids, edges, base, held)
                    run, low, high = next_run(view, run)
            found[i] = held
            for size in range(held - 1, 0, -1):
                swap(keys, ids, edges, base, base + size)
                sift_down(keys, ids, edges, base, size)

    return sample
