"""The CPU kernel of match_keys."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop


def make_match(iterator: ModuleType) -> Any:
    """match_keys: the slots of sorted keys, from one walk of each source's neighbors."""
    each_neighbor = neighbor_loop(iterator).each

    @parallel_kernel
    def match(begin, end, view, keys, shift, slots):
        i = begin
        while 0 < i < end and keys[i - 1] >> shift == keys[i] >> shift:  # the piece before has this source
            i += 1
        while i < end:
            u = keys[i] >> shift
            behind = i
            while behind < keys.size and keys[behind] >> shift == u:
                slots[behind] = -1
                behind += 1
            for v, slot in each_neighbor(view, u):
                wanted = u << shift | np.int64(v)
                first = i
                last = behind
                while first + 1 < last:
                    middle = (first + last) >> 1
                    if keys[middle] <= wanted:
                        first = middle
                    else:
                        last = middle
                if keys[first] == wanted:
                    slots[first] = slot
            i = behind

    return match
