"""The way of every update through a graph: lock, components, store, observers.

A method of a graph that updates it is decorated by `update`. It makes changes (`Change`), each applied by `run`. First
components reserve their memory, and observers are notified. Then the store changes, and with it the counts of the
graph. At the end components update their data, and observers are notified again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from frontier.runtime import is_warming_up

from .change import DELETE, INSERT, Change
from .component import Call
from .effective import effective_edges
from .locking import CONTENTS
from .observers import Notification
from .results import ObserverError, UpdateObserver
from .small_updates import NotificationBuffer

if TYPE_CHECKING:
    from .base import BaseDynamicGraph
    from .batch import Arcs

F = TypeVar("F", bound=Callable)


def update(function: F) -> F:
    """Decorate a method that updates the graph (`Access.update`). An update within an update is a part of it."""

    @wraps(function)
    def call(graph: Any, /, *args: Any, **options: Any) -> Any:
        return graph._access.update(_apply_update, graph, function, args, options)

    call.changes = CONTENTS  # type: ignore[attr-defined]
    return cast(F, call)


def _apply_update(graph: Any, function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """Apply an update and notify the components before and after it, unless it is part of another."""
    observers, components = graph._observers, graph._components
    if observers.is_updating or not components:
        return observers.run(function, graph, *args, **options)
    version = graph.version
    applied: Call | None = None
    try:
        for component in components:
            component.begin(graph)
        result = observers.run(function, graph, *args, **options)
        applied = Call(function.__name__, args, options)
        return result
    except ObserverError:
        applied = Call(function.__name__, args, options)
        raise
    finally:
        for component in components:
            component.end(graph, applied, changed=graph.version != version)


# ---- a change -------------------------------------------------------------------------------------------------------


def run(graph: BaseDynamicGraph, change: Change) -> Change:
    """Apply a change to a graph and its components, and notify observers. An empty change does nothing."""
    change.observers = graph._observers.live()
    if change.small is None:
        arcs = change.arcs
        if not arcs.size and not change.always:
            return change
    for component in graph._components:
        component.reserve(graph, change)
    if change.small is not None:
        if _run_small(graph, change):
            return change
        arcs = change.arcs
    inserts, notify = change.kind is INSERT, graph._observers.notify
    notifications: list[Notification] = []
    changes: list[Notification] = []
    if change.notifications is not None:
        notifications, changes = change.notifications
    elif change.observers:
        notifications = notifications_of(graph, arcs, not inserts, change.observers)
        if inserts and change.replaces and graph.store.stored_dtype is not None:
            seeing = [observer for observer, edges in notifications if edges is not None and observer.sees_changes]
            if exact := [observer for observer in seeing if observer.exact]:
                found = exact[0].find_edges(partial(effective_edges, graph, arcs, True))  # which are in the graph
                changes = [(observer, found) for observer in exact]
    if changes:
        notify("edges_changing", changes)
    if notifications and not inserts:
        notify("edges_deleting", notifications)
    try:
        _apply(graph.store, change, arcs)
        _follow(graph, change)
    except BaseException as error:
        graph._access.torn(error)
        raise
    if notifications:
        notify("edges_inserted" if inserts else "edges_deleted", notifications)
        edges = change.changed if graph.directed else change.changed // 2
        for observer, ends in notifications:
            if ends is None:
                notify("outdated", [(observer, (edges,))])
    if changes:
        notify("edges_changed", changes)
    return change


def apply_to_store(store: Any, change: Change) -> None:
    """Apply a change to a store only, and count its arcs."""
    if change.small is None or not _apply_small(store, change, None, None):
        _apply(store, change, change.arcs)
    store.commit(change.changed if change.kind is INSERT else -change.changed)


def _apply(store: Any, change: Change, arcs: Arcs) -> None:
    """Have a store apply a change."""
    if change.always and not arcs.size:
        return
    if change.kind is INSERT:
        if change.finds:
            change.changed, change.found, change.slots = store.insert_and_find(arcs)
        else:
            change.changed, change.found = store.insert(arcs)
    elif change.finds:
        change.changed, change.slots = store.erase_and_find(arcs)
    else:
        change.changed = store.erase(arcs)


def _follow(graph: Any, change: Change) -> None:
    """Have the graph's numbers, the payload and the components follow the structure."""
    graph.store.commit(change.changed if change.kind is INSERT else -change.changed)
    if change.commit is not None:
        change.commit(change)
    for component in graph._components:
        component.apply(graph, change)


