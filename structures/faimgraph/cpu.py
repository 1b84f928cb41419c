"""CPU side of faimGraph: the neighbor iterator and the kernels."""

import numpy as np

from frontier.runtime import jit
from structures.blocks.cpu import (
    count_changes,
    keep_changes,
    make_append,
    make_find_short,
    make_remove,
    replace_weights,
)

from .cpu_pages import DEGREE_SHIFT, HEAD_MASK, View, grow_serially, levels_of, page_at, pages_of, plan, shrink_serially

__all__ = [
    "View", "count_changes", "grow_serially", "keep_changes", "plan", "replace_weights", "shrink_serially",
]  # fmt: skip

SORTED = False


@jit(forceinline=True)
def degree(view, v):
    return view.records[v] >> DEGREE_SHIFT


@jit(forceinline=True)
def segments(view, v):
    return 1


@jit(forceinline=True)
def _run_of(view, page, left):
    """The run at the start of a piece of `left` neighbors. Its number combines the page and the neighbors after it."""
    here = min(left, np.int64(1) << view.page_bits)
    return (page << 32) | (left - here), page << view.page_bits, (page << view.page_bits) + here


@jit
def _first_page(view, v):
    record = view.records[v]
    pages = pages_of(record >> DEGREE_SHIFT, view.page_bits)
    return page_at(view, record & HEAD_MASK, levels_of(pages, view.page_bits), 0, 0)


@jit(forceinline=True)
def segment(view, v, i):
    return _run_of(view, _first_page(view, v), view.records[v] >> DEGREE_SHIFT)


@jit(forceinline=True)
def next_run(view, run):
    left = run & 0xFFFFFFFF
    if left == 0:
        return np.int64(-1), np.int64(0), np.int64(0)
    return _run_of(view, np.int64(view.links[run >> 32]), left)


@jit
def find(view, u, v):
    run, low, high = segment(view, u, 0)
    while run >= 0:
        for slot in range(low, high):
            if view.neighbors[slot] == v:
                return slot
        run, low, high = next_run(view, run)
    return -1


@jit
def slot_of(view, v, place):
    record = view.records[v]
    pages = pages_of(record >> DEGREE_SHIFT, view.page_bits)
    page = page_at(view, record & HEAD_MASK, levels_of(pages, view.page_bits), 0, place >> view.page_bits)
    return (page << view.page_bits) + (place & ((np.int64(1) << view.page_bits) - 1))


find_short = make_find_short(degree, find)
append_lists = make_append(degree, slot_of)
remove_lists = make_remove(degree, slot_of)
