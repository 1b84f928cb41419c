"""The pool of pages: its layout, its growth, and the queue of free pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime.memory import growable
from structures.blocks import ListStore

MAX_PAGES = 2**31 - 1  # page numbers are 32-bit
GROWTH_SHARE = 4  # arrays grow by one in so many of the elements that they have, at least
QUEUE_FLOOR = 1 << 10  # pages; a shorter queue is not worth growing by less


class PagePool(ListStore):
    """Lists in pages of one size; the base of `FaimStore`.

    Free pages are those from `_used` on, which were never used, and the `_queued` ones whose numbers are in the queue,
    each once. An insertion only allocates pages and a deletion only frees some, so the queue is a stack: the page that
    was freed last is allocated first. Page p is ``neighbors[p * page_entries :][:page_entries]``; `weights` has the
    same shape. ``links`` (int32) has the next page of each page in its list; `queue` is int32.
    """

    page_size: int

    @property
    def page_bits(self) -> int:
        """The logarithm of `page_entries`."""
        return (self.page_size // self.vertex_dtype.itemsize).bit_length() - 1

    @property
    def page_entries(self) -> int:
        """The neighbors in a page."""
        return 1 << self.page_bits

    def _new_pool(self, pages: int) -> None:
        """Replace the pool by one of so many free pages."""
        self._check_pages(pages)
        size = pages << self.page_bits
        pool = growable.empty(self.device, size, self.vertex_dtype)
        weights = None if self.stored_dtype is None else growable.empty(self.device, size, self.stored_dtype)
        links = growable.empty(self.device, pages, np.int32)
        queue = self.device.xp.empty(0, np.int32)
        self.neighbors, self.weights, self.links, self.queue = pool, weights, links, queue
        self._used = self._queued = 0
        self._view = None

    @staticmethod
    def _check_pages(pages: int) -> None:
        if pages > MAX_PAGES:
            raise MemoryError(f"{pages} pages are more than 32-bit page numbers can address")

    def _reserve(self, plan: Any, blocks: int, *, inserting: bool) -> None:
        if inserting:
            self._make_room(blocks)
            return
        needed = self._queued + blocks
        if needed > self.queue.size:
            ample = growable.ample_size(self.device, self.queue, needed, GROWTH_SHARE)
            self.queue = growable.grow(self.device, self.queue, max(ample, QUEUE_FLOOR))

    def _make_room(self, pages: int) -> None:
        """Ensure so many free pages. After a MemoryError the pool is unchanged."""
        capacity = int(self.links.size)
        needed = self._used + max(pages - self._queued, 0)
        if needed <= capacity:
            return
        self._check_pages(needed)
        bits = self.page_bits
        size = growable.ample_size(self.device, self.neighbors, needed << bits, GROWTH_SHARE)
        ample = min(size >> bits, MAX_PAGES)
        try:
            self._grow_pool(ample)
        except MemoryError:
            if ample == needed:
                raise
            self._grow_pool(needed)

    def _grow_pool(self, pages: int) -> None:
        size = pages << self.page_bits
        pool = growable.grow(self.device, self.neighbors, size)
        weights = None if self.weights is None else growable.grow(self.device, self.weights, size)
        links = growable.grow(self.device, self.links, pages)
        self.neighbors, self.weights, self.links = pool, weights, links
        self._view = None

    def _account(self, blocks: int, *, inserting: bool) -> None:
        if not inserting:
            self._queued += blocks
            return
        from_queue = min(blocks, self._queued)
        self._queued -= from_queue
        self._used += blocks - from_queue
