"""Check the arrays of a faimGraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.invariants import count_at, enumerate_rows, require, require_integer, require_size, within

from .cpu import CHAIN_PAGES, DEGREE_SHIFT, HEAD_MASK, MAX_PAGES


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`. `FaimStore` lists the invariants."""
    xp, n, records = store.xp, store.num_vertices, store.records
    _check_numbers(store)
    bits, used = store.page_bits, store._used
    require(records.size >= n, f"records are fewer than the {n} vertices")
    degree = records >> DEGREE_SHIFT
    require((records >= 0).all(), "a degree is negative")
    require(((degree > 0) | (records == 0)).all(), "a vertex without neighbors has a page")
    require((records[n:] == 0).all(), "a record behind the last vertex has neighbors")
    owners = xp.flatnonzero(degree)
    degree = degree[owners]
    pages = (degree + (1 << bits) - 1) >> bits
    require(int(pages.sum()) <= used, "lists have more pages than are in use")
    page, first, taken = _pages_of(store, records[owners] & HEAD_MASK, pages)
    require((taken <= 1).all(), "two lists have the same page")
    free = store.queue[: store._queued].astype(np.int64)
    require(within(free, used).all(), "queue names a page that was never in use")
    require((taken + count_at(xp, free, used) <= 1).all(), "a page is free twice, or free and in use")
    _, rows, places = enumerate_rows(store.device, degree)
    slots = (page[first[rows] + (places >> bits)] << bits) + (places & ((1 << bits) - 1))
    return owners[rows], store.neighbors[slots], slots


def _check_numbers(store: Any) -> None:
    require_integer(store.page_size, "page_size", 0, 1 << 20)
    require(store.page_size in store._page_sizes, f"page_size is {store.page_size}, none that there is")
    pages = int(store.links.size)
    require(pages <= MAX_PAGES, "links are more than page numbers")
    require_size(store.neighbors, pages << store.page_bits, "neighbors")
    require_size(store.weights, int(store.neighbors.size), "weights")
    require_integer(store._used, "_used", 0, pages)
    require_integer(store._queued, "_queued", 0, min(store._used, int(store.queue.size)))


def _pages_of(store: Any, head: Any, pages: Any) -> tuple[Any, Any, Any]:
    """The pages of lists, one list after another, the first index of each, and the uses of each page, of any kind."""
    xp, used, links = store.xp, store._used, store.links
    require(within(head, used).all(), "a list begins outside the pages in use")
    first, rows, places = enumerate_rows(store.device, pages)
    found = xp.empty(rows.size, np.int64)
    found[first[:-1]] = head
    taken = xp.zeros(used, np.int64)
    # Short lists, by their links.
    short = pages <= CHAIN_PAGES
    for place in range(1, CHAIN_PAGES):
        lists = xp.flatnonzero(short & (pages > place))
        following = links[found[first[lists] + place - 1]].astype(np.int64)
        require(within(following, used).all(), "a link leads out of the pages in use")
        found[first[lists] + place] = following
    taken = _follow_directories(store, head, pages, first, found)
    taken += count_at(xp, found, used)
    inner = xp.flatnonzero(places < pages[rows] - 1)
    require((links[found[inner]] == found[inner + 1]).all(), "the links of a list are not those of its pages")
    return found, first, taken


def _follow_directories(store: Any, head: Any, pages: Any, first: Any, found: Any) -> Any:
    """Put the pages of long lists into `found`, and return how often each page serves as an index page."""
    xp, bits, used = store.xp, store.page_bits, store._used
    taken = xp.zeros(used, np.int64)
    levels = xp.zeros(pages.size, np.int64)
    height = 0
    while (more := (pages > CHAIN_PAGES) & (pages > 1 << bits * height)).any():
        levels += more
        height += 1
    above = above_first = xp.zeros(0, np.int64)  # the pages of the level above, and the start of each list's
    for level in range(height, -1, -1):
        lists = xp.flatnonzero((levels >= level) & (levels > 0))
        size = (pages[lists] + (1 << bits * level) - 1) >> bits * level
        begin, rows, places = enumerate_rows(store.device, size)
        here = head[lists[rows]]
        inside = xp.flatnonzero(levels[lists[rows]] > level)
        if inside.size:
            parent = above[above_first[lists[rows[inside]]] + (places[inside] >> bits)]
            here[inside] = store.neighbors[(parent << bits) + (places[inside] & ((1 << bits) - 1))]
        require(within(here, used).all(), "a directory names a page that was never in use")
        if level:
            taken += count_at(xp, here, used)
            above, above_first = here, xp.zeros(pages.size, np.int64)
            above_first[lists] = begin[:-1]
        else:
            found[first[lists[rows]] + places] = here
    return taken
