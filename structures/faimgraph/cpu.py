"""CPU side of faimGraph: lists of pages, the neighbor iterator and the kernels. pages.cuh and lists.cuh have the same.

A page is ``2**page_bits`` slots of the pool. The pages of a vertex's neighbors are linked. A list of more than
CHAIN_PAGES pages also has a directory of index pages from the same pool, so any of its pages is a few reads away. Level
1 has the numbers of the neighbors' pages in order, level 2 the numbers of the pages of level 1, and so on up to a root.
The degree determines their number.

``records[v]`` is ``degree << DEGREE_SHIFT | head``: the root of v's directory, or its first page if it has none.
"""

from typing import Any, NamedTuple

import numpy as np

from frontier.runtime import cpu_kernel, jit
from structures.blocks.cpu import BLOCKS as PAGES
from structures.blocks.cpu import (  # noqa: F401
    count_changes,
    keep_changes,
    make_append,
    make_find_short,
    make_remove,
    replace_weights,
)
from structures.lists import segments  # noqa: F401

CHAIN_PAGES = 4  # a list of so many pages has no directory (pages.cuh has the same number)
# A record is ``degree << DEGREE_SHIFT | head`` (pages.cuh: `degree_of`, `List`).
DEGREE_SHIFT = 32
HEAD_MASK = 0xFFFFFFFF
MAX_PAGES = 2**31 - 1  # page numbers are 32-bit


class View(NamedTuple):
    """Records by vertex, neighbors and weights by slot. ``links[p]`` is the page that follows page p of a list."""

    records: Any
    neighbors: Any
    weights: Any
    links: Any
    page_bits: Any


SORTED = False


@jit(forceinline=True)
def degree(view, v):
    return view.records[v] >> DEGREE_SHIFT


@jit(forceinline=True)
def pages_of(degree, page_bits):
    return (degree + (np.int64(1) << page_bits) - 1) >> page_bits


@jit
def levels_of(pages, page_bits):
    levels = 0
    if pages > CHAIN_PAGES:
        while pages > np.int64(1) << page_bits * levels:
            levels += 1
    return levels


@jit
def size_of(pages, page_bits, level):
    """The number of pages of a level. Level 0 has the neighbors."""
    if level > levels_of(pages, page_bits):
        return np.int64(0)
    return (pages + (np.int64(1) << page_bits * level) - 1) >> page_bits * level


@jit
def total_of(degree, page_bits):
    """The number of pages of all levels."""
    pages = pages_of(degree, page_bits)
    total = pages
    for level in range(1, levels_of(pages, page_bits) + 1):
        total += size_of(pages, page_bits, level)
    return total


@jit
def page_at(view, head, levels, level, place):
    """Page number `place` of a level."""
    page = np.int64(head)
    if levels == 0:
        for _ in range(place):
            page = np.int64(view.links[page])
        return page
    mask = (np.int64(1) << view.page_bits) - 1
    for below in range(levels - 1, level - 1, -1):
        entry = (place >> view.page_bits * (below - level)) & mask
        page = np.int64(view.neighbors[(page << view.page_bits) + entry])
    return page


@jit
def _page_of(view, v, place):
    """The page of neighbors number `place` of v's list."""
    levels = levels_of(pages_of(degree(view, v), view.page_bits), view.page_bits)
    return page_at(view, view.records[v] & HEAD_MASK, levels, 0, place)


@jit(forceinline=True)
def _take(queue, queued, used, rank):
    """The page of an allocation's rank: the last of the queue first, then unused pages."""
    return np.int64(queue[queued - 1 - rank]) if rank < queued else np.int64(used + rank - queued)


