"""Arcs as keys, which sort by source and then by destination."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device, load_kernels
from frontier.runtime.memory import elementwise

from ..batch import Arcs
from . import on_gpu

RADIX_FROM = 2048  # keys, on a CPU: so many are sorted faster digit by digit than by comparisons
DIGIT = 11  # bits, at most: more counters than that leave the fastest cache


def arc_keys(device: Device, src: Any, dst: Any, num_vertices: int) -> Any:
    """Return int64 keys ``src << bits | dst``, which order arcs by source, then destination. See `check_key_bits`."""
    check_key_bits(num_vertices)
    if on_gpu.takes(device, src, dst):
        return on_gpu.pack(device, src, dst, id_bits(num_vertices))
    return (src.astype(np.int64) << id_bits(num_vertices)) | dst.astype(np.int64)


def check_key_bits(num_vertices: int) -> None:
    """Raise OverflowError unless source and destination fit into the 63 bits of a key."""
    if 2 * id_bits(num_vertices) > 63:
        raise OverflowError(f"a graph of {num_vertices} vertices cannot be sorted by 64-bit keys")


def id_bits(num_vertices: int) -> int:
    """The number of bits of the largest vertex id."""
    return max(int(num_vertices - 1).bit_length(), 1)


def sort_keys(device: Device, keys: Any) -> Any:
    """Keys in ascending order, in place. They must not be negative."""
    if device.is_gpu or keys.size < RADIX_FROM:
        keys.sort()
    else:
        nothing = np.empty(0, np.int64)
        _sort_by_digits(device, keys, nothing, nothing, None)
    return keys


def sort_pairs(device: Device, keys: Any, values: Any = None, *, key_bits: int | None = None) -> tuple[Any, Any]:
    """Sort keys, none negative, and move `values` (by default positions) along. Equal keys retain their order.

    `key_bits` bounds the bits of any key: on a GPU it saves a synchronization, or a slower sort.
    """
    bits = int(keys.size).bit_length()
    if not device.is_gpu and keys.size >= RADIX_FROM:
        sorted_keys, order = keys.astype(np.int64), np.empty(keys.size, np.int64)
        _sort_by_digits(device, sorted_keys, order, np.empty(keys.size, np.int64), key_bits)
        return sorted_keys, order if values is None else values[order]
    if key_bits is None and not device.is_gpu and keys.size:
        key_bits = int(keys.max()).bit_length()
    fits = key_bits is not None and key_bits + bits <= 63
    if fits and keys.dtype == np.int64 and on_gpu.takes(device, keys):
        sorted_keys, order = on_gpu.sort_with_positions(device, keys, bits)
    elif fits:
        # Keys and positions in one number: plain numbers are sorted several times as fast as they are by argsort.
        both = keys << bits
        both |= device.xp.arange(keys.size)
        both.sort()
        sorted_keys, order = both >> bits, both & ((1 << bits) - 1)
    else:
        order = device.xp.argsort(keys, kind="stable")
        sorted_keys = elementwise.take(device, keys, order)
    return sorted_keys, order if values is None else elementwise.take(device, values, order)


def _sort_by_digits(device: Device, keys: Any, order: Any, other_order: Any, key_bits: int | None) -> None:
    bits = max(int(keys.max()).bit_length() if key_bits is None else key_bits, 2)
    passes = 2 * -(-bits // (2 * DIGIT))
    load_kernels("frontier.core.sort", device).sort_keys(bits, passes, keys, order, np.empty_like(keys), other_order)


def last_of_runs(device: Device, keys: Any) -> Any:
    """Positions of the last of each run of equal `keys`."""
    if keys.dtype == np.int64 and on_gpu.takes(device, keys):
        return on_gpu.ends_of_runs(device, keys)
    xp = device.xp
    last = xp.empty(keys.size, bool)
    if keys.size:
        last[-1] = True
        xp.not_equal(keys[1:], keys[:-1], out=last[:-1])
    return xp.flatnonzero(last)


def sums_of_runs(device: Device, keys: Any, last: Any, values: Any) -> Any:
    """The sum of the `values` of each run of equal `keys`, of which `last` are the last positions, as float64."""
    if keys.dtype == np.int64 and values.dtype == np.float64 and on_gpu.takes(device, keys):
        return on_gpu.sums_of_runs(device, keys, last, values)
    xp = device.xp
    if not keys.size:
        return xp.empty(0, np.float64)
    run = xp.zeros(keys.size, np.int64)
    run[last[:-1] + 1] = 1
    return xp.bincount(xp.cumsum(run), values, last.size).astype(np.float64)


def places_of_ids(device: Device, ids: Any) -> Any:
    """Positions of the ids that are not negative."""
    return on_gpu.places_of_ids(device, ids) if on_gpu.takes(device, ids) else device.xp.flatnonzero(ids >= 0)


def unique_arcs(device: Device, arcs: Arcs, num_vertices: int) -> tuple[Any, Any]:
    """Return the sorted distinct keys of a batch without ignored arcs, and each key's last weight, or None."""
    arcs = _valid(device, arcs)
    keys = arc_keys(device, arcs.src, arcs.dst, num_vertices)
    if arcs.weights is None:
        sort_keys(device, keys)
        return elementwise.take(device, keys, last_of_runs(device, keys)), None
    keys, order = sort_pairs(device, keys, key_bits=2 * id_bits(num_vertices))
    last = last_of_runs(device, keys)
    return elementwise.take(device, keys, last), elementwise.take(
        device, arcs.weights, elementwise.take(device, order, last)
    )


