"""The pool of slabs: its layout, its growth, and its view."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.view import pack_view, with_numbers
from frontier.runtime import Counters, fill_with
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory import elementwise, growable

from .cpu_slabs import ALLOCATED, COUNTERS, EMPTY, FREED, Pool
from .layout import SLAB_SHARE, WORK

if TYPE_CHECKING:
    from frontier.runtime import Device

MAX_SLABS = 2**31 - 1  # slab numbers are 32-bit


class SlabPool:
    """Slabs of one size, allocated to tables. A base of `SlabStore`, which has the vertex records.

    A slab is in one chain, once, or free. Free slabs are empty: all words are EMPTY. They are the unused ones from
    `_used` on, and the returned ones, whose numbers are in a ring, each once: ``ring[_free_head]`` and the
    `_free_count` - 1 after it, cyclically. Kernels allocate slabs from the head of the ring while they return slabs to
    its tail. It has twice as many entries as the pool has slabs, because a slab that is allocated and returned in one
    kernel counts twice until the kernel ends.

    Slab s is ``neighbors[s * slab_stride :][:slab_words]``, and its key i has the slot ``s * slab_stride + i``.
    ``ring`` is int32, of shape (2 * capacity,).
    """

    device: Device
    vertex_dtype: np.dtype
    stored_dtype: np.dtype | None
    records: Any
    separate_weights: Any  # weights by slot, if they are not as wide as keys, otherwise None
    _joined_weights: tuple[Any, Any]  # `neighbors`, and the view of the weights among them
    _view: tuple[int, Any, Any] | None
    _packed: Any  # the pool as kernels see it, None once it has changed
    _bound: Struct  # the arguments of kernels on a GPU: the pool, and behind it values derived from it (`struct Work`)
    _bound_slabs: int  # the capacity of that

    @cached_property
    def slab_words(self) -> int:
        """The words of a slab: its keys and the link."""
        return 32 if self.stored_dtype is None and self.vertex_dtype.itemsize == 4 else 16

    @cached_property
    def _joined(self) -> bool:
        """Whether weights are as wide as keys: the weights of a slab then follow it in `neighbors`."""
        return self.stored_dtype is not None and self.stored_dtype.itemsize == self.vertex_dtype.itemsize

    @cached_property
    def slab_stride(self) -> int:
        """The words of `neighbors` from one slab to the next: two slabs' if they include weights."""
        return 2 * self.slab_words if self._joined else self.slab_words

    @property
    def weights(self) -> Any:
        """Weights by slot, an array of `stored_dtype`, or None in unweighted graphs.

        If weights are as wide as keys it is `neighbors` without the first slab, seen as weights: the weight of key i is
        `slab_words` words after it. Otherwise it is a separate array, as long as `neighbors`.
        """
        if not self._joined:
            return self.separate_weights
        neighbors, weights = self._joined_weights
        if neighbors is not self.neighbors:
            weights = self.neighbors[self.slab_words :].view(self.stored_dtype)
            self._joined_weights = self.neighbors, weights
        return weights

    def _new_pool(self, capacity: int) -> None:
        """Replace the pool by one of empty slabs."""
        self._check_slabs(capacity)
        device, size = self.device, capacity * self.slab_stride
        neighbors = fill_with(growable.empty(device, size, self.vertex_dtype), EMPTY)
        separate = self.stored_dtype is not None and not self._joined
        weights = growable.empty(device, size, self.stored_dtype) if separate else None
        ring = growable.empty(device, 2 * capacity, np.int32)
        self.neighbors, self.separate_weights, self.ring = neighbors, weights, ring
        self._used = self._free_head = self._free_count = 0
        self._pool_changed()

    @staticmethod
    def _check_slabs(capacity: int) -> None:
        if capacity > MAX_SLABS:
            raise MemoryError(f"{capacity} slabs are more than 32-bit slab numbers can address")

    @property
    def _capacity(self) -> int:
        return int(self.neighbors.size) // self.slab_stride

    def _resize_pool(self, capacity: int) -> None:
        """Add slabs to the pool. If memory is exhausted nothing has changed."""
        self._check_slabs(capacity)
        size, old, weights = capacity * self.slab_stride, int(self.neighbors.size), self.separate_weights
        neighbors = growable.grow(self.device, self.neighbors, size)
        weights = None if weights is None else growable.grow(self.device, weights, size)
        ring, end = growable.grow(self.device, self.ring, 2 * capacity), int(self.ring.size)
        begun_again = max(self._free_head + self._free_count - end, 0)  # numbers that follow the last of the ring
        if begun_again > ring.size - end:
            ring = self._ring_from_its_head(2 * capacity)
            begun_again = self._free_head = 0
        fill_with(neighbors[old:], EMPTY)
        elementwise.copy_to(ring[end : end + begun_again], ring[:begun_again])
        self.neighbors, self.separate_weights, self.ring = neighbors, weights, ring
        self._pool_changed()

    def _ring_from_its_head(self, size: int) -> Any:
        """A copy of the ring with this capacity that starts with its head."""
        ring, head, count = self.ring, self._free_head, self._free_count
        copy = growable.empty(self.device, size, np.int32)
        first = min(count, int(ring.size) - head)
        elementwise.copy_to(copy[:first], ring[head : head + first])
        elementwise.copy_to(copy[first:count], ring[: count - first])
        return copy

    def _make_room(self, consecutive: int, single: int) -> None:
        """Ensure so many consecutive unused slabs, and so many further free ones.

        Grows ahead where possible: by half, and by an eighth, but not less than mapping memory is worth, once growth
        copies nothing.
        """
        missing = consecutive + max(0, single - self._free_count) - (self._capacity - self._used)
        if missing <= 0:
            return
        needed = self._capacity + missing
        share = 2 if self.neighbors.nbytes < growable.SMALL else 8
        size = growable.ample_size(self.device, self.neighbors, needed * self.slab_stride, share)
        comfortable = size // self.slab_stride
        try:
            self._resize_pool(min(comfortable, MAX_SLABS) if needed <= MAX_SLABS else needed)
        except MemoryError:
            if comfortable == needed:
                raise
            self._resize_pool(needed)

    def _reserve(self, slabs: int) -> None:
        """Reserve `slabs` slabs for a batch, if memory allows. Arcs that find none are deferred."""
        with suppress(MemoryError):
            self._make_room(0, slabs)

    def reserve_for(self, arcs: int) -> None:
        """`_reserve` for a batch of so many arcs."""
        free = self._free_count + self._capacity - self._used
        if arcs > free and (slabs := self._slabs_for(arcs)) > free:  # an arc needs at most one slab
            self._reserve(slabs)

    def _slabs_for(self, arcs: int) -> int:
        """The expected maximum of slabs that a batch of `arcs` arcs allocates."""
        return max(arcs // SLAB_SHARE, min(arcs, 2 * self._taken))

    def _account(self, counts: list[int]) -> None:
        """Account for the slabs that kernels allocated, or requested in vain, and freed."""
        self._taken = max(counts[ALLOCATED] - counts[FREED], self._taken // 2)
        if counts[ALLOCATED] or counts[FREED]:
            self._take(counts[ALLOCATED], counts[FREED])

    def _take(self, slabs: int, returned: int = 0) -> None:
        """Account for allocated slabs, as far as available, and for returned ones."""
        recycled = min(slabs, self._free_count)
        if recycled:
            self._free_head = (self._free_head + recycled) % int(self.ring.size)
        if slabs > recycled:
            self._used += min(slabs - recycled, self._capacity - self._used)
        self._free_count += returned - recycled
        self._slabs_moved()

    def _slabs_moved(self) -> None:
        """Update the kernels' view: only numbers of the pool have changed."""
        if self._packed is not None:
            self._packed = with_numbers(
                self._packed, free_head=self._free_head, free_count=self._free_count, used=self._used
            )

    def _pool_changed(self) -> None:
        self._packed = None
        self._view = None
        self._joined_weights = None, None

    def _attach_pool(self) -> None:
        self._counters = Counters(self.device, COUNTERS)
        self._taken = 0  # slabs, by the last updates
        self._packed = None
        self._bound, self._bound_slabs = Struct((*Pool._fields, *WORK)), 0
        self._joined_weights = None, None

    def _pool(self) -> Any:
        """The kernels' view of the pool: on a GPU always the same struct, up to date."""
        if self._packed is None:
            packed = pack_view(
                self.device, Pool, records=self.records, neighbors=self.neighbors, ring=self.ring,
                counters=self._counters.array, published=self._counters.published, free_head=self._free_head,
                free_count=self._free_count, ring_size=int(self.ring.size), used=self._used, capacity=self._capacity,
                stride=self.slab_stride, width=self.slab_words,
            )  # fmt: skip
            if self.device.is_gpu:
                weights = self.weights
                self._bound.set_first(*packed.fields.tolist(), 0 if weights is None else weights.data.ptr)
                packed, self._bound_slabs = self._bound, self._capacity
            self._packed = packed
        return self._packed
