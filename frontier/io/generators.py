"""Random graphs without geometry: uniform, small-world, preferential attachment."""

from __future__ import annotations

import numpy as np

from .edge_list import EdgeList
from .random_bits import RandomBits


def uniform(num_vertices: int, num_edges: int, seed: int = 1) -> EdgeList:
    """Draw both ends of every record uniformly and independently.

    Parameters
    ----------
    num_vertices : int
        Number of vertices; at least 1 unless there are no edges.
    num_edges : int
        Number of records.
    seed : int
        Equal seeds give equal graphs, on every platform.

    Returns
    -------
    EdgeList
        Directed records, self-loops and duplicates kept.

    Raises
    ------
    ValueError
        If a number is negative, or there are edges but no vertices.
    """
    if num_vertices < 0 or num_edges < 0 or (num_edges and not num_vertices):
        raise ValueError(f"cannot draw {num_edges} edges between {num_vertices} vertices")
    random = RandomBits(seed)
    src = random.below(num_vertices, num_edges)
    dst = random.below(num_vertices, num_edges)
    return EdgeList(src, dst, num_vertices=num_vertices, directed=True)


def small_world(num_vertices: int, neighbors: int, rewire: float = 0.1, seed: int = 1) -> EdgeList:
    """Make a ring lattice with randomly moved ends (Watts and Strogatz).

    Parameters
    ----------
    num_vertices : int
        Number of vertices.
    neighbors : int
        Neighbours of each vertex in the ring, even and less than `num_vertices`.
    rewire : float
        Probability with which the far end of an edge is moved to a uniform other vertex.
    seed : int
        Equal seeds give equal graphs, on every platform.

    Returns
    -------
    EdgeList
        ``num_vertices * neighbors / 2`` undirected records, each edge once; moved ends may repeat an edge.

    Raises
    ------
    ValueError
        If `neighbors` or `rewire` is out of range.
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
        Number of vertices.
    edges_per_vertex : int
        Edges that each vertex brings; at least 1.
    seed : int
        Equal seeds give equal graphs, on every platform.

    Returns
    -------
    EdgeList
        ``num_vertices * edges_per_vertex`` undirected records, each edge once, in order of growth; self-loops and
        duplicates occur, rarely.

    Raises
    ------
    ValueError
        If a number is out of range.
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