# ---- a small change, which some structures apply in few launches ----------------------------------------------------


def _run_small(graph: Any, change: Change) -> bool:
    """`run` of a small change. False if nothing has changed, and the general path must apply it."""
    observers = change.observers
    if not observers:
        with graph._access.changing():
            if not _apply_small(graph.store, change, None, None):
                return False
            _follow(graph, change)
        return True
    inserts = change.kind is INSERT
    if inserts and graph.weight_dtype is not None:
        for observer in observers:
            if observer.exact and observer.sees_changes:
                return False  # it is notified before the insertion, too
    buffer = NotificationBuffer(graph, change.small[0].size, observers, exact=not inserts)  # type: ignore[index]
    return (_insert_notifying if inserts else _delete_notifying)(graph, change, buffer)


def _insert_notifying(graph: Any, change: Change, buffer: NotificationBuffer) -> bool:
    with graph._access.changing():
        if not _apply_small(graph.store, change, buffer.arcs, buffer.edges):
            return False
        _follow(graph, change)
    graph._observers.notify("edges_inserted", buffer.notifications(change.edges))  # type: ignore[arg-type]
    return True


def _delete_notifying(graph: Any, change: Change, buffer: NotificationBuffer) -> bool:
    src, dst, _ = change.small  # type: ignore[misc]
    change.edges = graph.store.find_small(src, dst, buffer.arcs, buffer.edges)
    if change.edges is None:
        return False
    notifications = buffer.notifications(change.edges)
    graph._observers.notify("edges_deleting", notifications)
    with graph._access.changing():
        if not _apply_small(graph.store, change, None, None):
            _apply(graph.store, change, change.arcs)  # the general way from here on: observers have been notified
        _follow(graph, change)
    graph._observers.notify("edges_deleted", notifications)
    return True


def _apply_small(store: Any, change: Change, arcs: Any, edges: Any) -> bool:
    """Make a store apply a small change, if it can. `arcs` and `edges` are addresses of output buffers."""
    src, dst, weights = change.small  # type: ignore[misc]
    if change.kind is INSERT:
        done = store.insert_small(src, dst, weights, arcs, edges)
        if done is None:
            return False
        change.changed, change.found, change.edges = done
        return True
    deleted = 0 if change.edges == 0 else store.erase_small(src, dst, change.edges)
    if deleted is None:
        return False
    change.changed = deleted
    return True


# ---- notifications --------------------------------------------------------------------------------------------------


def notifications_of(
    graph: BaseDynamicGraph, arcs: Arcs, present: bool, observers: list[UpdateObserver] | None = None
) -> list[Notification]:  # fmt: skip
    """Each observer with the ends of all arcs, or, if exact, of the effective edges, computed once.

    Instead of ends, None for one that will recompute its result. By default, for all of the graph's observers.
    """
    notifications: list[Notification] = []
    found = None
    update, most = DELETE if present else INSERT, arcs.size if graph.directed else arcs.size // 2
    for observer in graph._observers.live() if observers is None else observers:
        edges: Any = (arcs.src, arcs.dst)
        if observer.exact and not is_warming_up() and observer.recomputes(update, most):
            edges = None
        elif observer.exact:
            found = edges = found or observer.find_edges(partial(effective_edges, graph, arcs, present))
        notifications.append((observer, edges))
    return notifications
