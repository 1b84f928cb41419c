"""`CoreGraph`: the parts of every graph, without features: a store, components, copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import VERTEX_DTYPES, WEIGHT_DTYPES, as_dtype
from frontier.runtime.values import flag, integer

from .base import BaseGraph
from .component import Component
from .files import graph_header, host_arrays, pickled_graph, stored_arrays
from .forwarding import forwards
from .locking import Access, reads
from .payload import WEIGHTS, Payload
from .results import MemoryUsage
from .statistics import StorageStatistics
from .store import Store
from .vertex_arrays import MakesVertexArrays

MAX_INT32_VERTICES = 2**31 - 1


FACTS = "name", "package", "can_store_weights", "finds_fast", "walk_cost"
"""Class attributes of stores that the class of their graphs has, too."""


@forwards(
    "store", "payload", "num_vertices", "num_arcs", "version", "vertex_version", "is_sorted", "slot_capacity",
    "edge_capacity",
)  # fmt: skip
@forwards("device", "xp")
class CoreGraph(BaseGraph, MakesVertexArrays):
    """The base of `frontier.graphs.Graph`, which describes parameters and attributes."""

    store_type: ClassVar[type[Store]]
    """*structure*: the class of its stores."""
    store: Store

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "store_type" in vars(cls):
            for name in FACTS:
                setattr(cls, name, getattr(cls.store_type, name))

    def __init__(self, num_vertices: int = 0, **options: Any):
        self._use(self._new_store(num_vertices, **options))

    @classmethod
    def _new_store(
        cls, num_vertices: int = 0, *, directed: bool = False, device: str | Device = "auto", weight_dtype: Any = None,
        vertex_dtype: Any = None, make_payload: Callable[..., Payload] = lambda *types: WEIGHTS, **store_options: Any,
    ) -> Store:  # fmt: skip
        """A store without arcs, of arguments that are checked here."""
        num_vertices = integer(num_vertices, "num_vertices", 0)
        directed = flag(directed, "directed")
        device = resolve_device(device)
        weight_dtype = None if weight_dtype is None else as_dtype(weight_dtype, "weight_dtype")
        if weight_dtype is not None and weight_dtype not in WEIGHT_DTYPES:
            names = ", ".join(str(dtype) for dtype in WEIGHT_DTYPES)
            raise TypeError(f"weight_dtype must be one of {names}, not {weight_dtype}")
        if weight_dtype is not None and not cls.store_type.can_store_weights:
            raise ValueError(f"{cls.__name__} stores no weights")
        if vertex_dtype is None:
            vertex_dtype = np.int32 if num_vertices <= MAX_INT32_VERTICES else np.int64
        vertex_dtype = as_dtype(vertex_dtype, "vertex_dtype")
        if vertex_dtype not in VERTEX_DTYPES:
            raise TypeError(f"vertex_dtype must be int32 or int64, not {vertex_dtype}")
        if num_vertices > np.iinfo(vertex_dtype).max:
            raise ValueError(f"{num_vertices} vertices do not fit in vertex_dtype={vertex_dtype}")
        return cls.store_type(
            int(num_vertices), device=device, directed=directed, vertex_dtype=vertex_dtype, weight_dtype=weight_dtype,
            payload=make_payload(device, vertex_dtype, weight_dtype), access=Access(device), **store_options,
        )  # fmt: skip

    def _use(self, store: Store) -> None:
        """Be the graph of a store, without components."""
        self.store = store
        self.device, self.directed = store.device, store.directed
        self.vertex_dtype, self.weight_dtype = store.vertex_dtype, store.weight_dtype
        self._access: Any = store._access
        self._components: list[Component] = []

    def _constructed(self) -> None:
        """The constructor is about to return."""

    def view(self) -> Any:
        """The view of the graph that kernels accept (`frontier.core.view`), valid until the next update."""
        return self.store.view()

    @reads
    def copy(self) -> Self:  # `Graph` describes it
        twin = self._of(self.store.copy(Access(self.device)))  # which shares the payload so far
        for component in self._components:
            copied = component.copied_to(twin)
            if copied is not None:
                twin._components.append(copied)
        return twin

    @classmethod
    def _of(cls, store: Store) -> Self:
        """The graph of a store, without components."""
        graph = object.__new__(cls)
        graph._use(store)
        return graph

    def _saved_components(self) -> list[Component]:
        """The components that files and pickles contain."""
        return self._components

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = twin = self.copy()
        return twin

    @reads
    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle, the same as of a file. GPU graphs are copied to the host.

        Loading puts them on the GPU again if one is available, otherwise on the CPU. Observers are not included.
        """
        arrays = dict(host_arrays(self))
        if not self.device.is_gpu:  # the arrays are written after this returns, when another thread may update them
            arrays = {name: array.copy() for name, array in arrays.items()}
        return pickled_graph, (type(self), graph_header(self), arrays, self.device, self.version)

    @reads
    def memory_usage(self) -> MemoryUsage:
        usage = store_usage(self.store) + MemoryUsage(used=0, reserved=self._access.scratch_bytes(), csr=0, arcs=0)
        for component in self._components:
            usage += component.memory_usage(self) or NOTHING
        return usage

    @reads
    def statistics(self) -> StorageStatistics:
        store = self.store
        details = {"slots": store.slot_capacity, "tombstones": 0} | store.details()
        arrays = {name: int(array.nbytes) for name, array in stored_arrays(store)}
        for component in self._components:
            arrays |= component.array_bytes()
        return StorageStatistics(
            structure=self.name, slots=details.pop("slots"), used=store.num_arcs,
            tombstones=details.pop("tombstones"), bytes=arrays, details=details,
        )  # fmt: skip


def store_usage(store: Store) -> MemoryUsage:
    """The memory of a store without components and caches."""
    weight = store.weight_dtype.itemsize if store.weight_dtype is not None else 0
    offset = 4 if store.num_arcs < 2**31 else 8
    csr = store.num_arcs * (store.vertex_dtype.itemsize + weight) + (store.num_vertices + 1) * offset
    return MemoryUsage(used=store.used_bytes(), reserved=store.reserved_bytes(), csr=csr, arcs=store.num_arcs)


NOTHING = MemoryUsage(used=0, reserved=0, csr=0, arcs=0)
