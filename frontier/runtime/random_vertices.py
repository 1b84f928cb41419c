"""Random numbers of vertices, and random vertices: they depend on ids and seeds, and not on the order of updates."""

from __future__ import annotations

from typing import Any

import numpy as np

PIECE = 2**14
"""Vertices whose numbers are computed together: their arrays fit a cache, which is four times as fast."""


def draw_vertices(vertices: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Return `k` of some distinct vertices at random, or all if fewer exist, in ascending order.

    Each vertex has a random number for each seed, and the lowest numbers are drawn. So one more vertex, or one less,
    changes at most one of the result. O(n) work.

    Parameters
    ----------
    vertices : array of int, shape (n,)
    k, seed : int

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
    if vertices.size <= k:
        return np.sort(vertices)
    key = mixed(np.array([seed & (2**64 - 1)], np.uint64))

    def numbers_of(piece: np.ndarray) -> np.ndarray:
        return mixed(piece.astype(np.uint64) ^ key)

    limit = min(4 * (k + 8) * 2**64 // vertices.size, 2**64 - 1)  # most probably above the lowest k numbers
    pieces = np.array_split(vertices, -(-vertices.size // PIECE))
    low = np.concatenate([piece[numbers_of(piece) < limit] for piece in pieces])
    if low.size < k:
        low = vertices
    return np.sort(low[np.argsort(numbers_of(low))[:k]])


def mixed(numbers: Any) -> Any:
    """Distinct random uint64 numbers for distinct ones, on any device: SplitMix64 (Steele et al., OOPSLA 2014)."""
    h = numbers + np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
