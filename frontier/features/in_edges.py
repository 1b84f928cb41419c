"""In-edges: the transpose of a directed graph, updated with it.

A directed graph with in-edges has a second store with every arc reversed. Each change is applied to both. Without
memory for the second, the transpose is *stale* and is rebuilt when it is next read or updated. An update that fails
leaves both unchanged.

Users see it as `Graph.reverse`, a read-only graph of that store, which refers to the graph. The graph refers only to
the store: large arrays are in no reference cycle, and are freed with the last reference.
"""

from __future__ import annotations

import copy
import functools
import os
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any

from frontier.core.base import BaseGraph, BaseStore
from frontier.core.batch import Arcs
from frontier.core.change import Change
from frontier.core.component import Component
from frontier.core.forwarding import forwards
from frontier.core.graph import store_usage
from frontier.core.invariants import require
from frontier.core.locking import Access, access_of
from frontier.core.read_only import ReadOnlyGraph, read_only_class
from frontier.core.results import MemoryUsage
from frontier.core.sort import row_ids
from frontier.core.updates import apply_to_store
from frontier.operators.extract import sorted_arcs, sorted_kernels
from frontier.runtime.compile.kernels import Header

IN_EDGES = "in_edges"
"""A field of headers that is present and true in graphs with in-edges."""


class InEdges(Component):
    """The transpose of one graph: None until its first use. A `stale` one is rebuilt before it is used."""

    header_fields = frozenset({IN_EDGES})

    def __init__(self, transpose: BaseStore | None = None):
        self._lock = threading.RLock()  # acquired to rebuild the transpose, by one of several threads that read
        _all.add(self)
        self._view: Any = None  # a weak reference to the last `ReverseView`
        self.transpose = transpose
        self.stale = transpose is None

    def current(self, graph: BaseGraph) -> BaseStore:
        """The transpose, rebuilt if it is stale. After a MemoryError, it still is."""
        if self.stale:
            with self._lock:
                if self.stale:
                    self._rebuild(graph)
        return self.transpose  # type: ignore[return-value]

    def view(self, graph: BaseGraph) -> BaseGraph:
        """`Graph.reverse`: one object, as long as anything refers to it."""
        with self._lock:
            store = self.current(graph)
            view = self._existing_view()
            if view is None:
                view = _view_class(getattr(graph, "structure", type(graph)))._of(store)
                view._forward, view._access = graph, SharedAccess(self, graph)
                self._view = weakref.ref(view)
            return view

    def _existing_view(self) -> Any:
        return None if self._view is None else self._view()

    def update_kernels(self, graph: BaseGraph) -> list[Header]:
        return sorted_kernels(graph)

    def _rebuild(self, graph: BaseGraph) -> None:
        offsets, dst, stored = sorted_arcs(graph)
        src = row_ids(graph.device, offsets, graph.vertex_dtype)
        fresh = graph.store.empty_like()
        if dst.size:
            fresh.load(Arcs(dst, src, stored))
        if self.transpose is not None:
            fresh.version = self.transpose.version + 1
        _copy_vertices(graph, fresh)
        self.transpose, self.stale = fresh, False
        view = self._existing_view()
        if view is not None:
            view.store = fresh
        if graph.device.is_gpu:  # threads that read in other streams do not wait for this one
            graph.device.synchronize()

    # ---- updates ----------------------------------------------------------------------------------------------------

    def reserve(self, graph: BaseGraph, change: Change) -> None:
        """Make the transpose current. Without memory for it, it stays stale."""
        if self.stale:
            with suppress(MemoryError):
                self.current(graph)

    def apply(self, graph: BaseGraph, change: Change) -> None:
        """Apply the change to the transpose. Without memory for it, the transpose becomes stale."""
        if self.stale:
            return
        self.stale = True
        with suppress(MemoryError):
            apply_to_store(self.transpose, change.reversed())
            self.stale = False

    def vertices_deleted(self, graph: BaseGraph, ids: Any) -> None:
        """Free the memory of the transpose for them."""
        if not self.stale:
            self.transpose.release(ids)  # type: ignore[union-attr]

    def vertices_changed(self, graph: BaseGraph) -> None:
        """Notify the transpose of changed vertices."""
        if self.stale:
            return
        transpose: Any = self.transpose
        self.stale = True
        with suppress(MemoryError):
            if graph.num_vertices > transpose.num_vertices:
                transpose.extend(graph.num_vertices)
            _copy_vertices(graph, transpose)
            transpose.commit()
            self.stale = False

    def compacted(self, graph: BaseGraph) -> None:
        """Have the transpose do so, too."""
        if not self.stale:
            transpose: Any = self.transpose
            transpose.compact()
            transpose.view_changed()
            transpose.commit()

    def columns_moved(self) -> None:
        """Columns of the graph's payload, which the transpose shares, may have been replaced."""
        if self.transpose is not None:
            self.transpose.view_changed()

    def forked(self) -> None:
        """Replace the lock in a child process, in which the thread that owns it does not run."""
        self._lock = threading.RLock()

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def copied_to(self, twin: BaseGraph) -> InEdges:
        """The in-edges of a copy of the graph."""
        if self.stale:
            return InEdges()
        copied = self.transpose.copy(access_of(twin))  # type: ignore[union-attr]
        copied.payload = twin.payload
        return InEdges(copied)

    def memory_usage(self, graph: BaseGraph) -> MemoryUsage:
        """The memory of the transpose."""
        return store_usage(self.current(graph))

    def header(self, graph: BaseGraph) -> dict[str, Any]:
        """That there are any: they are made again."""
        return {IN_EDGES: True}

    @classmethod
    def check_header(cls, header: Mapping[str, Any]) -> None:
        """Only directed graphs have them."""
        if IN_EDGES in header:
            require(header[IN_EDGES] is True and header["directed"], f"in_edges is {header[IN_EDGES]!r}")

    @classmethod
    def options(cls, header: Mapping[str, Any]) -> dict[str, Any]:
        """The option of the constructor."""
        return {IN_EDGES: header.get(IN_EDGES, False)}

    def filled(self, graph: BaseGraph) -> None:
        self.current(graph)

    built = filled


