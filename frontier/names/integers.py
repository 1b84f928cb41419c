"""`IntegerNames` and `GpuIntegerNames`: tables of names that are integers of 64 bits, on a CPU and on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.runtime import Counters, Device, load_kernels
from frontier.runtime.memory.elementwise import fill_with, joined, take

from . import cpu

FEWEST = 64  # slots


class IntegerNames:
    """Names that are integers, in a custom hash table: a Python dictionary is several times slower.

    `dtype` is int64 or uint64, and `device` is the device of the table, arguments and results. ``by_id`` (int64 bits)
    has the name of each id, and ``named`` (bool) marks ids with names. The first ``state[FREE]`` entries of
    ``free_ids`` (int64) can be reassigned, the last one first. `state` is on the host (see `cpu`).
    """

    def __init__(self, dtype: Any, device: Device):
        self.dtype = np.dtype(dtype).name
        self.device = device
        self.kernels = load_kernels("frontier.names", device)
        self.counters = Counters(device, 2)
        self.state = np.zeros(3, np.int64)
        self._begin(device.xp.empty(0, np.int64), 0)

    @property
    def size(self) -> int:
        """One more than the largest assigned id."""
        return int(self.state[cpu.SIZE])

    @property
    def free(self) -> Any:
        """Ids that can be reassigned, the last of them first."""
        return self.free_ids[: int(self.state[cpu.FREE])]

    @property
    def nbytes(self) -> int:
        arrays = self.by_id, self.named, self.free_ids, self._slot_names, self._slot_ids
        return sum(int(array.nbytes) for array in arrays)

    @property
    def slots(self) -> tuple[Any, Any, int]:
        """The table, in the form of the kernels."""
        return self._slot_names, self._slot_ids, int(self._slot_ids.size) - 1

    def assign(self, names: Any) -> Any:
        """Return the id of each name. New ids are assigned in this order."""
        self._make_room(int(names.size))
        return self._assign(names.view(np.int64))

    def assign_ends(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """Return the ids of both ends of edges. New ids are assigned in the order of the edges."""
        both = self._paired(src.view(np.int64), dst.view(np.int64))
        self._make_room(int(both.size))
        return self._parted(self._assign(both))

    def find(self, names: Any) -> Any:
        """Return the id of each name, or -1 for unknown ones."""
        ids = self.device.xp.empty(names.size, np.int64)
        self.kernels.find(int(names.size), names.view(np.int64), *self.slots, ids)
        self.device.synchronize()  # another thread may replace the table next, on its own stream
        return ids

    def names(self, ids: Any) -> Any:
        """Return the names of ids, all of which have one."""
        names = take(self.device, self.by_id, ids).view(self.dtype)
        self.device.synchronize()  # as in `find`
        return names

    def has_name(self, ids: Any) -> Any:
        """Return whether each id, all of which are below `size`, has a name."""
        found = take(self.device, self.named, ids)
        self.device.synchronize()
        return found

    def forget(self, ids: Any) -> None:
        """Forget the names of distinct ids, all of which have one."""
        free = joined(self.device, self.free, ids)
        _, slot_ids, mask = self.slots
        self.kernels.forget(int(ids.size), ids, slot_ids, mask, self.by_id, self.named)
        self.free_ids = free
        self.state[cpu.FREE] = free.size
        self.device.synchronize()

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the contents of a file, on the host."""
        live = self.device.xp.flatnonzero(self.named[: self.size])
        arrays = {"ids": live, "names": self.by_id[live], "free": self.free.copy()}
        return {name: self.device.to_host(array) for name, array in arrays.items()}

    def restore(self, ids: np.ndarray, free: np.ndarray, names: np.ndarray) -> None:
        """Fill a new table with the result of `arrays`. ValueError if the arrays do not fit."""
        if names.dtype != np.int64 or names.shape != ids.shape:
            raise ValueError("the names are not one for each id")
        if np.unique(names).size != names.size:
            raise ValueError("a name occurs twice")
        size = ids.size + free.size
        by_id, named = np.zeros(size, np.int64), np.zeros(size, bool)
        by_id[ids], named[ids] = names, True
        to_device = self.device.xp.asarray
        self._begin(to_device(free), size)
        self.by_id, self.named = to_device(by_id), to_device(named)
        self._rehash(ids.size)

    def __getstate__(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "device": self.device, "arrays": self.arrays()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["dtype"], state["device"])  # type: ignore[misc]
        self.restore(**state["arrays"])

    def _begin(self, free: Any, size: int) -> None:
        """Make the table empty, with these free ids below `size`."""
        xp = self.device.xp
        self.by_id, self.named = xp.empty(0, np.int64), xp.empty(0, bool)
        self.free_ids = free
        self.state[:] = size, free.size, 0
        self._new_table(FEWEST)

    def _assign(self, names: Any) -> Any:
        """`assign`, with sufficient capacity."""
        ids = np.empty(names.size, np.int64)
        self.kernels.assign(names.size, names, *self.slots, self.by_id, self.named, self.free_ids, self.state, ids)
        return ids

    def _paired(self, src: Any, dst: Any) -> Any:
        return np.stack([src, dst], axis=1).ravel()

    def _parted(self, ids: Any) -> tuple[Any, Any]:
        ids = ids.reshape(-1, 2)
        return np.ascontiguousarray(ids[:, 0]), np.ascontiguousarray(ids[:, 1])

    def _make_room(self, more: int) -> None:
        if 2 * (int(self.state[cpu.TAKEN]) + more) > self._slot_ids.size:
            self._rehash(self.size - int(self.state[cpu.FREE]) + more)
        needed = self.size + more
        if needed > self.named.size:
            more = max(needed, 2 * int(self.named.size)) - int(self.named.size)
            empty = self.device.xp.empty
            by_id = joined(self.device, self.by_id, empty(more, np.int64))
            self.named = joined(self.device, self.named, fill_with(empty(more, bool), 0))
            self.by_id = by_id

    def _rehash(self, expected: int) -> None:
        """Make a table for this number of names, without forgotten ones."""
        slots = FEWEST
        while slots < 4 * expected:
            slots *= 2
        self._new_table(slots)
        self.kernels.fill(self.size, self.by_id, self.named, *self.slots)
        self.state[cpu.TAKEN] = self.size - int(self.state[cpu.FREE])

    def _new_table(self, slots: int) -> None:
        empty = self.device.xp.empty
        self._slot_names, self._slot_ids = empty(slots, np.int64), fill_with(empty(slots, np.int64), cpu.EMPTY)


