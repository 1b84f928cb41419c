"""`DynamicGraph`: the interface of all structures that support updates, and the methods that they implement."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Self

import numpy as np

from frontier.features.edge_data import add_rows, append_rows, delete_arcs, delete_rows, insert_rows, make_rows
from frontier.features.edge_data.record_deletion import delete_edges_and_records, delete_records
from frontier.features.edge_data.record_insertion import insert_records
from frontier.features.mixed import MixedResult, apply_operations
from frontier.features.snapshots import logged_update, take_snapshot
from frontier.features.times import as_time
from frontier.features.windows.expiry import expire_edges
from frontier.features.windows.pushes import plain_records, push_records
from frontier.operators.extract import incident_arcs
from frontier.runtime import Kernels
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import one_of

from .added_weights import add_weights
from .base import BaseDynamicGraph
from .batch import Arcs, batch_kernels, check_ids
from .effective import effective_edges, effective_kernels
from .graph import Graph
from .locking import reads, rearranges, updates
from .observers import Notification, Observers, observed
from .results import UpdateObserver, UpdateResult
from .small_updates import delete_small, insert_small
from .sort import sort_kernels, split_keys, unique_arcs

ON_EXISTING = ("replace", "keep", "add")


class DynamicGraph(Graph, BaseDynamicGraph):
    """A graph that supports batched insertions and deletions of edges and vertices.

    The semantics are the same for every structure on every device:

    * The graph is simple. Self-loops in a batch are dropped; if an edge is listed several times, the last counts (or
      all, with ``multi_edges="sum"`` and ``multi_edges="all"``).
    * ``directed=False`` stores both directions; a batch may list an edge in either direction, or in both.
    * Batches are atomic: invalid input raises before anything changes. (`insert_edges` documents the one exception,
      for exhausted memory.)
    * Deleting an absent edge has no effect.
    * In-edges, if the graph keeps any (`has_in_edges`), follow every update, and none that fails.
    """

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._observers: Any = Observers(self)
        for kernels in self._update_kernels():
            kernels.compile_ahead()

    def _update_kernels(self) -> list[Kernels]:
        """*structure*: kernels that batches need, compiled in parallel while the first one is on its way."""
        id_types = {self.vertex_dtype, np.dtype(np.int64)}  # the second is what NumPy's users have
        batch = [batch_kernels(self.device, ids, self.vertex_dtype, self.weight_dtype) for ids in id_types]
        data = [] if self._edge_data is None else [self._edge_data.kernels]
        if self._edge_data is not None and self._edge_data.times is not None:
            data.append(self._edge_data.times.kernels)
        return [self._kernels, sort_kernels(self), effective_kernels(self), *batch, *data]

    # ---- edges ------------------------------------------------------------------------------------------------------

    @updates
    @logged_update
    @observed
    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """Insert a batch of edges.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
        weights : array-like of numbers, shape (m,), optional
            1 by default, in weighted graphs.
        on_existing : {"replace", "keep", "add"}
            How to treat existing edges: replace the weight, keep it, or add to it. With ``"add"``, edges whose weight
            becomes 0 or negative are deleted, and absent edges with such weights are never inserted. Infinity and
            minus infinity have no sum.
        **edge_data : array-like, shape (m,)
            A value of each edge for each column of a graph with edge data (`Graph.edge_data`). Those of existing edges
            are replaced, or kept with ``"keep"``. In a graph with times, ``time`` is among them, and decides which
            record of an edge counts: one that is outdated replaces nothing.

        Returns
        -------
        UpdateResult

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged. With ``"add"``, also if a sum of
            integer weights overflows, or one of floats is NaN.
        MemoryError
            The device's memory is exhausted; the graph is unchanged. The exception is ``on_existing="add"`` with edges
            to delete, since memory for deletions is allocated last. If that fails, all other edges of the batch are
            inserted or have their new weights, and the edges to delete remain with their old weights.
        ObserverError
            The edges were inserted, but an observer failed. This applies to all updates.
        """
        one_of(on_existing, "on_existing", ON_EXISTING)
        if on_existing == "add" and self.weight_dtype is None:
            raise ValueError("on_existing='add' adds weights, but this graph has none")
        if self._edge_data is not None:
            if self.multi_edges != "last" and on_existing != "replace":
                raise ValueError(
                    f"on_existing={on_existing!r} has no meaning with multi_edges={self.multi_edges!r}: "
                    "all records add up"
                )
            if self._makes_update_plans and on_existing != "add":
                records = plain_records(self, src, dst, weights, edge_data, keep=on_existing == "keep")
                done = None if records is None else push_records(self, records)
                if done is not None:
                    return self._result(done.inserted, done.found, 0)
            rows = make_rows(self, src, dst, weights, edge_data)
            if self.multi_edges == "all":
                return insert_records(self, rows)
            if not len(rows.arcs):
                return UpdateResult()
            if self.multi_edges == "sum":
                return self._result(*add_rows(self, rows), 0)
            if on_existing == "add":
                return self._result(*append_rows(self, rows))
            return self._result(*insert_rows(self, rows, keep=on_existing == "keep"), 0)
        if edge_data:
            name = next(iter(edge_data))
            raise TypeError(f"insert_edges() got {name}=..., but this graph has no edge data; make it with edge_data=")
        if on_existing == "replace":
            small = insert_small(self, src, dst, weights)
            if small is not None:
                return self._result(*small, 0)
        passing = self._arcs_may_pass()
        arcs = self._prepare(src, dst, weights, directed=self.directed, weighted=True, passing=passing)
        if not len(arcs):
            return UpdateResult()
        if on_existing == "replace":
            inserted, replaced = self._insert_observed(arcs)
            return self._result(inserted, replaced, 0)
        if on_existing == "add":
            return self._result(*self._append(arcs))
        distinct, slots = self._distinct(arcs)
        absent = self.xp.flatnonzero(slots < 0)
        weights = None if distinct.weights is None else distinct.weights[absent]
        inserted, _ = self._insert_observed(Arcs(distinct.src[absent], distinct.dst[absent], weights), changing=False)
        return self._result(inserted, 0, 0)

    @updates
    @logged_update
    @observed
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """Delete a batch of edges; absent edges are skipped.

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.
        """
        if self.multi_edges == "all":
            return delete_edges_and_records(self, self._prepare(src, dst, directed=True))
        if self._edge_data is not None and not self._supports_insert_and_find:
            records = self._prepare(src, dst, directed=True)
            return self._result(0, 0, delete_rows(self, records)) if len(records) else UpdateResult()
        small = delete_small(self, src, dst)
        if small is not None:
            return self._result(0, 0, small)
        passing = self._edge_data is None and self._arcs_may_pass()
        arcs = self._prepare(src, dst, directed=self.directed, passing=passing)
        if not len(arcs):
            return UpdateResult()
        delete = self._delete_observed if self._edge_data is None else partial(delete_arcs, self)
        return self._result(0, 0, delete(arcs))

    @updates
    @logged_update
    @observed
    def _insert_valid(self, src: Any, dst: Any, weights: Any) -> UpdateResult:
        """`insert_edges` of arcs whose ids and weights were checked before, in a graph without edge data."""
        return self._result(*self._insert_observed(Arcs(src, dst, weights)), 0)

    @updates
    @logged_update
    @observed
    def _delete_valid(self, src: Any, dst: Any) -> UpdateResult:
        """`delete_edges`, likewise."""
        return self._result(0, 0, self._delete_observed(Arcs(src, dst, None)))

    @updates
    @logged_update
    @observed
    def delete_records(self, ids: Any) -> UpdateResult:
        """Delete a batch of records of a graph with ``multi_edges="all"``, and the edges of which no record is left.

        Parameters
        ----------
        ids : array-like of int, shape (m,)
            In any order, with duplicates.

        Returns
        -------
        RecordsResult

        Raises
        ------
        TypeError, ValueError
            The graph keeps no records, or an id is that of no record; the graph is unchanged. Also if an edge is left
            with records of integer weights whose sum overflows.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.

        Notes
        -----
        O(m log m) work; if weights are floats, also the records that are left of edges that lose some, whose weights
        are summed again. The first call after the graph was copied or loaded takes a pass over it. Observers are
        notified of the edges that are deleted, and then of those that stay, as of edges that an insertion changes.
        """
        return delete_records(self, self._distinct_record_ids(ids))

    @updates
    @logged_update
    @observed
    def expire(self, before: Any) -> UpdateResult:
        """Delete the edges of a graph with times whose time is less than `before`.

        With ``multi_edges="all"``, each record has its own time: such records are deleted, as by `delete_records`.

        Parameters
        ----------
        before : int or timestamp
            In the unit of the graph's times, or a ``datetime``, or a timestamp of NumPy or pandas.

        Returns
        -------
        UpdateResult
            With the number of deleted edges.

        Raises
        ------
        TypeError, ValueError
            `before` is no time, or the graph has none; or, with ``multi_edges="all"``, the integer weights of the
            records that are left of an edge have a sum that does not fit. The graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.

        Notes
        -----
        Work in proportion to the records that were inserted with such times, not to the graph: each insertion is
        logged, from the first call on. That call, and the first after the graph was copied or loaded, or after many
        edges were inserted again and again, sorts all edges. Times that are assigned to the column are not logged.
        """
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    @updates
    @logged_update
    @observed
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """Apply a mixed batch of updates and queries, as if each operation had run in its order.

        Parameters
        ----------
        ops : array-like of `Operation`, shape (m,)
            ``INSERT`` (as `insert_edges` does by default), ``DELETE``, ``HAS_EDGE``, ``WEIGHT``, ``DEGREE`` or
            ``NEIGHBORS``, or their numbers.
        src, dst : array-like of int, shape (m,)
            The edge; for ``DEGREE`` and ``NEIGHBORS``, which `dst` has no meaning for, the vertex is `src`.
        weights, **edge_data : array-like, shape (m,)
            As in `insert_edges`. They have a meaning for ``INSERT`` only, and may be left out if there is none.

        Returns
        -------
        MixedResult
            The answers, by operation.

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged, but if it happens at the end, in the deletion of
            edges: then the insertions of the batch have been applied.

        Notes
        -----
        A sort of the operations; for degrees one more, of the effects at each vertex; for neighbors several, of the
        answers too. On a GPU the host waits once, and once more for each of the two updates, unless neighbors are asked
        for. Observers are notified of the net effect: of an edge that is
        inserted and deleted, or deleted and inserted, in one batch they are not. An edge that is deleted and inserted
        keeps its id.
        """
        return apply_operations(self, ops, src, dst, weights, edge_data)

    def _arcs_may_pass(self) -> bool:
        """Whether nobody keeps the arcs of a batch after the update: exact observers get arrays of their own."""
        return all(observer.exact for observer in self._live_observers())

    def _result(self, inserted: int, replaced: int, deleted: int) -> UpdateResult:
        copies = 1 if self.directed else 2
        return UpdateResult(inserted // copies, replaced // copies, deleted // copies)

    def _distinct(self, arcs: Arcs) -> tuple[Arcs, Any]:
        """The distinct arcs of a batch, each with the weight of its last, and their slots (-1: not in the graph)."""
        keys, weights = unique_arcs(self.device, arcs, self._num_vertices)
        src, dst = split_keys(self.device, keys, self._num_vertices, self.vertex_dtype)
        return Arcs(src, dst, weights), self._find(src, dst)

    def _insert_observed(
        self, arcs: Arcs, commit: Callable[..., None] | None = None, *, changing: bool = True, distinct: bool = False
    ) -> tuple[int, int]:
        """Insert arcs, and notify observers.

        Parameters
        ----------
        commit : function, optional
            Called in between with what the structure returned.
        changing : bool
            Whether arcs that are there get other values.
        distinct : bool
            Insert by `_insert_and_find`.
        """
        notifications = self._what_observers_see(arcs, present=False)
        changes = self._what_changes(arcs) if changing else []
        self._observers.notify("edges_changing", changes)
        inserted = replaced = 0
        if len(arcs):
            with self._access.changing():
                done = self._insert_arcs(arcs, distinct=distinct)
                inserted, replaced = done[:2]
                self.version += 1
                if commit is not None:
                    commit(*done)
        self._observers.notify("edges_inserted", notifications)
        self._observers.notify("edges_changed", changes)
        return inserted, replaced

    def _insert_arcs(self, arcs: Arcs, *, distinct: bool = False) -> tuple[Any, ...]:
        """`_insert`, or `_insert_and_find`, with in-edges if there are any; returns what that does."""
        in_edges = self._in_edges
        insert = self._insert_and_find if distinct else self._insert
        done = insert(arcs) if in_edges is None else in_edges.insert(self, arcs, distinct=distinct)
        self._num_arcs += done[0]
        return done

    def _delete_observed(
        self, arcs: Arcs, commit: Callable[..., None] | None = None, *, telling: bool = False,
        notifications: list[Notification] | None = None,
    ) -> int:  # fmt: skip
        """Delete arcs, and notify observers.

        Parameters
        ----------
        commit : function, optional
            Called in between with the number of deleted arcs, or what `_erase_and_find` returned.
        telling : bool
            Delete by that.
        notifications : list, optional
            `_what_observers_see` of the arcs, if the update has changed something since: what may fail comes first.
        """
        if notifications is None:
            notifications = self._what_observers_see(arcs, present=True)
        self._observers.notify("edges_deleting", notifications)
        deleted = 0
        if len(arcs):
            with self._access.changing():
                in_edges = self._in_edges
                delete = self._erase_and_find if telling else self._delete
                done: Any = delete(arcs) if in_edges is None else in_edges.delete(self, arcs, telling=telling)
                done = done if telling else (done,)
                deleted = done[0]
                self._num_arcs -= deleted
                self.version += 1
                if commit is not None:
                    commit(*done)
        self._observers.notify("edges_deleted", notifications)
        return deleted

    def _what_observers_see(self, arcs: Arcs, present: bool) -> list[Notification]:
        """Each observer with the sources and destinations that it is to be notified of."""
        observers = self._live_observers()
        if not observers:
            return []
        exact = self._effective([observer for observer in observers if observer.exact], arcs, present)
        return [(observer, exact if observer.exact else (arcs.src, arcs.dst)) for observer in observers]

    def _what_changes(self, arcs: Arcs) -> list[Notification]:
        """The same, of arcs that get other values."""
        if self._stored_dtype is None:
            return []
        observers = [observer for observer in self._live_observers() if observer.exact and observer.sees_changes]
        if not observers:
            return []
        effective = self._effective(observers, arcs, present=True)
        return [(observer, effective) for observer in observers]

    def _effective(self, observers: list[UpdateObserver], arcs: Arcs, present: bool) -> tuple[Any, Any]:
        """The effective edges of a batch, for observers that need them."""
        if not observers:
            return arcs.src, arcs.dst
        return observers[0].find_edges(partial(effective_edges, self, arcs, present))

    # ---- vertices ---------------------------------------------------------------------------------------------------

    @updates
    @logged_update
    @observed
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """Add vertices.

        Parameters
        ----------
        count_or_ids : int or array-like of int
            A number of vertices: deleted ids are reallocated first, in ascending order, then the id space grows. Or the
            ids themselves: deleted ones become valid again, and the id space is extended to hold larger ones.

        Returns
        -------
        array of int64, on the graph's device
            The ids of the vertices.

        Raises
        ------
        TypeError, ValueError
            A negative count or id; the graph is unchanged.
        """
        xp = self.xp
        if isinstance(count_or_ids, int | np.integer) and not isinstance(count_or_ids, bool):
            count = int(count_or_ids)
            if count < 0:
                raise ValueError(f"the number of vertices must not be negative, got {count}")
            free = xp.flatnonzero(self._absent) if self._absent is not None else xp.empty(0, np.int64)
            free = free[: min(count, free.size)]
            fresh = count - int(free.size)
            self._check_fit(self._num_vertices + fresh)
            ids = xp.concatenate([
                free.astype(np.int64), xp.arange(self._num_vertices, self._num_vertices + fresh, dtype=np.int64)
            ])  # fmt: skip
        else:
            ids = as_ids(self.device, count_or_ids, "ids").astype(np.int64)
            if ids.size and int(ids.min()) < 0:
                raise ValueError(f"ids must not be negative, got {int(ids.min())}")
        if ids.size:
            size = max(int(ids.max()) + 1, self._num_vertices)
            self._check_fit(size)
            absent = self._absent_without(ids, size)  # while memory may run out: nothing has changed
            with self._access.changing():
                self._grow_to(size)
                self._absent = absent
                self.version += 1
                self.vertex_version += 1
                if self._in_edges is not None:
                    self._in_edges.follow_vertices(self)
            self._tell_of_vertices()
        return ids

    def _absent_without(self, ids: Any, num_vertices: int) -> Any:
        """Which of so many ids name no vertex once some have been inserted: a new array of bool; None if all do."""
        if self._absent is None:
            return None
        absent = self.xp.zeros(num_vertices, bool)
        absent[: self._num_vertices] = self._absent
        absent[ids] = False
        return absent if bool(absent.any()) else None

    def _check_fit(self, num_vertices: int) -> None:
        if num_vertices > np.iinfo(self.vertex_dtype).max:
            raise ValueError(
                f"{num_vertices} vertices do not fit in this graph's {self.vertex_dtype} ids; "
                "make it with vertex_dtype='int64'"
            )

    def _grow_to(self, num_vertices: int) -> None:
        """Extend the id space; does nothing if it is large enough."""
        if num_vertices <= self._num_vertices:
            return
        if self._in_edges is None:
            self._extend(num_vertices)
        else:
            self._in_edges.extend(self, num_vertices)
        self._num_vertices = num_vertices

    @updates
    @logged_update
    @observed
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """Delete vertices and all incident edges.

        The ids become invalid: a batch that names one raises, until `insert_vertices` allocates it again. Only the
        neighborhoods of the vertices are visited, except in directed graphs without in-edges (`has_in_edges`), where
        finding the incoming edges takes a pass over the graph.

        Returns
        -------
        UpdateResult
            With the number of deleted edges.

        Raises
        ------
        TypeError, ValueError
            An id is out of range or already deleted; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.
        """
        ids = check_ids(self.device, ids, "ids", self._num_vertices, self._absent)
        if not ids.size:
            return UpdateResult()
        xp = self.xp
        marked = xp.zeros(self._num_vertices, bool)
        marked[ids] = True
        src, dst = incident_arcs(self, marked)
        gone = xp.flatnonzero(marked)
        absent = marked if self._absent is None else self._absent | marked
        result = self._delete_incident(src, dst)
        with self._access.changing():
            with suppress(MemoryError):  # their edges are deleted; failing to free their memory is harmless
                self._release(gone)
                if self._in_edges is not None:
                    self._in_edges.release(self, gone)
            self._absent = absent
            self.version += 1
            self.vertex_version += 1
            if self._in_edges is not None:
                self._in_edges.follow_vertices(self)
        self._tell_of_vertices()
        return result

    def _delete_incident(self, src: Any, dst: Any) -> UpdateResult:
        """Delete what `incident_arcs` has found."""
        if self.multi_edges == "all":
            return delete_edges_and_records(self, Arcs(src, dst, None))
        if self._edge_data is None:
            return self._result(0, 0, self._delete_observed(Arcs(src, dst, None)))
        if self._supports_insert_and_find:
            return self._result(0, 0, delete_arcs(self, Arcs(src, dst, None)))
        if not self.directed:  # a record for both directions
            keep = self.xp.flatnonzero(src < dst)
            src, dst = src[keep], dst[keep]
        return self._result(0, 0, delete_rows(self, Arcs(src, dst, None)))

    # ---- snapshots --------------------------------------------------------------------------------------------------

    @reads
    def snapshot(self) -> Self:
        """The graph as it is now, which stays so while the graph is updated.

        It is a graph that operators, algorithms and look-ups take, from any thread; updates of it raise TypeError, and
        its `copy` can be updated. Taking one is O(1): the graph is copied when the snapshot is first read, by the
        thread that does. Until the next update, the result is the same object.

        Returns
        -------
        DynamicGraph
            Of the same structure, on the same device. Its memory is freed with the last reference, or serves the next
            snapshot.

        Raises
        ------
        MemoryError
            By the first read: there is no memory for a copy, or there was none when the graph was updated.
        RuntimeError
            An observer of the graph is being notified of an update.

        Notes
        -----
        Where an earlier copy exists, the updates since then are repeated on it if that takes less time than to copy
        the graph; that blocks no updates. Otherwise the graph is copied: by the first read, or, if an update comes
        before, by that update, which then takes O(V + E) work. Updates keep copies of their batches as long as to
        repeat them would take less time than to copy the graph. Copies and batches are counted by `memory_usage`.

        In graphs with edge data all snapshots are copied from the graph. Values that functors or assignments write to a
        column of the graph may be seen in snapshots that were not read before; the columns of a snapshot must not be
        written to, by functors either; NumPy refuses to.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 1], [1, 2], device="cpu")
        >>> before = graph.snapshot()
        >>> graph.delete_edges([0], [1])
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> before.num_edges, graph.num_edges
        (2, 1)
        """
        return take_snapshot(self)

    # ---- storage ----------------------------------------------------------------------------------------------------

    @rearranges
    def compact(self) -> None:
        """Rearrange storage as if the graph had just been built, and free what is not needed.

        Updates keep storage in order by themselves; this is for graphs that have shrunk much, or will not change for
        long. Vertices, edges and weights stay as they are, slots change, and observers are not notified.

        Raises
        ------
        MemoryError
            There is not enough memory to work with; the graph is unchanged.

        Notes
        -----
        O(V + E) work, or a sort of all arcs; up to the memory of a second graph while it runs.
        """
        self._compact()
        self._view = None
        self.version += 1
        if self._in_edges is not None:
            self._in_edges.compact()

    # ---- observers --------------------------------------------------------------------------------------------------

    @reads
    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> None:
        """Notify `observer` of updates. The graph holds only a weak reference to it.

        Attaching an attached observer again has no effect. See `UpdateObserver` for what happens if it raises.

        Parameters
        ----------
        observer : UpdateObserver
        instead_of : UpdateObserver, optional
            An attached observer to replace: for observers that forward notifications to another.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.
        ValueError
            It is attached to another graph, or rejects this one; or `instead_of` is not attached.
        """
        self._observers.attach(observer, instead_of)

    @reads
    def detach(self, observer: UpdateObserver) -> None:
        """Stop notifying `observer` of updates; has no effect if it is not attached.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.
        """
        self._observers.detach(observer)

    def _live_observers(self) -> list[UpdateObserver]:
        return self._observers.live()

    def _tell_of_vertices(self) -> None:
        self._observers.notify("vertices_changed", [(observer, ()) for observer in self._live_observers()])

    # ---- for structures ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _insert(self, arcs: Arcs) -> tuple[int, int]:
        """*structure*: insert arcs (the last of duplicates); return how many distinct arcs were new and replaced.

        ``arcs.check()`` must be called before anything changes. If memory is exhausted, the graph must stay unchanged.
        No array of `arcs` may be kept: the memory may be that of the next batch.
        """

    def _insert_and_find(self, arcs: Arcs) -> tuple[int, int, Any]:
        """*structure*, if it sets `_supports_insert_and_find`: `_insert` of distinct arcs, which also finds them.

        What is stored of arcs that exist stays as it is. It spares graphs with edge data a look-up.

        Returns
        -------
        inserted, found : int
            How many arcs were new, and how many were there.
        slots : array of int64
            The slot of each new arc, ``-2 - slot`` of each that was there, -1 for those to be ignored.
        """
        raise NotImplementedError

    _takes_small_batches = False
    """*structure*: whether it has the three methods that follow. Users' arrays are on the device and of its types
    (`frontier.core.batch.raw`); their values are checked by the kernel. None is returned if they are invalid, or the
    batch does not fit: then nothing has changed."""

    def _insert_small(self, src: Any, dst: Any, weights: Any, arcs: Any, edges: Any) -> tuple[int, int, int] | None:
        """*structure*, optional: `_insert` of a small batch, in few launches.

        Parameters
        ----------
        arcs, edges : pair of int, or None
            Addresses of arrays to be filled with the arcs of the batch, and with its effective edges.

        Returns
        -------
        inserted, found, effective : int
            Distinct arcs that were new, and that were there; effective edges.
        """
        raise NotImplementedError

    def _find_small(self, src: Any, dst: Any, arcs: Any, edges: Any) -> int | None:
        """*structure*, optional: find the effective edges of a deletion, and return their number."""
        raise NotImplementedError

    def _delete_small(self, src: Any, dst: Any, found: int | None) -> int | None:
        """*structure*, optional: `_delete` of a small batch, in few launches.

        Parameters
        ----------
        found : int or None
            The effective edges, where `_find_small` has just found so many: then there is nothing to wait for.
        """
        raise NotImplementedError

    def _reserve_for(self, arcs: int) -> None:
        """*structure*, if it sets `_makes_update_plans` and `_supports_insert_and_find`: reserve capacity for so many
        arcs, as far as memory allows; arcs without capacity are deferred."""
        raise NotImplementedError

    def _make_update_plan(self, arcs: Arcs, slots: Any, gone: Arcs, error_counts: Any) -> Any:
        """*structure*, likewise: kernels that insert arcs and delete others, bound to arrays that stay.

        Returns
        -------
        object
            Its ``insert(graph, count)`` and ``erase(graph, count)`` queue kernels for the first so many arcs. Arcs with
            negative ends are skipped. `slots` become what `_insert_and_find` says, or -2**63 for arcs that are
            deferred; of equal arcs, one is new and what it stores stays. Nothing is inserted, nor written, if one of
            the three `error_counts` is not zero. After a wait, ``inserted(graph)`` returns the numbers of arcs that
            were new and that were deferred; ``resume(graph, count)`` inserts those deferred, and returns how many of
            all were new. Arcs to delete are distinct, and are there: ``erased(graph, deleted)`` says how many, once
            their deletion is queued.
        """
        raise NotImplementedError

    def _append(self, arcs: Arcs) -> tuple[int, int, int]:
        """*structure*, optional: add the weights of arcs to those in the graph.

        Returns how many distinct arcs were new, updated, and deleted since their weight became 0 or negative. Notifies
        observers, and updates `_num_arcs` and `version`.
        """
        distinct, slots = self._distinct(arcs)
        weights = distinct.weights
        present = self.xp.flatnonzero(slots >= 0)
        copies = 1 if self.directed else 2
        weights[present] = add_weights(self, weights[present], self._weights[slots[present]], copies=copies)
        stay = weights > 0
        gone = self.xp.flatnonzero(~stay & (slots >= 0))
        stay = self.xp.flatnonzero(stay)
        staying = Arcs(distinct.src[stay], distinct.dst[stay], weights[stay])
        going = Arcs(distinct.src[gone], distinct.dst[gone], None)
        leaving = self._what_observers_see(going, present=True)
        inserted, replaced = self._insert_observed(staying)  # first, as it may take much more memory
        deleted = self._delete_observed(going, notifications=leaving)
        return inserted, replaced, deleted

    @abstractmethod
    def _delete(self, arcs: Arcs) -> int:
        """*structure*: delete the arcs that exist; return the number of distinct arcs deleted.

        ``arcs.check()`` must be called before anything changes. If memory is exhausted, the graph must stay unchanged.
        No array of `arcs` may be kept.
        """

    def _erase_and_find(self, arcs: Arcs) -> tuple[int, Any]:
        """*structure*, if it sets `_supports_insert_and_find`: `_delete`, which also tells which arcs were there.

        Returns
        -------
        deleted : int
        edges : array of int64
            What operators saw as `edge` of each arc that was there, once for equal ones; -1 for others.
        """
        raise NotImplementedError

    @abstractmethod
    def _extend(self, num_vertices: int) -> None:
        """*structure*: extend the id space to `num_vertices`; new vertices have no neighbors."""

    def _compact(self) -> None:
        """*structure*: `compact`; nothing for structures that have nothing to rearrange."""

    def _release(self, ids: Any) -> None:
        """*structure*: free the memory still held by deleted vertices, whose arcs are already deleted."""
