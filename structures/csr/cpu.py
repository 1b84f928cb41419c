"""CPU side of CSR: the view, the neighbor iterator and the kernels."""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel, prefetch
from frontier.runtime.elements import AHEAD
from structures.lists import find_between, next_run, segments  # noqa: F401

SORTED = True


class View(NamedTuple):
    """The neighbors of v are in slots ``offsets[v] .. offsets[v + 1] - 1``."""

    offsets: Any
    neighbors: Any
    weights: Any
    num_vertices: Any


@jit(forceinline=True)
def degree(view, v):
    return view.offsets[v + 1] - view.offsets[v]


@jit(forceinline=True)
def prefetch_row(view, v):
    prefetch(view.offsets, v)


@jit(forceinline=True)
def segment(view, v, i):
    return 0, view.offsets[v], view.offsets[v + 1]


@jit
def find(view, u, v):
    return find_between(view.neighbors, view.offsets[u], view.offsets[u + 1], v)


@parallel_kernel
def find_arcs(begin, end, view, src, dst, slots):
    for i in range(begin, end):
        if i + 2 * AHEAD < end:
            prefetch(view.offsets, max(src[i + 2 * AHEAD], 0))
        if i + AHEAD < end:
            u = max(src[i + AHEAD], 0)
            prefetch(view.neighbors, (view.offsets[u] + view.offsets[u + 1]) >> 1)  # where `find` looks first
        slots[i] = find(view, src[i], dst[i]) if src[i] >= 0 else -1


@cpu_kernel
def merge_rows(count, offsets, neighbors, weights, batch_keys, batch_weights, shift, inserting, new_offsets,
               new_neighbors, new_weights, tally):  # fmt: skip
    """Merge sorted distinct arcs into all rows, or remove them, in new arrays. `tally` counts absent and present."""
    mask = (np.int64(1) << shift) - 1
    taken = 0
    out = 0
    new_offsets[0] = 0
    for v in range(count):
        i = offsets[v]
        end = offsets[v + 1]
        while True:
            pending = taken < batch_keys.size and (batch_keys[taken] >> shift) == v
            if not pending and i == end:
                break
            dst = batch_keys[taken] & mask if pending else 0
            if pending and (i == end or dst <= neighbors[i]):
                present = i < end and dst == neighbors[i]
                tally[1 if present else 0] += 1
                if inserting:
                    new_neighbors[out] = dst
                    if batch_weights is not None:
                        new_weights[out] = batch_weights[taken]
                    out += 1
                taken += 1
                if present:
                    i += 1
                continue
            new_neighbors[out] = neighbors[i]
            if weights is not None:
                new_weights[out] = weights[i]
            out += 1
            i += 1
        new_offsets[v + 1] = out
