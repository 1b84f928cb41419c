"""`Structure`: what a way to store graphs must provide, and what follows from that for all of them.

``docs/structures.md`` is the guide to writing one.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from frontier.runtime import Device, Kernels, Scratch, load_kernels
from frontier.runtime.launch.recorder import recorder

from .batch import ArcMaker, Arcs
from .files import array_types, stored_arrays
from .locking import Access
from .payload import Payload
from .sort import split_keys, unique_arcs
from .statistics import StorageStatistics
from .view import bare_view, pack_view, with_pointer


class Structure(ABC):
    """The host side of a structure: its arrays, its view, and the few methods that all others are made of.

    Those marked *structure* are for subclasses to implement. `DynamicGraph` adds those that change the graph.
    """

    # ---- declarations -----------------------------------------------------------------------------------------------

    name: ClassVar[str]
    package: ClassVar[str]
    """Dotted name of the structure's folder, which holds ``cpu.py``, ``kernels.cuh`` and ``view.cuh``."""
    _view_type: ClassVar[Any]
    """The named tuple ``View`` of the structure's ``cpu.py``."""
    _arrays: ClassVar[dict[str, Any]] = {}
    """The arrays that make up the graph, by the names that they have in views and in files, with their types: a dtype,
    VERTEX or WEIGHT (`frontier.core.files`), or (dtype, columns). Attribute ``_name`` holds the array, or None.
    ``_neighbors`` and ``_weights``, by slot, every structure has."""
    _scalars: ClassVar[tuple[str, ...]] = ()
    """Names of the number and string attributes that belong to them."""
    _options: ClassVar[tuple[str, ...]] = ()
    """Names of attributes that are also options of the constructor: what makes another graph like this one."""
    can_store_weights: ClassVar[bool] = True
    finds_fast: ClassVar[bool] = True
    """Whether looking up an arc costs much less than scanning its source's neighbor list."""
    _supports_insert_and_find: ClassVar[bool] = False
    """Whether there are `DynamicGraph._insert_and_find` and `_erase_and_find`."""
    walk_cost: ClassVar[dict[str, float]] = {"cpu": 1.0, "gpu": 1.0}
    """The time in which all neighbors are walked, by kind of device, as a multiple of that of CSR: by it operators
    decide whether a copy would be faster to read (`frontier.advanced.choose_layout`)."""
    _find_lanes: ClassVar[int] = 1
    """Threads that look up an arc together on a GPU."""

    _has_sorted_lists: bool
    """False in a graph whose lists do not ascend, though its structure keeps them so: one made of arcs in any order."""

    directed: bool
    device: Device
    vertex_dtype: np.dtype
    weight_dtype: np.dtype | None
    version: int
    vertex_version: int
    _num_vertices: int
    _num_arcs: int
    _absent: Any  # array of bool: ids that name no vertex; None while there are none
    _neighbors: Any
    _weights: Any
    payload: Payload

    # ---- for structures to implement --------------------------------------------------------------------------------

    @abstractmethod
    def _build(self, offsets: Any, dst: Any, weights: Any) -> None:
        """*structure*: fill the empty graph from sorted CSR arrays without duplicates.

        `offsets` is int64 of length num_vertices + 1; `weights` is None in unweighted graphs. The structure may take
        ownership of the arrays.
        """

    @abstractmethod
    def _degrees(self) -> Any:
        """*structure*: number of neighbors of each vertex, an integer array of length num_vertices."""

    @abstractmethod
    def _check_arrays(self) -> tuple[Any, Any, Any]:
        """*structure*: raise ValueError unless its numbers and arrays satisfy the invariants that kernels rely on.

        The arrays have the types of `_array_types` and arbitrary contents; `num_vertices` is in the range of its dtype.
        No kernel may be called (`frontier.core.invariants` has helpers).

        Returns
        -------
        src, dst, slots : arrays of int
            All arcs, in any order. `src` and `slots` are in range. The caller checks `dst`, and that the graph is
            simple, and symmetric if it is undirected.
        """

    # ---- for structures to replace where they can do better, or differ ----------------------------------------------

    def _view_scalars(self) -> dict[str, int]:
        """*structure*, where its view has any: the fields that are no arrays."""
        return {}

    def _find(self, src: Any, dst: Any) -> Any:
        """The slots (int64) of these arcs, -1 if absent.

        Ids are valid, except that a negative source marks an invalid arc, which is never found.
        """
        slots = self.xp.empty(src.size, np.int64)
        view = self.view() if self.device.is_gpu else bare_view(self)  # type: ignore[arg-type]
        self._kernels.find_arcs(src.size, view, src, dst, slots, tile=self._find_lanes)
        return slots

    def _degrees_of(self, vertices: Any) -> Any:
        """*structure*, where `_degrees` takes a pass over all vertices: the numbers of neighbors of some."""
        return self._degrees()[vertices]

    @abstractmethod
    def _sorted_arcs(self) -> tuple[Any, Any, Any]:
        """All arcs as CSR with sorted rows, in arrays of their own (`frontier.operators.extract.extract_sorted`)."""

    def _used_bytes(self) -> int:
        """*structure*, where arrays have capacity for growth: see `MemoryUsage.used`."""
        return sum(int(array.nbytes) for name, array in stored_arrays(self) if name in self._arrays)

    def _details(self) -> dict[str, Any]:
        """*structure*, if it has more to say: `StorageStatistics.details`.

        Entries named ``slots`` and ``tombstones`` replace the fields of these names.
        """
        return {}

    # ---- what follows -----------------------------------------------------------------------------------------------

    def _attach_runtime(self) -> None:
        """Set up what is not part of the stored graph: kernels, per-thread workspaces, the cached view."""
        self._kernels: Kernels = load_kernels(self.package, self.device, self.defines)
        self._access = Access(self.device)
        self._view: tuple[int, Any] | None = None
        self._latest: tuple[list[int], Any] | None = None  # addresses and numbers, and the view that is made of them
        self._short_lists: bool | None = None  # see `tile_size` of the operators

    @property
    def xp(self) -> Any:
        """The array module of the graph's device: ``numpy`` or ``cupy``."""
        return self.device.xp

    @property
    def is_sorted(self) -> bool:
        """Whether neighbors are stored in ascending order of id, as ``SORTED`` says of the structure's view. Then they
        are exported and queried without a sort, and on the CPU intersected by merging."""
        return self._has_sorted_lists and bool(importlib.import_module(f"{self.package}.cpu").SORTED)

    @property
    def defines(self) -> dict[str, Any]:
        """Macros that specialise CUDA kernels to this graph's types."""
        return {"VID": self.vertex_dtype, "WEIGHT": self._stored_dtype or np.dtype(np.float32)}

    @property
    def _stored_dtype(self) -> np.dtype | None:
        """Type of what a structure stores with each neighbor, and calls weights: None for nothing.

        These are the graph's weights, or, in a graph with edge data, ids of edges.
        """
        return self.payload.stored_dtype(self.weight_dtype)

    def view(self) -> Any:
        """The view of the graph that kernels take (`frontier.core.view`); valid until the next update."""
        launches = recorder.launches
        recorded = None if launches is None or launches.memory is None else launches.memory.view_of(self)
        if recorded is not None:
            return recorded  # which this thread's record reads whenever it is repeated
        if self._view is None or self._view[0] != self.version:
            self._view = (self.version, self._latest_view() if self.device.is_gpu else self._make_view())
        return self._view[1]

    def _keep_view(self) -> None:
        """*structure*: called in an update, before `version` goes up by one, if the view stays as it is."""
        if self._view is not None and self._view[0] == self.version:
            self._view = self.version + 1, self._view[1]

    def _latest_view(self) -> Any:
        """The view on a GPU, packed again only if arrays have moved: most updates leave them where they are."""
        values = list(self._view_values().values())
        if self.payload.table is not None:
            values.append(self.payload.table.weights)
        numbers = [0 if value is None else value if type(value) is int else value.data.ptr for value in values]
        held = self._latest
        if held is None or held[0] != numbers:
            self._latest = held = numbers, self._make_view()
        return held[1]

    def _view_values(self) -> dict[str, Any]:
        """The fields of the view."""
        scalars = self._view_scalars()
        names = self._view_type._fields
        return {name: scalars[name] if name in scalars else getattr(self, "_" + name) for name in names}

    def _make_view(self) -> Any:
        view = pack_view(self.device, self._view_type, **self._view_values())
        if self.payload.table is not None and self.device.is_gpu:
            return with_pointer(view, self.payload.table.weights)  # frontier/cuda/edge_data_view.cuh
        return view

    @property
    def slot_capacity(self) -> int:
        """An exclusive upper bound on the slots of arcs."""
        return int(self._neighbors.size)

    @property
    def edge_capacity(self) -> int:
        """An exclusive upper bound on what operators see as `edge`: the length of arrays that are indexed by it.

        It may grow with every insertion.
        """
        return self.payload.edge_capacity(self)

    def _commit(self, gained: int = 0, *, vertices: bool = False) -> None:
        """Count an update: the only place where the numbers of a graph change that is not being made.

        Parameters
        ----------
        gained : int
            How many arcs more there are.
        vertices : bool
            Whether there are other vertices.
        """
        self._num_arcs += gained
        self.version += 1
        self.vertex_version += vertices

    def _array_types(self) -> dict[str, tuple[Any, tuple[int | None, ...]] | None]:
        """The dtype and shape of each of `_arrays` in this graph; None for any size, or for no array."""
        return array_types(self)

    def _storage_statistics(self) -> StorageStatistics:
        details = {"slots": self.slot_capacity, "tombstones": 0} | self._details()
        arrays = {name: int(array.nbytes) for name, array in stored_arrays(self)}
        for component in self._components:
            arrays |= component.array_bytes()
        return StorageStatistics(
            structure=self.name, slots=details.pop("slots"), used=self._num_arcs, tombstones=details.pop("tombstones"),
            bytes=arrays, details=details,
        )  # fmt: skip

    def _prepare(self, src: Any, dst: Any, weights: Any = None, **options: Any) -> Arcs:
        """Users' arrays as arcs of this graph; `options` are those of `ArcMaker.arcs`."""
        work = self._access.workspace()
        if work.arc_maker is None:
            work.arc_maker = ArcMaker(self.device, self.vertex_dtype, self.weight_dtype, work.scratch)
        return work.arc_maker.arcs(src, dst, weights, num_vertices=self._num_vertices, absent=self._absent, **options)

    def _distinct(self, arcs: Arcs) -> tuple[Arcs, Any]:
        """The distinct arcs of a batch, each with the weight of its last, and their slots (-1: not in the graph)."""
        keys, weights = unique_arcs(self.device, arcs, self._num_vertices)
        src, dst = split_keys(self.device, keys, self._num_vertices, self.vertex_dtype)
        return Arcs(src, dst, weights), self._find(src, dst)

    @property
    def _scratch(self) -> Scratch:
        """Memory reused between calls of the same thread (on a GPU: in the same stream)."""
        return self._access.workspace().scratch
