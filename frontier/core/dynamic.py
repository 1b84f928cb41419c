"""`CoreDynamicGraph`: how graphs are updated, but for features."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from frontier.runtime.arrays import as_ids
from frontier.runtime.compile.kernels import Header
from frontier.runtime.memory import elementwise

from .base import BaseDynamicGraph
from .batch import Arcs, batch_kernels
from .effective import effective_kernels
from .graph import CoreGraph
from .observers import Observers
from .results import UpdateResult
from .sort import on_gpu, sort_kernels
from .store import Store
from .updates import update


class CoreDynamicGraph(CoreGraph, BaseDynamicGraph):
    """The base of `frontier.graphs.DynamicGraph`, which describes the public interface."""

    def _use(self, store: Store) -> None:
        super()._use(store)
        self._observers: Any = Observers(self)

    def _constructed(self) -> None:
        """Compile and load the kernels of updates on a GPU, so no batch waits for a compiler."""
        if not self.device.is_gpu:
            return
        needed = self._update_kernels()
        for kernels in needed:
            kernels.compile_ahead()
        for kernels in needed:
            kernels.load()

    def _update_kernels(self) -> list[Header]:
        """Kernels that batches of any size need, compiled in parallel while the graph is constructed."""
        id_types = {self.vertex_dtype, np.dtype(np.int64)}  # the second is what NumPy's users have
        batch = [batch_kernels(self.device, ids, self.vertex_dtype, self.weight_dtype) for ids in id_types]
        of_arrays = [Header(path, self.device) for path in (elementwise.HEADER, on_gpu.HEADER)]
        of_components = [each for component in self._components for each in component.update_kernels(self)]
        own = sort_kernels(self.store), effective_kernels(self)
        return [*self.store.update_kernels(), *own, *batch, *of_arrays, *of_components]

    # ---- edges -------------------------------------------------------------------------------------------------------

    @update
    def insert_arcs(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace",
        data: Mapping[str, Any] | None = None, resolved: bool = False,
    ) -> UpdateResult:  # fmt: skip
        """`insert_edges` of checked arcs on the device, both directions included, with `data` for all columns.

        Arcs that are `resolved` are distinct and replace existing ones whatever the times. Weights are not added.
        """
        return self.payload.insert_arcs(self, Arcs(src, dst, weights), on_existing, data or {}, resolved=resolved)

    @update
    def delete_arcs(self, src: Any, dst: Any) -> UpdateResult:
        """`delete_edges`, likewise."""
        return self.payload.delete_arcs(self, Arcs(src, dst, None))

    # ---- vertices ----------------------------------------------------------------------------------------------------

    def _insert_vertices(self, count_or_ids: Any) -> Any:
        """See `DynamicGraph.insert_vertices`."""
        xp, store = self.xp, self.store
        if isinstance(count_or_ids, int | np.integer) and not isinstance(count_or_ids, bool):
            count = int(count_or_ids)
            if count < 0:
                raise ValueError(f"the number of vertices must not be negative, got {count}")
            free = xp.flatnonzero(store.absent) if store.absent is not None else xp.empty(0, np.int64)
            free = free[: min(count, free.size)]
            fresh = count - int(free.size)
            store.check_fit(store.num_vertices + fresh)
            ids = xp.concatenate([
                free.astype(np.int64), xp.arange(store.num_vertices, store.num_vertices + fresh, dtype=np.int64)
            ])  # fmt: skip
        else:
            ids = as_ids(self.device, count_or_ids, "ids").astype(np.int64)
            if ids.size and int(ids.min()) < 0:
                raise ValueError(f"ids must not be negative, got {int(ids.min())}")
        if ids.size:
            size = max(int(ids.max()) + 1, store.num_vertices)
            store.check_fit(size)
            absent = self._absent_without(ids, size)  # while memory may run out: nothing has changed
            with self._access.changing():
                if size > store.num_vertices:
                    store.extend(size)
                    store.num_vertices = size
                self._vertices_changed(absent)
            self._notify_of_vertices()
        return ids

    def _absent_without(self, ids: Any, num_vertices: int) -> Any:
        """Return a new bool array that marks which of `num_vertices` ids name no vertex once `ids` are inserted, or
        None if all do."""
        if self.store.absent is None:
            return None
        absent = self.xp.zeros(num_vertices, bool)
        absent[: self.store.num_vertices] = self.store.absent
        absent[ids] = False
        return absent if bool(absent.any()) else None

    def _delete_vertices(self, marked: Any, src: Any, dst: Any) -> UpdateResult:
        """Delete the vertices that are marked in an array of bool, and the arcs that leave or enter them."""
        gone = self.xp.flatnonzero(marked)
        absent = marked if self.store.absent is None else self.store.absent | marked
        result = self.payload.delete_arcs(self, Arcs(src, dst, None))
        with self._access.changing():
            with suppress(MemoryError):  # their edges are deleted, so failing to free their memory is harmless
                self.store.release(gone)
                for component in self._components:
                    component.vertices_deleted(self, gone)
            self._vertices_changed(absent)
        self._notify_of_vertices()
        return result

    def _vertices_changed(self, absent: Any) -> None:
        self.store.absent = absent
        self.store.commit(vertices=True)
        for component in self._components:
            component.vertices_changed(self)

    def _notify_of_vertices(self) -> None:
        self._observers.notify("vertices_changed", [(observer, ()) for observer in self._observers.live()])

    # ---- storage and observers ---------------------------------------------------------------------------------------

    def compact(self) -> None:  # `DynamicGraph` describes it
        self.store.compact()
        self.store.view_changed()
        self.store.commit()
        for component in self._components:
            component.compacted(self)
