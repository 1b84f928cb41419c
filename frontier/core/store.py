"""`Store`: the host side of a structure, and the methods that all structures derive from its few ones.

A graph (`frontier.core.graph`) is a store and components. ``docs/structures.md`` is the guide to writing one.
"""

from __future__ import annotations

import copy
import importlib
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from frontier.runtime import Device, Kernels, Scratch, load_kernels
from frontier.runtime.compile.kernels import Header
from frontier.runtime.launch.recorder import recorder

from .base import BaseStore
from .batch import ArcMaker, Arcs
from .files import array_types, stored_arrays
from .forwarding import forwards
from .locking import Access, workspace_of
from .payload import WEIGHTS, Payload
from .sort import sorted_unique_arcs, split_keys, unique_arcs
from .view import pack_view, with_pointer


@forwards("device", "xp")
class Store(BaseStore, ABC):
    """Arcs in arrays of one device, with a number of `stored_dtype` for each, and the view that kernels accept.

    Subclasses implement the methods marked *structure*. The caller has acquired the locks, and has checked ids and
    numbers or leaves that to ``arcs.check()``. `payload` defines the meaning of the stored numbers, and `access` has
    the graph's locks and workspaces. If not `directed`, updates list arcs in both directions.

    Attributes
    ----------
    stored_dtype : dtype or None
        Type of the numbers in `weights`: weights, or ids of edges in a graph with edge data. None for nothing.
    absent : array of bool, shape (num_vertices,), or None
        Ids that name no vertex, or None if all do.
    neighbors, weights : arrays
        By slot: ids of neighbors, and the stored numbers (None for nothing).
    """

    # ---- declarations -----------------------------------------------------------------------------------------------

    name: ClassVar[str]
    package: ClassVar[str]
    """Dotted name of the structure's folder, which contains ``cpu.py``, ``kernels.cuh`` and ``view.cuh``."""
    view_type: ClassVar[Any]
    """The named tuple ``View`` of the structure's ``cpu.py``."""
    arrays: ClassVar[dict[str, Any]] = {}
    """The arrays that make up the graph, by the names that they have as attributes, in views and in files, with their
    types: a dtype, VERTEX or WEIGHT (`frontier.core.files`), or (dtype, columns). The attribute may be None.
    ``neighbors`` and ``weights``, by slot, every structure has."""
    scalars: ClassVar[tuple[str, ...]] = ()
    """Names of the number and string attributes that belong to them."""
    options: ClassVar[tuple[str, ...]] = ()
    """Names of attributes that are also options of the constructor: what makes another store like this one."""
    can_store_weights: ClassVar[bool] = True
    finds_fast: ClassVar[bool] = True
    """Whether looking up an arc costs much less than scanning its source's neighbor list."""
    supports_insert_and_find: ClassVar[bool] = False
    """Whether there are `insert_and_find` and `erase_and_find`."""
    walk_cost: ClassVar[dict[str, float]] = {"cpu": 1.0, "gpu": 1.0}
    """The time to walk all neighbors, by kind of device, as a multiple of the time of CSR. Operators derive from it
    whether a copy would be faster to read (`frontier.advanced.choose_layout`)."""
    find_lanes: ClassVar[int] = 1
    """Threads that look up an arc together on a GPU."""
    max_small_batch: int = 0
    """Edges of the largest batch for `insert_small`, `find_small` and `erase_small`. 0 without such methods. Users'
    arrays are on the device and of its types then (`frontier.core.batch.raw`), and the kernel checks their values. None
    is returned if they are invalid, or the batch does not fit: then nothing has changed."""
    makes_update_plans: bool = False
    """Whether `reserve_for` and `make_update_plan` exist in addition to `insert_and_find`, so kernels can apply batches
    and pass each other the counts that the host would otherwise synchronize for."""

    neighbors: Any
    weights: Any

    def __init__(
        self, num_vertices: int, *, device: Device, directed: bool, vertex_dtype: np.dtype,
        weight_dtype: np.dtype | None, payload: Payload = WEIGHTS, access: Access,
    ):  # fmt: skip
        self.device = device
        self.directed = directed
        self.vertex_dtype = vertex_dtype
        self.weight_dtype = weight_dtype
        self.payload = payload
        self.stored_dtype = payload.stored_dtype(weight_dtype)
        self.num_vertices = num_vertices
        self.num_arcs = self.version = self.vertex_version = 0
        self.absent: Any = None
        self.has_sorted_lists = True
        """False if its lists do not ascend, although its structure sorts them: it was made of unsorted arcs."""
        self._access = access
        self.attach_runtime()

    def attach_runtime(self) -> None:
        """Set up kernels and the cached view, which are not part of the stored graph."""
        self.kernels: Kernels = load_kernels(self.package, self.device, self.defines)
        self._view: tuple[int, Any, Any] | None = None  # and its version, and that without weights
        self._latest: tuple[list[int], Any] | None = None  # addresses and numbers, and the view that is made of them
        self.short_lists: bool | None = None  # see `tile_size` of the operators

    @property
    def store(self) -> Store:
        """Itself. Operators that walk a graph use the `store` of their argument, so they walk stores likewise."""
        return self

    # ---- for structures to implement --------------------------------------------------------------------------------

    @abstractmethod
    def build(self, offsets: Any, dst: Any, weights: Any) -> None:
        """*structure*: fill the empty store from sorted CSR arrays without duplicates.

        `offsets` is int64 of length num_vertices + 1. `weights` is None if nothing is stored. The structure may adopt
        the arrays.
        """

    @abstractmethod
    def insert(self, arcs: Arcs) -> tuple[int, int]:
        """*structure*: insert arcs (the last of duplicates). Return the numbers of new and replaced distinct arcs.

        Call ``arcs.check()`` before anything changes. If memory is exhausted, the store must stay unchanged. Retain no
        array of `arcs`: the next batch may reuse the memory.
        """

    @abstractmethod
    def erase(self, arcs: Arcs) -> int:
        """*structure*: delete the arcs that exist. Return the number of distinct ones. Otherwise as `insert`."""

    @abstractmethod
    def extend(self, num_vertices: int) -> None:
        """*structure*: extend the id space to `num_vertices`. New vertices have no neighbors."""

    @abstractmethod
    def degrees(self) -> Any:
        """*structure*: number of neighbors of each vertex, an integer array of length num_vertices."""

    @abstractmethod
    def check(self) -> tuple[Any, Any, Any]:
        """*structure*: raise ValueError unless its numbers and arrays satisfy the invariants that kernels rely on.

        The arrays have the types of `array_types` and arbitrary contents. `num_vertices` is in the range of its dtype.
        Call no kernel (`frontier.core.invariants` has helpers). Returns `src`, `dst` and `slots` of all arcs in any
        order, `src` and `slots` in range. The caller checks `dst`, and that the graph is simple and symmetric.
        """

    # ---- for structures to replace where they can do better, or differ ----------------------------------------------

    def view_scalars(self) -> dict[str, int]:
        """*structure*, where its view has any: the fields that are no arrays."""
        return {}

    def find(self, src: Any, dst: Any) -> Any:
        """The slots (int64) of these arcs, -1 if absent.

        Ids are valid, except that a negative source marks an invalid arc, which is never found.
        """
        slots = self.xp.empty(src.size, np.int64)
        self.kernels.find_arcs(src.size, self.bare_view(), src, dst, slots, tile=self.find_lanes)
        return slots

    def degrees_of(self, vertices: Any) -> Any:
        """*structure*, if `degrees` costs a pass over all vertices: the degrees of some vertices."""
        return self.degrees()[vertices]

    def sorted_arcs(self) -> tuple[Any, Any, Any] | None:
        """*structure*, if this is faster than a walk: all arcs as CSR with sorted rows, in new arrays.

        None has operators walk them (`frontier.operators.extract.sorted_arcs`).
        """
        return None

    def update_kernels(self) -> list[Header]:
        """*structure*, if updates launch kernels of other modules: the ones that batches of any size need."""
        return [self.kernels]

    def used_bytes(self) -> int:
        """*structure*, where arrays have capacity for growth: see `MemoryUsage.used`."""
        return sum(int(array.nbytes) for name, array in stored_arrays(self) if name in self.arrays)

    def reserved_bytes(self) -> int:
        """*structure*, if it has memory beyond its arrays: see `MemoryUsage.reserved`."""
        return sum(int(array.nbytes) for _, array in stored_arrays(self))

    def details(self) -> dict[str, Any]:
        """*structure*, if it has further statistics: `StorageStatistics.details`.

        Entries named ``slots`` and ``tombstones`` replace the fields of these names.
        """
        return {}

    def compact(self) -> None:
        """*structure*: `DynamicGraph.compact`. Does nothing in structures with nothing to rearrange."""

    def release(self, ids: Any) -> None:
        """*structure*: free the memory of deleted vertices, whose arcs are already deleted."""

    def insert_and_find(self, arcs: Arcs) -> tuple[int, int, Any]:
        """*structure*, with `supports_insert_and_find`: `insert` of distinct arcs, which also finds them.

        Existing arcs retain their stored number. Returns the numbers of new and of existing arcs, and `slots` (int64):
        the slot of each new arc, ``-2 - slot`` of each existing one, -1 for ignored ones.
        """
        raise NotImplementedError

    def erase_and_find(self, arcs: Arcs) -> tuple[int, Any]:
        """*structure*, likewise: `erase`, which also finds. Returns the number of deleted arcs, and `edges` (int64):
        the `edge` that operators saw of each existing arc, once for equal ones, and -1 elsewhere."""
        raise NotImplementedError

    def append(self, arcs: Arcs) -> tuple[int, int, int] | None:
        """*structure*, if it can in one pass: add the weights of arcs to the stored ones, with no observer to notify.

        Commits, and returns the numbers of distinct arcs that were new, updated, and deleted because their weight
        became 0 or negative. None has arcs looked up, inserted and deleted (`frontier.core.payload`).
        """
        return None

    # ---- optional: small batches ------------------------------------------------------------------------------------

    def insert_small(self, src: Any, dst: Any, weights: Any, arcs: Any, edges: Any) -> tuple[int, int, int] | None:
        """*structure*, with `max_small_batch`: `insert` of a small batch, in few launches.

        `arcs` and `edges` are None, or the addresses of two arrays to fill with the arcs of the batch, or its effective
        edges. Returns the numbers of new arcs, of existing arcs, and of effective edges.
        """
        raise NotImplementedError

    def find_small(self, src: Any, dst: Any, arcs: Any, edges: Any) -> int | None:
        """*structure*, likewise: find the effective edges of a deletion, and return their number."""
        raise NotImplementedError

    def erase_small(self, src: Any, dst: Any, found: int | None) -> int | None:
        """*structure*, likewise: `erase` of a small batch. `found` is the number of effective edges that `find_small`
        has just found. With it, the host does not synchronize."""
        raise NotImplementedError

    # ---- optional: updates whose kernels are bound to arrays that stay ----------------------------------------------

    def reserve_for(self, arcs: int) -> None:
        """*structure*, if it sets `makes_update_plans`: reserve capacity for `arcs` more arcs, as far as memory allows.
        Arcs without capacity are deferred."""
        raise NotImplementedError

    def make_update_plan(self, arcs: Arcs, slots: Any, gone: Arcs, error_counts: Any) -> Any:
        """*structure*, likewise: kernels that insert and delete arcs, bound to persistent arrays.

        ``insert(store, count)`` and ``erase(store, count)`` of the result queue kernels for the first `count` arcs, and
        skip arcs with negative ends. `slots` become the slots of `insert_and_find`, or -2**63 for deferred arcs. One of
        equal arcs is new, and its stored number stays. Nothing is written if one of the three `error_counts` is not
        zero. After a synchronization, ``inserted(store)`` returns the numbers of new and of deferred arcs.
        ``resume(store, count)`` inserts the deferred ones and returns the number of all new ones. Arcs to delete are
        distinct and present: ``erased(store, deleted)`` reports their number once their deletion is queued.
        """
        raise NotImplementedError

    # ---- derived ----------------------------------------------------------------------------------------------------

    @property
    def is_sorted(self) -> bool:
        """Whether neighbors are stored in ascending order of id, so exports, queries and CPU intersections need not
        sort them."""
        return self.has_sorted_lists and bool(importlib.import_module(f"{self.package}.cpu").SORTED)

    @property
    def defines(self) -> dict[str, Any]:
        """Macros that specialise CUDA kernels to this graph's types."""
        return {"VID": self.vertex_dtype, "WEIGHT": self.stored_dtype or np.dtype(np.float32)}

    def view(self) -> Any:
        """The view of the graph that kernels accept (`frontier.core.view`), valid until the next update."""
        launches = recorder.launches
        recorded = None if launches is None or launches.memory is None else launches.memory.view_of(self)
        if recorded is not None:
            return recorded  # which each replay of this thread's capture reads
        if self._view is None or self._view[0] != self.version:
            view = self._latest_view() if self.device.is_gpu else self.make_view()
            has_weights = not self.device.is_gpu and getattr(view, "weights", None) is not None
            self._view = self.version, view, view._replace(weights=None) if has_weights else view
        return self._view[1]

    def bare_view(self) -> Any:
        """The view for kernels that read no weights. On a CPU it has none, so all graphs share compiled kernels."""
        if self.device.is_gpu:
            return self.view()
        if self._view is None or self._view[0] != self.version:
            self.view()
        return self._view[2]  # type: ignore[index]

    def keep_view(self) -> None:
        """*structure*: called in an update, before `version` goes up by one, if the view stays as it is."""
        if self._view is not None and self._view[0] == self.version:
            self._view = self.version + 1, *self._view[1:]

    def _latest_view(self) -> Any:
        """The view on a GPU, packed again only if arrays have moved: most updates leave them where they are."""
        values = list(self._view_values().values())
        if self.payload.table is not None:
            values.append(self.payload.table.weights)
        numbers = [0 if value is None else value if type(value) is int else value.data.ptr for value in values]
        held = self._latest
        if held is None or held[0] != numbers:
            self._latest = held = numbers, self.make_view()
        return held[1]

    def _view_values(self) -> dict[str, Any]:
        """The fields of the view."""
        scalars = self.view_scalars()
        return {name: scalars[name] if name in scalars else getattr(self, name) for name in self.view_type._fields}

    def make_view(self) -> Any:
        view = pack_view(self.device, self.view_type, **self._view_values())
        if self.payload.table is not None and self.device.is_gpu:
            return with_pointer(view, self.payload.table.weights)  # frontier/cuda/edge_data_view.cuh
        return view

    @property
    def slot_capacity(self) -> int:
        """An exclusive upper bound on the slots of arcs."""
        return int(self.neighbors.size)

    @property
    def edge_capacity(self) -> int:
        """An exclusive upper bound on `edge` of operators: the length of arrays by edge. Insertions may raise it."""
        return self.payload.edge_capacity(self)

    def commit(self, gained: int = 0, *, vertices: bool = False) -> None:
        """Count an update that gained arcs, or changed `vertices`: only this changes a finished graph's numbers."""
        self.num_arcs += gained
        self.version += 1
        self.vertex_version += vertices

    def view_changed(self) -> None:
        """Note that arrays may have been replaced to which a view refers."""
        self._view = None

    def array_types(self) -> dict[str, tuple[Any, tuple[int | None, ...]] | None]:
        """The dtype and shape of each of `arrays` in this graph. None for any size, or for no array."""
        return array_types(self)

    def make_arcs(self, src: Any, dst: Any, weights: Any = None, **options: Any) -> Arcs:
        """Users' arrays as arcs of this graph. `options` are the options of `ArcMaker.arcs`."""
        work = workspace_of(self)
        if work.arc_maker is None:
            work.arc_maker = ArcMaker(self.device, self.vertex_dtype, self.weight_dtype, work.scratch)
        return work.arc_maker.arcs(src, dst, weights, num_vertices=self.num_vertices, absent=self.absent, **options)

    def distinct(self, arcs: Arcs) -> tuple[Arcs, Any]:
        """The distinct arcs of a batch, each with the weight of its last, and their slots (-1: not in the graph)."""
        keys, weights = unique_arcs(self.device, arcs, self.num_vertices)
        src, dst = split_keys(self.device, keys, self.num_vertices, self.vertex_dtype)
        return Arcs(src, dst, weights), self.find(src, dst)

    def load(self, arcs: Arcs) -> None:
        """Fill this empty store."""
        offsets, dst, stored = sorted_unique_arcs(self.device, arcs.check(), self.num_vertices)
        self.build(offsets, dst, stored)
        self.commit(int(dst.size))

    def check_fit(self, num_vertices: int) -> None:
        """Raise ValueError if the store cannot be extended to so many vertices."""
        if num_vertices > np.iinfo(self.vertex_dtype).max:
            raise ValueError(
                f"{num_vertices} vertices do not fit in this graph's {self.vertex_dtype} ids; "
                "make it with vertex_dtype='int64'"
            )

    def empty_like(self, **options: Any) -> Self:
        """A store of the same kind without arcs, with the same vertices, and the same options except the given ones."""
        return type(self)(
            self.num_vertices, device=self.device, directed=self.directed, vertex_dtype=self.vertex_dtype,
            weight_dtype=self.weight_dtype, payload=self.payload, access=self._access,
            **({name: getattr(self, name) for name in self.options} | options),
        )  # fmt: skip

    def copy(self, access: Access) -> Self:
        """A store with the same contents, in new arrays, for a graph with this access."""
        twin = copy.copy(self)
        for name, array in stored_arrays(self):
            setattr(twin, name, array.copy())
        twin._access = access
        twin.attach_runtime()
        return twin

    @property
    def scratch(self) -> Scratch:
        """Memory reused between calls of the same thread (on a GPU: in the same stream)."""
        return workspace_of(self).scratch
