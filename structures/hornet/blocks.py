"""The block-arrays of a Hornet: their directory, their free blocks, and their allocation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.store import Store
from frontier.runtime.memory import growable

from .cpu import CLASSES

NONE, CONTINUED = -1, -2  # in `_array_classes`: the unit is free, or belongs to the block-array before it
GROWTH_SHARE = 4  # the pool grows by one in so many of its units, at least
AHEAD = 8  # one block-array in so many of its class is opened before it is needed


class Directory(NamedTuple):
    """The block-arrays in the order in which blocks are allocated from them."""

    entries: int
    units: Any  # int32, shape (entries,): their first units
    class_first: Any  # int32, shape (CLASSES + 1,): the first entry of each class
    prefix: Any  # int64, shape (entries + 1,): free blocks before each entry, as last counted
    edges: int  # their total capacity
    spare: int  # edges in one block-array for each class that has any


class BlockArrays(Store):
    """The host side of Hornet's memory manager, for both devices.

    The pool of edges is cut into *units* of ``2**unit_bits`` slots. A block-array is a unit whose blocks are all of one
    class k (with ``2**k`` edges each). A block larger than a unit is a block-array of several units.

    Each block-array has a bit tree of two levels for its free blocks: words of 32 blocks, and their number at the root.
    The *directory* lists all block-arrays by class and, within a class, fullest first (the order of the paper's B+
    trees). A batch allocates its blocks in that order, so the emptier ones can drain and be freed. The directory is
    sorted whenever block-arrays come or go.

    `neighbors` and `weights` have ``units << unit_bits`` slots. ``free_bits`` (uint32) has ``words_per_unit`` words for
    each unit. A block-array uses the first ones, 1 for each free block, and the rest of its first unit is 0.
    ``free_counts`` (int32) has the free blocks of the block-array that starts in a unit: as many as bits are set.
    ``array_classes`` (int8) has its class, CONTINUED for units of the block-array before, or NONE.
    """

    def _init_block_arrays(self, unit_bits: int) -> None:
        xp = self.device.xp
        self.unit_bits = unit_bits
        self.neighbors = xp.empty(0, self.vertex_dtype)
        self.weights = None if self.stored_dtype is None else xp.empty(0, self.stored_dtype)
        self.free_bits = xp.empty(0, np.uint32)
        self.free_counts = xp.empty(0, np.int32)
        self.array_classes = xp.empty(0, np.int8)
        self._forget_directory()

    def _forget_directory(self) -> None:
        self._host_classes: np.ndarray | None = None
        self._kept_directory: Directory | None = None
        self._all_free_kept: tuple[Any, Any] | None = None
        self._leaving: np.ndarray | None = None  # units whose block-arrays are being emptied: not in the directory

    @property
    def words_per_unit(self) -> int:
        return max((1 << self.unit_bits) // 32, 1)

    def _blocks(self, k: int) -> int:
        return 1 << max(self.unit_bits - k, 0)

    def _units(self, k: int) -> int:
        return 1 << max(k - self.unit_bits, 0)

    @property
    def _classes(self) -> np.ndarray:
        """`array_classes` on the host."""
        if self._host_classes is None:
            self._host_classes = np.array(self.device.to_host(self.array_classes))
        return self._host_classes

    @property
    def _directory(self) -> Directory:
        if self._kept_directory is None:
            self._kept_directory = self._ordered_directory()
        return self._kept_directory

    def _ordered_directory(self) -> Directory:
        xp = self.device.xp
        units = np.flatnonzero(self._classes >= 0)
        used = int(np.count_nonzero(self._classes != NONE))
        if self._leaving is not None:
            units = units[~np.isin(units, np.flatnonzero(self._leaving))]
        classes = self._classes[units]
        units = units[np.lexsort((self.device.to_host(self.free_counts)[units], classes))]
        first = np.searchsorted(self._classes[units], np.arange(CLASSES + 1))
        return Directory(
            int(units.size), xp.asarray(units.astype(np.int32)), xp.asarray(first.astype(np.int32)),
            xp.zeros(units.size + 1, np.int64), used << self.unit_bits, np.unique(classes).size << self.unit_bits,
        )  # fmt: skip

    def _count_free(self, counters: Any) -> None:
        """Sum up the free blocks before each entry of the directory, and of each class (in the counters)."""
        entries, units, class_first, prefix = self._directory[:4]
        self.kernels.count_free(
            entries, units, class_first, self.free_counts, prefix, counters.array, threads=1024, blocks=1
        )

    def _reserve(self, requests: np.ndarray, free: np.ndarray, counters: Any) -> None:
        """Ensure that every class has as many free blocks as requested. After a MemoryError nothing has changed."""
        if (requests <= free).all():
            return
        self._give_back_empty(free - requests)
        # Opening block-arrays is work on the host, so it is done ahead, for all classes that will soon request some.
        in_class = np.bincount(self._classes[self._classes >= 0], minlength=CLASSES)
        ahead = np.where(requests > 0, in_class * [self._blocks(k) for k in range(CLASSES)] // AHEAD, 0)
        for attempt, lacking in enumerate((requests + ahead - free, requests - free)):
            wanted = [
                k for k in range(CLASSES - 1, -1, -1) if lacking[k] > 0
                for _ in range(-(-int(lacking[k]) // self._blocks(k)))
            ]  # fmt: skip
            starts, end = self._place(wanted)
            try:
                if end > self._classes.size:
                    self._extend_pool(end)
                break
            except MemoryError:
                if attempt:
                    raise
        classes = self._classes.copy()
        chosen = np.array(wanted, np.int8)
        for unit, k in zip(starts.tolist(), wanted, strict=True):
            classes[unit : unit + self._units(k)] = CONTINUED
        classes[starts] = chosen
        opened, each = self.device.xp.asarray(np.stack([starts, chosen.astype(np.int64)])), self.words_per_unit
        self.kernels.open_arrays(
            starts.size * each, each, *opened, *self._all_free, self.free_bits, self.free_counts
        )  # fmt: skip
        self._set_classes(classes)
        self._count_free(counters)

    def _place(self, wanted: list[int]) -> tuple[np.ndarray, int]:
        """Units for block-arrays of these classes (largest first), and the number of units that the pool needs."""
        free, end = np.flatnonzero(self._classes == NONE), int(self._classes.size)
        starts = []
        sizes = [size for size in map(self._units, wanted) if size > 1]
        for size in sizes:
            fits = np.flatnonzero(free[size - 1 :] - free[: max(free.size - size + 1, 0)] == size - 1)
            if fits.size:
                starts.append(int(free[fits[0]]))
                free = np.delete(free, slice(fits[0], fits[0] + size))
            else:
                starts.append(end)
                end += size
        singles = free[: len(wanted) - len(sizes)]
        more = len(wanted) - len(sizes) - singles.size
        return np.concatenate([np.array(starts, np.int64), singles, np.arange(end, end + more)]), end + more

    def _extend_pool(self, units: int) -> None:
        bits = self.unit_bits
        try:
            self._resize_pool(growable.ample_size(self.device, self.neighbors, units << bits, GROWTH_SHARE) >> bits)
        except MemoryError:
            self._resize_pool(units)

    def _resize_pool(self, units: int) -> None:
        sizes = {
            "neighbors": 1 << self.unit_bits, "weights": 1 << self.unit_bits, "free_bits": self.words_per_unit,
            "free_counts": 1,
        }  # fmt: skip
        grown = {}
        for name, size in sizes.items():
            array = getattr(self, name)
            if array is not None:
                grown[name] = growable.grow(self.device, array, units * size)
        self._set_classes(np.concatenate([self._classes, np.full(units - self._classes.size, NONE, np.int8)]))
        for name, array in grown.items():
            setattr(self, name, array)
        self._view = None

    @property
    def _all_free(self) -> tuple[Any, Any]:
        """For each class, the bits and the number of blocks of an entirely free block-array."""
        if self._all_free_kept is None:
            words = np.zeros((CLASSES, self.words_per_unit), np.uint32)
            for k in range(CLASSES):
                blocks = self._blocks(k)
                words[k, : max(blocks // 32, 1)] = 0xFFFFFFFF if blocks >= 32 else (1 << blocks) - 1
            counts = np.array([self._blocks(k) for k in range(CLASSES)], np.int32)
            self._all_free_kept = self.device.xp.asarray(words), self.device.xp.asarray(counts)
        return self._all_free_kept

    def _give_back_empty(self, surplus: np.ndarray | None = None) -> None:
        """Free the empty block-arrays for any class. `surplus` limits the free blocks that each class gives up."""
        empty = self._empty_arrays()
        if surplus is not None:
            kept = []
            for k in np.unique(self._classes[empty]):
                units = empty[self._classes[empty] == k]
                kept.append(units[: max(int(surplus[k]), 0) // self._blocks(int(k))])
            empty = np.concatenate(kept) if kept else empty
        if not empty.size:
            return
        classes = self._classes.copy()
        for k in np.unique(classes[empty]):
            units = empty[self._classes[empty] == k]
            for part in range(self._units(int(k))):
                classes[units + part] = NONE
        self._set_classes(classes)

    def _set_classes(self, classes: np.ndarray) -> None:
        """Set the classes of all units. Memory is exhausted, if it is, before anything has changed."""
        self.array_classes, self._host_classes = self.device.xp.asarray(classes), classes
        self._kept_directory = None

    def _empty_arrays(self) -> np.ndarray:
        """The first units of block-arrays without a used block."""
        classes = self._classes
        units = np.flatnonzero(classes >= 0)
        blocks = np.int64(1) << np.maximum(self.unit_bits - classes[units].astype(np.int64), 0)
        return units[self.device.to_host(self.free_counts)[units] == blocks]

    def _sparse_arrays(self) -> np.ndarray:
        """Mark the first units of superfluous block-arrays: the emptiest, whose blocks fit elsewhere."""
        classes, free = self._classes, self.device.to_host(self.free_counts)
        leaving = np.zeros(classes.size, bool)
        for k in np.unique(classes[classes >= 0]):
            units = np.flatnonzero(classes == k)
            units = units[np.argsort(free[units], kind="stable")]
            blocks = self._blocks(int(k))
            used = blocks * units.size - int(free[units].sum())
            leaving[units[-(-used // blocks) :]] = True
        return leaving
