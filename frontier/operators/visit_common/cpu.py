"""The CPU kernel of visit_common."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ...runtime import parallel_kernel


def make_visit_common(iterator: ModuleType, op: Any) -> Any:
    """Common neighbors of pairs, of which one end's are listed: counted, or each handed to a functor."""
    find = iterator.find

    @parallel_kernel(few=64, grain=16)
    def visit_common(begin, end, view, known, listed, swapped, rows, offsets, neighbors, first_edge, counts, args):
        # The number of common neighbors goes to counts[i], if that is given.
        for i in range(begin, end):
            u = known[i]
            v = listed[i]
            found = 0
            for k in range(offsets[rows[i]], offsets[rows[i] + 1]):
                w = neighbors[k]
                if w == u:
                    continue
                slot = np.int64(find(view, u, w))
                if slot < 0:
                    continue
                if counts is not None:
                    found += 1
                if op is not None:
                    edge = np.int64(first_edge + k)
                    if swapped[i]:
                        op(u, v, w, slot, edge, *args)
                    else:
                        op(v, u, w, edge, slot, *args)
            if counts is not None:
                counts[i] = found

    return visit_common
