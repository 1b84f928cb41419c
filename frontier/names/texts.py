"""`TextNames`: a table of names that are text."""

from __future__ import annotations

import numpy as np

from .columns import Texts


class TextNames:
    """Names that are text, in a dictionary of Python's, with the members of `IntegerNames`."""

    dtype = "str"

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._by_id: list[str | None] = []
        self._free: list[int] = []

    @property
    def size(self) -> int:
        return len(self._by_id)

    @property
    def named(self) -> np.ndarray:
        found = np.ones(len(self._by_id), bool)
        found[self._free] = False
        return found

    @property
    def free(self) -> list[int]:
        return self._free

    @property
    def nbytes(self) -> int:
        """Bytes of the dictionary and the list, without the text."""
        return self._ids.__sizeof__() + self._by_id.__sizeof__() + self._free.__sizeof__()

    def assign(self, names: Texts) -> np.ndarray:
        return self._assigned(names.distinct)[names.codes]

    def assign_ends(self, src: Texts, dst: Texts) -> tuple[np.ndarray, np.ndarray]:
        both = [*src.distinct, *dst.distinct]
        order = np.argsort(np.concatenate([2 * src.first(), 2 * dst.first() + 1]))
        found = np.empty(len(both), np.int64)
        found[order] = self._assigned([both[i] for i in order.tolist()])
        return found[src.codes], found[len(src.distinct) + dst.codes]

    def _assigned(self, names: list[str]) -> np.ndarray:
        known, by_id, free = self._ids, self._by_id, self._free
        found = list(map(known.get, names))
        if None in found:
            for i, at in enumerate(found):
                if at is None:
                    found[i] = at = known.get(names[i])  # a name may be there twice
                if at is None:
                    if free:
                        at = free.pop()
                        by_id[at] = names[i]
                    else:
                        at = len(by_id)
                        by_id.append(names[i])
                    found[i] = known[names[i]] = at
        return np.array(found, np.int64)

    def find(self, names: Texts) -> np.ndarray:
        return np.array([self._ids.get(name, -1) for name in names.distinct], np.int64)[names.codes]

    def names(self, ids: np.ndarray) -> np.ndarray:
        by_id, found = self._by_id, np.empty(ids.size, object)
        found[:] = [by_id[i] for i in ids.tolist()]
        return found

    def has_name(self, ids: np.ndarray) -> np.ndarray:
        return self.named[ids]

    def forget(self, ids: np.ndarray) -> None:
        for i in ids.tolist():
            name = self._by_id[i]
            assert name is not None
            del self._ids[name]
            self._by_id[i] = None
            self._free.append(i)

    def arrays(self) -> dict[str, np.ndarray]:
        live = np.flatnonzero(self.named)
        texts = [name.encode("utf-8", "surrogatepass") for name in self.names(live)]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        data = np.frombuffer(b"".join(texts), np.uint8)
        return {"ids": live, "free": np.array(self._free, np.int64), "text": data, "ends": ends}

    def restore(self, ids: np.ndarray, free: np.ndarray, text: np.ndarray, ends: np.ndarray) -> None:
        bounds = [0, *ends.tolist()]
        if sorted(bounds) != bounds or bounds[-1] != text.size or ends.size != ids.size:
            raise ValueError("the names do not fill their text")
        data = text.tobytes()
        self._by_id = [None] * (ids.size + free.size)
        for i, at in enumerate(ids.tolist()):
            name = data[bounds[i] : bounds[i + 1]].decode("utf-8", "surrogatepass")
            self._by_id[at] = name
            self._ids[name] = at
        self._free = free.tolist()
        if len(self._ids) != ids.size:
            raise ValueError("a name occurs twice")
