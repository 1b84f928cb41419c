"""In-edges: the transpose of a directed graph, kept in step with it.

A directed graph that keeps in-edges owns a second graph of its structure, which holds every arc the other way round.
Each batch is applied to that one first. If the graph itself then fails, its transpose is *stale* and is rebuilt when it
is next read or updated: so an update that fails leaves both as they were, and costs nothing to prepare for.

What users see of it is `Graph.reverse`, a read-only graph. It shares all attributes of the transpose, and refers to the
graph, which in turn refers to the transpose only: nothing that holds large arrays refers to itself, so that they are
freed with the last reference.
"""

from __future__ import annotations

import copy
import functools
import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from frontier.core.batch import Arcs
from frontier.core.read_only import ReadOnlyGraph, read_only_class
from frontier.core.results import MemoryUsage
from frontier.core.sort import row_ids

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph
    from frontier.core.locking import Access


class InEdges:
    """The transpose of one graph.

    Attributes
    ----------
    transpose : Graph or None
        None until it is needed for the first time.
    stale : bool
        Whether it must be rebuilt before it is used.
    """

    def __init__(self, graph: BaseGraph, transpose: BaseGraph | None = None):
        self._lock = threading.RLock()  # held to rebuild the transpose, by one of several threads that read
        _all.add(self)
        self._view: Any = None  # a weak reference to the last `ReverseView`
        self._owner = weakref.ref(graph)  # of which a snapshot may show the edges, and be gone before it
        self.transpose = transpose
        self.stale = transpose is None
        if transpose is not None:
            self._link(graph, transpose)

    def current(self, graph: BaseGraph) -> BaseGraph:
        """The transpose, rebuilt if it is stale.

        Raises
        ------
        MemoryError
            It cannot be rebuilt; it is still stale.
        """
        if self.stale:
            with self._lock:
                if self.stale:
                    self._rebuild(graph)
        return self.transpose  # type: ignore[return-value]

    def view(self, graph: BaseGraph) -> BaseGraph:
        """`Graph.reverse`: one object, as long as anything refers to it."""
        with self._lock:
            transpose = self.current(graph)
            found: Any = None if self._view is None else self._view()
            if found is None:
                found = object.__new__(_view_class(type(transpose)))
                found.__dict__ = transpose.__dict__
                found._forward = graph
                self._view = weakref.ref(found)
            return found

    def _rebuild(self, graph: BaseGraph) -> None:
        offsets, dst, weights = graph._sorted_arcs()
        src = row_ids(graph.device, offsets, graph.vertex_dtype)
        fresh = empty_like(graph)
        if dst.size:
            fresh._load(Arcs(dst, src, weights))
        old = self.transpose
        if old is not None:
            fresh.version = old.version + 1
            old.__dict__.update(fresh.__dict__)  # the same object, which views share
            fresh = old
        self._link(graph, fresh)
        self.transpose, self.stale = fresh, False
        if graph.device.is_gpu:  # threads that read in other streams do not wait for this one
            graph.device.synchronize()

    def _link(self, graph: BaseGraph, transpose: BaseGraph) -> None:
        transpose._access = SharedAccess(self, self._owner())  # type: ignore[assignment]
        transpose.weight_dtype, transpose._edge_data = graph.weight_dtype, graph._edge_data
        transpose._shares_edge_data = True
        _copy_vertices(graph, transpose)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def insert(self, graph: Any, arcs: Arcs, *, distinct: bool = False) -> tuple[Any, ...]:
        """`_insert`, or `_insert_and_find`, of both; returns what that of the graph does."""
        method = "_insert_and_find" if distinct else "_insert"
        return self._update_both(graph, method, arcs, lambda counts: counts[0])

    def delete(self, graph: Any, arcs: Arcs, *, telling: bool = False) -> Any:
        """`_delete`, or `_erase_and_find`, of both; returns what that of the graph does."""
        if telling:
            return self._update_both(graph, "_erase_and_find", arcs, lambda result: -result[0])
        return self._update_both(graph, "_delete", arcs, lambda deleted: -deleted)

    def _update_both(self, graph: Any, method: str, arcs: Arcs, added: Callable[[Any], int]) -> Any:
        """Update the transpose, then the graph; `added` is how many arcs more there are by a result of `method`."""
        transpose = self.writable(graph)
        if transpose is None:
            return getattr(graph, method)(arcs)
        transpose._num_arcs += added(getattr(transpose, method)(_swapped(arcs)))
        transpose.version += 1
        self.stale = True
        result = getattr(graph, method)(arcs)
        self.stale = False
        return result

    def insert_small(self, graph: Any, src: Any, dst: Any, weights: Any) -> None:
        """Insert into the transpose what `_insert_small` has inserted into the graph."""

        def general(transpose: Any) -> int:
            arcs = graph._prepare(src, dst, weights, directed=True, weighted=True)
            return transpose._insert(_swapped(arcs))[0]

        def small(transpose: Any) -> int | None:
            done = transpose._insert_small(dst, src, weights, None, None)
            return None if done is None else done[0]

        self._follow(small, general)

    def delete_small(self, graph: Any, src: Any, dst: Any, found: int | None) -> None:
        """Delete from the transpose what `_delete_small` has deleted from the graph."""

        def general(transpose: Any) -> int:
            return -transpose._delete(_swapped(graph._prepare(src, dst, directed=True)))

        def small(transpose: Any) -> int | None:
            deleted = 0 if found == 0 else transpose._delete_small(dst, src, found)
            return None if deleted is None else -deleted

        self._follow(small, general)

    def _follow(self, small: Callable[[Any], int | None], general: Callable[[Any], int]) -> None:
        """Update the transpose after the graph, one way or the other, both of which return how many arcs came.

        Without memory for it, it is stale.
        """
        if self.stale:
            return
        transpose: Any = self.transpose
        self.stale = True
        with suppress(MemoryError):
            added = small(transpose)
            transpose._num_arcs += general(transpose) if added is None else added
            transpose.version += 1
            self.stale = False

    def extend(self, graph: Any, num_vertices: int) -> None:
        """`_extend` of both; `follow_vertices` is to be called afterwards."""
        transpose = self.writable(graph)
        self.stale = True  # until then
        if transpose is not None:
            transpose._extend(num_vertices)
        graph._extend(num_vertices)
        if transpose is not None:
            transpose._num_vertices = num_vertices
            self.stale = False

    def follow_vertices(self, graph: BaseGraph) -> None:
        """Have the transpose know what vertices there are, after that has changed."""
        if not self.stale:
            transpose: Any = self.transpose
            _copy_vertices(graph, transpose)
            transpose.version += 1

    def release(self, graph: BaseGraph, ids: Any) -> None:
        """`_release` of the transpose."""
        if not self.stale:
            self.transpose._release(ids)  # type: ignore[union-attr]

    def columns_moved(self) -> None:
        """`_columns_moved` of the transpose."""
        if self.transpose is not None:
            self.transpose._columns_moved()

    def compact(self) -> None:
        """`DynamicGraph.compact` of the transpose."""
        if not self.stale:
            self.transpose.compact()  # type: ignore[union-attr]

    def writable(self, graph: BaseGraph) -> Any:
        """The transpose; None if there is no memory to rebuild it: then the graph is updated without."""
        try:
            return self.current(graph)
        except MemoryError:
            return None

    def forked(self) -> None:
        """In a child process: no other thread is there to give the lock back."""
        self._lock = threading.RLock()

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def copied_to(self, twin: BaseGraph) -> InEdges:
        """The in-edges of a copy of the graph."""
        return InEdges(twin, None if self.stale else self.transpose._copy_arrays())  # type: ignore[union-attr]

    def add_usage(self, graph: BaseGraph, usage: MemoryUsage) -> MemoryUsage:
        """The memory that the graph and its transpose take together."""
        other = self.current(graph).memory_usage()
        return MemoryUsage(
            used=usage.used + other.used, reserved=usage.reserved + other.reserved, csr=usage.csr + other.csr,
            arcs=usage.arcs + other.arcs,
        )  # fmt: skip


