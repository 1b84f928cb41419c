"""The common part of insertions and deletions of records.

Everything is computed before anything changes: only the structure, which goes first, may still fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from frontier.core.base import BaseDynamicGraph, BaseGraph
from frontier.core.batch import Arcs
from frontier.core.change import INSERT, Change
from frontier.core.observers import Notification

from .ends import kept_ends
from .records import EDGE


class Write(NamedTuple):
    """Values to write to records: entries of some columns, at some ids."""

    ids: Any
    values: dict[str, Any]


def record_change(
    graph: BaseDynamicGraph, arcs: Arcs, listed: Any, new: Any, there: Any, commit: Callable[[Change], None]
) -> Change:  # fmt: skip
    """The insertion of arcs of new edges along with changes of existing ones. Notifications allocate memory.

    Changed and new edges are given by their ends, once each. `commit` writes values of edges and records.
    """
    observers = graph._observers.live()
    if not all(observer.exact for observer in observers):
        both = edge_arcs(graph, *listed)
        listed = both.src, both.dst
    changes = [(observer, there) for observer in observers if observer.exact and observer.sees_changes]
    inserted = [(observer, new if observer.exact else listed) for observer in observers]
    return Change(
        INSERT, arcs, finds=graph.store.supports_insert_and_find, notifications=(inserted, changes),
        commit=commit, always=True,
    )  # fmt: skip


def notify(graph: BaseDynamicGraph, method: str, notifications: list[Notification]) -> None:
    """Call a method of observers, each with its own arguments."""
    graph._observers.notify(method, notifications)


def record_notifications(graph: BaseDynamicGraph, ids: Any, ends: Any = None) -> list[Notification]:
    """The observers that see records, with the ids of some, and the ends of their edges (`ends`, if they are known)."""
    observers = [observer for observer in graph._observers.live() if observer.sees_records]
    if not observers or not ids.size:
        return []
    if ends is None:
        edges = graph.payload.table.records.columns[EDGE][ids]  # type: ignore[union-attr]
        ends = tuple(each[edges] for each in kept_ends(graph))
    return [(observer, (*ends, ids)) for observer in observers]


def edge_arcs(graph: BaseGraph, src: Any, dst: Any, ids: Any = None) -> Arcs:
    """The arcs of edges, each of which is listed once, with their ids as weights."""
    if graph.directed:
        return Arcs(src, dst, ids)
    both = graph.xp.concatenate([src, dst]), graph.xp.concatenate([dst, src])
    return Arcs(*both, None if ids is None else graph.xp.concatenate([ids, ids]))
