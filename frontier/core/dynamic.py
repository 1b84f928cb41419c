"""`CoreDynamicGraph`: how graphs are updated, but for features, and the methods that structures implement."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import Any

import numpy as np

from frontier.runtime.arrays import as_ids
from frontier.runtime.compile.kernels import Header
from frontier.runtime.memory import elementwise

from .base import BaseDynamicGraph
from .batch import Arcs, batch_kernels
from .change import DELETE, INSERT, Change
from .effective import effective_kernels
from .graph import CoreGraph
from .observers import Observers
from .payload import append_weights
from .results import UpdateResult
from .sort import on_gpu, sort_kernels
from .updates import run, update


class CoreDynamicGraph(CoreGraph, BaseDynamicGraph):
    """The base of `frontier.graphs.DynamicGraph`, which describes what users see."""

    def _attach_runtime(self) -> None:
        super()._attach_runtime()
        self._observers: Any = Observers(self)
        needed = self._update_kernels()
        for kernels in needed:
            kernels.compile_ahead()
        for kernels in needed:
            kernels.load()  # no batch waits for a compiler

    def _update_kernels(self) -> list[Header]:
        """*structure*: kernels that batches of any size need, compiled in parallel while the graph is constructed."""
        id_types = {self.vertex_dtype, np.dtype(np.int64)}  # the second is what NumPy's users have
        batch = [batch_kernels(self.device, ids, self.vertex_dtype, self.weight_dtype) for ids in id_types]
        of_arrays = [Header(path, self.device) for path in (elementwise.HEADER, on_gpu.HEADER)]
        of_components = [each for component in self._components for each in component.update_kernels(self)]
        return [self._kernels, sort_kernels(self), effective_kernels(self), *batch, *of_arrays, *of_components]

    # ---- edges -------------------------------------------------------------------------------------------------------

    @update
    def _insert_valid(self, src: Any, dst: Any, weights: Any) -> UpdateResult:
        """`insert_edges` of arcs whose ids and weights were checked before, in a graph without edge data."""
        done = run(self, Change(INSERT, Arcs(src, dst, weights)))
        return UpdateResult.of_arcs(self.directed, done.changed, done.found, 0)

    @update
    def _delete_valid(self, src: Any, dst: Any) -> UpdateResult:
        """`delete_edges`, likewise."""
        return UpdateResult.of_arcs(self.directed, 0, 0, run(self, Change(DELETE, Arcs(src, dst, None))).changed)

    # ---- vertices ----------------------------------------------------------------------------------------------------

    def _insert_vertices(self, count_or_ids: Any) -> Any:
        """See `DynamicGraph.insert_vertices`."""
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
                if size > self._num_vertices:
                    self._extend(size)
                    self._num_vertices = size
                self._vertices_changed(absent)
            self._notify_of_vertices()
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

    def _delete_vertices(self, marked: Any, src: Any, dst: Any) -> UpdateResult:
        """Delete the vertices that are marked in an array of bool, and the arcs that leave or enter them."""
        gone = self.xp.flatnonzero(marked)
        absent = marked if self._absent is None else self._absent | marked
        result = self.payload.delete_incident(self, src, dst)
        with self._access.changing():
            with suppress(MemoryError):  # their edges are deleted; failing to free their memory is harmless
                self._release(gone)
                for component in self._components:
                    component.vertices_deleted(self, gone)
            self._vertices_changed(absent)
        self._notify_of_vertices()
        return result

    def _vertices_changed(self, absent: Any) -> None:
        self._absent = absent
        self._commit(vertices=True)
        for component in self._components:
            component.vertices_changed(self)

    def _notify_of_vertices(self) -> None:
        self._observers.notify("vertices_changed", [(observer, ()) for observer in self._observers.live()])

    # ---- storage and observers ---------------------------------------------------------------------------------------

    def compact(self) -> None:  # `DynamicGraph` describes it
        self._compact()
        self._view = None
        self._commit()
        for component in self._components:
            component.compacted(self)

    # ---- for structures ----------------------------------------------------------------------------------------------

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
        observers, and counts updates (`_commit`).
        """
        return append_weights(self, arcs)

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
