"""Random numbers of vertices, and random vertices: they depend on ids and seeds, and not on the order of updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import VERTEX_DTYPES
from .device import resolve_device
from .memory.elementwise import fill_with, list_below

PIECE = 2**14
"""Vertices whose numbers are computed together: their arrays fit a cache, which is four times as fast."""
SMALL = 2**18
"""Up to this many vertices are copied from a GPU to the host, which draws from them as fast."""


def draw_vertices(vertices: Any, k: int, seed: int) -> np.ndarray:
    """Return `k` of some distinct vertices at random, or all if fewer exist, in ascending order.

    Each vertex has a random number for each seed, and the lowest numbers are drawn. So one more vertex, or one less,
    changes at most one of the result. O(n) work, on the GPU if the vertices are there.

    Parameters
    ----------
    vertices : array of int, shape (n,)
        A NumPy or CuPy array.
    k, seed : int

    Returns
    -------
    array of int, shape (min(k, n),)
        On the host: the same vertices from every device.

    See Also
    --------
    random_bits : Random numbers in functors.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> fr.advanced.draw_vertices(np.arange(100), 3, seed=1).tolist()
    [31, 51, 92]
    """
    size = int(vertices.size)
    if size <= k:
        return np.sort(_on_host(vertices))
    key = mixed(np.array([seed & (2**64 - 1)], np.uint64))

    def numbers_of(piece: np.ndarray) -> np.ndarray:
        return mixed(piece.astype(np.uint64) ^ key)

    expected = 4 * (k + 8)
    limit = min(expected * 2**64 // size, 2**64 - 1)  # most probably above the lowest k numbers
    many = size > max(SMALL, 2 * expected) and vertices.dtype in VERTEX_DTYPES
    if many and _is_on_gpu(vertices):
        low = _low_on_gpu(vertices, int(key[0]), limit, 2 * expected)
    else:
        vertices = _on_host(vertices)
        pieces = np.array_split(vertices, -(-size // PIECE))
        low = np.concatenate([piece[numbers_of(piece) < limit] for piece in pieces])
    if low.size < k:
        low = _on_host(vertices)
    return np.sort(low[np.argsort(numbers_of(low))[:k]])


def _low_on_gpu(vertices: Any, key: int, limit: int, capacity: int) -> np.ndarray:
    """The vertices on a GPU whose numbers are below a limit, in any order, on the host. No vertices if more
    than `capacity` are below it."""
    device = resolve_device("gpu")
    vertices = device.xp.ascontiguousarray(vertices)
    low, number = device.xp.empty(capacity, vertices.dtype), fill_with(device.xp.empty(1, np.uint64), 0)
    list_below(vertices, key, limit, low, number)
    count = int(device.to_host(number)[0])
    return device.to_host(low[: count if count <= capacity else 0])


def _is_on_gpu(vertices: Any) -> bool:
    return hasattr(vertices, "get")  # CuPy's copy to the host


def _on_host(vertices: Any) -> np.ndarray:
    return vertices.get() if _is_on_gpu(vertices) else vertices


def mixed(numbers: Any) -> Any:
    """Distinct random uint64 numbers for distinct ones, on any device: SplitMix64 (Steele et al., OOPSLA 2014).

    The kernels of `list_below` compute the same.
    """
    h = numbers + np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
