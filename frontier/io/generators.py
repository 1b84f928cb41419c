"""Generators of graphs: uniform, small-world, preferential attachment, R-MAT, grids and road-like networks."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from .edge_list import EdgeList


class RandomBits:
    """Random numbers that are the same on every platform and with every version of NumPy.

    NumPy guarantees a fixed stream only for the raw output of a bit generator, here PCG64, not for the methods of
    ``Generator``. Raises ValueError if `seed` is negative.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)

    def skip(self, words: int) -> None:
        """Advance by `words` 64-bit words in constant time."""
        self._generator.advance(words)

    def words32(self, count: int) -> np.ndarray:
        """Return `count` uniform 32-bit words, shape (count,), uint32."""
        return self._generator.random_raw((count + 1) // 2).astype("<u8", copy=False).view("<u4")[:count]

    def uniform(self, count: int) -> np.ndarray:
        """Return `count` uniform numbers in [0, 1) with 53 bits, shape (count,), float64."""
        return (self._generator.random_raw(count) >> np.uint64(11)) * 2.0**-53

    def below(self, limit: int | np.ndarray, count: int) -> np.ndarray:
        """Return `count` integers (int64) in [0, limit), shape (count,). A `limit`, one or an array, is up to 2**53."""
        return (self.uniform(count) * limit).astype(np.int64)

    def permutation(self, count: int) -> np.ndarray:
        """Return the numbers 0..count-1 in random order, shape (count,), int64."""
        return np.argsort(self._generator.random_raw(count), kind="stable")


def uniform(num_vertices: int, num_edges: int, seed: int = 1) -> EdgeList:
    """Draw both ends of every edge uniformly and independently.

    Parameters
    ----------
    num_vertices : int
        At least 1, unless `num_edges` is 0.
    num_edges : int
    seed : int
        Equal seeds give equal graphs on every platform.

    Returns
    -------
    EdgeList
        Directed edges, including self-loops and duplicates.

    Raises
    ------
    ValueError
        A number is negative, or `num_vertices` is 0 but not `num_edges`.

    See Also
    --------
    rmat : A scale-free graph.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.uniform(num_vertices=10, num_edges=30, seed=1)
    >>> edges.src.size, int(edges.src.max()) < 10
    (30, True)
    """
    if num_vertices < 0 or num_edges < 0 or (num_edges and not num_vertices):
        raise ValueError(f"cannot draw {num_edges} edges between {num_vertices} vertices")
    random = RandomBits(seed)
    src = random.below(num_vertices, num_edges)
    return EdgeList(src, random.below(num_vertices, num_edges), num_vertices=num_vertices, directed=True)


def small_world(num_vertices: int, neighbors: int, rewire: float = 0.1, seed: int = 1) -> EdgeList:
    """Make a ring lattice with randomly moved ends (Watts and Strogatz).

    Parameters
    ----------
    num_vertices : int
    neighbors : int
        Neighbors of each vertex in the ring, even and less than `num_vertices`.
    rewire : float
        Probability of moving the far end of an edge to another vertex, uniformly.
    seed : int
        Equal seeds give equal graphs on every platform.

    Returns
    -------
    EdgeList
        ``num_vertices * neighbors / 2`` undirected edges, each once. Moved ends may repeat an edge.

    Raises
    ------
    ValueError
        `neighbors` or `rewire` is out of range.

    See Also
    --------
    grid : A lattice without moved ends.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.small_world(6, 2, rewire=0.0)
    >>> edges.src.tolist(), edges.dst.tolist()
    ([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    """
    if neighbors < 0 or neighbors % 2 or (num_vertices and neighbors >= num_vertices):
        raise ValueError(f"neighbors must be even and less than num_vertices, got {neighbors}")
    if not 0 <= rewire <= 1:
        raise ValueError(f"rewire must be a probability, got {rewire}")
    random = RandomBits(seed)
    src = np.repeat(np.arange(num_vertices), neighbors // 2)
    step = np.tile(np.arange(1, neighbors // 2 + 1), num_vertices)
    moved = random.uniform(len(src)) < rewire
    step[moved] = 1 + random.below(max(num_vertices - 1, 1), int(moved.sum()))
    return EdgeList(src, (src + step) % max(num_vertices, 1), num_vertices=num_vertices, directed=False)


def preferential_attachment(num_vertices: int, edges_per_vertex: int, seed: int = 1) -> EdgeList:
    """Grow a scale-free graph: each vertex attaches to earlier ones in proportion to degree (Batagelj and Brandes).

    Parameters
    ----------
    num_vertices : int
    edges_per_vertex : int
        At least 1.
    seed : int
        Equal seeds give equal graphs on every platform.

    Returns
    -------
    EdgeList
        ``num_vertices * edges_per_vertex`` undirected edges, each once, in order of growth. Self-loops and
        duplicates occur, rarely.

    Raises
    ------
    ValueError
        A number is out of range.

    See Also
    --------
    rmat : Scale-free by recursion.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.preferential_attachment(1000, 4)
    >>> len(edges), edges.num_vertices
    (4000, 1000)
    """
    if num_vertices < 0 or edges_per_vertex < 1:
        raise ValueError("num_vertices must not be negative and edges_per_vertex must be at least 1")
    count = num_vertices * edges_per_vertex
    src = np.arange(count) // edges_per_vertex
    # End number p of all ends so far is the source of edge p / 2 if p is even, else the destination of that edge,
    # which is itself such a choice. Following the odd choices by pointer doubling resolves all of them at once.
    choice = RandomBits(seed).below(2 * np.arange(count) + 1, count)
    while (odd := np.flatnonzero(choice & 1)).size:
        choice[odd] = choice[choice[odd] >> 1]
    return EdgeList(src, src[choice >> 1], num_vertices=num_vertices, directed=False)


_CORE_SHARE = 0.4  # crossings among the vertices of a road network. All further vertices lie on roads between them
_EXTRA_SHARE = 0.35  # edges beyond a spanning tree, per crossing


def grid(rows: int, cols: int) -> EdgeList:
    """Make a grid, in which every vertex has up to four neighbors.

    Parameters
    ----------
    rows, cols : int
        The vertex in row ``i`` and column ``j`` has the number ``i * cols + j``.

    Returns
    -------
    EdgeList
        Undirected, each edge once with the smaller number first: first the edges along rows, then those along columns.

    Raises
    ------
    ValueError
        `rows` or `cols` is negative.

    See Also
    --------
    road_like : An irregular planar network.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.grid(2, 2)
    >>> edges.src, edges.dst
    (array([0, 2, 0, 1], dtype=int32), array([1, 3, 2, 3], dtype=int32))
    """
    if rows < 0 or cols < 0:
        raise ValueError(f"a grid cannot be {rows} by {cols}")
    number = np.arange(rows * cols).reshape(rows, cols)
    src = np.concatenate([number[:, :-1].ravel(), number[:-1].ravel()])
    dst = np.concatenate([number[:, 1:].ravel(), number[1:].ravel()])
    return EdgeList(src, dst, num_vertices=rows * cols, directed=False)


def road_like(num_vertices: int, seed: int = 1) -> EdgeList:
    """Make a connected planar network with the traits of a road network.

    A random spanning tree of a grid of crossings, and some of the grid's other edges. The remaining vertices subdivide
    the edges into chains of degree 2.

    Parameters
    ----------
    num_vertices : int
    seed : int
        Equal seeds give equal graphs on every platform.

    Returns
    -------
    EdgeList
        Undirected and simple, each edge once. Average degree about 2.25, largest degree 4, diameter of the order of the
        square root of `num_vertices`. Crossings have the first numbers, row by row.

    Raises
    ------
    ValueError
        `num_vertices` is negative.

    See Also
    --------
    grid : A regular planar network.

    Examples
    --------
    >>> import frontier as fr
    >>> fr.io.road_like(1000).num_vertices
    1000
    """
    if num_vertices < 0:
        raise ValueError(f"num_vertices must not be negative, got {num_vertices}")
    core = min(num_vertices, max(2, round(_CORE_SHARE * num_vertices)))
    src, dst = _core(core)
    random = RandomBits(seed)
    order = random.permutation(len(src))
    tree = _spanning_tree(core, src, dst, order)
    kept = np.sort(np.concatenate([np.flatnonzero(tree), order[~tree[order]][: round(_EXTRA_SHARE * core)]]))
    src, dst = src[kept], dst[kept]
    chain = num_vertices - core if len(src) else 0
    # Vertex core + i lies on edge owner[i]. The vertices of one edge follow one another from src to dst.
    owner = np.sort(random.below(max(len(src), 1), chain))
    on_edge = np.bincount(owner, minlength=len(src))
    end = core + np.cumsum(on_edge)
    number = np.arange(core, core + chain)
    first = np.where(on_edge > 0, end - on_edge, dst)
    after = np.where(number + 1 < end[owner], number + 1, dst[owner]) if chain else number
    return EdgeList(
        np.concatenate([src, number]), np.concatenate([first, after]), num_vertices=num_vertices, directed=False
    )


def _core(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of a nearly square grid of exactly `count` vertices, whose last row may be short."""
    cols = max(1, math.isqrt(count))
    edges = grid(-(-count // cols), cols)
    inside = edges.dst < count  # dst is the larger end
    return edges.src[inside].astype(np.int64), edges.dst[inside].astype(np.int64)


def _spanning_tree(count: int, src: np.ndarray, dst: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return a mask of the edges of a spanning tree that prefers the edges early in `order`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    rank = np.empty(len(src))
    rank[order] = np.arange(1, len(src) + 1)  # from 1: for csgraph a zero is no edge
    ends = (src.astype(np.int32), dst.astype(np.int32))  # the only type that csgraph accepted before SciPy 1.16
    tree = minimum_spanning_tree(coo_array((rank, ends), shape=(count, count)).tocsr())
    mask = np.zeros(len(src), dtype=bool)
    mask[order[tree.data.astype(np.int64) - 1]] = True
    return mask


_LEVELS = 4  # levels of the recursion that one random word decides
_BLOCK = 1 << 16  # edges made at a time, whose columns then stay in cache


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
        Edges per vertex.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant. The lower right one gets the rest. The
        defaults are from Graph500.
    seed : int
        Equal seeds give equal graphs on every platform.
    permute : bool
        Number the vertices at random. By default, low numbers have high degrees.

    Returns
    -------
    EdgeList
        ``2**scale`` vertices and ``round(edge_factor * 2**scale)`` directed edges, including self-loops and
        duplicates, as in Graph500.

    Raises
    ------
    ValueError
        `scale` or `edge_factor` is out of range, or the probabilities are negative or exceed 1.

    See Also
    --------
    uniform : Both ends drawn uniformly.
    preferential_attachment : Scale-free by growth.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.rmat(scale=4, edge_factor=2, seed=1)
    >>> edges.num_vertices, edges.src.size
    (16, 32)
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
        # Each block continues its predecessor's random words, so edges do not depend on the number of threads.
        random = RandomBits(seed)
        random.skip(begin // 2 * len(steps))
        _draw(random, drawn, ends[:, begin : begin + _BLOCK])

    begins = range(0, count, _BLOCK)
    with ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS, thread_name_prefix="dynfrontier-rmat") as pool:
        list(pool.map(make_block, begins))  # NumPy's loops, which dominate, release the GIL
    if permute:
        random = RandomBits(seed)
        random.skip((count // _BLOCK * (_BLOCK // 2) + (count % _BLOCK + 1) // 2) * len(steps))
        ends = random.permutation(2**scale).astype(np.int32)[ends]
    return EdgeList(ends[0], ends[1], num_vertices=2**scale, directed=True)


def _draw(random: RandomBits, tables: list[tuple[np.ndarray, ...]], ends: np.ndarray) -> None:
    """Draw both ends of edges, initially 0: for each table, a random word per edge decides some levels."""
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
    """Return an alias table over the ``4**levels`` cells of some levels of the recursion, and the bits of each cell."""
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
    # The low bits of a word choose the cell, the high bits decide. Comparing whole words errs by at most 2**-24. A full
    # cell is its own alias, so its threshold does not matter.
    threshold = np.minimum(keep * 2.0**32, 2.0**32 - 1).astype(np.uint32)
    return threshold, np.stack([cells, alias], axis=1).reshape(-1), rows, cols
