"""The CPU kernel of edge_support."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import parallel_kernel


def make_edge_support(iterator: ModuleType) -> Any:
    """The triangles of every edge, counted at the middle one of their vertices.

    The slots of y's neighbors that are x, or neighbors of x, are listed first, without a branch: it would often be
    mispredicted. Both views are of static copies: each vertex has its neighbors in one run without gaps.
    """
    segment = iterator.segment

    @parallel_kernel(few=None)
    def edge_support(begin, end, num_vertices, longest, is_sorted, up, down, tickets, support):
        grain = 64
        for _worker in range(begin, end):
            place = np.full(num_vertices, -1, np.int32)  # in x's list
            own = np.zeros(longest + 1, np.int32)  # of the edges x -> w: an atomic less for every triangle
            found = np.empty(longest + 1, np.int64)
            while True:
                first = atomic_add(tickets, 0, grain)
                if first >= num_vertices:
                    break
                for x in range(first, min(first + grain, num_vertices)):
                    _run, low, high = segment(up, x, 0)
                    _run, low_pair, high_pair = segment(down, x, 0)
                    if low == high or low_pair == high_pair:
                        continue
                    for slot in range(low, high):
                        place[up.neighbors[slot]] = slot - low
                    place[x] = longest
                    last = max(x, up.neighbors[high - 1]) if is_sorted else num_vertices
                    for pair in range(low_pair, high_pair):
                        _run, low_y, high_y = segment(up, down.neighbors[pair], 0)
                        size = 0
                        for slot in range(low_y, high_y):
                            w = up.neighbors[slot]
                            if w > last:
                                break
                            found[size] = slot
                            size += np.int64(place[w] >= 0)
                        if size > 1:
                            for i in range(size):
                                slot = found[i]
                                at = place[up.neighbors[slot]]
                                own[at] += 1
                                atomic_add(support, slot, size - 1 if at == longest else 1)
                    for slot in range(low, high):
                        place[up.neighbors[slot]] = -1
                        if own[slot - low]:
                            atomic_add(support, slot, own[slot - low])
                            own[slot - low] = 0
                    place[x] = -1

    return edge_support
