"""The host side of faimGraph."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.sort import SortedKeys
from frontier.core.store import Store
from frontier.operators.extract import sorted_arcs
from frontier.operators.match import match_kernels
from frontier.runtime import Counters, fill_with
from frontier.runtime.compile.kernels import Header
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import growable
from structures.blocks import append_changes, changes_of_all, changes_of_keys, find_arcs, find_changes, remove_changes
from structures.changes import CHANGES, GROUPS, OTHERS, Changes
from structures.changes.cpu import CHAIN
from structures.small_batches import DELETE, FIND, INSERT, LaunchSequence

from .check import check_arrays
from .cpu import DEGREE_SHIFT, PAGES, View
from .pool import GROWTH_SHARE, PagePool

PAGE_SIZES = 32, 64, 128, 256, 512, 1024


class FaimStore(LaunchSequence, PagePool, Store):
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
    finds_fast = False  # lists are in no order
    view_type = View
    arrays: ClassVar = {
        "records": np.int64, "neighbors": VERTEX, "weights": WEIGHT, "links": np.int32, "queue": np.int32,
    }  # fmt: skip
    _first_outcome = CHAIN
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
        self._counters = Counters(self.device, CHAIN + 3)
        self._room, self._end = Struct(("pages",)), Struct(("address",))  # arguments of chains: see `_prepare_chain`
        self._supply = Struct(("queued",)), Struct(("used",))

    def update_kernels(self) -> list[Header]:
        return [*super().update_kernels(), *match_kernels(self)]

    @property
    def defines(self) -> dict[str, Any]:
        return super().defines | {"PAGE_BITS": self.page_bits}

    # ---- the graph --------------------------------------------------------------------------------------------------

    check = check_arrays

    def view_scalars(self) -> dict[str, int]:
        return {"page_bits": self.page_bits}

    def find(self, src: Any, dst: Any) -> Any:
        return find_arcs(self, src, dst)

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
        entry = self.vertex_dtype.itemsize + (0 if self.stored_dtype is None else self.stored_dtype.itemsize)
        page = entry * self.page_entries + self.links.itemsize
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
        changes = changes_of_all(self, offsets, dst, weights)
        self._counters.reset()
        first_page = self._plan(changes, inserting=True)
        pages = self._counters.read()[PAGES]
        self._new_pool(pages)
        self._lengthen(changes, self.num_vertices, int(dst.size), first_page, pages)

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        self._counters.reset()
        changes = find_changes(self, arcs, self._counters, inserting=True)
        first_page = self._plan(changes, inserting=True)
        numbers = self._counters.read()
        arcs.check(waited=True)
        inserted, others = numbers[CHANGES], numbers[OTHERS]
        self._make_room(numbers[PAGES])
        if others and changes.replace is not None:
            changes.replace()
        if inserted:
            self._lengthen(changes, numbers[GROUPS], inserted, first_page, numbers[PAGES])
        return inserted, others

    def erase(self, arcs: Arcs) -> int:
        self._counters.reset()
        changes = find_changes(self, arcs, self._counters, inserting=False)
        first_page = self._plan(changes, inserting=False)
        numbers = self._counters.read()
        arcs.check(waited=True)
        deleted, groups, pages = numbers[CHANGES], numbers[GROUPS], numbers[PAGES]
        if deleted:
            self._make_queue_room(pages)
            remove_changes(self, changes, groups, deleted)
            self._shorten(changes, groups, deleted, first_page, pages)
        return deleted

    def _plan(self, changes: Changes, *, inserting: bool) -> Any:
        """Queue the count of the pages that lists take or free (PAGES in the counters).

        Returns the int64 number of each group's first page among them.
        """
        first_page = self.scratch.get("first_page", changes.bound, np.int64)
        self.kernels.plan(
            changes.bound, self.view(), changes.vertex, changes.start, inserting, first_page,
            self._counters.array,
        )  # fmt: skip
        return first_page

    def _lengthen(self, changes: Changes, groups: int, count: int, first_page: Any, pages: int) -> None:
        """Append `count` changes to their lists, after allocating pages for them. Allocates no memory."""
        supply = (self.queue, self._queued, self._used)
        if not self.device.is_gpu:
            view = self.make_view()
            self.kernels.grow_serially(groups, view, changes.vertex, changes.start, *supply)
        else:
            self._take_pages(changes, groups, count if pages else 0, first_page, supply)
        self._took(pages)
        append_changes(self, changes, groups, count)

    def _take_pages(self, changes: Changes, groups: int, count: int, first_page: Any, supply: tuple[Any, ...]) -> None:
        """Allocate pages of the supply to lists on a GPU; `count` is 0 if they need none."""
        counters = None if changes.vertex is None else self._counters.array
        lists = (self.make_view(), changes.vertex, changes.start)
        self.kernels.grow(count, *lists, changes.group, first_page, *supply, counters)
        self.kernels.commit(groups, *lists, True, first_page, *supply, counters)

    def _shorten(self, changes: Changes, groups: int, count: int, first_page: Any, pages: int) -> None:
        """Free the pages that lists no longer need, after `count` changes were removed from their ends."""
        if not self.device.is_gpu:
            view = self.make_view()
            self.kernels.shrink_serially(groups, view, changes.vertex, changes.start, self.queue, self._queued)
        else:
            self._give_pages(changes, groups, count if pages else 0, first_page, self.queue[self._queued :])
        self._queued += pages

    def _give_pages(self, changes: Changes, groups: int, count: int, first_page: Any, queue: Any) -> None:
        """Put pages of lists into the queue, from its position `queue` on; `count` is 0 if they lose none."""
        lists, counters = (self.make_view(), changes.vertex, changes.start), self._counters.array
        self.kernels.shrink(count, *lists, changes.group, first_page, queue, counters)
        self.kernels.commit(groups, *lists, False, first_page, None, 0, 0, counters)

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

    def _queue_chain(
        self, kind: str, keys: SortedKeys | None, weights: Any, src: Any = None, dst: Any = None
    ) -> tuple[Any, ...]:
        assert keys is not None
        inserting, counters = kind == INSERT, self._counters
        changes = changes_of_keys(self, keys, weights, counters, inserting=inserting)
        bound = changes.bound
        if kind != FIND:
            first_page = self._plan(changes, inserting=inserting)
            self.kernels.decide(1, PAGES, self._room, counters.array, threads=32, blocks=1)
        if inserting:
            if changes.replace is not None:
                changes.replace()
            self._take_pages(changes, bound, bound, first_page, (self.queue, *self._supply))
            append_changes(self, changes, bound, bound)
        elif kind == DELETE:
            remove_changes(self, changes, bound, bound)
            self._give_pages(changes, bound, bound, first_page, self._end)
        return changes.looked_up, not inserting

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        if kind == INSERT:
            self._took(numbers[PAGES])
        else:
            self._queued += numbers[PAGES]
        return numbers[CHANGES], numbers[OTHERS]

    # ---- keeping memory small ---------------------------------------------------------------------------------------

    def compact(self) -> None:
        """Write all lists in ascending order into a pool that fits them; deletions leave their pages in the queue."""
        offsets, dst, weights = sorted_arcs(self)
        before = {name: getattr(self, name) for name in (*self.arrays, "_used", "_queued")}
        try:
            self.records = self.xp.zeros(self.num_vertices, np.int64)
            self._view = None
            self.build(offsets, dst, weights)
        except MemoryError:
            for name, value in before.items():
                setattr(self, name, value)
            self._view = None
            raise
