"""The host side of faimGraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.options import BuildOptions, GraphOptions
from frontier.core.sort import SortedKeys
from frontier.operators.match import match_kernels
from frontier.runtime import Counters, Device, fill_with
from frontier.runtime.compile.kernels import Header
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import growable
from structures.blocks import append_changes, changes_of_all, changes_of_keys, find_arcs, find_changes, remove_changes
from structures.changes import CHANGES, GROUPS, OTHERS, Changes
from structures.changes.cpu import CHAIN
from structures.small_batches import DELETE, FIND, INSERT, LaunchSequence

from .base import BaseFaimGraph
from .check import check_arrays
from .cpu_pages import DEGREE_SHIFT, PAGES, View
from .pool import GROWTH_SHARE, PagePool

PAGE_SIZES = 32, 64, 128, 256, 512, 1024


class FaimBuildOptions(BuildOptions, total=False):
    """Options of `FaimGraph.from_edges`, for type checkers and editors."""

    page_size: int


class FaimGraph(LaunchSequence, PagePool, BaseFaimGraph):
    """Each vertex's neighbors in linked 64-byte pages, from a shared pool to which empty pages return.

    Lists are in no order and have no gaps: insertions append, and deletions fill their holes with the last entries, so
    that every page but a list's last one is full. A list with no neighbors has no page.

    Parameters
    ----------
    num_vertices : int
    page_size : int, default 64
        Bytes of neighbors in a page, a power of two from 32 to 1024. Larger pages are read faster and waste more: half
        a page for each list, on average.
    **options
        Those of `Graph`.

    Attributes
    ----------
    _records : array of int64, shape (capacity,)
        For each vertex ``degree << 32 | page``: its first page, or the root of its directory; 0 without neighbors, and
        behind the last vertex. A list has fewer than 2**31 of them. Its links and its directory lead to the same pages,
        and those, like the pages of its directory, belong to it alone.
    _neighbors, _weights, _links, _queue
        See `PagePool`.

    References
    ----------
    M. Winter, D. Mlakar, R. Zayer, H.-P. Seidel, M. Steinberger: faimGraph: High Performance Management of
    Fully-Dynamic Graphs under Tight Memory Constraints on the GPU. SC 2018.

    Notes
    -----
    A batch of B arcs costs its sort and one walk over the list of each of its sources. To append or delete an arc takes
    no more than to find its page, O(log d) reads in a list of d neighbors: with pages of 16 entries one read in lists
    of up to 16 pages, two in those of up to 256, and so on. What differs from the paper:

    * *Hubs.* The paper has a thread or a warp for each list, which follows the links to reach any of its pages. Here
      the work of an update is balanced over the arcs of the batch, and that of a traversal over pages. So that no
      links have to be followed, a list of more than four pages has a directory as well, a tree of index pages from the
      same pool. The authors' code falls from 760 to 17 million arcs a second when the graph has hubs.
    * *Batches are grouped.* The paper looks each arc up by itself, and locks its source's list. Here a batch is
      sorted, the list of each source is walked once for all of its arcs, and nothing is locked. A batch can have any
      size.
    * *Queues without atomics.* The paper's threads take pages one at a time from a ring. Here the pages that a batch
      takes or gives back are numbered by prefix sums over its sources, and number k is the k-th from the end of the
      queue. A batch does only one of both, so that no ring is needed.
    * *The vertex queue* is the set of absent ids that every graph keeps: deleted ids are reallocated, smallest
      first. There is nothing else to queue, as a vertex's pages return with its last arc, and its record is a place in
      an array.
    * *Ids.* The paper tells ids of the host from those of the device, so that records can be reused. Here the absent
      id and its record are reused together, and results need no translation.
    * *Records* are 8 bytes; the paper's hold locks, capacities and identifiers, too.
    * *Memory.* The paper allocates the whole memory of the GPU at the start, which leaves none for analytics. Here the
      pool grows in place, by a quarter at least.
    * *Pages are whole.* The link to the next page lies in an array of its own, not in the page: so a page holds a
      power of two of neighbors, and is aligned. Weights have a pool of their own, with the same slots.
    """

    name = "faimgraph"
    package = "structures.faimgraph"
    walk_cost: ClassVar = {"cpu": 1.1, "gpu": 1.2}
    finds_fast = False  # lists are in no order
    _view_type = View
    _arrays: ClassVar = {
        "records": np.int64, "neighbors": VERTEX, "weights": WEIGHT, "links": np.int32, "queue": np.int32,
    }  # fmt: skip
    _first_outcome = CHAIN
    _options = ("page_size",)
    _scalars = ("page_size", "_used", "_queued")
    _page_sizes = PAGE_SIZES

    if TYPE_CHECKING:

        @classmethod
        def from_edges(  # type: ignore[override]
            cls, src: Any, dst: Any, weights: Any = None, num_vertices: int | None = None, directed: bool = False,
            device: str | Device = "auto", edge_data: Any = None, time: Any = None, time_unit: str = "ns",
            **options: Unpack[FaimBuildOptions],
        ) -> Self: ...  # fmt: skip

    def __init__(self, num_vertices: int = 0, *, page_size: int = 64, **options: Unpack[GraphOptions]):
        if page_size not in PAGE_SIZES or isinstance(page_size, bool):
            raise ValueError(f"page_size must be one of {', '.join(map(str, PAGE_SIZES))}, not {page_size!r}")
        self.page_size = int(page_size)
        super().__init__(num_vertices, **options)
        self._records = self.xp.zeros(self._num_vertices, np.int64)
        self._new_pool(0)

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._counters = Counters(self.device, CHAIN + 3)
        self._room, self._end = Struct(("pages",)), Struct(("address",))  # arguments of chains: see `_prepare_chain`
        self._supply = Struct(("queued",)), Struct(("used",))

    def _update_kernels(self) -> list[Header]:
        return [*super()._update_kernels(), *match_kernels(self)]

    @property
    def defines(self) -> dict[str, Any]:
        return super().defines | {"PAGE_BITS": self.page_bits}

    # ---- the graph --------------------------------------------------------------------------------------------------

    _check_arrays = check_arrays

    def _view_scalars(self) -> dict[str, int]:
        return {"page_bits": self.page_bits}

    def _find(self, src: Any, dst: Any) -> Any:
        return find_arcs(self, src, dst)

    def _degrees(self) -> Any:
        return self._records[: self._num_vertices] >> DEGREE_SHIFT

    def _degrees_of(self, vertices: Any) -> Any:
        return self._records[vertices] >> DEGREE_SHIFT

    def _extend(self, num_vertices: int) -> None:
        old = int(self._records.size)
        if num_vertices > old:
            size = growable.ample_size(self.device, self._records, num_vertices, GROWTH_SHARE)
            records = growable.grow(self.device, self._records, size)
            fill_with(records[old:], 0)
            self._records = records
            self._view = None

    def _used_bytes(self) -> int:
        entry = self.vertex_dtype.itemsize + (0 if self._stored_dtype is None else self._stored_dtype.itemsize)
        page = entry * self.page_entries + self._links.itemsize
        return (self._used - self._queued) * page + self._queued * self._queue.itemsize + 8 * self._num_vertices

    def _details(self) -> dict[str, Any]:
        """Use of pages. O(V) work.

        Returns
        -------
        dict
            ``pages``: pages in use; ``index_pages``: those of them that hold numbers of pages; ``free_pages``: pages in
            the queue; ``unused_pages``: pages that were never used; ``page_utilisation``: share of the entries of
            neighbors' pages that is used; ``longest_list``: pages of the longest list.
        """
        pages = (self._degrees() + self.page_entries - 1) >> self.page_bits
        of_neighbors, longest = (int(pages.sum()), int(pages.max())) if pages.size else (0, 0)
        in_use = self._used - self._queued
        return {
            "pages": in_use,
            "index_pages": in_use - of_neighbors,
            "free_pages": self._queued,
            "unused_pages": int(self._links.size) - self._used,
            "page_utilisation": self._num_arcs / max(of_neighbors << self.page_bits, 1),
            "longest_list": longest,
        }

    # ---- updates ----------------------------------------------------------------------------------------------------

    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        changes = changes_of_all(self, offsets, dst, weights)
        self._counters.reset()
        first_page = self._plan(changes, inserting=True)
        pages = self._counters.read()[PAGES]
        self._new_pool(pages)
        self._lengthen(changes, self._num_vertices, int(dst.size), first_page, pages)

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
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

    def _delete(self, arcs: Arcs) -> int:
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
        """Queue the count of the pages that lists take or give back (PAGES in the counters).

        Returns
        -------
        array of int64
            The number of each group's first page among them.
        """
        first_page = self._scratch.get("first_page", changes.bound, np.int64)
        self._kernels.plan(
            changes.bound, self.view(), changes.vertex, changes.start, inserting, first_page,
            self._counters.array,
        )  # fmt: skip
        return first_page

    def _lengthen(self, changes: Changes, groups: int, count: int, first_page: Any, pages: int) -> None:
        """Append `count` changes to their lists, after allocating the pages that these need. Allocates no memory."""
        supply = (self._queue, self._queued, self._used)
        if not self.device.is_gpu:
            view = self._make_view()
            self._kernels.grow_serially(groups, view, changes.vertex, changes.start, *supply)
        else:
            self._take_pages(changes, groups, count if pages else 0, first_page, supply)
        self._took(pages)
        append_changes(self, changes, groups, count)

    def _take_pages(self, changes: Changes, groups: int, count: int, first_page: Any, supply: tuple[Any, ...]) -> None:
        """Have pages of the supply allocated to lists by a GPU; `count` is 0 if they need none."""
        counters = None if changes.vertex is None else self._counters.array
        lists = (self._make_view(), changes.vertex, changes.start)
        self._kernels.grow(count, *lists, changes.group, first_page, *supply, counters)
        self._kernels.commit(groups, *lists, True, first_page, *supply, counters)

    def _shorten(self, changes: Changes, groups: int, count: int, first_page: Any, pages: int) -> None:
        """Free the pages that lists no longer need, after `count` changes were taken from their ends."""
        if not self.device.is_gpu:
            view = self._make_view()
            self._kernels.shrink_serially(groups, view, changes.vertex, changes.start, self._queue, self._queued)
        else:
            self._give_pages(changes, groups, count if pages else 0, first_page, self._queue[self._queued :])
        self._queued += pages

    def _give_pages(self, changes: Changes, groups: int, count: int, first_page: Any, queue: Any) -> None:
        """Have pages of lists put into the queue, from its place `queue` on; `count` is 0 if they lose none."""
        lists, counters = (self._make_view(), changes.vertex, changes.start), self._counters.array
        self._kernels.shrink(count, *lists, changes.group, first_page, queue, counters)
        self._kernels.commit(groups, *lists, False, first_page, None, 0, 0, counters)

    # ---- small batches, on a GPU ------------------------------------------------------------------------------------

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        queue = self._queue
        self._supply[0].set(self._queued)
        self._supply[1].set(self._used)
        if kind == INSERT:
            self._room.set(self._queued + int(self._links.size) - self._used)
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
            self._kernels.decide(1, PAGES, self._room, counters.array, threads=32, blocks=1)
        if inserting:
            if changes.replace is not None:
                changes.replace()
            self._take_pages(changes, bound, bound, first_page, (self._queue, *self._supply))
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

    def _compact(self) -> None:
        """Write all lists in ascending order into a pool that fits them; deletions leave their pages in the queue."""
        offsets, dst, weights = self._sorted_arcs()
        before = {name: getattr(self, name) for name in (*(f"_{name}" for name in self._arrays), "_used", "_queued")}
        try:
            self._records = self.xp.zeros(self._num_vertices, np.int64)
            self._view = None
            self._build(offsets, dst, weights)
        except MemoryError:
            for name, value in before.items():
                setattr(self, name, value)
            self._view = None
            raise