@jit
def _index(view, head, place, page, queue, queued, used, taken):
    """Insert a list's page number `place` into its directory. Return the new head and the number of allocated pages."""
    bits = view.page_bits
    neighbors = view.neighbors
    if place == 0:
        return page, taken
    levels = levels_of(place + 1, bits)
    for level in range(levels_of(place, bits) + 1, levels + 1):  # levels that there were not
        index = _take(queue, queued, used, taken)
        taken += 1
        below = head
        neighbors[index << bits] = below
        if level == 1:
            for entry in range(1, place):
                below = np.int64(view.links[below])
                neighbors[(index << bits) + entry] = below
        head = index
    for level in range(1, levels + 1):
        entry = place & ((np.int64(1) << bits) - 1)
        place = place >> bits
        if entry > 0:
            neighbors[(page_at(view, head, levels, level, place) << bits) + entry] = page
            break
        index = _take(queue, queued, used, taken)
        taken += 1
        neighbors[index << bits] = page
        page = index
    return head, taken


@cpu_kernel
def plan(count, view, group_vertex, group_start, inserting, first_page, counters):
    """Number the pages that each list allocates or frees, and sum them up. Changes nothing of the graph."""
    for g in range(count):
        first_page[g] = counters[PAGES]
        old = degree(view, group_vertex[g])
        changes = group_start[g + 1] - group_start[g]
        if inserting:
            counters[PAGES] += total_of(old + changes, view.page_bits) - total_of(old, view.page_bits)
        else:
            counters[PAGES] += total_of(old, view.page_bits) - total_of(old - changes, view.page_bits)


@cpu_kernel
def grow_serially(count, view, group_vertex, group_start, queue, queued, used):
    """Allocate the pages that lists need for their changes, and write their records."""
    taken = 0
    for g in range(count):
        changes = group_start[g + 1] - group_start[g]
        if changes == 0:
            continue
        v = group_vertex[g]
        old = degree(view, v)
        head = view.records[v] & HEAD_MASK
        first = pages_of(old, view.page_bits)
        last = _page_of(view, v, first - 1) if first > 0 else np.int64(0)
        for place in range(first, pages_of(old + changes, view.page_bits)):
            page = _take(queue, queued, used, taken)
            taken += 1
            if place > 0:
                view.links[last] = page
            last = page
            head, taken = _index(view, head, place, page, queue, queued, used, taken)
        view.records[v] = ((old + changes) << DEGREE_SHIFT) | head


@cpu_kernel
def shrink_serially(count, view, group_vertex, group_start, queue, queued):
    """Put the pages that lists lose into the queue, and write their records."""
    bits = view.page_bits
    for g in range(count):
        changes = group_start[g + 1] - group_start[g]
        if changes == 0:
            continue
        v = group_vertex[g]
        old = degree(view, v)
        head = view.records[v] & HEAD_MASK
        before = pages_of(old, bits)
        after = pages_of(old - changes, bits)
        levels = levels_of(before, bits)
        for level in range(levels + 1):
            for place in range(size_of(after, bits, level), size_of(before, bits, level)):
                queue[queued] = page_at(view, head, levels, level, place)
                queued += 1
        if after == 0:
            view.records[v] = 0
        else:
            if levels_of(after, bits) < levels:
                head = page_at(view, head, levels, levels_of(after, bits), 0)
            view.records[v] = ((old - changes) << DEGREE_SHIFT) | head


@jit(forceinline=True)
def _run_of(view, page, left):
    """The run at the start of a piece of `left` neighbors. Its number combines the page and the neighbors after it."""
    here = min(left, np.int64(1) << view.page_bits)
    return (page << 32) | (left - here), page << view.page_bits, (page << view.page_bits) + here


@jit(forceinline=True)
def segment(view, v, i):
    return _run_of(view, _page_of(view, v, 0), degree(view, v))


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
    page = _page_of(view, v, place >> view.page_bits)
    return (page << view.page_bits) + (place & ((np.int64(1) << view.page_bits) - 1))


find_short = make_find_short(degree, find)
append_lists = make_append(degree, slot_of)
remove_lists = make_remove(degree, slot_of)