def _valid(device: Device, arcs: Arcs) -> Arcs:
    """The checked batch without ignored arcs."""
    if not on_gpu.takes(device, arcs.src):
        return arcs.valid(device.xp)
    arcs.check()
    at = on_gpu.places_of_ids(device, arcs.src)
    if at.size == arcs.src.size:
        return arcs
    src, dst, weights = (
        None if part is None else elementwise.take(device, part, at) for part in (arcs.src, arcs.dst, arcs.weights)
    )
    return Arcs(src, dst, weights)


def split_keys(device: Device, keys: Any, num_vertices: int, vertex_dtype: np.dtype) -> tuple[Any, Any]:
    """Sources and destinations of keys."""
    shift = id_bits(num_vertices)
    if keys.dtype == np.int64 and on_gpu.takes(device, keys):
        return on_gpu.unpack(device, keys, shift, np.dtype(vertex_dtype))
    return (keys >> shift).astype(vertex_dtype), (keys & ((1 << shift) - 1)).astype(vertex_dtype)


def sorted_unique_arcs(device: Device, arcs: Arcs, num_vertices: int) -> tuple[Any, Any, Any]:
    """A batch as CSR: offsets (int64), destinations and weights, sorted, each arc once, with the last one's weight."""
    if not device.is_gpu:  # by counting: linear time, while a comparison sort would dominate a build
        offsets = np.empty(num_vertices + 1, np.int64)
        order = np.empty(len(arcs), np.int64)
        load_kernels("frontier.core.sort", device).sort_arcs(len(arcs), arcs.check().src, arcs.dst, offsets, order)
        order = order[: offsets[-1]]
        return offsets, arcs.dst[order], None if arcs.weights is None else arcs.weights[order]
    keys, weights = unique_arcs(device, arcs, num_vertices)
    dst = split_keys(device, keys, num_vertices, arcs.src.dtype)[1]
    return row_offsets(device, keys, num_vertices), dst, weights


def accumulate(device: Device, numbers: Any) -> Any:
    """Replace each number by the sum of numbers up to it, in place: lengths become offsets. Return them."""
    if numbers.dtype == np.int64 and on_gpu.takes(device, numbers):
        on_gpu.accumulate(device, numbers)
    else:
        device.xp.cumsum(numbers, out=numbers)
    return numbers


def row_offsets(device: Device, keys: Any, num_vertices: int) -> Any:
    """The offsets of CSR arrays (int64) for sorted keys (`arc_keys`)."""
    if device.is_gpu:
        return on_gpu.offsets_of(device, keys, num_vertices, id_bits(num_vertices))
    return accumulate(device, np.bincount((keys >> id_bits(num_vertices)) + 1, minlength=num_vertices + 1))


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
