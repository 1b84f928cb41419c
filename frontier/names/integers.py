"""`IntegerNames`: a table of names that are integers of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import cpu

FEWEST = 64  # slots


class IntegerNames:
    """Names that are integers, in a hash table of ours: a Python dictionary takes several times as long.

    Parameters
    ----------
    dtype : str or dtype
        int64 or uint64.

    Attributes
    ----------
    size : int
        One more than the largest id that was given.
    named : array of bool, shape (capacity,)
        Which ids have a name.
    """

    def __init__(self, dtype: Any):
        self.dtype = np.dtype(dtype).name
        self._by_id = np.empty(0, np.int64)
        self.named = np.empty(0, bool)
        self._free = np.empty(0, np.int64)
        self._state = np.zeros(3, np.int64)
        self._new_table(FEWEST)

    @property
    def size(self) -> int:
        return int(self._state[cpu.SIZE])

    @property
    def free(self) -> np.ndarray:
        """Ids that can be given again, the last of them first."""
        return self._free[: self._state[cpu.FREE]]

    @property
    def nbytes(self) -> int:
        arrays = self._by_id, self.named, self._free, self._slot_names, self._slot_ids
        return sum(array.nbytes for array in arrays)

    def assign(self, names: np.ndarray) -> np.ndarray:
        """The id of each name, in the order of which new ids are given."""
        self._make_room(names.size)
        ids = np.empty(names.size, np.int64)
        cpu.assign(names.view(np.int64), self._slot_names, self._slot_ids, self._by_id, self._free, self._state, ids)
        self.named[ids] = True
        return ids

    def find(self, names: np.ndarray) -> np.ndarray:
        """The id of each name; -1 for those that have none."""
        ids = np.empty(names.size, np.int64)
        cpu.find(names.size, names.view(np.int64), self._slot_names, self._slot_ids, ids)
        return ids

    def names(self, ids: np.ndarray) -> np.ndarray:
        """The names of ids, all of which have one."""
        return self._by_id[ids].view(self.dtype)

    def forget(self, ids: np.ndarray) -> None:
        """Forget the names of distinct ids, all of which have one."""
        cpu.forget(ids, self._slot_names, self._slot_ids, self._by_id)
        self.named[ids] = False
        count = int(self._state[cpu.FREE])
        self._free = np.concatenate([self._free[:count], ids])
        self._state[cpu.FREE] = self._free.size

    def arrays(self) -> dict[str, np.ndarray]:
        """All that a file has to hold."""
        live = np.flatnonzero(self.named[: self.size])
        return {"ids": live, "names": self._by_id[live], "free": self.free.copy()}

    def restore(self, ids: np.ndarray, free: np.ndarray, names: np.ndarray) -> None:
        """Have a new table hold what `arrays` has given.

        Raises
        ------
        ValueError
            They do not fit.
        """
        if names.dtype != np.int64 or names.shape != ids.shape:
            raise ValueError("the names are not one for each id")
        if np.unique(names).size != names.size:
            raise ValueError("a name is there twice")
        size = ids.size + free.size
        self._by_id = np.zeros(size, np.int64)
        self._by_id[ids] = names
        self.named = np.zeros(size, bool)
        self.named[ids] = True
        self._free = free
        self._state[cpu.SIZE], self._state[cpu.FREE] = size, free.size
        self._rehash(ids.size)

    def _make_room(self, more: int) -> None:
        if 2 * (int(self._state[cpu.TAKEN]) + more) > self._slot_ids.size:
            self._rehash(int(np.count_nonzero(self.named)) + more)
        needed = self.size + more
        if needed > self.named.size:
            capacity = max(needed, 2 * self.named.size)
            by_id, named = np.zeros(capacity, np.int64), np.zeros(capacity, bool)
            by_id[: self._by_id.size], named[: self.named.size] = self._by_id, self.named
            self._by_id, self.named = by_id, named

    def _rehash(self, expected: int) -> None:
        """Have a table for so many names, without those that are gone."""
        slots = FEWEST
        while slots < 4 * expected:
            slots *= 2
        self._new_table(slots)
        live = np.flatnonzero(self.named)
        cpu.fill(live, self._by_id, self._slot_names, self._slot_ids)
        self._state[cpu.TAKEN] = live.size

    def _new_table(self, slots: int) -> None:
        self._slot_names = np.zeros(slots, np.int64)
        self._slot_ids = np.full(slots, cpu.EMPTY, np.int64)
