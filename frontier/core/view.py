"""Views: the form in which kernels see a graph, and the neighbor-iterator interface.

A structure never hands itself to a kernel, only a *view*: a few pointers and integers, passed by value. The engine
walks any graph through the same five functions over its view. In a structure's ``cpu.py`` they are Numba functions. In
its ``view.cuh`` they are members of ``struct View``, whose fields are the fields of the named tuple ``View`` of
``cpu.py``, in order, each eight bytes wide.

The neighbors of a vertex lie in *slots* of a pool: ``view.neighbors[slot]`` is a neighbor's id, or negative if the slot
is empty (a gap, a tombstone). In weighted graphs, ``view.weights[slot]`` is the edge's weight. A slot identifies its
arc until the next update: it is the `edge` that operators hand to users' functions.

In a graph with edge data ``view.weights[slot]`` is the id of the edge (of the type of vertices' ids), whatever the
weights are, and `edge` is that id (``operators/dispatch/weights.py``, ``cuda/edge.cuh``). A structure need not know.

=================================  =====================================================================================
``degree(view, v)``                number of neighbors of v
``segments(view, v)``              number of pieces of v's list of neighbors, which can be walked independently. The
                                   engine balances load over them, so a piece is about a cache line on the GPU
``segment(view, v, i)``            first run of slots of piece i: ``(run, low, high)``, slots low..high-1
``next_run(view, run)``            the run that follows, in the same form. Its first number is negative at the end
``find(view, u, v)``               the slot of the arc u -> v, or -1
``prefetch_row(view, v)``          optional, on a CPU: loads in the background what `segments` and `segment` read of v
``prefetch_list(view, v)``         optional, on a CPU, after that: what a walk through a short list reads, by default
                                   its first slot
=================================  =====================================================================================

In CUDA a run is a ``Run {i64 handle, low, high;}`` and the functions have no parameter `view` (see
``frontier/cuda/view.cuh``). A CUDA view whose `find` needs a varying number of memory accesses can also be searched one
access at a time (``table`` and ``look``). Then threads that look up many neighbors do not block each other. The module
constant ``SORTED`` (CPU) and ``View::sorted`` (CUDA) specify whether neighbors come in ascending order of id.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.launch.arguments import ByValue, Struct


def pack_view(device: Device, view_type: Any, **fields: Any) -> Any:
    """Return a view for kernels of `device`. Each field is an array, an integer or None (no array)."""
    if not device.is_gpu:
        return view_type(**fields)
    packed = Struct(view_type._fields)
    values = (fields[name] for name in view_type._fields)
    packed.set(*(0 if value is None else value.data.ptr if hasattr(value, "data") else value for value in values))
    return packed


def with_numbers(view: Any, **numbers: int) -> Any:
    """Replace some integers of a view. On the GPU the view itself changes, which no queued launch sees."""
    if not isinstance(view, Struct):
        return view._replace(**numbers)
    for name, value in numbers.items():
        view.put(name, value)
    return view


def with_pointer(view: ByValue, array: Any) -> ByValue:
    """Append the address of an array (or None) to a view on the GPU. Kernels that know the shorter view ignore it."""
    return ByValue(np.append(view.fields, 0 if array is None else array.data.ptr))
