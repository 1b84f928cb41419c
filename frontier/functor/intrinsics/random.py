"""Random numbers in functors, by counter: each is a function of a seed and of where it is drawn.

Generators with a state would need one for every thread, and would give other numbers for another order of edges. Here a
number belongs to its position, such as a vertex and a step. It is the same on both devices, bit by bit, and in every
order of visiting edges.

The generator is Philox-4x32 with ten rounds: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC 2011. It passes TestU01's BigCrush. The key is the seed. The counter is `i` (its lower half) and `j`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEPS = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))  # of the key, from round to round
_TO_UNIT = 2.0**-53


def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> tuple[Any, Any, Any, Any]:
    """The four words of Philox-4x32-10 for a counter of four words and a key of two, all uint64 below 2**32."""
    for _ in range(10):
        first = _MULTIPLIERS[0] * c0
        second = _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (second >> _HALF) ^ c1 ^ k0, second & _LOW, (first >> _HALF) ^ c3 ^ k1, first & _LOW
        k0 = (k0 + _STEPS[0]) & _LOW
        k1 = (k1 + _STEPS[1]) & _LOW
    return c0, c1, c2, c3


def _words(seed: int, i: int, j: int) -> tuple[Any, Any, Any, Any]:
    """The words for a seed and a position, each of which is an integer of up to 64 bits."""
    seed, i, j = int(seed), int(i), int(j)
    return philox(
        np.uint64(i & 0xFFFFFFFF), np.uint64((i >> 32) & 0xFFFFFFFF),
        np.uint64(j & 0xFFFFFFFF), np.uint64((j >> 32) & 0xFFFFFFFF),
        np.uint64(seed & 0xFFFFFFFF), np.uint64((seed >> 32) & 0xFFFFFFFF),
    )  # fmt: skip


def random(seed: int, i: int, j: int = 0) -> float:
    """A random number from 0 up to, but not including, 1, for use in functors.

    Parameters
    ----------
    seed : int
    i, j : int
        The position of the draw, such as a vertex (or `edge`) and a step. Each position has its own fixed number.

    Returns
    -------
    float
        With 53 random bits. The same on both devices and outside functors.

    See Also
    --------
    sample_neighbors : Random neighbors.

    Examples
    --------
    >>> import frontier as fr
    >>> fr.random(1, 5), fr.random(1, 6)
    (0.16027821820659482, 0.4453891450257975)
    """
    w0, w1, _w2, _w3 = _words(seed, i, j)
    return float((w0 >> np.uint64(5)) * np.uint64(67108864) + (w1 >> np.uint64(6))) * _TO_UNIT


def random_bits(seed: int, i: int, j: int = 0) -> int:
    """A random integer from 0 to 2**32 - 1, for use in functors. Parameters as for `random`.

    Returns
    -------
    int
        An int64 in functors, so results computed from it are exact: ``fr.advanced.random_bits(seed, v) % 6``. For
        another 32 bits of the same position use another `j`.

    See Also
    --------
    random : Uniform numbers in a functor.
    """
    w0, _w1, _w2, _w3 = _words(seed, i, j)
    return np.int64(w0)  # type: ignore[return-value]


def random_pair(seed: int, i: int, j: int = 0) -> tuple[Any, Any]:
    """Two random integers from 0 to 2**64 - 1 (uint64): all bits of a position. Parameters as for `random`."""
    w0, w1, w2, w3 = _words(seed, i, j)
    return w0 | w1 << _HALF, w2 | w3 << _HALF


def scaled(word: Any, size: Any) -> Any:
    """The integer from 0 to `size` - 1 (int64) that a random one of 64 bits becomes: ``word * size >> 64``.

    Each is as likely as any other, to one part in ``2**64 / size``.
    """
    size = np.uint64(size)
    high, low, size_high, size_low = word >> _HALF, word & _LOW, size >> _HALF, size & _LOW
    upper, lower = high * size_low, low * size_high
    carried = (low * size_low >> _HALF) + (upper & _LOW) + (lower & _LOW)
    return np.int64(high * size_high + (upper >> _HALF) + (lower >> _HALF) + (carried >> _HALF))
