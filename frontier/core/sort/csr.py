"""Batches as CSR, and the rows of CSR arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device, load_kernels

from ..batch import Arcs
from . import on_gpu
from .arcs import id_bits, split_keys, unique_arcs


def sorted_unique_arcs(device: Device, arcs: Arcs, num_vertices: int) -> tuple[Any, Any, Any]:
    """A batch as CSR: offsets (int64), destinations and weights, sorted, each arc once, with the last one's weight."""
    if not device.is_gpu:  # by counting: linear time, where a comparison sort would take most of a build
        offsets = np.empty(num_vertices + 1, np.int64)
        order = np.empty(len(arcs), np.int64)
        load_kernels("frontier.core.sort", device).sort_arcs(len(arcs), arcs.check().src, arcs.dst, offsets, order)
        order = order[: offsets[-1]]
        return offsets, arcs.dst[order], None if arcs.weights is None else arcs.weights[order]
    keys, weights = unique_arcs(device, arcs, num_vertices)
    dst = split_keys(device, keys, num_vertices, arcs.src.dtype)[1]
    return row_offsets(device, keys, num_vertices), dst, weights


def accumulate(device: Device, numbers: Any) -> Any:
    """Replace each number by the sum of all up to it, in place, which makes offsets of lengths; returns them."""
    if numbers.dtype == np.int64 and on_gpu.takes(device, numbers):
        on_gpu.accumulate(device, numbers)
    else:
        device.xp.cumsum(numbers, out=numbers)
    return numbers


def row_offsets(device: Device, keys: Any, num_vertices: int) -> Any:
    """Where the rows of sorted keys (`arc_keys`) begin, on a GPU: the offsets of CSR arrays (int64)."""
    return on_gpu.offsets_of(device, keys, num_vertices, id_bits(num_vertices))


def row_ids(device: Device, offsets: Any, dtype: np.dtype) -> Any:
    """The row of every entry of CSR arrays with these offsets."""
    if on_gpu.takes(device, offsets) and offsets.dtype == np.int64 and np.dtype(dtype) in on_gpu.IDS:
        return on_gpu.rows_of(device, offsets, np.dtype(dtype))
    xp = device.xp
    rows = offsets.size - 1
    if not device.is_gpu:
        return np.repeat(np.arange(rows, dtype=dtype), np.diff(offsets))
    entries = xp.arange(int(offsets[-1]), dtype=offsets.dtype)
    return (xp.searchsorted(offsets, entries, side="right") - 1).astype(dtype)
