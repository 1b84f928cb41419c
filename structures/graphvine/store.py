"""The host side of GraphVine."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from frontier.core.files import VERTEX, WEIGHT
from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.operators.extract import collect_arcs
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import elementwise, growable
from frontier.runtime.values import integer
from structures.blocks import ListStore
from structures.changes import CHANGES, GROUPS, Changes
from structures.records import VertexRecords
from structures.small_batches import INSERT

from .check import check_arrays
from .cpu import BLOCKS, DEGREE, STRAIGHT, View

MIN_BITS, MAX_BITS = 3, 7  # blocks of 8 to 128 neighbors, unless chosen by the user
EXHAUSTED = 0.8  # share of the queue's blocks in use at which it grows
GROWTH_SHARE = 4  # the pool grows by one in so many of its blocks, at least
MAX_BLOCKS = 2**31 - 1  # block numbers are 32-bit
SENTINEL = 16  # bytes
LINKS = 8  # bytes of a block's links to those below it


class GraphVineStore(ListStore, VertexRecords):
    """Trees of edge blocks, and the queue of free ones. See `structures.graphvine.GraphVine`.

    Attributes
    ----------
    records : array of int32, shape (capacity, 4)
        The dictionary. For each vertex: first block, last block, degree, and the number of consecutive blocks in the
        pool from the first on. Zeros for vertices without neighbors, and behind the last vertex.
    children : array of int32, shape (blocks, 2)
        The blocks below each block, if any. A block is in one list, once.
    neighbors, weights : arrays, shape (blocks * block_size,)
        Block b has the slots from ``b * block_size`` on.
    queue : array of int32, shape (blocks,)
        A ring with the numbers of free blocks, each once: `_free` of them from index `_front` on.
    """

    name = "graphvine"
    package = "structures.graphvine"
    walk_cost: ClassVar = {"cpu": 1.2, "gpu": 1.1}
    view_type = View
    arrays: ClassVar = {
        "records": (np.int32, 4), "children": (np.int32, 2), "neighbors": VERTEX, "weights": WEIGHT, "queue": np.int32,
    }  # fmt: skip
    options = ("block_size",)
    scalars = ("_bits", "_front", "_free")
    _bits_range = MIN_BITS, 16

    def __init__(self, num_vertices: int, *, block_size: int | None = None, **base: Any):
        bits = None
        if block_size is not None:
            bits = integer(block_size, "block_size").bit_length() - 1
            if block_size != 1 << max(bits, 0) or not self._bits_range[0] <= bits <= self._bits_range[1]:
                raise ValueError(f"block_size must be a power of two from 8 to 65536, not {block_size}")
        super().__init__(num_vertices, **base)
        xp = self.xp
        self.records = self._empty_records(_power_of_two(self.num_vertices))
        self._bits = bits
        self.children = xp.empty((0, 2), np.int32)
        self.neighbors = xp.empty(0, self.vertex_dtype)
        self.weights: Any = None if self.stored_dtype is None else xp.empty(0, self.stored_dtype)
        self.queue = xp.empty(0, np.int32)
        self._front = self._free = 0

    def attach_runtime(self) -> None:
        super().attach_runtime()
        self._room, self._place = Struct(("blocks",)), Struct(("place",))  # arguments of chains: see `_prepare_chain`

    # ---- the graph --------------------------------------------------------------------------------------------------

    @property
    def block_size(self) -> int | None:
        """Neighbors in a block. None before the first batch of edges, if it was not given."""
        return None if self._bits is None else 1 << self._bits

    check = check_arrays

    def view_scalars(self) -> dict[str, int]:
        return {"bits": self._bits or MIN_BITS}

    def degrees(self) -> Any:
        return self.records[: self.num_vertices, DEGREE]

    def _record_capacity(self, num_vertices: int) -> int:
        return _power_of_two(num_vertices)

    def _used_blocks(self) -> int:
        return int(self.queue.size) - self._free

    def used_bytes(self) -> int:
        return self._used_blocks() * (LINKS + self._slot_bytes * (self.block_size or 0)) + SENTINEL * self.num_vertices

    def details(self) -> dict[str, Any]:
        """Use of blocks, and the positions of lists in them. O(V) work.

        Returns
        -------
        dict
            ``block_size``. ``blocks``, ``free_blocks``: numbers of blocks in use and in the queue.
            ``block_utilisation``: share of the slots of blocks in use that contain a neighbor. ``straight_blocks``:
            share of blocks in use that are found without a walk. ``height``: levels of the highest tree.
            ``bytes_per_arc``: `memory_usage` as a dict of ``arcs`` (ids and weights), ``unused`` (slots of blocks in
            use), ``links`` and ``dictionary``.
        """
        blocks, arcs = self._used_blocks(), max(self.num_arcs, 1)
        slots = blocks * (self.block_size or 0)
        records = self.records[: self.num_vertices]
        longest = int(records[:, DEGREE].max()) if self.num_vertices else 0
        return {
            "block_size": self.block_size,
            "blocks": blocks,
            "free_blocks": self._free,
            "block_utilisation": self.num_arcs / max(slots, 1),
            "straight_blocks": int(records[:, STRAIGHT].sum(dtype=np.int64)) / max(blocks, 1),
            "height": int(-(-longest // (self.block_size or 1))).bit_length(),
            "bytes_per_arc": {
                "arcs": self._slot_bytes * self.num_arcs / arcs,
                "unused": self._slot_bytes * (slots - self.num_arcs) / arcs,
                "links": LINKS * blocks / arcs,
                "dictionary": SENTINEL * self.num_vertices / arcs,
            },
        }

    # ---- the queue of free blocks -----------------------------------------------------------------------------------

    def _reserve(self, plan: Any, blocks: int, *, inserting: bool) -> None:
        """See `ListStore`. At 80 % of use 25 % or more are added, or the needed ones if memory is short."""
        if not inserting:
            return
        _, bits = plan
        capacity = int(self.queue.size)
        needed = capacity - self._free + blocks
        if needed <= EXHAUSTED * capacity:
            return
        size = (int(needed / EXHAUSTED) + 1) << bits
        comfortable = growable.ample_size(self.device, self.neighbors, size, GROWTH_SHARE) >> bits
        try:
            self._grow(min(comfortable, max(needed, MAX_BLOCKS)), bits)
        except MemoryError:
            if needed > capacity:
                self._grow(needed, bits)

    def _grow(self, capacity: int, bits: int) -> None:
        """Add blocks to the pool, the new ones at the end of the queue."""
        if capacity > MAX_BLOCKS:
            raise MemoryError(f"{capacity} edge blocks are more than 32-bit block numbers can address")
        xp, old = self.xp, int(self.queue.size)
        pool, weights = self.neighbors, self.weights
        pool = growable.grow(self.device, pool, capacity << bits)
        weights = None if weights is None else growable.grow(self.device, weights, capacity << bits)
        children = growable.grow(self.device, self.children.reshape(-1), 2 * capacity).reshape(-1, 2)
        queue = xp.empty(capacity, np.int32)
        at_end = min(self._free, old - self._front)
        new = elementwise.arange(self.device, capacity - old, np.int32, old)
        elementwise.copy_to(queue[:at_end], self.queue[self._front : self._front + at_end])
        elementwise.copy_to(queue[at_end : self._free], self.queue[: self._free - at_end])
        elementwise.copy_to(queue[self._free : self._free + capacity - old], new)
        self.neighbors, self.weights, self.children, self.queue = pool, weights, children, queue
        self._view = None
        self._front = 0
        self._free += capacity - old

    # ---- updates ----------------------------------------------------------------------------------------------------

    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        if not dst.size:
            return
        bits = self._bits
        if bits is None:
            bits = _bits_for(int(dst.size), int(self.xp.flatnonzero(offsets[1:] != offsets[:-1]).size))
        changes = self._changes_of_all(offsets, dst, weights)
        self._counters.reset()
        plan = self._plan(changes, inserting=True, bits=bits)
        blocks = self._counters.read()[BLOCKS]
        self._reserve(plan, blocks, inserting=True)
        self._insert_changes(plan, changes, self.num_vertices, int(dst.size), blocks)

    def _plan(self, changes: Changes, *, inserting: bool, bits: int | None = None) -> tuple[Any, int]:
        """See `ListStore`. The plan has sums of blocks over groups, and the logarithm of the block size."""
        bits = self._bits if bits is None else bits
        if bits is None and inserting:  # the first batch: its size in vertices and arcs decides
            numbers = self._counters.read()
            bits = _bits_for(numbers[CHANGES], numbers[GROUPS])
        elif bits is None:
            bits = MIN_BITS
        count = changes.bound
        sums = self.scratch.get("block_sums", tile_count(count) if self.device.is_gpu else count, np.int64)
        self.kernels.plan(
            count, self.records, bits, changes.vertex, changes.start, 1 if inserting else -1, sums,
            self._counters.array, **tile_launch(count),
        )  # fmt: skip
        return sums, bits

    def _take_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        self._bits = plan[1]
        self._move_blocks(self.kernels.link_blocks, groups, changes, plan, self._front, chain)

    def _free_blocks(self, plan: Any, changes: Changes, groups: int, count: int, *, chain: bool = False) -> None:
        end = (self._front + self._free) % max(int(self.queue.size), 1)
        self._move_blocks(self.kernels.return_blocks, groups, changes, plan, end, chain)

    def _move_blocks(
        self, kernel: Any, groups: int, changes: Changes, plan: tuple[Any, int], front: int, chain: bool
    ) -> None:
        """Move blocks between lists and the queue, from its index `front` on, which a chain gets as an argument."""
        sums, bits = plan
        kernel(
            groups, self.records, self.children, bits, changes.vertex, changes.start,
            *running_sums(self.device, self.kernels, sums), self.queue, int(self.queue.size),
            self._place if chain else front, self._counters.array if chain else None, **tile_launch(groups),
        )  # fmt: skip

    def _account(self, blocks: int, *, inserting: bool) -> None:
        if inserting and blocks:
            self._front = (self._front + blocks) % int(self.queue.size)
        self._free -= blocks if inserting else -blocks

    # ---- small batches, on a GPU ------------------------------------------------------------------------------------

    def _prepare_chain(self, kind: str, arcs: int) -> bool:
        capacity = int(self.queue.size)
        if not capacity:  # the first batch decides how large blocks are
            return False
        self._room.set(int(EXHAUSTED * capacity) - self._used_blocks())
        self._place.set(self._front if kind == INSERT else (self._front + self._free) % capacity)
        return True

    def compact(self) -> None:
        self.rebuild(None)

    def rebuild(self, block_size: int | None) -> None:
        """Give each list consecutive blocks, and free all further blocks.

        This affects only speed and memory, as updates leave no gaps in lists. Lists that grew in many batches have
        scattered blocks, and a graph whose mean degree has changed benefits from another block size.
        """
        twin = self.empty_like(block_size=block_size)
        offsets, dst, slots = collect_arcs(self, slots=self.stored_dtype is not None)
        twin.build(offsets, dst, None if slots is None else self.weights[slots])
        self._adopt(twin)


def _power_of_two(count: int) -> int:
    return 1 << max(count - 1, 0).bit_length()


def _bits_for(arcs: int, sources: int) -> int:
    """The logarithm of the block size for lists of this mean length."""
    return min(max(int(1.25 * arcs / max(sources, 1)).bit_length() - 1, MIN_BITS), MAX_BITS)
