"""`Snapshot`: a read-only graph that gets its arrays when it is read for the first time."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Mapping
from contextlib import nullcontext
from types import MappingProxyType, SimpleNamespace
from typing import Any

from frontier.core.base import BaseDynamicGraph
from frontier.core.forwarding import forwards
from frontier.core.locking import CONTENTS, LAYOUT, access_of, reads
from frontier.core.read_only import ReadOnlyGraph, read_only_class

from .history import Copy, History, Pending, history_of

REFUSAL = "a snapshot is read-only: update the graph that it was taken of, or a copy() of the snapshot"
REFUSAL_OF_OBSERVERS = "a snapshot does not change: attach the observer to the graph that it was taken of"
FIXED = "directed", "device", "vertex_dtype", "weight_dtype"
COUNTED = "version", "vertex_version", "num_vertices", "num_arcs"
"""Facts that a snapshot has before it is read."""


@forwards("_known", *COUNTED)
class Snapshot(ReadOnlyGraph):
    """A base that makes a graph of some structure a snapshot of another. See `DynamicGraph.snapshot`.

    Before the first read, triggered by any missing attribute, it has neither store nor components. After it, it has the
    store and components of a copy.
    """

    __slots__ = ()
    refuses = (CONTENTS, LAYOUT)
    refusal = REFUSAL
    observer_refusal = REFUSAL_OF_OBSERVERS
    _unread: Pending | None
    _known: SimpleNamespace
    _shown: BaseDynamicGraph

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        pending = self._unread
        if pending is not None:
            self._read(pending)
        return object.__getattribute__(self, name)

    def _read(self, pending: Pending) -> None:
        with pending.graph.reading() if pending.history.needs_graph(pending.position) else nullcontext(), pending.lock:
            if self._unread is None:  # another thread has read it
                return
            made = pending.history.copy_at(pending.graph, pending.position)
            graph = made.graph
            store = graph.store
            store.version, store.vertex_version = self.version, self.vertex_version
            store.view_changed()
            weakref.finalize(self, _release, weakref.ref(pending.history), made).atexit = False
            self._shown = graph
            self._use(store)
            self._components = graph._components
            self._unread = None

    @property
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns, which must not be written to: another snapshot may show the same. On a CPU they cannot be."""
        return self._only_read(super().edge_data)  # type: ignore[misc]

    @property
    def record_data(self) -> Mapping[str, Any] | None:
        """The columns of the records, read-only."""
        return self._only_read(super().record_data)  # type: ignore[misc]

    def _only_read(self, columns: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if columns is None or self.device.is_gpu:  # CuPy has no arrays that can only be read
            return columns
        return MappingProxyType({name: self.device.read_only(column) for name, column in columns.items()})

    def snapshot(self) -> Any:
        """Itself."""
        return self

    @reads
    def copy(self) -> Any:
        """An independent graph with these contents, which can be updated."""
        return self._shown.copy()

    @reads
    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle: an independent graph, which can be updated."""
        return self._shown.__reduce__()

    def __repr__(self) -> str:
        return f"<snapshot of {self.structure.__name__}: {self.num_vertices:,} vertices, {self.num_edges:,} edges>"


def take_snapshot(graph: BaseDynamicGraph) -> Any:
    """`DynamicGraph.snapshot`, called while the graph is read."""
    if access_of(graph).writer is not None:  # the update of this thread, which notifies an observer
        raise RuntimeError(
            "an observer must not take a snapshot of the graph whose update it is notified of: take it after the update"
        )
    history = history_of(graph)
    return history.take(functools.partial(_make_snapshot, graph, history))


def read_now(snapshot: Any) -> None:
    """Give a snapshot its data, as a read does. `DynamicGraph.snapshot` lists the exceptions."""
    pending = snapshot._unread
    if pending is not None:
        snapshot._read(pending)


def _make_snapshot(graph: BaseDynamicGraph, history: History) -> Any:
    made = object.__new__(_snapshot_class(type(graph)))
    for name in FIXED:
        setattr(made, name, getattr(graph, name))
    made._known = SimpleNamespace(**{name: getattr(graph, name) for name in COUNTED})
    made._unread = Pending(graph, history)
    return made


@functools.cache
def _snapshot_class(structure: type) -> type:
    return read_only_class(Snapshot, structure, __slots__=("_known", "_shown", "_unread"))


def _release(history: weakref.ref[History], shown: Copy) -> None:
    known = history()
    if known is not None:
        known.release(shown)
