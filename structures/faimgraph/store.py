"""The host side of faimGraph."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.files import VERTEX, WEIGHT
from frontier.operators.extract import sorted_arcs
from frontier.runtime import fill_with
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import growable
from structures.blocks import ListStore
from structures.changes import Changes
from structures.small_batches import INSERT

from .check import check_arrays
from .cpu import DEGREE_SHIFT, MAX_PAGES, PAGES, View

PAGE_SIZES = 32, 64, 128, 256, 512, 1024
GROWTH_SHARE = 4  # arrays grow by one in so many of the elements that they have, at least
QUEUE_FLOOR = 1 << 10  # pages, the minimum by which the queue grows


class FaimStore(ListStore):
    """Linked pages of neighbors from a shared pool. See `structures.faimgraph.FaimGraph`.

    Free pages are the ones from `_used` on, which were never used, and the `_queued` ones whose numbers are in the
    queue, each once. An insertion only allocates pages and a deletion only frees some, so the queue is a stack: the
    page that was freed last is allocated first.

    Attributes
    ----------
    records : array of int64, shape (capacity,)
        For each vertex ``degree << 32 | page``: its first page, or the root of its directory. 0 without neighbors, and
        behind the last vertex. Degrees are below 2**31. The links and the directory of a list lead to the same pages,
        which belong, like the pages of the directory, to this list only.
    neighbors, weights : arrays
        Page p is ``neighbors[p * page_entries :][:page_entries]``, and likewise for the weights.
    links, queue : arrays of int32
        The next page of each page in its list, and numbers of free pages.
    """

    name = "faimgraph"
    package = "structures.faimgraph"
    walk_cost: ClassVar = {"cpu": 1.1, "gpu": 1.2}
    view_type = View
    arrays: ClassVar = {
        "records": np.int64, "neighbors": VERTEX, "weights": WEIGHT, "links": np.int32, "queue": np.int32,
    }  # fmt: skip
    _may_decline_deletions = True
    options = ("page_size",)
    scalars = ("page_size", "_used", "_queued")
    _page_sizes = PAGE_SIZES

    def __init__(self, num_vertices: int, *, page_size: int = 64, **base: Any):
        if page_size not in PAGE_SIZES or isinstance(page_size, bool):
            raise ValueError(f"page_size must be one of {', '.join(map(str, PAGE_SIZES))}, not {page_size!r}")
        self.page_size = int(page_size)
        super().__init__(num_vertices, **base)
        self.records = self.xp.zeros(self.num_vertices, np.int64)
        self._new_pool(0)

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._room, self._end = Struct(("pages",)), Struct(("address",))  # arguments of chains: see `_prepare_chain`
        self._supply = Struct(("queued",)), Struct(("used",))

    @property
    def page_bits(self) -> int:
        return (self.page_size // self.vertex_dtype.itemsize).bit_length() - 1

    @property
    def page_entries(self) -> int:
        return 1 << self.page_bits

    @property
    def defines(self) -> dict[str, Any]:
        return super().defines | {"PAGE_BITS": self.page_bits}

    # ---- the graph --------------------------------------------------------------------------------------------------

    check = check_arrays

    def view_scalars(self) -> dict[str, int]:
        return {"page_bits": self.page_bits}

    def degrees(self) -> Any:
        return self.records[: self.num_vertices] >> DEGREE_SHIFT

    def degrees_of(self, vertices: Any) -> Any:
        return self.records[vertices] >> DEGREE_SHIFT

    def extend(self, num_vertices: int) -> None:
        old = int(self.records.size)
        if num_vertices > old:
            size = growable.ample_size(self.device, self.records, num_vertices, GROWTH_SHARE)
            records = growable.grow(self.device, self.records, size)
            fill_with(records[old:], 0)
            self.records = records
            self._view = None

    def used_bytes(self) -> int:
        page = self._slot_bytes * self.page_entries + self.links.itemsize
        return (self._used - self._queued) * page + self._queued * self.queue.itemsize + 8 * self.num_vertices

    def details(self) -> dict[str, Any]:
        """Use of pages. O(V) work.

        Returns
        -------
        dict
            ``pages``: pages in use. ``index_pages``: pages among them with numbers of pages. ``free_pages``: pages in
            the queue. ``unused_pages``: pages that were never used. ``page_utilisation``: share of the entries of
            neighbors' pages that is used. ``longest_list``: pages of the longest list.
        """
        pages = (self.degrees() + self.page_entries - 1) >> self.page_bits
        of_neighbors, longest = (int(pages.sum()), int(pages.max())) if pages.size else (0, 0)
        in_use = self._used - self._queued
        return {
            "pages": in_use,
            "index_pages": in_use - of_neighbors,
            "free_pages": self._queued,
            "unused_pages": int(self.links.size) - self._used,
            "page_utilisation": self.num_arcs / max(of_neighbors << self.page_bits, 1),
            "longest_list": longest,
        }

    # ---- the pool of pages, and the queue of free ones --------------------------------------------------------------

    def _new_pool(self, pages: int) -> None:
        """Replace the pool by one of so many free pages."""
        self._check_pages(pages)
        size = pages << self.page_bits
        pool = growable.empty(self.device, size, self.vertex_dtype)
        weights = None if self.stored_dtype is None else growable.empty(self.device, size, self.stored_dtype)
        links = growable.empty(self.device, pages, np.int32)
        self.neighbors, self.weights, self.links, self.queue = pool, weights, links, self.device.xp.empty(0, np.int32)
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
        needed = self._used + max(pages - self._queued, 0)
        if needed <= int(self.links.size):
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
        self.neighbors, self.weights, self.links = pool, weights, growable.grow(self.device, self.links, pages)
        self._view = None

    def _account(self, blocks: int, *, inserting: bool) -> None:
        if not inserting:
            self._queued += blocks
            return
        from_queue = min(blocks, self._queued)
        self._queued -= from_queue
        self._used += blocks - from_queue

    # ---- updates ----------------------------------------------------------------------------------------------------

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        changes = self._changes_of_all(offsets, dst, weights)
        self._counters.reset()
        first_page = self._plan(changes, inserting=True)
        pages = self._counters.read()[PAGES]
        self._new_pool(pages)
        self._insert_changes(first_page, changes, self.num_vertices, int(dst.size), pages)

    def _plan(self, changes: Changes, *, inserting: bool) -> Any:
        """See `ListStore`. The plan is each group's first page (int64) among the allocated or freed ones."""
        first_page = self.scratch.get("first_page", changes.bound, np.int64)
        self.kernels.plan(
            changes.bound, self.view(), changes.vertex, changes.start, inserting, first_page,
            self._counters.array,
        )  # fmt: skip
        return first_page

    def _take_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        supply = (self.queue, *(self._supply if chain else (self._queued, self._used)))
        lists = (self.make_view(), changes.vertex, changes.start)
        if not self.device.is_gpu:
            self.kernels.grow_serially(groups, *lists, *supply)
            return
        counters = None if changes.vertex is None else self._counters.array
        self.kernels.grow(count, *lists, changes.group, plan, *supply, counters)
        self.kernels.commit(groups, *lists, True, plan, *supply, counters)

    def _free_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        lists = (self.make_view(), changes.vertex, changes.start)
        if not self.device.is_gpu:
            self.kernels.shrink_serially(groups, *lists, self.queue, self._queued)
            return
        queue, counters = self._end if chain else self.queue[self._queued :], self._counters.array
        self.kernels.shrink(count, *lists, changes.group, plan, queue, counters)
        self.kernels.commit(groups, *lists, False, plan, None, 0, 0, counters)

    # ---- small batches, on a GPU ------------------------------------------------------------------------------------

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        queue = self.queue
        self._supply[0].set(self._queued)
        self._supply[1].set(self._used)
        if kind == INSERT:
            self._room.set(self._queued + int(self.links.size) - self._used)
        else:
            self._room.set(int(queue.size) - self._queued)
            self._end.set(queue.data.ptr + queue.itemsize * self._queued)
        return True

    # ---- limiting memory --------------------------------------------------------------------------------------------

    def compact(self) -> None:
        """Write all lists in ascending order into a pool that fits them. Deletions leave their pages in the queue."""
        twin = self.empty_like()
        twin.build(*sorted_arcs(self))
        self._adopt(twin)
