"""`Observers`: the observers of a graph, and the handling of their failures."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from frontier.runtime.values import kind_of

from .results import ObserverError, UpdateObserver

EDGE_METHODS = ("edges_inserted", "edges_changing", "edges_changed", "edges_deleting", "edges_deleted")
Notification = tuple[UpdateObserver, tuple[Any, ...] | None]
"""An observer, and the arguments of its notification, which are None if it recomputes its result."""


class Observers:
    """The observers of one graph, by weak references, in order of attachment.

    An observer never prevents an update. An observer that raises is detached. All remaining ones are still notified,
    and `run` raises the error once the update has been applied.
    """

    def __init__(self, graph: Any):
        self._graph = weakref.ref(graph)
        self._refs: list[weakref.ref[UpdateObserver]] = []
        self._failures: list[tuple[UpdateObserver, BaseException]] = []
        self.is_updating = False
        self._notifying = False

    def attach(self, observer: UpdateObserver, instead_of: UpdateObserver | None) -> None:
        """See `DynamicGraph.attach`."""
        check_observer(observer, "observer")
        if instead_of is not None:
            check_observer(instead_of, "instead_of")
        if instead_of is not None and not self._has(instead_of):
            raise ValueError("instead_of must be an observer that is attached to this graph")
        if self._has(observer):
            return
        held = observer._watched() if observer._watched is not None else None
        if held is not None:
            raise ValueError("observer is notified of a graph's updates already, and watches one graph at a time")
        observer.attaching(self._graph())
        observer._watched = self._graph
        if instead_of is None:
            self._refs.append(weakref.ref(observer))
        else:
            self._refs = [weakref.ref(observer) if ref() is instead_of else ref for ref in self._refs]

    def detach(self, observer: UpdateObserver) -> None:
        """See `DynamicGraph.detach`."""
        check_observer(observer, "observer")
        if observer._watched is self._graph:
            self._remove(observer)
            observer.detached()

    def _has(self, observer: UpdateObserver) -> bool:
        return any(ref() is observer for ref in self._refs)

    def _remove(self, observer: UpdateObserver) -> None:
        self._refs = [ref for ref in self._refs if ref() is not observer]
        observer._watched = None

    def live(self) -> list[UpdateObserver]:
        """The attached observers that are still alive."""
        if not self._refs:
            return []
        live = [observer for ref in self._refs if (observer := ref()) is not None]
        if len(live) < len(self._refs):
            self._refs = [ref for ref in self._refs if ref() is not None]
        return live

    def notify(self, method: str, notifications: Iterable[Notification]) -> None:
        """Call a method of some observers, except those detached meanwhile, and collect their exceptions.

        In a graph that stores records, observers that see records are not notified of edges. Observers that recompute
        their results are notified of no edges.
        """
        self._notifying = True
        try:
            for observer, args in notifications:
                if args is None or observer._watched is not self._graph:
                    continue
                if observer.sees_records and self._tells_records(method):
                    continue
                try:
                    getattr(observer, method)(*args)
                except BaseException as error:  # interrupts, too, must not prevent further notifications
                    self._fail(observer, method, error)
        finally:
            self._notifying = False

    def _tells_records(self, method: str) -> bool:
        """Whether a method notifies of records the observers that see them."""
        graph = self._graph()
        return method in EDGE_METHODS and graph is not None and graph.multi_edges == "all"

    def _fail(self, observer: UpdateObserver, method: str, error: BaseException) -> None:
        self._failures.append((observer, error))
        self._remove(observer)
        try:
            observer.failed(method, error)
        except Exception as another:
            error.add_note(f"and {type(observer).__name__}.failed raised {another!r}")

    def run(self, update: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        """Apply an update and return its result.

        Raises
        ------
        ObserverError
            The update was applied, but observers failed.
        RuntimeError
            An observer tried to change the graph during a notification.
        """
        if self._notifying:
            raise RuntimeError("an observer must not change the graph whose update it is being notified of")
        if self.is_updating:
            return update(*args, **options)
        self.is_updating = True
        try:
            result = update(*args, **options)
        except BaseException as error:
            for observer, failure in self._failures:
                name = type(observer).__name__
                error.add_note(f"before that, the observer {name} failed and was detached: {failure!r}")
            raise
        else:
            failures = self._failures
        finally:
            self.is_updating = False
            self._failures = []
        if failures:
            raise_failures(result, failures)
        return result


def check_observer(observer: Any, name: str) -> None:
    if not isinstance(observer, UpdateObserver):
        raise TypeError(f"{name} must be an UpdateObserver, not {kind_of(observer)}")


def raise_failures(result: Any, failures: list[tuple[UpdateObserver, BaseException]]) -> None:
    """Report failed observers to the caller of an update that was applied."""
    error = ObserverError(result, failures)
    for _, failure in failures:
        if not isinstance(failure, Exception):  # an interrupt stays one
            failure.add_note(str(error))
            raise failure
    causes = [failure for _, failure in failures]
    raise error from causes[0] if len(causes) == 1 else ExceptionGroup("the observers' errors", causes)
