"""Batches as CSR, and the rows of CSR arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batch import Arcs
from ..runtime import Device, load_kernels
from .arcs import split_keys, unique_arcs


def sorted_unique_arcs(device: Device, arcs: Arcs, num_vertices: int) -> tuple[Any, Any, Any]:
    """A batch as CSR: offsets (int64), destinations and weights, sorted, each arc once, with the last one's weight."""
    if not device.is_gpu:  # by counting: linear time, where a comparison sort would take most of a build
        offsets = np.empty(num_vertices + 1, np.int64)
        order = np.empty(len(arcs), np.int64)
        load_kernels("frontier.sort", device).sort_arcs(len(arcs), arcs.check().src, arcs.dst, offsets, order)
        order = order[: offsets[-1]]
        return offsets, arcs.dst[order], None if arcs.weights is None else arcs.weights[order]
    keys, weights = unique_arcs(device, arcs, num_vertices)
    src, dst = split_keys(keys, num_vertices, arcs.src.dtype)
    offsets = device.xp.searchsorted(src, device.xp.arange(num_vertices + 1, dtype=src.dtype)).astype(np.int64)
    return offsets, dst, weights


def row_ids(device: Device, offsets: Any, dtype: np.dtype) -> Any:
    """The row of every entry of CSR arrays with these offsets."""
    xp = device.xp
    rows = offsets.size - 1
    if not device.is_gpu:
        return np.repeat(np.arange(rows, dtype=dtype), np.diff(offsets))
    entries = xp.arange(int(offsets[-1]), dtype=offsets.dtype)
    return (xp.searchsorted(offsets, entries, side="right") - 1).astype(dtype)