_all: weakref.WeakSet[InEdges] = weakref.WeakSet()


def _after_fork() -> None:
    for in_edges in list(_all):
        in_edges.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class SharedAccess:
    """The access to a transpose: the access of its graph, since a reader or writer of one may read or update both."""

    checks_reads = True  # the transpose may have to be rebuilt

    def __init__(self, in_edges: InEdges, graph: BaseGraph):
        self._in_edges = in_edges
        self._graph = weakref.ref(graph)
        access = self._shared  # whose attributes that each call reads stay the same
        self.device, self._local, self._streams = access.device, access._local, access._streams

    @property
    def _shared(self) -> Access:
        return self._graph()._access  # type: ignore[union-attr]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared, name)

    def check(self) -> None:
        """Called before anything is read."""
        graph: Any = self._graph()
        access_of(graph).check()
        self._in_edges.current(graph)

    def scratch_bytes(self) -> int:
        return 0


@forwards("_forward", "num_vertices", "num_arcs", "num_edges")
class ReverseView(ReadOnlyGraph):
    """Mixin that makes a graph of some structure the read-only reverse of another. See `Graph.reverse`."""

    __slots__ = ()
    is_transpose = True
    refusal = "the reverse of a graph is read-only: update the graph itself, with src and dst swapped"
    observer_refusal = "observer cannot follow the reverse of a graph: attach it to the graph itself"
    _forward: Any

    @property
    def reverse(self) -> Any:
        """The graph that this is the reverse of."""
        return self._forward

    @property
    def has_in_edges(self) -> bool:
        """True: they are the edges of the graph."""
        return True

    def __len__(self) -> int:
        return self.num_vertices

    def copy(self) -> Any:
        """An independent graph with these edges, which has in-edges and can be updated."""
        with self.reading():  # type: ignore[attr-defined]
            self._access.check()  # type: ignore[attr-defined]
            access = Access(self.device)
            twin = self.structure._of(self.store.copy(access))
            if twin.payload.table is not None:
                twin._components.append(twin.payload.copied_to(twin))
            reverse = self._forward.store.copy(access)
            reverse.payload = twin.payload
            twin._components.append(InEdges(reverse))
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """The reverse of a copy of the graph."""
        return copy.deepcopy(self._forward, memo).reverse

    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle: the graph."""
        return attrgetter("reverse"), (self._forward,)

    def _saved_components(self) -> list[Component]:
        return self._forward._saved_components()

    def __repr__(self) -> str:
        return f"{self._forward!r}.reverse"

    def snapshot(self) -> Any:
        """The reverse of a snapshot of the graph."""
        return self._forward.snapshot().reverse


@functools.cache
def _view_class(structure: type) -> type:
    return read_only_class(ReverseView, structure, __slots__=("_forward",))


def _copy_vertices(graph: BaseGraph, transpose: BaseStore) -> None:
    store = graph.store
    transpose.num_vertices, transpose.absent, transpose.vertex_version = (
        store.num_vertices, store.absent, store.vertex_version
    )  # fmt: skip
