"""Recursive-matrix (R-MAT) graphs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from .edge_list import EdgeList
from .random_bits import RandomBits

_LEVELS = 4  # levels of the recursion that one random word decides
_BLOCK = 1 << 16  # edges made at a time, so that their columns stay in cache


def rmat(
    scale: int,
    edge_factor: float = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int = 1,
    permute: bool = False,
) -> EdgeList:
    """Make a scale-free graph by recursive choice of a quadrant of the adjacency matrix.

    Parameters
    ----------
    scale : int
        Base-2 logarithm of the number of vertices, 0 to 31.
    edge_factor : float
        Records per vertex.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant; the lower right one gets the rest. The
        defaults are those of Graph500.
    seed : int
        Equal seeds give equal graphs, on every platform.
    permute : bool
        Number the vertices at random. By default low numbers have the high degrees.

    Returns
    -------
    EdgeList
        ``2**scale`` vertices and ``round(edge_factor * 2**scale)`` directed records, self-loops and duplicates kept,
        as in Graph500.

    Raises
    ------
    ValueError
        If `scale` or `edge_factor` is out of range, or the probabilities are negative or exceed 1.
    """
    if not 0 <= scale <= 31:
        raise ValueError(f"scale must be from 0 to 31, got {scale}")
    if edge_factor < 0:
        raise ValueError(f"edge_factor must not be negative, got {edge_factor}")
    quadrants = (a, b, c, 1.0 - a - b - c)
    if min(a, b, c) < 0 or quadrants[3] < -1e-9:
        raise ValueError(f"a, b and c must be probabilities with a sum of at most 1, got {a}, {b}, {c}")
    count = round(edge_factor * 2**scale)
    ends = np.zeros((2, count), dtype=np.int32)
    steps = [_LEVELS] * (scale // _LEVELS) + ([scale % _LEVELS] if scale % _LEVELS else [])
    tables = {levels: _table(quadrants, levels) for levels in set(steps)}
    drawn = [tables[levels] for levels in steps]

    def make_block(begin: int) -> None:
        # Each block goes on where the one before it ends, so that the edges depend on no number of threads.
        random = RandomBits(seed)
        random.skip(begin // 2 * len(steps))
        _draw(random, drawn, ends[:, begin : begin + _BLOCK])

    begins = range(0, count, _BLOCK)
    with ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS, thread_name_prefix="dynfrontier-rmat") as pool:
        list(pool.map(make_block, begins))  # NumPy's loops, which take all of the time, let other threads run
    if permute:
        random = RandomBits(seed)
        random.skip((count // _BLOCK * (_BLOCK // 2) + (count % _BLOCK + 1) // 2) * len(steps))
        new = random.permutation(2**scale).astype(np.int32)
        ends = new[ends]
    return EdgeList(ends[0], ends[1], num_vertices=2**scale, directed=True)


def _draw(random: RandomBits, tables: list[tuple[np.ndarray, ...]], ends: np.ndarray) -> None:
    """Draw both ends of edges, zeros before, level by level: a table and a random word for each edge decide some."""
    src, dst = ends
    for threshold, outcome, rows, cols in tables:
        words = random.words32(len(src))
        cell = words & np.uint32(len(rows) - 1)
        # Walker's alias method: stay in the cell below its threshold, go to its alias above.
        cell = outcome[2 * cell + (words >= threshold[cell])]
        levels = (len(rows).bit_length() - 1) // 2
        src <<= levels
        dst <<= levels
        src |= rows[cell]
        dst |= cols[cell]


def _table(quadrants: tuple[float, ...], levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Alias table over the ``4**levels`` cells of some levels of the recursion, and the bits of each cell."""
    size = 4**levels
    cells = np.arange(size)
    probability = np.ones(size)
    rows = np.zeros(size, dtype=np.int32)
    cols = np.zeros(size, dtype=np.int32)
    for level in range(levels):
        quadrant = (cells >> (2 * level)) & 3
        probability *= np.maximum(quadrants, 0.0)[quadrant]
        rows |= ((quadrant >> 1) << level).astype(np.int32)
        cols |= ((quadrant & 1) << level).astype(np.int32)
    share = probability / probability.sum() * size
    keep, alias = np.ones(size), cells.copy()
    small = [k for k in range(size) if share[k] < 1.0]
    large = [k for k in range(size) if share[k] >= 1.0]
    while small and large:
        low, high = small.pop(), large[-1]
        keep[low], alias[low] = share[low], high
        share[high] -= 1.0 - share[low]
        if share[high] < 1.0:
            small.append(large.pop())
    # The low bits of a word choose the cell, the high bits decide; comparing whole words errs by at most 2**-24. A
    # full cell is its own alias, so its threshold does not matter.
    threshold = np.minimum(keep * 2.0**32, 2.0**32 - 1).astype(np.uint32)
    return threshold, np.stack([cells, alias], axis=1).reshape(-1), rows, cols
