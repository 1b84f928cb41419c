"""The host side of SlabGraph: Awad et al., "Dynamic Graphs on the GPU", IPDPS 2020.

Differences from the paper, and their reasons:

* *Tiles.* Four lanes process an arc with 16-byte loads, eight arcs to a warp, while a warp of the paper processes its
  arcs in turn. So a slab is one or two loads for each lane, and eight walks are in flight instead of one.
* *Keys first, then weights.* The paper's map variant fills 128 bytes with 15 key-value pairs and the link. Here the
  15 keys and the link are the first half of that line and the weights the second: searches read half a line, and an
  insertion writes to one. With 8-byte ids and weights each half is a line. Weights that are wider or narrower than ids
  have a separate pool.
* *31 keys.* The set variant has 31 keys to a slab (the paper's has 30 and a spare word). With 64-bit ids a slab of
  either variant has 15 keys.
* *Growth.* A table with long chains is rehashed into more buckets. The paper leaves this to the user, and walks chains
  of any length meanwhile: a million new edges at one vertex would need quadratic time.
* *Reclamation.* Empty and superfluous slabs return to the pool, base slabs too. Tombstones are flushed when they are a
  quarter of the keys. The authors' code returns nothing after edge deletions.
* *Uniqueness.* Insertion walks the whole chain before it uses the first empty word, and never a tombstone, so no key is
  stored twice. (The authors' code can store one twice when it inserts after deleting.)
* *The last of equal arcs wins.* Threads race in the paper's kernel, and any of them may be last. Here arcs that find an
  existing key meet in a table of slots, and the last one of the batch writes.
* *Vertices without neighbors have no slab,* and the first insertion allocates one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.batch.raw import most_edges
from frontier.core.files import VERTEX, WEIGHT
from frontier.core.sort import tile_launch
from frontier.core.store import Store
from frontier.runtime import fill_column, fill_with
from frontier.runtime.compile.kernels import Header
from frontier.runtime.values import number
from structures.records import VertexRecords

from .batches import Batches
from .check import check_arrays
from .cpu import View
from .cpu_slabs import (
    BASE,
    BUCKETS,
    CHANGED,
    DEFERRED,
    DEGREE,
    EFFECTIVE,
    EMPTY,
    FOUND,
    INVALID,
    OVERFULL,
    RECORDED,
    REPEATED,
)
from .layout import LONG_CHAIN, SMALL_TO_RESOLVE
from .small import SmallUpdates, small_kernels
from .tables import FIRST_SLABS, SlabTables
from .update_plan import UpdatePlan

NO_LIMIT = 2**31 - 1
FLUSH_FRACTION = 0.25  # of the keys. More tombstones than that are flushed
FLUSH_FLOOR = 1 << 12  # fewer tombstones than that are left
KEPT_ENTRIES = 1 << 24  # of a table of duplicates (256 MB) that is cached with the graph. Larger ones are freed
REPACK_FLOOR = 1 << 12  # fewer free slabs than that are no reason to repack
RECORD = 16  # bytes of a vertex record


class SlabStore(SlabTables, VertexRecords, Store):
    """Hash tables of slabs from one pool. See `structures.slab.SlabGraph`.

    Attributes
    ----------
    records : array of int32, shape (capacity, 4)
        For each vertex: first base slab, number of buckets, degree, tombstones. ``(-1, 1, 0, 0)`` for vertices without
        slabs, and behind the last vertex. Base slabs belong to one vertex. A key is in the chain of the bucket of its
        hash, once. A slab has no key behind an EMPTY word, and no successor if it has such a word.
    neighbors, weights, ring
        See `SlabPool`.
    """

    name = "slab"
    package = "structures.slab"
    walk_cost: ClassVar = {"cpu": 2.0, "gpu": 1.2}
    view_type = View
    arrays: ClassVar = {"records": (np.int32, 4), "neighbors": VERTEX, "separate_weights": WEIGHT, "ring": np.int32}
    find_lanes = 4
    supports_insert_and_find = True
    options = ("load_factor",)
    scalars = ("load_factor", "_used", "_free_head", "_free_count", "_tombstones")

    def __init__(self, num_vertices: int, *, load_factor: float = 0.7, **base: Any):
        if not 0 < number(load_factor, "load_factor") <= 4:
            raise ValueError(f"load_factor must be above 0 and at most 4, got {load_factor}")
        super().__init__(num_vertices, **base)
        self.load_factor = float(load_factor)
        self.records = self._empty_records(self.num_vertices)
        self._tombstones = 0
        self._new_pool(FIRST_SLABS)

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._attach_pool()
        self.makes_update_plans = self.device.is_gpu
        self.max_small_batch = most_edges(self)
        self._small: SmallUpdates | None = None
        self._batches: Batches | None = None

    def update_kernels(self) -> list[Header]:
        return [*super().update_kernels(), small_kernels(self)]

    @property
    def defines(self) -> dict[str, Any]:
        return super().defines | {"SLAB_WORDS": self.slab_words, "SLAB_STRIDE": self.slab_stride}

    def array_types(self) -> dict[str, Any]:
        types = super().array_types()
        return types | {"separate_weights": None} if self._joined else types

    check = check_arrays

    def view_scalars(self) -> dict[str, int]:
        return {"stride": self.slab_stride, "width": self.slab_words}

    def degrees(self) -> Any:
        return self.records[: self.num_vertices, DEGREE]

    def used_bytes(self) -> int:
        word = self.vertex_dtype.itemsize + (0 if self.separate_weights is None else self.separate_weights.itemsize)
        return (self._used - self._free_count) * self.slab_stride * word + self.num_vertices * RECORD

    # ---- looking at it ----------------------------------------------------------------------------------------------

    def chain_lengths(self) -> Any:
        """See `SlabGraph.chain_lengths`."""
        xp = self.xp
        layout = self._host.lay_out(self, None)
        items = xp.arange(layout.chains)
        rows = xp.searchsorted(layout.chain_offsets, items, side="right") - 1
        slabs = layout.records[rows, BASE] + items - layout.chain_offsets[rows]
        links = self.neighbors.reshape(-1, self.slab_stride)[:, self.slab_words - 1]
        lengths = xp.zeros(layout.chains, np.int64)
        while items.size:
            lengths[items] += 1
            slabs = links[slabs]
            more = xp.flatnonzero(slabs >= 0)
            items, slabs = items[more], slabs[more]
        return lengths

    def details(self) -> dict[str, Any]:
        """Use of slabs. Walks all chains: O(slabs) work.

        Returns
        -------
        dict
            ``slabs``, ``free_slabs``: slabs in use, and freed ones. ``slab_load``: live keys for each key word of the
            slabs in use. ``buckets``: number of buckets. ``mean_chain``, ``longest_chain``: slabs of a bucket's chain.
        """
        lengths = self.chain_lengths()
        slabs, buckets, keys = self._used - self._free_count, int(lengths.size), self.slab_words - 1
        return {
            "slots": self._capacity * keys,
            "tombstones": self._tombstones,
            "slabs": slabs,
            "free_slabs": self._free_count,
            "slab_load": self.num_arcs / max(slabs * keys, 1),
            "buckets": buckets,
            "mean_chain": float(lengths.mean()) if buckets else 0.0,
            "longest_chain": int(lengths.max()) if buckets else 0,
        }

    # ---- insertion --------------------------------------------------------------------------------------------------

    def insert(self, arcs: Arcs) -> tuple[int, int]:
        slots, counts = self._host.insert(self, arcs, resolving=True)
        self._account(counts)
        if counts[DEFERRED] or counts[OVERFULL]:
            done = self._insert_rest(arcs, slots, counts)
        else:
            self.keep_view()
            done = counts[CHANGED], counts[RECORDED] - counts[REPEATED]
        if self._tombstones > FLUSH_FLOOR:  # of batches that were refused, and undone
            self._flush_after(0)
        return done

    def _insert_rest(self, arcs: Arcs, slots: Any, counts: list[int]) -> tuple[int, int]:
        """Insert the deferred arcs, and resolve duplicates that exceeded the table of the first kernel."""
        self._host.clear_duplicates(self)
        try:
            inserted, found = self._insert_deferred(arcs, slots, counts)
            return inserted, self._resolve(arcs, slots, found)
        except MemoryError:
            self._undo(arcs, slots)
            raise

    def insert_and_find(self, arcs: Arcs) -> tuple[int, int, Any]:
        slots, counts = self._host.insert(self, arcs, resolving=False)
        self._account(counts)
        try:
            return *self._insert_deferred(arcs, slots, counts), slots
        except MemoryError:
            self._undo(arcs, slots)
            raise

    def _insert_deferred(self, arcs: Arcs, slots: Any, counts: list[int]) -> tuple[int, int]:
        """Insert the arcs that the first kernel deferred, after reserving slabs for them. `counts` are its counters.

        Returns the numbers of arcs of the batch that were new, and that existed.
        """
        inserted, found, deferred = counts[CHANGED], counts[FOUND], counts[DEFERRED]
        if not deferred:
            return inserted, found
        moved = self.xp.zeros(self.num_vertices, bool)  # vertices whose tables move
        while deferred:
            pending = self._host.deferred_arcs(self, arcs, slots, deferred)
            self._enlarge(arcs, pending, moved)
            self._counters.reset()
            self.kernels.insert(
                int(pending.size), self._pool(), self.weights, None, pending, arcs.src, arcs.dst, arcs.weights,
                NO_LIMIT, slots, None, 0, None, False, tile=4,
            )  # fmt: skip
            counts = self._counters.synchronize()
            self._account(counts)
            inserted += counts[CHANGED]
            found += counts[FOUND]
            deferred = counts[DEFERRED]
        if found:
            self.kernels.locate(len(arcs), self.make_view(), moved, arcs.src, arcs.dst, slots)
        return inserted, found

    def _resolve(self, arcs: Arcs, slots: Any, found: int) -> int:
        """Give every slot that several arcs name the weight of the last. Return the number of arcs that existed before.

        `found` is the number of arcs whose key existed when they came.
        """
        if not found:
            return 0
        if self._host.resolve(self, arcs, slots, found):
            counts = self._counters.synchronize()
            return counts[RECORDED] - counts[REPEATED]
        entries = 1 << (2 * found - 1).bit_length()
        if entries > KEPT_ENTRIES:
            table, recorded = self.xp.empty(2 * entries, np.int64), self.xp.empty(found, np.int64)
        else:
            table = self.scratch.get("many duplicates", 2 * entries, np.int64)
            recorded = self.scratch.get("many recorded", found, np.int64)
        fill_with(table, EMPTY)
        self._counters.reset()
        count, pool = len(arcs), self._pool()
        self.kernels.record_duplicates(count, pool, slots, table, entries, recorded, **tile_launch(count))
        self.kernels.resolve_duplicates(count, pool, self.weights, arcs.weights, slots, table, entries, recorded, False)
        counts = self._counters.read()
        if self.weights is not None:
            self.kernels.commit_duplicates(counts[RECORDED], pool, self.weights, arcs.weights, table, recorded)
        return counts[RECORDED] - counts[REPEATED]

    def _undo(self, arcs: Arcs, slots: Any) -> None:
        """Delete the insertions of a batch that exhausted memory. Needs no memory."""
        self._counters.reset()
        self.kernels.erase(len(arcs), self._pool(), None, arcs.src, arcs.dst, slots, None, tile=4)
        self._tombstones += self._counters.synchronize()[CHANGED]
        self._view = None

    def _enlarge(self, arcs: Arcs, positions: Any, moved: Any) -> None:
        """Reserve slabs for the arcs at these positions: rehash crowded tables, and grow the pool.

        The numbers of slabs are upper bounds, for slabs of k keys. b buckets that receive c keys need at most b + c / k
        more slabs, each bucket its share of c / k rounded up. A table of e keys has at most e / k overflow slabs.
        """
        if self._free_count > max(self._capacity // 2, REPACK_FLOOR):
            self._repack()
            fill_with(moved, True)
        found = self._host.crowding(self, arcs, positions, moved)
        if found.ids.size:
            self._rehash(found.ids, found.coming)
        self._make_room(0, found.bound)

    def _empty_records(self, count: int) -> Any:
        records = super()._empty_records(count)
        fill_column(records, BASE, -1)
        fill_column(records, BUCKETS, 1)
        return records

    def extend(self, num_vertices: int) -> None:
        super().extend(num_vertices)
        self._pool_changed()

    # ---- deletion ---------------------------------------------------------------------------------------------------

    def erase(self, arcs: Arcs) -> int:
        return self._erase(arcs, None)

    def erase_and_find(self, arcs: Arcs) -> tuple[int, Any]:
        slots = self.scratch.get("slots", len(arcs), np.int64)
        return self._erase(arcs, slots), slots

    def _erase(self, arcs: Arcs, edges: Any) -> int:
        """Delete arcs. `edges`, if given, become the `edge` of each, and -1 for arcs that were not deleted."""
        self._host.erase(self, arcs, edges)
        deleted = self._counters.synchronize()[CHANGED]
        arcs.check(waited=True)
        if edges is not None:  # which contains slots now
            self.payload.edges_at(self, edges, out=edges)
        self.keep_view()
        self._flush_after(deleted)
        return deleted

    def _flush_after(self, deleted: int) -> None:
        """Account for the tombstones of a deletion, and flush all if they are too many."""
        self._tombstones += deleted
        if self._has_many_tombstones(self.num_arcs - deleted):
            self._flush()

    def _has_many_tombstones(self, arcs: int) -> bool:
        """Whether they are too many compared with `arcs` arcs."""
        found = self._tombstones
        return found > FLUSH_FLOOR and found > FLUSH_FRACTION * (arcs + found)

    def _flush(self) -> None:
        with suppress(MemoryError):  # the batch is applied, and tombstones are flushed after a later one
            self.compact()

    # ---- on a GPU ---------------------------------------------------------------------------------------------------

    def _batch_launches(self) -> Batches:
        if self._batches is None:
            self._batches = Batches(self)
        return self._batches

    def make_update_plan(self, arcs: Arcs, slots: Any, gone: Arcs, error_counts: Any) -> UpdatePlan:
        return UpdatePlan(self, arcs, slots, gone, error_counts)

    def _small_updates(self) -> SmallUpdates:
        if self._small is None:
            self._small = SmallUpdates(self)
        return self._small

    def insert_small(self, src: Any, dst: Any, weights: Any, arcs: Any, edges: Any) -> tuple[int, int, int] | None:
        small = self._small_updates()
        count = small.take(self, src, dst, weights, arcs, edges)
        limit = self._chain_limit(count)
        defers = limit < LONG_CHAIN and count > SMALL_TO_RESOLVE  # many arcs perhaps, which are not undone in vain
        if defers or self._has_many_tombstones(self.num_arcs):  # as refused batches leave, until an insertion flushes
            self._keep_chain_limit()
            return None
        if self._slabs_for(count) > self._free_count + self._bound_slabs - self._used:
            self.reserve_for(count)
        self._bound.put("chain_limit", limit)
        counts = small.launch(self, "insert_small", count)
        self._account(counts)
        if counts[INVALID] or counts[DEFERRED]:
            self._tombstones += small.launch(self, "undo_small", count)[CHANGED]
            self._keep_chain_limit()
            return None
        self.keep_view()
        return counts[CHANGED], counts[FOUND] - counts[REPEATED], counts[EFFECTIVE]

    def find_small(self, src: Any, dst: Any, arcs: Any, edges: Any) -> int | None:
        small = self._small_updates()
        count = small.take(self, src, dst, None, arcs, edges)
        counts = small.launch(self, "find_small", src.size)
        if counts[INVALID]:
            small.launch(self, "undo_small", count)
            return None
        return counts[EFFECTIVE]

    def erase_small(self, src: Any, dst: Any, found: int | None) -> int | None:
        small = self._small_updates()
        count = small.take(self, src, dst)
        if found is None:
            counts = small.launch(self, "erase_small", count)
            if counts[INVALID]:
                small.launch(self, "restore_small", count)
                return None
            deleted = counts[CHANGED]
        else:
            small.queue(self, "erase_small", count)
            self._counters.mark_published()
            deleted = found if self.directed else 2 * found
        self.keep_view()
        self._flush_after(deleted)
        return deleted