class GpuIntegerNames(IntegerNames):
    """`IntegerNames` on a GPU, with the same ids as on the host: new names are numbered by their first occurrence.

    A table of the batch has the first of equal names. Counting these gives the new ids.
    """

    def _assign(self, names: Any) -> Any:
        count, empty, kernels, state = int(names.size), self.device.xp.empty, self.kernels, self.state
        entries = 1 << (2 * count - 1).bit_length()
        ids, places, sums = (empty(size, np.int64) for size in (count, count, tile_count(count)))
        claims = fill_with(empty(entries, np.int64), -1)
        launch = tile_launch(count)
        kernels.claim(count, names, *self.slots, claims, entries, ids, places)
        kernels.count_first(count, places, claims, sums, **launch)
        self.counters.reset()
        kernels.enter(
            count, names, places, claims, *running_sums(self.device, kernels, sums), self.free_ids,
            int(state[cpu.FREE]), int(state[cpu.SIZE]), *self.slots, self.by_id, self.named, self.counters.array, ids,
            **launch,
        )  # fmt: skip
        kernels.share(count, places, claims, ids)
        new, taken = self.counters.read()
        again = min(new, int(state[cpu.FREE]))
        state[cpu.FREE] -= again
        state[cpu.SIZE] += new - again
        state[cpu.TAKEN] += taken
        return ids

    def _paired(self, src: Any, dst: Any) -> Any:
        both = self.device.xp.empty(2 * src.size, np.int64)
        self.kernels.pair(int(src.size), src, dst, both)
        return both

    def _parted(self, ids: Any) -> tuple[Any, Any]:
        count = int(ids.size) // 2
        src, dst = (self.device.xp.empty(count, np.int64) for _ in range(2))
        self.kernels.part(count, ids, src, dst)
        return src, dst
