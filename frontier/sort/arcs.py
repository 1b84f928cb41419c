"""Arcs as keys, which sort by source and then by destination."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batch import Arcs
from ..runtime import Device, load_kernels

RADIX_FROM = 2048  # keys, on a CPU: so many are sorted faster digit by digit than by comparisons
DIGIT = 11  # bits, at most: more counters than that leave the fastest cache


def arc_keys(device: Device, src: Any, dst: Any, num_vertices: int) -> Any:
    """One int64 per arc that orders arcs by source, then destination: ``src << bits | dst``.

    Raises
    ------
    OverflowError
        The ids of source and destination do not fit into 63 bits together.
    """
    check_key_bits(num_vertices)
    return (src.astype(np.int64) << id_bits(num_vertices)) | dst.astype(np.int64)


def check_key_bits(num_vertices: int) -> None:
    """Raise OverflowError unless source and destination fit into the 63 bits of a key."""
    if 2 * id_bits(num_vertices) > 63:
        raise OverflowError(f"a graph of {num_vertices} vertices cannot be sorted by 64-bit keys")


def id_bits(num_vertices: int) -> int:
    """Bits that hold any vertex id."""
    return max(int(num_vertices - 1).bit_length(), 1)


def sort_keys(device: Device, keys: Any, *, key_bits: int | None = None) -> Any:
    """Keys in ascending order, in place. They must not be negative; `key_bits` is that of `sort_pairs`."""
    if device.is_gpu or keys.size < RADIX_FROM:
        keys.sort()
    else:
        nothing = np.empty(0, np.int64)
        _sort_by_digits(device, keys, nothing, nothing, key_bits)
    return keys


def sort_pairs(device: Device, keys: Any, values: Any = None, *, key_bits: int | None = None) -> tuple[Any, Any]:
    """Keys in ascending order, with `values` (by default positions) moved along; equal keys keep their order.

    Keys must not be negative.

    Parameters
    ----------
    key_bits : int, optional
        Bits that hold any key, if the caller knows. On a GPU it is not found out, as the host would have to wait.
    """
    bits = int(keys.size).bit_length()
    if not device.is_gpu and keys.size >= RADIX_FROM:
        sorted_keys, order = keys.astype(np.int64), np.empty(keys.size, np.int64)
        _sort_by_digits(device, sorted_keys, order, np.empty(keys.size, np.int64), key_bits)
        return sorted_keys, order if values is None else values[order]
    if key_bits is None and not device.is_gpu and keys.size:
        key_bits = int(keys.max()).bit_length()
    if key_bits is not None and key_bits + bits <= 63:
        # Keys and positions in one number: plain numbers are sorted several times as fast as they are by argsort.
        both = keys << bits
        both |= device.xp.arange(keys.size)
        both.sort()
        sorted_keys, order = both >> bits, both & ((1 << bits) - 1)
    else:
        order = device.xp.argsort(keys, kind="stable")
        sorted_keys = keys[order]
    return sorted_keys, order if values is None else values[order]


def _sort_by_digits(device: Device, keys: Any, order: Any, other_order: Any, key_bits: int | None) -> None:
    bits = max(int(keys.max()).bit_length() if key_bits is None else key_bits, 2)
    passes = 2 * -(-bits // (2 * DIGIT))
    load_kernels("frontier.sort", device).sort_keys(bits, passes, keys, order, np.empty_like(keys), other_order)


def last_of_runs(device: Device, keys: Any) -> Any:
    """Positions of the last of each run of equal `keys`."""
    xp = device.xp
    last = xp.empty(keys.size, bool)
    if keys.size:
        last[-1] = True
        xp.not_equal(keys[1:], keys[:-1], out=last[:-1])
    return xp.flatnonzero(last)


def unique_arcs(device: Device, arcs: Arcs, num_vertices: int) -> tuple[Any, Any]:
    """Sorted distinct keys (`arc_keys`) of a batch, and the weights of each key's last arc (None without weights).

    Arcs that are to be ignored are left out.
    """
    xp = device.xp
    arcs = arcs.valid(xp)
    keys = arc_keys(device, arcs.src, arcs.dst, num_vertices)
    if arcs.weights is None:
        sort_keys(device, keys)
        return keys[last_of_runs(device, keys)], None
    keys, order = sort_pairs(device, keys)
    last = last_of_runs(device, keys)
    return keys[last], arcs.weights[order[last]]


def split_keys(keys: Any, num_vertices: int, vertex_dtype: np.dtype) -> tuple[Any, Any]:
    """Sources and destinations of keys."""
    shift = id_bits(num_vertices)
    return (keys >> shift).astype(vertex_dtype), (keys & ((1 << shift) - 1)).astype(vertex_dtype)
