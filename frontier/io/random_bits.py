"""Random numbers that are the same on every platform and with every version of NumPy.

NumPy promises a fixed stream for the raw output of a bit generator only, not for the methods of ``Generator``, so the
generators of graphs build what they need from raw 64-bit words.
"""

from __future__ import annotations

import numpy as np


class RandomBits:
    """A seeded source of raw words, PCG64.

    Parameters
    ----------
    seed : int
        Non-negative seed.

    Raises
    ------
    ValueError
        If `seed` is negative.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)

    def skip(self, words: int) -> None:
        """Go on as if `words` 64-bit words had been drawn, which takes no longer for many."""
        self._generator.advance(words)

    def words32(self, count: int) -> np.ndarray:
        """`count` uniform 32-bit words, shape (count,), uint32."""
        words = self._generator.random_raw((count + 1) // 2)
        return words.astype("<u8", copy=False).view("<u4")[:count]

    def uniform(self, count: int) -> np.ndarray:
        """`count` uniform numbers in [0, 1) with 53 bits, shape (count,), float64."""
        return (self._generator.random_raw(count) >> np.uint64(11)) * 2.0**-53

    def below(self, limit: int | np.ndarray, count: int) -> np.ndarray:
        """`count` integers in [0, limit), shape (count,), int64; `limit` at most 2**53, one number or one for each."""
        return (self.uniform(count) * limit).astype(np.int64)

    def permutation(self, count: int) -> np.ndarray:
        """The numbers 0..count-1 in random order, shape (count,), int64."""
        return np.argsort(self._generator.random_raw(count), kind="stable")
