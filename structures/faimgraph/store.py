"""The host side of faimGraph."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.files import VERTEX, WEIGHT
from frontier.operators.extract import sorted_arcs
from frontier.runtime import fill_with
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import growable
from structures.changes import Changes
from structures.small_batches import INSERT

from .check import check_arrays
from .cpu import DEGREE_SHIFT, PAGES, View
from .pool import GROWTH_SHARE, PagePool

PAGE_SIZES = 32, 64, 128, 256, 512, 1024


class FaimStore(PagePool):
    """Linked pages of neighbors from a shared pool; see `structures.faimgraph.FaimGraph`.

    Attributes
    ----------
    records : array of int64, shape (capacity,)
        For each vertex ``degree << 32 | page``: its first page, or the root of its directory; 0 without neighbors, and
        behind the last vertex. Degrees are below 2**31. The links and the directory of a list lead to the same pages,
        which belong, like the pages of the directory, to this list only.
    neighbors, weights, links, queue
        See `PagePool`.
    """

    name = "faimgraph"
    package = "structures.faimgraph"
    walk_cost: ClassVar = {"cpu": 1.1, "gpu": 1.2}
    view_type = View
    arrays: ClassVar = {
        "records": np.int64, "neighbors": VERTEX, "weights": WEIGHT, "links": np.int32, "queue": np.int32,
    }  # fmt: skip
    _deletions_may_wait = True
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
            ``pages``: pages in use; ``index_pages``: pages among them with numbers of pages; ``free_pages``: pages in
            the queue; ``unused_pages``: pages that were never used; ``page_utilisation``: share of the entries of
            neighbors' pages that is used; ``longest_list``: pages of the longest list.
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

    # ---- updates ----------------------------------------------------------------------------------------------------

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        changes = self._changes_of_all(offsets, dst, weights)
        self._counters.reset()
        first_page = self._plan(changes, inserting=True)
        pages = self._counters.read()[PAGES]
        self._new_pool(pages)
        self._insert_changes(first_page, changes, self.num_vertices, int(dst.size), pages)

    def _plan(self, changes: Changes, *, inserting: bool) -> Any:
        """See `ListStore`; the plan is the int64 number of each group's first page among those taken or freed."""
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

    # ---- keeping memory small ---------------------------------------------------------------------------------------

    def compact(self) -> None:
        """Write all lists in ascending order into a pool that fits them; deletions leave their pages in the queue."""
        twin = self.empty_like()
        twin.build(*sorted_arcs(self))
        self._adopt(twin)
