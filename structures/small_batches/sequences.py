"""`LaunchSequence`: a structure whose small batches are chains of launches."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, ClassVar

import numpy as np

from frontier.core.batch.raw import FIELDS, MAX_ARCS, MAX_EDGES, THREADS, SmallBatch, most_edges
from frontier.core.locking import workspace_of
from frontier.core.sort import SortedKeys, id_bits, tile_count, tile_launch
from frontier.runtime import Counters, Device, Kernels, Scratch, load_kernels
from frontier.runtime.compile.kernels import Header
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.launch.plan import Plan, Plans

KEYS = (
    "keys", "order", "ends", "weights", "src", "dst", "shift", "counters", "published", "num_counters", "invalid",
    "batch",
)  # fmt: skip
"""The fields of ``struct SmallKeys`` of small_keys.cuh."""
SIZES = 512, 2048, 2 * MAX_EDGES, 2**15, MAX_ARCS
"""Arcs of the largest batches. A chain is captured for each size."""
MAX_COMPARED = 2 * MAX_EDGES
"""Up to this many arcs are each compared with each other, in one launch. More are sorted in tiles and merged."""
SORT_TILE, SORT_THREADS, MERGED = 512, 256, 4  # keys and threads of a block, and runs merged at once (kernels.cuh)
LOOKS = 500  # reads of a chain's report before the host blocks: longer than the chain runs
INSERT, DELETE, FIND = "insert", "delete", "find"
INVALID, DECLINED, EFFECTIVE = range(3)  # indices in the counters, from SMALL of small_report.cuh on


def sorting_kernels(store: Any) -> Kernels:
    """The kernels of this folder, on a GPU."""
    return load_kernels(__package__, store.device, {name: store.defines[name] for name in ("VID", "WEIGHT")})


class LaunchSequences:
    """The small batches of one graph: structs that kernels receive by value, and plans by kind and size.

    The addresses of `scratch` are in the plans, so it is private to them.
    """

    def __init__(self, store: LaunchSequence):
        self.batch = SmallBatch()
        self.plans = Plans()
        self.scratch = Scratch(store.device)

    def plan(self, store: LaunchSequence, kind: str, arcs: int) -> Plan:
        """The plan for a batch of so many arcs, for the current graph."""
        size = SIZES[bisect_left(SIZES, arcs)]
        shift, arrays = id_bits(store.num_vertices), store._chain_arrays()
        plan = self.plans.find((kind, size), shift, arrays)
        if plan is None:
            plan = self.plans.add((kind, size), self._capture(store, kind, size, shift), shift, arrays)
        return plan

    def _capture(self, store: LaunchSequence, kind: str, size: int, shift: int) -> Plan:
        take, counters, kernels = self.scratch.get, store._counters, sorting_kernels(store)
        keys, order, ends = take("keys", size, np.int64), take("order", size, np.int64), take("ends", size, np.int32)
        src, dst = take("src", size, store.vertex_dtype), take("dst", size, store.vertex_dtype)
        weighted = kind == INSERT and store.stored_dtype is not None
        weights = take("weights", size, store.stored_dtype) if weighted else None
        batch = take("batch", len(FIELDS), np.int64)
        given = Struct(KEYS)
        given.set(
            keys.data.ptr, order.data.ptr, ends.data.ptr, 0 if weights is None else weights.data.ptr, src.data.ptr,
            dst.data.ptr, shift, counters.array.data.ptr, counters.published, counters.array.size,
            counters.array.data.ptr + counters.array.itemsize * (store._first_outcome + INVALID), batch.data.ptr,
        )  # fmt: skip
        with Plan(work=workspace_of(store), scratch=self.scratch) as plan:
            if store._chain_sorts(kind):
                sums = self._queue_sort(kernels, given, size, keys, order)
                finish = store._queue_chain(kind, SortedKeys(keys, 0, shift, order, sums), weights)
            else:
                kernels.list_small(size, self.batch, given, threads=THREADS)
                finish = store._queue_chain(kind, None, None, src, dst)
            store.kernels.finish_small(1, given, *finish, threads=THREADS, blocks=1)
        plan.keep(keys, order, ends, weights, src, dst, batch)  # of which only the addresses are in `given`
        return plan

    def _queue_sort(self, kernels: Kernels, given: Struct, size: int, keys: Any, order: Any) -> Any:
        """Queue the sort, and return the number of distinct keys in each tile, or None."""
        if size <= MAX_COMPARED:
            kernels.sort_small(size, self.batch, given, threads=THREADS, blocks=size * 8 // THREADS)
            return None
        runs = [SORT_TILE]  # lengths before each merge
        while runs[-1] * MERGED < size:
            runs.append(runs[-1] * MERGED)
        held, other = (keys, order), tuple(self.scratch.get(f"spare_{name}", size, np.int64) for name in KEYS[:2])
        if len(runs) % 2:  # the last merge leaves the keys in the right buffer
            held, other = other, held
        kernels.sort_tiles(size, self.batch, given, *held, threads=SORT_THREADS, blocks=size // SORT_TILE)
        for run in runs:
            kernels.merge_keys(size, run, *held, *other)
            held, other = other, held
        sums = self.scratch.get("distinct_sums", tile_count(size), np.int64)
        kernels.mark_ends(size, given, sums, **tile_launch(size))
        return sums


class LaunchSequence:
    """The part of a store whose small batches are chains.

    A structure queues the kernels of its chains. Its ``kernels.cuh`` includes ``frontier/cuda/small_report.cuh`` and
    has a kernel ``finish_small``.
    """

    device: Device
    directed: bool
    num_vertices: int
    vertex_dtype: np.dtype
    absent: Any
    _access: Any
    arrays: ClassVar[dict[str, Any]]
    _counters: Counters
    kernels: Kernels
    stored_dtype: np.dtype | None
    defines: dict[str, Any]
    _first_outcome: ClassVar[int]
    """*structure*: the first of the three counters that chains report here (SMALL of small_report.cuh)."""
    _chains: LaunchSequences | None

    def attach_runtime(self) -> None:
        super().attach_runtime()  # type: ignore[misc]  # the graph's method
        self.max_small_batch = most_edges(self)
        self._chains = None

    def update_kernels(self) -> list[Header]:
        return [*super().update_kernels(), sorting_kernels(self)]  # type: ignore[misc]

    def _chain_arrays(self) -> tuple[Any, ...]:
        """*structure*: the objects that chains are captured for, such as arrays. Equal until they change."""
        return tuple(getattr(self, name) for name in self.arrays)

    def _chain_sorts(self, kind: str) -> bool:
        """*structure*: whether such an update needs the arcs as sorted keys."""
        return True

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        """*structure*: set kernel arguments that change. False if a batch of `arcs` needs the general path."""
        return True

    def _queue_chain(
        self, kind: str, keys: SortedKeys | None, weights: Any, src: Any = None, dst: Any = None
    ) -> tuple[Any, ...]:
        """*structure*: queue the kernels between the first and the last, and return the arguments of the last.

        `kind` is INSERT, DELETE, or FIND for the effective edges of a deletion, which changes nothing. `keys` are the
        batch, with END after the last key, and positions in `order`. `weights` are by arc, in insertions into weighted
        graphs. Without keys, `src` and `dst` are the arcs, with negative ids for ignored ones.
        """
        raise NotImplementedError

    def _end_chain(self, kind: str, numbers: list[int]) -> tuple[int, int]:
        """*structure*: account for an update. Return the counts of distinct arcs, changing the graph or not."""
        raise NotImplementedError

    def _run_chain(self, kind: str, src: Any, dst: Any, weights: Any, arcs: Any, edges: Any) -> list[int] | None:
        """Apply a batch. Return the counters, or None if it was not applied."""
        if not self._prepare_chain(kind, src.size if self.directed else 2 * src.size):
            return None
        chains = self._chains
        if chains is None:
            chains = self._chains = LaunchSequences(self)
        count = chains.batch.take(
            src, dst, weights, directed=self.directed, num_vertices=self.num_vertices, absent=self.absent,
            arcs=arcs, edges=edges,
        )  # fmt: skip
        try:
            plan = chains.plan(self, kind, count)
        except MemoryError:
            return None
        self._counters.reset()
        self._counters.arm()
        plan.run()
        numbers, first = self._counters.poll(LOOKS), self._first_outcome
        return None if numbers[first + INVALID] or numbers[first + DECLINED] else numbers

    def insert_small(self, src: Any, dst: Any, weights: Any, arcs: Any, edges: Any) -> tuple[int, int, int] | None:
        numbers = self._run_chain(INSERT, src, dst, weights, arcs, edges)
        if numbers is None:
            return None
        return *self._end_chain(INSERT, numbers), numbers[self._first_outcome + EFFECTIVE]

    def find_small(self, src: Any, dst: Any, arcs: Any, edges: Any) -> int | None:
        numbers = self._run_chain(FIND, src, dst, None, arcs, edges)
        return None if numbers is None else numbers[self._first_outcome + EFFECTIVE]

    def erase_small(self, src: Any, dst: Any, found: int | None) -> int | None:
        numbers = self._run_chain(DELETE, src, dst, None, None, None)
        return None if numbers is None else self._end_chain(DELETE, numbers)[0]
