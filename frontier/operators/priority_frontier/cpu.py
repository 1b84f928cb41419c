"""CPU kernels of PriorityFrontier."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add, atomic_min
from frontier.runtime import parallel_kernel

from ..dispatch.output import BUFFER

FEW = 4096
STATES = 2
"""Where states begin in `deferred`; the CUDA kernels know it, too."""


def make_lowest() -> Any:
    """The lowest priority of members, combined into `low`; those that are dropped do not count."""

    @parallel_kernel(few=FEW)
    def lowest(begin, end, base, deferred, priority, drop, settled, low):
        found = low[0]
        for i in range(begin, end):
            value = priority[deferred[base + i]]
            if value < found and not (drop and value <= settled):
                found = value
        atomic_min(low, 0, found)

    return lowest


def make_split() -> Any:
    """Members up to a limit are put out, others listed in `deferred` from `spare` on. counters: the number of each."""

    @parallel_kernel(few=FEW)
    def split(begin, end, base, deferred, priority, drop, settled, limit, spare, out, counters):
        near = np.empty(BUFFER, out.dtype)
        far = np.empty(BUFFER, out.dtype)
        num_near = 0
        num_far = 0
        for i in range(begin, end):
            v = deferred[base + i]
            value = priority[v]
            if drop and value <= settled:
                deferred[STATES + v] = 0
            elif value > limit:
                far[num_far] = v
                num_far += 1
            else:
                deferred[STATES + v] = 0
                near[num_near] = v
                num_near += 1
            if num_near == BUFFER or (num_near and i + 1 == end):
                start = atomic_add(counters, 0, num_near)
                for k in range(num_near):
                    out[start + k] = near[k]
                num_near = 0
            if num_far == BUFFER or (num_far and i + 1 == end):
                start = atomic_add(counters, 1, num_far)
                for k in range(num_far):
                    deferred[spare + start + k] = far[k]
                num_far = 0

    return split
