"""Random vertices that depend on the vertices that exist, and not on the order of updates."""

from __future__ import annotations

import numpy as np

MASK = 2**32 - 1


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

    Notes
    -----
    O(n) work. The numbers are by the last step of MurmurHash3, which is different for different vertices below 2**32.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> fr.advanced.draw_vertices(np.arange(100), 3, seed=1).tolist()
    [42, 61, 96]
    """
    if vertices.size <= k:
        return np.sort(vertices)
    key = _mixed(_mixed(np.array([seed & MASK], np.uint32)) ^ np.uint32(seed >> 32 & MASK))
    numbers = _mixed(vertices.astype(np.uint32) ^ key)
    # The lowest are probably below a limit that few numbers are below, so few are compared.
    low = np.flatnonzero(numbers < min(4 * (k + 8) * 2**32 // vertices.size, MASK))
    if low.size < k:
        low = np.arange(vertices.size)
    return np.sort(vertices[low[np.argsort(numbers[low], kind="stable")[:k]]])


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Replace numbers by random ones, in place, and return them."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        numbers ^= numbers >> np.uint32(shift)
        numbers *= np.uint32(factor)
    return numbers
