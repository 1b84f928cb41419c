"""Sums over the whole grid of a GPU, in tiles of work items with a thread block each (see scan_tiles.cuh)."""

from __future__ import annotations

from typing import Any

from frontier.runtime import Device

TILE = 512  # work items to a thread block (scan_tiles.cuh has the same number)
MAX_SUMS = 4096  # tiles up to which each thread block adds up the sums of all before it


def tile_count(size: int) -> int:
    """Number of tiles of so many work items."""
    return -(-size // TILE)


def tile_launch(size: int) -> dict[str, int]:
    """Launch options of a kernel that gives a thread block to each tile of so many work items."""
    return {"threads": TILE, "blocks": tile_count(size)}


def running_sums(device: Device, kernels: Any, sums: Any) -> tuple[Any, bool]:
    """Add sums over tiles up in place if they are many on a GPU. Return them, and whether they were added up.

    `kernels` are any that include ``frontier/cuda/scan_tiles.cuh``. CPU kernels add up as they go.
    """
    summed = device.is_gpu and sums.size > MAX_SUMS
    if summed:
        kernels.add_up(int(sums.size), sums, threads=1024, blocks=1)
    return sums, summed
