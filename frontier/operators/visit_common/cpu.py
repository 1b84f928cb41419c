"""The CPU kernel of visit_common."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from frontier.runtime import parallel_kernel

from ..dispatch.weights import edge_at
from ..intersect.cpu import call_of


def make_visit_common(iterator: ModuleType, op: Any, per_pair: Any, numbered: bool = False) -> Any:
    """Common neighbors of pairs, of which one end's are listed: counted, or handed to functors (`make_intersect`)."""
    find = iterator.find
    called = call_of(op, numbered)

    @parallel_kernel(few=64, grain=16)
    def visit_common(
        begin, end, view, weights, known, listed, swapped, rows, offsets, neighbors, first_edge, counts, args
    ):  # fmt: skip
        # The number of common neighbors goes to counts[i], if that is given.
        for i in range(begin, end):
            u = known[i]
            v = listed[i]
            found = 0
            row = rows[i]
            for k in range(offsets[row] if row >= 0 else 0, offsets[row + 1] if row >= 0 else 0):
                w = neighbors[k]
                if w == u:
                    continue
                slot = np.int64(find(view, u, w))
                if slot < 0:
                    continue
                if counts is not None:
                    found += 1
                if op is not None:
                    edge_uw, edge_vw = edge_at(weights, slot), np.int64(first_edge + k)
                    first, second = u, v
                    if not swapped[i]:
                        first, second, edge_uw, edge_vw = v, u, edge_vw, edge_uw
                    if per_pair is not None:
                        found += called(i, first, second, w, edge_uw, edge_vw, args)
                    else:
                        called(i, first, second, w, edge_uw, edge_vw, args)
            if counts is not None:
                counts[i] = found
            if per_pair is not None and found != 0:
                first, second = (u, v) if swapped[i] else (v, u)
                per_pair(first, second, np.int64(found), *args)

    return visit_common
