"""Keys, sums and the rows of CSR arrays on a GPU, with machine code that comes with the package."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime import Device

from .tiles import running_sums, tile_count, tile_launch

HEADER = "frontier/core/sort/arrays.cuh"
SUMMED = 4096  # values that a block adds up
IDS = {np.dtype(np.int32): "int", np.dtype(np.int64): "i64"}


def takes(device: Device, *arrays: Any) -> bool:
    """Whether there are kernels for arrays: on a GPU, contiguous, of one length and one type of ids."""
    return device.is_gpu and all(
        part.dtype == arrays[0].dtype in IDS and part.shape == (arrays[0].size,) and part.flags.c_contiguous
        for part in arrays
    )


def pack(device: Device, src: Any, dst: Any, shift: int) -> Any:
    """Keys ``src << shift | dst``."""
    keys = device.xp.empty(src.size, np.int64)
    _kernel(f"pack_{IDS[src.dtype]}")(int(src.size), src, dst, shift, keys)
    return keys


def unpack(device: Device, keys: Any, shift: int, dtype: np.dtype) -> tuple[Any, Any]:
    """Sources and destinations of keys."""
    src, dst = device.xp.empty(keys.size, dtype), device.xp.empty(keys.size, dtype)
    _kernel(f"unpack_{IDS[dtype]}")(int(keys.size), keys, shift, src, dst)
    return src, dst


def sort_with_positions(device: Device, keys: Any, bits: int) -> tuple[Any, Any]:
    """Sort int64 keys with `bits` free above each, as plain numbers, which is several times as fast as pairs."""
    size, empty = int(keys.size), device.xp.empty
    both, positions = empty(size, np.int64), empty(size, np.int64)
    _kernel("append_positions")(size, keys, bits, both)
    both.sort()
    ordered = empty(size, np.int64)
    _kernel("split_positions")(size, both, bits, ordered, positions)
    return ordered, positions


def ends_of_runs(device: Device, values: Any) -> Any:
    """Positions of the last of each run of equal int64 numbers. The host synchronizes to read their number."""
    return _listed(device, "run_ends", values)


def sums_of_runs(device: Device, keys: Any, last: Any, values: Any) -> Any:
    """The sum of the float64 values of each run of equal keys, of which `last` are the last positions."""
    sums = device.xp.zeros(last.size, np.float64)
    if keys.size:
        _kernel("sum_runs")(
            int(keys.size), keys, values, last, int(last.size), sums, blocks=-(-int(keys.size) // SUMMED)
        )
    return sums


def places_of_ids(device: Device, values: Any) -> Any:
    """Positions of numbers that are not negative. The host synchronizes to read their number."""
    return _listed(device, f"ids_{IDS[values.dtype]}", values)


def _listed(device: Device, what: str, values: Any) -> Any:
    xp, size = device.xp, int(values.size)
    out, number, sums = xp.empty(size, np.int64), xp.zeros(1, np.int64), xp.empty(tile_count(size), np.int64)
    _kernel(f"count_{what}")(size, values, sums, **tile_launch(size))
    _kernel(f"list_{what}")(size, values, *running_sums(device, _Kernels, sums), out, number, **tile_launch(size))
    return out[: int(number[0])]


def accumulate(device: Device, numbers: Any) -> None:
    """Replace each of some int64 numbers by the sum of all up to it."""
    size = int(numbers.size)
    sums = device.xp.empty(tile_count(size), np.int64)
    _kernel("sum_tiles")(size, numbers, sums, **tile_launch(size))
    _kernel("accumulate")(size, *running_sums(device, _Kernels, sums), numbers, **tile_launch(size))


def offsets_of(device: Device, keys: Any, rows: int, shift: int) -> Any:
    """The offsets of the rows of sorted keys, as in CSR arrays (int64)."""
    offsets = device.xp.empty(rows + 1, np.int64)
    _kernel("offsets_of")(rows + 1, keys, int(keys.size), shift, offsets)
    return offsets


def rows_of(device: Device, offsets: Any, dtype: np.dtype) -> Any:
    """The row of every entry of CSR arrays with these offsets."""
    rows = device.xp.empty(int(offsets[-1]), dtype)
    _kernel(f"rows_{IDS[dtype]}")(int(rows.size), offsets, int(offsets.size) - 1, rows)
    return rows


class _Kernels:
    """The kernels that `running_sums` launches."""

    @staticmethod
    def add_up(*args: Any, **launch: int) -> None:
        _kernel("add_up")(*args, **launch)


def _kernel(name: str) -> Any:
    from frontier.runtime.compile.cuda import load_kernel

    return load_kernel(HEADER, name, ())