_all: weakref.WeakSet[InEdges] = weakref.WeakSet()


def _after_fork() -> None:
    for in_edges in list(_all):
        in_edges.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class SharedAccess:
    """The access to a transpose: that of its graph, since who reads or updates one may read or update both."""

    def __init__(self, in_edges: InEdges, graph: BaseGraph):
        self._in_edges = in_edges
        self._graph = weakref.ref(graph)

    @property
    def _shared(self) -> Access:
        return self._graph()._access  # type: ignore[union-attr]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared, name)

    def check(self) -> None:
        """Called before anything is read."""
        graph: Any = self._graph()
        graph._access.check()
        self._in_edges.current(graph)

    def scratch_bytes(self) -> int:
        """None of its own."""
        return 0


class ReverseView(ReadOnlyGraph):
    """What makes a graph of some structure the read-only reverse of another; see `Graph.reverse`."""

    __slots__ = ()
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

    @property
    def num_vertices(self) -> int:
        """As many as in the graph."""
        return self._forward.num_vertices

    @property
    def num_arcs(self) -> int:
        """As many as in the graph."""
        return self._forward.num_arcs

    @property
    def num_edges(self) -> int:
        """As many as in the graph."""
        return self._forward.num_edges

    def __len__(self) -> int:
        return self.num_vertices

    def copy(self) -> Any:
        """An independent graph with these edges, which keeps in-edges and can be updated."""
        with self.reading():  # type: ignore[attr-defined]
            self._access.check()  # type: ignore[attr-defined]
            twin = self._forward._in_edges.transpose._copy_arrays()
            if twin._edge_data is not None:
                twin._edge_data, twin._shares_edge_data = twin._edge_data.copy(), False
            twin._in_edges = InEdges(twin, self._forward._copy_arrays())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """The reverse of a copy of the graph."""
        return copy.deepcopy(self._forward, memo).reverse

    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle: the graph."""
        return _reverse_of, (self._forward,)

    def __repr__(self) -> str:
        return f"{self._forward!r}.reverse"

    def snapshot(self) -> Any:
        """The reverse of a snapshot of the graph."""
        return self._forward.snapshot().reverse


@functools.cache
def _view_class(structure: type) -> type:
    """The class of the reverses of graphs of a structure."""
    return read_only_class(ReverseView, structure, __slots__=("_forward",))


def _reverse_of(graph: BaseGraph) -> BaseGraph:
    return graph.reverse


def empty_like(graph: BaseGraph) -> Any:
    """A graph of the same structure, with the same vertices and options, without edges and in-edges.

    Of a graph with edge data it is one whose weights are ids of edges.
    """
    options = {name: getattr(graph, name) for name in graph._options}
    return type(graph)(
        graph.num_vertices, directed=graph.directed, device=graph.device, weight_dtype=graph._stored_dtype,
        vertex_dtype=graph.vertex_dtype, **options,
    )  # fmt: skip


def _copy_vertices(graph: BaseGraph, transpose: BaseGraph) -> None:
    transpose._num_vertices = graph._num_vertices
    transpose._absent = graph._absent
    transpose.vertex_version = graph.vertex_version


def _swapped(arcs: Arcs) -> Arcs:
    """The same arcs the other way round; to check these is to check those."""

    def check(waited: bool) -> None:
        arcs.check(waited=waited)

    return Arcs(arcs.dst, arcs.src, arcs.weights, check, arcs.error_counts)
