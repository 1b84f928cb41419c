"""The host side of SlabGraph: Awad et al., "Dynamic Graphs on the GPU", IPDPS 2020.

What differs from the paper, and why:

* *Tiles.* An arc is worked on by four lanes with 16-byte loads, eight arcs to a warp, not by a warp with arcs in turn:
  a slab is one or two loads for each lane, and eight walks are in flight where there was one.
* *Keys first, then weights.* The paper's map variant fills 128 bytes with 15 key-value pairs and the link. Here the
  15 keys and the link are the first half of that line and the weights the second: searches touch half a line, and an
  insertion writes to one. With 8-byte ids and weights each half is a line. Weights that are wider or narrower than ids
  have a pool of their own.
* *31 keys.* The set variant has 31 keys to a slab (the paper's has 30 and a spare word). With 64-bit ids a slab of
  either variant has 15 keys.
* *Growth.* A table whose chains get long is rehashed into more buckets. The paper leaves this to the user, and walks
  chains of any length meanwhile: a million new edges at one vertex would take quadratic time.
* *Reclamation.* Slabs that emptied or grew superfluous return to the pool, base slabs too; tombstones are flushed when
  they are a quarter of the keys. The authors' code returns nothing after edge deletions.
* *Uniqueness.* Insertion walks the whole chain before it takes the first empty word, and never a tombstone, so no key
  is stored twice. (The authors' code can do that, when it inserts after deleting.)
* *The last of equal arcs wins.* Threads race in the paper's kernel, and any of them may be last. Here the arcs that
  found their key in place meet in a small table of slots, and the last one of the batch writes.
* *Vertices without neighbors have no slab;* the first insertion brings one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from frontier.access import reads
from frontier.batch import Arcs
from frontier.dynamic import DynamicGraph
from frontier.storage import VERTEX, WEIGHT
from frontier.values import number
from structures.records import VertexRecords

from .check import check_arrays
from .cpu import View
from .cpu_slabs import (
    BASE,
    BUCKETS,
    CHANGED,
    DEFERRED,
    DEGREE,
    EMPTY,
    FOUND,
    OVERFULL,
    PENDING,
    RECORDED,
    REPEATED,
    TOMBSTONES,
)
from .pool import SlabPool

CHAIN_LIMIT = 6  # slabs; insertions into a longer chain are deferred until its table is rehashed
NO_LIMIT = 2**31 - 1
FEW_ARCS = 1 << 13  # up to as many, one thread block resolves duplicates sooner than another kernel starts
DUPLICATE_ENTRIES = 1 << 13  # entries of the table that resolves duplicates of existing arcs
FLUSH_FRACTION = 0.25  # of the keys; more tombstones than that are flushed
FLUSH_FLOOR = 1 << 12  # fewer tombstones than that are left alone
REPACK_FLOOR = 1 << 12  # fewer free slabs than that are no reason to repack
FIRST_SLABS = 16
RECORD = 16  # bytes of a vertex record


class SlabGraph(SlabPool, VertexRecords, DynamicGraph):
    """A hash table per vertex, of slabs of one or two cache lines; updates need no sorting.

    A table is an array of buckets, each a chain of slabs: the base slabs of a table are consecutive, overflow slabs
    come from anywhere in the pool and are linked. A slab holds keys (neighbors) and, in its last word, the number of
    the slab that follows. Graphs without weights use the *set* variant, graphs with weights the *map* variant [1]_.

    Updates and look-ups of a batch of m arcs take O(m) expected work.

    Parameters
    ----------
    load_factor : float, default 0.7
        Keys for each key word of the base slabs that a table is made with; the paper's optimum. Less makes shorter
        chains and takes more memory.

    Attributes
    ----------
    _records : array of int32, shape (capacity, 4)
        For each vertex: first base slab, number of buckets, degree, tombstones. ``(-1, 1, 0, 0)`` for vertices without
        slabs, and behind the last vertex. The base slabs of a vertex are its own. A key is in the chain of the bucket
        that its hash tells, once; a slab has no key behind an EMPTY word, nor another slab after it if it has one.
    _neighbors, _weights, _ring
        See `SlabPool`.

    References
    ----------
    .. [1] M. A. Awad, S. Ashkiani, S. D. Porumbescu, J. D. Owens, "Dynamic Graphs on the GPU", IPDPS 2020.
    """

    name = "slab"
    package = "structures.slab"
    _view_type = View
    _arrays: ClassVar = {"records": (np.int32, 4), "neighbors": VERTEX, "separate_weights": WEIGHT, "ring": np.int32}
    _find_lanes = 4
    _options = ("load_factor",)
    _scalars = ("load_factor", "_used", "_free_head", "_free_count", "_tombstones")

    def __init__(self, num_vertices: int = 0, *, load_factor: float = 0.7, **options: Any):
        if not 0 < number(load_factor, "load_factor") <= 4:
            raise ValueError(f"load_factor must be above 0 and at most 4, got {load_factor}")
        super().__init__(num_vertices, **options)
        self.load_factor = float(load_factor)
        self._records = self._empty_records(self._num_vertices)
        self._tombstones = 0
        self._new_pool(FIRST_SLABS)

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._attach_pool()

    @property
    def slab_words(self) -> int:
        """Words of a slab: its keys and the link."""
        return 32 if self.weight_dtype is None and self.vertex_dtype.itemsize == 4 else 16

    @property
    def defines(self) -> dict[str, Any]:
        return super().defines | {"SLAB_WORDS": self.slab_words, "SLAB_STRIDE": self.slab_stride}

    def _array_types(self) -> dict[str, Any]:
        types = super()._array_types()
        return types | {"separate_weights": None} if self._joined else types

    _check_arrays = check_arrays

    def _view_scalars(self) -> dict[str, int]:
        return {"stride": self.slab_stride, "width": self.slab_words}

    def _degrees(self) -> Any:
        return self._records[: self._num_vertices, DEGREE]

    def _used_bytes(self) -> int:
        word = self.vertex_dtype.itemsize + (0 if self._separate_weights is None else self._separate_weights.itemsize)
        return (self._used - self._free_count) * self.slab_stride * word + self._num_vertices * RECORD

    # ---- looking at it ----------------------------------------------------------------------------------------------

    @reads
    def chain_lengths(self) -> Any:
        """Number of slabs of every bucket's chain, vertex by vertex.

        Returns
        -------
        array of int64, shape (buckets,), on the graph's device
        """
        xp = self.xp
        records = self._records[: self._num_vertices]
        offsets, chains = self._chains(records)
        items = xp.arange(chains)
        rows = xp.searchsorted(offsets, items, side="right") - 1
        slabs = records[rows, BASE] + items - offsets[rows]
        links = self._neighbors.reshape(-1, self.slab_stride)[:, self.slab_words - 1]
        lengths = xp.zeros(chains, np.int64)
        while items.size:
            lengths[items] += 1
            slabs = links[slabs]
            more = xp.flatnonzero(slabs >= 0)
            items, slabs = items[more], slabs[more]
        return lengths

    def _details(self) -> dict[str, Any]:
        """Use of slabs. Walks all chains: O(slabs) work.

        Returns
        -------
        dict
            ``slabs``, ``free_slabs``: slabs in use, and slabs given back and not reused so far; ``slab_load``: live
            keys for each key word of the slabs in use; ``buckets``; ``mean_chain``, ``longest_chain``: slabs of a
            bucket's chain.
        """
        lengths = self.chain_lengths()
        slabs, buckets, keys = self._used - self._free_count, int(lengths.size), self.slab_words - 1
        return {
            "slots": self._capacity * keys,
            "tombstones": self._tombstones,
            "slabs": slabs,
            "free_slabs": self._free_count,
            "slab_load": self._num_arcs / max(slabs * keys, 1),
            "buckets": buckets,
            "mean_chain": float(lengths.mean()) if buckets else 0.0,
            "longest_chain": int(lengths.max()) if buckets else 0,
        }

    # ---- insertion --------------------------------------------------------------------------------------------------

    def _examine(self, arcs: Arcs) -> Any:
        """The error counts by which kernels see whether the batch is valid; None if it is known to be."""
        if not self.device.is_gpu:
            arcs.check()
        return arcs.error_counts

    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        count = len(arcs)
        error_counts = self._examine(arcs)
        self._reserve(count // 8)
        slots = self._scratch.get("slots", count, np.int64)
        table = self._scratch.get("duplicates", 2 * DUPLICATE_ENTRIES, np.int64, fill=EMPTY)
        recorded = self._scratch.get("recorded", DUPLICATE_ENTRIES, np.int64)
        self._counters.reset()
        few = count <= FEW_ARCS
        self._kernels.insert(
            count, self._pool(), self._weights, error_counts, None, arcs.src, arcs.dst, arcs.weights, CHAIN_LIMIT,
            slots, table, DUPLICATE_ENTRIES, recorded, few, tile=4,
        )  # fmt: skip
        if not few:
            self._kernels.resolve_duplicates(
                count, self._pool(), self._weights, arcs.weights, slots, table, DUPLICATE_ENTRIES, recorded, True
            )
        counts = self._counters.collect()
        arcs.check(waited=True)
        self._account(counts)
        inserted, found = counts[CHANGED], counts[FOUND]
        replaced = counts[RECORDED] - counts[REPEATED]
        if counts[DEFERRED] or counts[OVERFULL]:
            table.fill(EMPTY)
            try:
                if counts[DEFERRED]:
                    moved = self.xp.zeros(self._num_vertices, bool)
                    more, again = self._insert_pending(arcs, slots, moved)
                    inserted, found = inserted + more, found + again
                    if found:
                        self._kernels.locate(count, self._make_view(), moved, arcs.src, arcs.dst, slots)
                replaced = self._resolve(arcs, slots, found)
            except MemoryError:
                self._undo(arcs, slots)
                raise
        return inserted, replaced

    def _insert_pending(self, arcs: Arcs, slots: Any, moved: Any) -> tuple[int, int]:
        """Insert the deferred arcs, after making room for them; returns how many were new and found.

        The vertices whose tables have moved are marked in `moved`.
        """
        inserted = found = 0
        while True:
            pending = self.xp.flatnonzero(slots == PENDING)
            if not pending.size:
                return inserted, found
            self._enlarge(arcs.src[pending], moved)
            self._counters.reset()
            self._kernels.insert(
                int(pending.size), self._pool(), self._weights, None, pending, arcs.src, arcs.dst, arcs.weights,
                NO_LIMIT, slots, None, 0, None, False, tile=4,
            )  # fmt: skip
            counts = self._counters.collect()
            self._account(counts)
            inserted += counts[CHANGED]
            found += counts[FOUND]

    def _resolve(self, arcs: Arcs, slots: Any, found: int) -> int:
        """Give every slot that several arcs name the weight of the last; returns how many were there before the batch.

        `found` is the number of arcs whose key was there when they came.
        """
        if not found:
            return 0
        entries = 1 << (2 * found - 1).bit_length()
        table = self._scratch.get("many duplicates", 2 * entries, np.int64)
        recorded = self._scratch.get("many recorded", found, np.int64)
        table.fill(EMPTY)
        self._counters.reset()
        count, pool = len(arcs), self._pool()
        self._kernels.record_duplicates(count, pool, slots, table, entries, recorded)
        self._kernels.resolve_duplicates(
            count, pool, self._weights, arcs.weights, slots, table, entries, recorded, False
        )
        counts = self._counters.read()
        if self._weights is not None:
            self._kernels.commit_duplicates(counts[RECORDED], pool, self._weights, arcs.weights, table, recorded)
        return counts[RECORDED] - counts[REPEATED]

    def _undo(self, arcs: Arcs, slots: Any) -> None:
        """Delete what a batch inserted before memory ran out. Needs no memory."""
        self._counters.reset()
        self._kernels.erase(len(arcs), self._pool(), None, arcs.src, arcs.dst, slots, tile=4)
        self._tombstones += self._counters.collect()[CHANGED]
        self._view = None

    def _enlarge(self, sources: Any, moved: Any) -> None:
        """Make room for arcs from `sources` (with repetitions): rehash crowded tables, and grow the pool.

        The numbers of slabs are upper bounds, for slabs of k keys: b buckets that receive c keys take at most b + c / k
        more slabs, each bucket its share of c / k rounded up; of a table of e keys at most e / k slabs are overflow.
        """
        xp = self.xp
        if self._free_count > max(self._capacity // 2, REPACK_FLOOR):
            self._repack()
            moved.fill(True)
        ids, coming = xp.unique(sources, return_counts=True)
        records = self._records[ids].astype(np.int64)
        buckets, live, dead = records[:, BUCKETS], records[:, DEGREE], records[:, TOMBSTONES]
        fill = self.slab_words - 1
        crowded = live + dead + coming > 2 * self.load_factor * fill * buckets
        grown = xp.flatnonzero(crowded)
        if grown.size:
            moved[ids[grown]] = True
            self._rehash(ids[grown], coming[grown])
        bound = xp.where(crowded, (live + coming) // fill, xp.minimum(coming, buckets + coming // fill))
        self._make_room(0, int(bound.sum()))

    # ---- tables -----------------------------------------------------------------------------------------------------

    def _chains(self, records: Any) -> tuple[Any, int]:
        """Where each table's chains start in the list of all (int64, one more than tables), and their number."""
        offsets = self.xp.zeros(records.shape[0] + 1, np.int64)
        self.xp.cumsum(self.xp.where(records[:, BASE] >= 0, records[:, BUCKETS], 0), dtype=np.int64, out=offsets[1:])
        return offsets, int(offsets[-1])

    def _empty_records(self, count: int) -> Any:
        records = super()._empty_records(count)
        records[:, BASE] = -1
        records[:, BUCKETS] = 1
        return records

    def _gather(self, records: Any) -> tuple[Any, Any, Any]:
        """The keys and weights of these tables as rows: offsets, keys, weights."""
        xp = self.xp
        offsets = xp.zeros(records.shape[0] + 1, np.int64)
        xp.cumsum(records[:, DEGREE], dtype=np.int64, out=offsets[1:])
        total = int(offsets[-1])
        dst = xp.empty(total, self.vertex_dtype)
        weights = None if self._weights is None else xp.empty(total, self.weight_dtype)
        cursors = xp.zeros(records.shape[0], np.int32)
        chain_offsets, chains = self._chains(records)
        self._kernels.gather(
            chains, self._neighbors, self._weights, self.slab_stride, self.slab_words, records, records.shape[0],
            chain_offsets, offsets, cursors, dst, weights, tile=32,
        )  # fmt: skip
        return offsets, dst, weights

    def _plan(self, offsets: Any, dst: Any, expected: Any) -> tuple[Any, Any, int]:
        """Plan tables for rows that are expected to have so many keys.

        Returns their records with base slabs counted from 0, the number of keys of each bucket, and how many overflow
        slabs these need.
        """
        xp = self.xp
        per_bucket = self.load_factor * (self.slab_words - 1)
        buckets = xp.ceil(expected / per_bucket).astype(np.int64)
        ends = xp.cumsum(buckets)
        rows = int(ends.size)
        records = xp.empty((rows, 4), np.int32)
        records[:, BASE] = xp.where(buckets > 0, ends - buckets, -1)
        records[:, BUCKETS] = xp.maximum(buckets, 1)
        records[:, DEGREE] = xp.diff(offsets)
        records[:, TOMBSTONES] = 0
        total = int(ends[-1]) if rows else 0
        if total > np.iinfo(np.int32).max:
            raise MemoryError(f"{total} slabs are more than 32-bit slab numbers can address")
        fill = xp.zeros(total, np.int32)
        self._kernels.count_rows(int(dst.size), rows, offsets, dst, records, fill)
        overflow = xp.maximum(fill - 1, 0) // (self.slab_words - 1)
        return records, fill, int(overflow.sum(dtype=np.int64))

    def _place(self, offsets: Any, dst: Any, weights: Any, records: Any, fill: Any, overflow: int) -> None:
        """Fill planned tables, for which there is room; `records` become those to store."""
        xp = self.xp
        first, rows = self._used, int(records.shape[0])
        records[:, BASE] = xp.where(records[:, BASE] >= 0, records[:, BASE] + first, -1)
        self._used += int(fill.size)
        self._packed = None
        self._counters.reset()
        self._kernels.link(int(fill.size), self._pool(), first, fill)
        self._kernels.place_rows(
            int(dst.size), self._pool(), self._weights, rows, offsets, dst, weights, records, first, fill
        )
        self._take(overflow)

    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        records, fill, overflow = self._plan(offsets, dst, self.xp.diff(offsets))
        tables = int(fill.size) + overflow
        without = int((records[:, BASE] < 0).sum())
        self._new_pool(FIRST_SLABS + tables + tables // 8 + min(without, tables // 4))
        self._place(offsets, dst, weights, records, fill, overflow)
        self._records[: records.shape[0]] = records
        self._tombstones = 0

    def _rehash(self, ids: Any, coming: Any) -> None:
        """Move the tables of these vertices to new ones, with buckets for `coming` more keys and without tombstones."""
        old = self._records[ids]
        rows = self._gather(old)
        records, fill, overflow = self._plan(rows[0], rows[1], old[:, 2] + coming)
        self._make_room(int(fill.size), overflow)
        self._place(*rows, records, fill, overflow)
        self._records[ids] = records
        self._give_back(old)

    def _repack(self) -> None:
        """Move all tables to a new pool that fits them; does nothing if memory does not allow it."""
        try:
            self._build(*self._gather(self._records[: self._num_vertices]))
        except MemoryError:
            return

    def _give_back(self, records: Any) -> None:
        """Return all slabs of these tables, which nobody refers to any more."""
        offsets, chains = self._chains(records)
        self._counters.reset()
        self._kernels.release(chains, self._pool(), records, int(records.shape[0]), offsets)
        self._account(self._counters.read())
        self._tombstones -= int(records[:, TOMBSTONES].sum(dtype=np.int64))

    def _release(self, ids: Any) -> None:
        if ids.size:
            records = self._records[ids]
            self._records[ids] = self._empty_records(int(ids.size))
            self._give_back(records)

    def _extend(self, num_vertices: int) -> None:
        super()._extend(num_vertices)
        self._pool_changed()

    # ---- deletion ---------------------------------------------------------------------------------------------------

    def _delete(self, arcs: Arcs) -> int:
        error_counts = self._examine(arcs)
        self._counters.reset()
        self._kernels.erase(len(arcs), self._pool(), error_counts, arcs.src, arcs.dst, None, tile=4)
        deleted = self._counters.collect()[CHANGED]
        arcs.check(waited=True)
        self._tombstones += deleted
        keys = self._num_arcs - deleted + self._tombstones
        if self._tombstones > max(FLUSH_FRACTION * keys, FLUSH_FLOOR):
            with suppress(MemoryError):  # the arcs are gone; tombstones are flushed after a later deletion
                self._compact()
        return deleted

    def _compact(self) -> None:
        """Flush all tombstones: move keys to the front of their chains, and return slabs that are left empty.

        Deletions do it by themselves once a quarter of the keys are tombstones. O(keys) work.
        """
        ids = self.xp.flatnonzero(self._records[: self._num_vertices, TOMBSTONES] > 0)
        if not ids.size:
            return
        offsets, chains = self._chains(self._records[ids])
        self._counters.reset()
        self._kernels.compact(
            chains, self._pool(), self._weights, ids, int(ids.size), offsets, tile=32
        )
        self._account(self._counters.read())
        self._tombstones = 0
