"""`Change`: arcs on their way into a graph, or out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .batch import Arcs
from .observers import Notification

INSERT, DELETE = "insert", "delete"


class Change:
    """An insertion or a deletion of arcs.

    Parameters
    ----------
    kind : {INSERT, DELETE}
    arcs : Arcs or function
        What it returns is made when it is first asked for.
    small : tuple of arrays, optional
        The same as sources, destinations and weights of the device and of the graph's types, whose values need not be
        valid, if the structure may take them as they are (`DynamicGraph._takes_small_batches`).
    finds : bool
        Whether `slots` are asked for (`DynamicGraph._insert_and_find`, `_erase_and_find`).
    replaces : bool
        Whether arcs that are there get other values: of these observers may want to hear.
    notifications : pair of list, optional
        What observers are to be notified of, if that is known already: of the arcs, and of those that get other values.
    commit : function, optional
        Called with the change once the structure has been changed, before components. It cannot fail.
    always : bool
        Whether `commit` changes something even if there are no arcs.

    Attributes
    ----------
    changed : int
        Distinct arcs that were inserted, or deleted.
    found : int
        Distinct arcs of an insertion that were there.
    slots : array of int64 or None
        What `_insert_and_find` or `_erase_and_find` says of each arc, until the scratch memory is used again.
    edges : int or None
        How many effective edges a small deletion has, where they were looked up before.
    """

    __slots__ = (
        "_arcs", "_make", "always", "changed", "commit", "edges", "finds", "found", "kind", "notifications",
        "replaces", "slots", "small",
    )  # fmt: skip

    def __init__(
        self, kind: str, arcs: Arcs | Callable[[], Arcs], *, small: tuple[Any, ...] | None = None, finds: bool = False,
        replaces: bool = True, notifications: tuple[list[Notification], list[Notification]] | None = None,
        commit: Callable[[Change], None] | None = None, always: bool = False,
    ):  # fmt: skip
        self.kind = kind
        self._arcs, self._make = (arcs, None) if isinstance(arcs, Arcs) else (None, arcs)
        self.small = small
        self.finds = finds
        self.replaces = replaces
        self.notifications = notifications
        self.commit = commit
        self.always = always
        self.changed = self.found = 0
        self.slots: Any = None
        self.edges: int | None = None

    @property
    def arcs(self) -> Arcs:
        """The arcs; both directions of undirected edges are among them."""
        if self._arcs is None:
            self._arcs = self._make()  # type: ignore[misc]
        return self._arcs

    def reversed(self) -> Change:
        """The same change of the transpose of a directed graph."""
        small = None
        if self.small is not None:
            src, dst, weights = self.small
            small = dst, src, weights
        made = Change(self.kind, lambda: _swapped(self.arcs), small=small, finds=self.finds)
        made.edges = self.edges
        return made


def _swapped(arcs: Arcs) -> Arcs:
    """The same arcs the other way round; to check these is to check those."""

    def check(waited: bool) -> None:
        arcs.check(waited=waited)

    return Arcs(arcs.dst, arcs.src, arcs.weights, check, arcs.error_counts)
