"""Small batches on a GPU, which one kernel checks, expands and applies directly from the caller's arrays.

A batch of some thousand edges is microseconds of work for a GPU. The general path, with a kernel for each step and
arrays in between, costs the host several times as much. So a structure may have kernels for small batches (built on
``frontier/cuda/small_batch.cuh``). An invalid batch, or one that does not fit, leaves the graph unchanged and goes
through the general path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.memory.pinned import pinned

MAX_EDGES = 4096  # of a batch that each thread block may look at as a whole (SMALL_BATCH of small_batch.cuh)
MAX_ARCS = 2**17  # of a batch that structures have memory for
THREADS = 256  # of a block (SMALL_THREADS)
FIELDS = (
    "src", "dst", "new_weights", "count", "wide", "both", "num_vertices", "absent", "arc_src", "arc_dst", "new_src",
    "new_dst",
)  # fmt: skip
NOWHERE = 0, 0
ID_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))


def most_edges(store: Any) -> int:
    """The edges of the largest batch that a store with such kernels accepts."""
    return MAX_ARCS // (1 if store.directed else 2) if store.device.is_gpu else 0


def is_small(array: Any, src: Any, dst: Any, weights: Any, weight_dtype: Any, limit: int) -> bool:
    """Whether users' arrays, of the type `array`, are a batch of at most `limit` edges that a kernel can read without
    conversion."""
    return type(src) is array and 0 < src.size <= limit and is_plain(array, src, dst, weights, weight_dtype)


def is_plain(array: Any, src: Any, dst: Any, weights: Any, weight_dtype: Any) -> bool:
    """Whether users' arrays, of the type `array`, are a batch of any size that a kernel can read without conversion."""
    if type(src) is not array or type(dst) is not array or src.size != dst.size:
        return False
    if src.dtype != dst.dtype or src.dtype not in ID_DTYPES or not is_contiguous(src) or not is_contiguous(dst):
        return False
    if weights is None:
        return True
    if weight_dtype is None:  # NumPy reads None as float64
        return False
    return (
        type(weights) is array and weights.dtype == weight_dtype and weights.size == src.size
        and is_contiguous(weights)
    )  # fmt: skip


def is_contiguous(array: Any) -> bool:
    """Whether it has one dimension, and no gaps."""
    return array.ndim == 1 and (array.size <= 1 or array.strides[0] == array.itemsize)


class Staging:
    """Small batches of the host on their way to the device: all arrays of one travel in one copy."""

    def __init__(self, device: Device):
        size = 3 * 8 * MAX_EDGES
        self._host = pinned(size, np.uint8)
        self._device = device.xp.empty(size, np.uint8)
        self._stream = device.xp.cuda.get_current_stream

    def copy(self, *arrays: Any) -> list[Any]:
        """Return the arrays on the device (None stays None), valid until the update that synchronizes with its end."""
        places: list[tuple[int, int, Any] | None] = []
        end = 0
        for array in arrays:
            if array is None:
                places.append(None)
                continue
            begin, end = end, end + array.nbytes
            self._host[begin:end] = array.view(np.uint8)
            places.append((begin, end, array.dtype))
            end = -(-end // 16) * 16
        self._device.data.copy_from_host_async(self._host.ctypes.data, end, self._stream())
        return [None if place is None else self._device[place[0] : place[1]].view(place[2]) for place in places]


class SmallBatch(Struct):
    """``struct SmallBatch`` of small_batch.cuh. It contains addresses, not the arrays at them."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(FIELDS)

    def take(
        self, src: Any, dst: Any, weights: Any, *, directed: bool, num_vertices: int, absent: Any, arcs: Any = None,
        edges: Any = None,
    ) -> int:  # fmt: skip
        """Describe a batch and return the number of its arcs. `arcs` and `edges` are the arguments of
        `Store.insert_small`."""
        count = src.size
        self.set(
            src.data.ptr, dst.data.ptr, 0 if weights is None else weights.data.ptr, count, src.dtype.itemsize == 8,
            not directed, num_vertices, 0 if absent is None else absent.data.ptr,
            *(arcs or NOWHERE), *(edges or NOWHERE),
        )  # fmt: skip
        return count if directed else 2 * count
