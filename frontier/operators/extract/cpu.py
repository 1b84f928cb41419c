"""The CPU kernel of extract."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from frontier.runtime import parallel_kernel

from ..dispatch.neighbor_loop import neighbor_loop
from ..dispatch.signatures import arc_test
from ..dispatch.weights import edge_at, weight_at


def make_extract(iterator: ModuleType, op: Any) -> Any:
    """Arcs that leave the vertices of a list and for which a functor is true: counted, or written."""
    each_neighbor = neighbor_loop(iterator).each
    chosen = arc_test(op)

    @parallel_kernel
    def extract(begin, end, counting, view, weights, vertices, offsets, out_dst, out_slots, relabel, args):
        # Counting: offsets[i + 1] becomes the number of arcs of vertices[i]. Else the arcs go to the positions from
        # offsets[i] on, with slots and new names only if their arrays are not empty.
        with_slots = out_slots.size > 0
        renamed = relabel.size > 0
        for i in range(begin, end):
            u = vertices[i]
            held = 0
            for v, slot in each_neighbor(view, u):
                weight = weight_at(weights, slot)
                joins = chosen(u, v, edge_at(weights, slot), weight, args)
                if counting:
                    held += 1 if joins else 0  # without a branch, which would often be mispredicted
                elif joins:
                    out_dst[offsets[i] + held] = relabel[v] if renamed else v
                    if with_slots:
                        out_slots[offsets[i] + held] = slot
                    held += 1
            if counting:
                offsets[i + 1] = held

    return extract
