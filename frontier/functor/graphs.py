"""Graphs as arguments of functors for GPUs: an address, and the functions that accept it (``cuda/neighbors.cuh``).

The functions are compiled for each kind of graph, and linked to the operator's kernels as functors are. A functor may
therefore walk another graph than its operator's, of another structure.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any, ClassVar, NamedTuple

import numpy as np

from frontier.runtime import Device

HEADER = "frontier/cuda/neighbors.cuh"


class FunctorGraph:
    """The base of the objects that functors accept as a graph."""

    device: Device
    in_parts: ClassVar[bool] = False
    """Whether it is distributed over several workers (`frontier.distributed`), or one of its parts."""


class GraphForm(NamedTuple):
    """A kind of graph, which replaces an argument's dtype: macros for its view, and functors' dtype of weights."""

    defines: tuple[tuple[str, str], ...]
    weight: str

    @property
    def name(self) -> str:
        return f"graph {_digest(self.defines)}"

    def symbol(self, function: str) -> str:
        """The name of a function of ``neighbors.cuh`` in C."""
        return f"walk_{_digest(self.defines)}_{function}"

    def code(self, capability: tuple[int, int]) -> bytes:
        """LTO-IR of the functions, as `CudaFunctor.code` for a functor."""
        from frontier.runtime.compile.cuda import cached_ltoir

        name = "WALK(function)", self.symbol("##function")
        return cached_ltoir(HEADER, tuple(sorted((*self.defines, name))), "sm_{}{}".format(*capability))


@functools.cache
def _digest(defines: tuple[tuple[str, str], ...]) -> str:
    return hashlib.sha256(repr(defines).encode()).hexdigest()[:12]


class GraphArgument:
    """A graph as GPU kernels receive it and pass it to functors: its view and the number of vertices, at `data`."""

    __slots__ = ("_memory", "data", "dtype")

    ndim = 0

    def __init__(self, form: GraphForm, memory: Any):
        self.dtype, self.data, self._memory = form, memory.data, memory


def dtype_name(dtype: Any) -> str:
    """A name that identifies the type of a functor's parameter."""
    return dtype.name if isinstance(dtype, GraphForm) else np.dtype(dtype).name
