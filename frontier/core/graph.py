"""`CoreGraph`: what all graphs are made of, but for features: numbers, arrays, components, copies."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import VERTEX_DTYPES, WEIGHT_DTYPES, as_dtype
from frontier.runtime.values import flag, integer

from .base import BaseGraph
from .batch import Arcs
from .component import Component
from .files import graph_header, host_arrays, pickled_graph, stored_arrays
from .locking import reads
from .payload import WEIGHTS
from .results import MemoryUsage
from .sort import row_ids, sorted_unique_arcs
from .store import Structure
from .vertex_arrays import MakesVertexArrays

MAX_INT32_VERTICES = 2**31 - 1


class CoreGraph(BaseGraph, MakesVertexArrays, Structure):
    """The base of `frontier.graphs.Graph`, which describes parameters and attributes.

    Attributes
    ----------
    payload : Payload
        The weights of its edges, or their data.
    _components : list of Component
        Features that follow updates, in the order in which they do.
    """

    def __init__(
        self, num_vertices: int = 0, *, directed: bool = False, device: str | Device = "auto", weight_dtype: Any = None,
        vertex_dtype: Any = None,
    ):  # fmt: skip
        num_vertices = integer(num_vertices, "num_vertices", 0)
        self.directed = flag(directed, "directed")
        self.device = resolve_device(device)
        self.weight_dtype = None if weight_dtype is None else as_dtype(weight_dtype, "weight_dtype")
        if self.weight_dtype is not None and self.weight_dtype not in WEIGHT_DTYPES:
            names = ", ".join(str(dtype) for dtype in WEIGHT_DTYPES)
            raise TypeError(f"weight_dtype must be one of {names}, not {self.weight_dtype}")
        if self.weight_dtype is not None and not self.can_store_weights:
            raise ValueError(f"{type(self).__name__} stores no weights")
        if vertex_dtype is None:
            vertex_dtype = np.int32 if num_vertices <= MAX_INT32_VERTICES else np.int64
        self.vertex_dtype = as_dtype(vertex_dtype, "vertex_dtype")
        if self.vertex_dtype not in VERTEX_DTYPES:
            raise TypeError(f"vertex_dtype must be int32 or int64, not {self.vertex_dtype}")
        if num_vertices > np.iinfo(self.vertex_dtype).max:
            raise ValueError(f"{num_vertices} vertices do not fit in vertex_dtype={self.vertex_dtype}")
        self._num_vertices = int(num_vertices)
        self._num_arcs = self.version = self.vertex_version = 0
        self._has_sorted_lists = True
        self._absent = None
        self.payload = WEIGHTS
        self._components: list[Component] = []

    def _load(self, arcs: Arcs) -> None:
        """Fill this empty graph."""
        offsets, dst, weights = sorted_unique_arcs(self.device, arcs.check(), self._num_vertices)
        self._build(offsets, dst, weights)
        self._commit(int(dst.size))

    @reads
    def copy(self) -> Self:  # `Graph` describes it
        twin = self._copy_arrays()
        for component in self._components:
            copied = component.copied_to(twin)
            if copied is not None:
                twin._components.append(copied)
        return twin

    def _copy_arrays(self) -> Self:
        """A copy without components, which shares the payload."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._components = []
        for name, array in stored_arrays(self):
            setattr(twin, f"_{name}", array.copy())
        twin._attach_runtime()
        return twin

    def _saved_components(self) -> list[Component]:
        """The components that files and pickles hold."""
        return self._components

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = twin = self.copy()
        return twin

    @reads
    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle, the same as of a file. GPU graphs are copied to the host.

        Loading places them on the GPU again if there is one, otherwise on the CPU. Observers are not included.
        """
        arrays = dict(host_arrays(self))
        if not self.device.is_gpu:  # the arrays are written after this returns, when another thread may update them
            arrays = {name: array.copy() for name, array in arrays.items()}
        return pickled_graph, (type(self), graph_header(self), arrays, self.device, self.version)

    def _sorted_edges(self) -> tuple[Any, Any, Any]:
        """All edges, sorted, undirected ones once, with what the structure stores of each (`_stored_dtype`)."""
        offsets, dst, stored = self._sorted_arcs()
        src = row_ids(self.device, offsets, self.vertex_dtype)
        if not self.directed:
            keep = self.xp.flatnonzero(src < dst)
            src, dst = src[keep], dst[keep]
            stored = None if stored is None else stored[keep]
        return src, dst, stored

    @reads
    def memory_usage(self) -> MemoryUsage:
        reserved = sum(int(array.nbytes) for _, array in stored_arrays(self)) + self._access.scratch_bytes()
        weight = self.weight_dtype.itemsize if self.weight_dtype is not None else 0
        offset = 4 if self._num_arcs < 2**31 else 8
        csr = self._num_arcs * (self.vertex_dtype.itemsize + weight) + (self._num_vertices + 1) * offset
        usage = MemoryUsage(used=self._used_bytes(), reserved=reserved, csr=csr, arcs=self._num_arcs)
        for component in self._components:
            usage += component.memory_usage(self) or NOTHING
        return usage


NOTHING = MemoryUsage(used=0, reserved=0, csr=0, arcs=0)
