"""What readers make of a graph and keep for others, until its next update."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar


class Entry(Protocol):
    """What can be kept."""

    def nbytes(self) -> int:
        """Bytes of memory."""


E = TypeVar("E", bound=Entry)


class VersionCache:
    """The entries of one graph, by name, which an update clears."""

    def __init__(self) -> None:
        self.entries: dict[Any, Any] = {}
        self.lock: Any = threading.RLock()  # held while one of several readers makes a costly entry

    def get(self, name: Any, make: Callable[[], E]) -> E:
        """The entry of this name, made now if there is none."""
        found = self.entries.get(name)
        return self.entries.setdefault(name, make()) if found is None else found  # another thread may do the same

    def put(self, name: Any, entry: E) -> E:
        """Have this entry in place of another."""
        self.entries[name] = entry
        return entry

    def nbytes(self) -> int:
        """Bytes of all entries."""
        return sum(entry.nbytes() for entry in list(self.entries.values()))

    def forked(self) -> None:
        """In a child process: no other thread is there to give the lock back."""
        self.lock = threading.RLock()
