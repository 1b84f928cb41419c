"""`IntegerNames`: a table of names that are integers of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Counters, Device, load_kernels
from frontier.runtime.memory.elementwise import fill_with, joined, take

from . import cpu

FEWEST = 64  # slots


class IntegerNames:
    """Names that are integers, in a hash table of ours: a Python dictionary takes several times as long.

    The table of `on_gpu` works on a GPU, with kernels of its own for what gives ids.

    Parameters
    ----------
    dtype : str or dtype
        int64 or uint64.
    device : Device
        Where the table is, and all arrays that are taken and returned.

    Attributes
    ----------
    by_id : array of int64, shape (capacity,)
        The name of each id, its bits as of int64.
    named : array of bool, shape (capacity,)
        Which ids have a name.
    free_ids : array of int64
        Of which ids that can be given again are the first ``state[FREE]``, the last of these first.
    state : array of int64, on the host
        See `cpu`.
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
        """One more than the largest id that was given."""
        return int(self.state[cpu.SIZE])

    @property
    def free(self) -> Any:
        """Ids that can be given again, the last of them first."""
        return self.free_ids[: int(self.state[cpu.FREE])]

    @property
    def nbytes(self) -> int:
        arrays = self.by_id, self.named, self.free_ids, self._slot_names, self._slot_ids
        return sum(int(array.nbytes) for array in arrays)

    @property
    def slots(self) -> tuple[Any, Any, int]:
        """The table, as kernels take it."""
        return self._slot_names, self._slot_ids, int(self._slot_ids.size) - 1

    def assign(self, names: Any) -> Any:
        """The id of each name, in the order of which new ids are given."""
        self._make_room(int(names.size))
        return self._assign(names.view(np.int64))

    def assign_ends(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """The ids of both ends of edges, where new ones are given in the order of the edges."""
        both = self._paired(src.view(np.int64), dst.view(np.int64))
        self._make_room(int(both.size))
        return self._parted(self._assign(both))

    def find(self, names: Any) -> Any:
        """The id of each name; -1 for those that have none."""
        ids = self.device.xp.empty(names.size, np.int64)
        self.kernels.find(int(names.size), names.view(np.int64), *self.slots, ids)
        self.device.synchronize()  # another thread may replace the table next, on a stream of its own
        return ids

    def names(self, ids: Any) -> Any:
        """The names of ids, all of which have one."""
        names = take(self.device, self.by_id, ids).view(self.dtype)
        self.device.synchronize()  # as in `find`
        return names

    def has_name(self, ids: Any) -> Any:
        """Whether each id, all of which are below `size`, has a name."""
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
        """All that a file has to hold, on the host."""
        live = self.device.xp.flatnonzero(self.named[: self.size])
        arrays = {"ids": live, "names": self.by_id[live], "free": self.free.copy()}
        return {name: self.device.to_host(array) for name, array in arrays.items()}

    def restore(self, ids: np.ndarray, free: np.ndarray, names: np.ndarray) -> None:
        """Have a new table hold what `arrays` has given; ValueError if the arrays do not fit."""
        if names.dtype != np.int64 or names.shape != ids.shape:
            raise ValueError("the names are not one for each id")
        if np.unique(names).size != names.size:
            raise ValueError("a name is there twice")
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
        """Be empty, but for these ids that are free, below `size`."""
        xp = self.device.xp
        self.by_id, self.named = xp.empty(0, np.int64), xp.empty(0, bool)
        self.free_ids = free
        self.state[:] = size, free.size, 0
        self._new_table(FEWEST)

    def _assign(self, names: Any) -> Any:
        """The id of each name, a new one for each that is not there; there is room for all."""
        ids = np.empty(names.size, np.int64)
        self.kernels.assign(names.size, names, *self.slots, self.by_id, self.named, self.free_ids, self.state, ids)
        return ids

    def _paired(self, src: Any, dst: Any) -> Any:
        """The names of the ends of edges, one edge after the other."""
        return np.stack([src, dst], axis=1).ravel()

    def _parted(self, ids: Any) -> tuple[Any, Any]:
        """The ids of all first ends, and of all second ones."""
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
        """Have a table for so many names, without those that are gone."""
        slots = FEWEST
        while slots < 4 * expected:
            slots *= 2
        self._new_table(slots)
        self.kernels.fill(self.size, self.by_id, self.named, *self.slots)
        self.state[cpu.TAKEN] = self.size - int(self.state[cpu.FREE])

    def _new_table(self, slots: int) -> None:
        empty = self.device.xp.empty
        self._slot_names, self._slot_ids = empty(slots, np.int64), fill_with(empty(slots, np.int64), cpu.EMPTY)
