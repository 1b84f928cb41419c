"""Graphs of large diameter: grids and road-like networks."""

from __future__ import annotations

import math

import numpy as np

from .edge_list import EdgeList
from .random_bits import RandomBits

_CORE_SHARE = 0.4  # crossings among the vertices of a road network; the others lie on roads between them
_EXTRA_SHARE = 0.35  # edges beyond a spanning tree, per crossing


def grid(rows: int, cols: int) -> EdgeList:
    """Make a grid where every vertex is joined to its up to four neighbours.

    Parameters
    ----------
    rows, cols : int
        Size; the vertex in row ``i`` and column ``j`` has the number ``i * cols + j``.

    Returns
    -------
    EdgeList
        Undirected, each edge once with the smaller number first: first the edges along rows, then those along columns.

    Raises
    ------
    ValueError
        If `rows` or `cols` is negative.
    """
    if rows < 0 or cols < 0:
        raise ValueError(f"a grid cannot be {rows} by {cols}")
    number = np.arange(rows * cols).reshape(rows, cols)
    src = np.concatenate([number[:, :-1].ravel(), number[:-1].ravel()])
    dst = np.concatenate([number[:, 1:].ravel(), number[1:].ravel()])
    return EdgeList(src, dst, num_vertices=rows * cols, directed=False)


def road_like(num_vertices: int, seed: int = 1) -> EdgeList:
    """Make a connected planar network with the traits of a road network.

    A grid of crossings keeps a random spanning tree and some of its other edges; the remaining vertices subdivide the
    edges into chains of degree 2.

    Parameters
    ----------
    num_vertices : int
        Number of vertices.
    seed : int
        Equal seeds give equal graphs, on every platform.

    Returns
    -------
    EdgeList
        Undirected and simple, each edge once; average degree about 2.25, largest degree 4, diameter of the order of
        the square root of `num_vertices`. Crossings have the first numbers, row by row.

    Raises
    ------
    ValueError
        If `num_vertices` is negative.
    """
    if num_vertices < 0:
        raise ValueError(f"num_vertices must not be negative, got {num_vertices}")
    core = min(num_vertices, max(2, round(_CORE_SHARE * num_vertices)))
    src, dst = _core(core)
    random = RandomBits(seed)
    order = random.permutation(len(src))
    tree = _spanning_tree(core, src, dst, order)
    extra = order[~tree[order]][: round(_EXTRA_SHARE * core)]
    kept = np.sort(np.concatenate([np.flatnonzero(tree), extra]))
    src, dst = src[kept], dst[kept]
    chain = num_vertices - core if len(src) else 0
    # Vertex core + i lies on edge owner[i]; those of one edge follow one another from src to dst.
    owner = np.sort(random.below(max(len(src), 1), chain))
    on_edge = np.bincount(owner, minlength=len(src))
    end = core + np.cumsum(on_edge)
    begin = end - on_edge
    number = np.arange(core, core + chain)
    first = np.where(on_edge > 0, begin, dst)
    after = np.where(number + 1 < end[owner], number + 1, dst[owner]) if chain else number
    return EdgeList(
        np.concatenate([src, number]), np.concatenate([first, after]), num_vertices=num_vertices, directed=False
    )


def _core(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges of a nearly square grid of exactly `count` vertices, the last row perhaps not full."""
    cols = max(1, math.isqrt(count))
    edges = grid(-(-count // cols), cols)
    inside = edges.dst < count  # dst is the larger end
    return edges.src[inside].astype(np.int64), edges.dst[inside].astype(np.int64)


def _spanning_tree(count: int, src: np.ndarray, dst: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Mask of the edges of a spanning tree that prefers the edges early in `order`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    rank = np.empty(len(src))
    rank[order] = np.arange(1, len(src) + 1)  # from 1: csgraph takes a zero for no edge
    ends = (src.astype(np.int32), dst.astype(np.int32))  # all that csgraph took before SciPy 1.16
    tree = minimum_spanning_tree(coo_array((rank, ends), shape=(count, count)).tocsr())
    mask = np.zeros(len(src), dtype=bool)
    mask[order[tree.data.astype(np.int64) - 1]] = True
    return mask
