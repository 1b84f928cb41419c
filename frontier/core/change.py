"""`Change`: arcs on their way into a graph, or out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .batch import Arcs
from .observers import Notification
from .results import UpdateObserver

INSERT, DELETE = "insert", "delete"


class Change:
    """An insertion or a deletion of arcs.

    Parameters
    ----------
    kind : {INSERT, DELETE}
    arcs : Arcs or function
        A function ``arcs(passing=...)`` is called when the arcs are first requested, with the `passing` of
        `ArcMaker.arcs`.
    small : tuple of arrays, optional
        The same batch as sources, destinations and weights, on the device and of the graph's types, if the structure
        may read them directly (`Store.max_small_batch`). Their values need not be valid.
    finds : bool
        Whether `slots` are asked for (`Store.insert_and_find`, `Store.erase_and_find`).
    replaces : bool
        Whether existing arcs get other values, which some observers receive.
    notifications : pair of list, optional
        The notifications of new or deleted edges, and of edges that get other values, if they are known already.
    commit : function, optional
        Called with the change once the structure has been changed, before components. It cannot fail.
    always : bool
        Whether `commit` changes something even if there are no arcs.

    Attributes
    ----------
    changed : int
        Distinct arcs that were inserted, or deleted.
    found : int
        Distinct arcs of an insertion that already existed.
    slots : array of int64 or None
        The slots that `insert_and_find` or `erase_and_find` returned, until the scratch memory is used again.
    edges : int or None
        The number of effective edges of a small batch, once it is known.
    observers : list of UpdateObserver
        The observers attached to the graph.

    See Also
    --------
    Component : Sees it before and after the update.
    """

    __slots__ = (
        "_arcs", "_make", "always", "changed", "commit", "edges", "finds", "found", "kind", "notifications",
        "observers", "replaces", "slots", "small",
    )  # fmt: skip

    def __init__(
        self, kind: str, arcs: Arcs | Callable[..., Arcs], *, small: tuple[Any, ...] | None = None, finds: bool = False,
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
        self.observers: list[UpdateObserver] = []

    @property
    def arcs(self) -> Arcs:
        """The arcs, with both directions of undirected edges."""
        if self._arcs is None:
            passing = True  # exact observers get new arrays, other observers may retain the arrays of the arcs
            for observer in self.observers:
                passing = passing and observer.exact
            self._arcs = self._make(passing=passing)  # type: ignore[misc]
        return self._arcs

    def reversed(self) -> Change:
        """The same change of the transpose of a directed graph."""
        small = None
        if self.small is not None:
            src, dst, weights = self.small
            small = dst, src, weights
        made = Change(self.kind, self._swapped_arcs, small=small, finds=self.finds, always=self.always)
        made.edges = self.edges
        return made

    def _swapped_arcs(self, passing: bool) -> Arcs:
        """The arcs with their ends exchanged. Checking these checks the arcs."""
        arcs = self.arcs

        def check(waited: bool) -> None:
            arcs.check(waited=waited)

        return Arcs(arcs.dst, arcs.src, arcs.weights, check, arcs.error_counts)
