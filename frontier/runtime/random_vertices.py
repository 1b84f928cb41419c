"""Random vertices that depend on the vertices that exist, and not on the order of updates."""

from __future__ import annotations

import numpy as np


def draw_vertices(vertices: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Return `k` of some distinct vertices at random, or all if fewer exist, in ascending order.

    Each vertex has a random number for each seed, and the lowest numbers are drawn. So one more vertex, or one less,
    changes at most one of the result.

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
    numbers = _mixed(vertices.astype(np.uint64) ^ _mixed(np.array([seed & (2**64 - 1)], np.uint64)))
    return np.sort(vertices[np.argpartition(numbers, k)[:k]])


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """A random number for each number, all distinct (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
