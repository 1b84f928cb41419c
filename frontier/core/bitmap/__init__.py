"""Bitmaps over vertices: kernels that make them of lists, and back, and set operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device, load_kernels

OR, AND, MINUS, XOR = range(4)
"""Set operations, as kernels know them."""

_OF_LISTS: dict[int, Any] = {OR: np.union1d, AND: np.intersect1d, MINUS: np.setdiff1d, XOR: np.setxor1d}


def combine_bits(device: Device, operation: int, left: Any, right: Any) -> tuple[Any, int]:
    """A set operation on two bitmaps of one length: a bitmap, and the number of its members."""
    out = device.xp.empty_like(left)
    counter = device.xp.zeros(1, np.int64)
    kernels = load_kernels("frontier.core.bitmap", device, {"VID": np.dtype(np.int32)})
    kernels.combine(left.size, operation, left, right, out, counter)
    return out, int(device.to_host(counter)[0])


def combine_lists(operation: int, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A set operation on two lists without duplicates, on a CPU: a sorted list."""
    return _OF_LISTS[operation](left, right)
