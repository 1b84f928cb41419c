"""Peeling: removal of edges from an undirected graph, and of the edges that are then in too few triangles.

Every edge has a number. The support of an edge is the number of triangles that contain it.

    number[slot]     number of the edge in this slot of the graph, negative for edges that
                     are ignored
    src[e], dst[e]   the ends of edge e
    support[e]       its support: MARKED while it is being removed (or added), GONE after
                     removal

Edges are removed in rounds. The triangles of removed edges are found by intersecting the neighbor lists of their ends,
and the supports of their remaining edges are decremented. An edge whose support falls below the threshold is removed in
the next round. If two edges of a triangle are removed in the same round, the support of the third is decremented once:
by the removed edge opposite the smaller vertex.

Cohen, "Trusses: Cohesive Subgraphs for Social Network Analysis", 2008; Kabir and Madduri, "Parallel k-Truss
Decomposition on Multicore Systems", HPEC 2017.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import frontier as fr

MARKED = -1
GONE = 2**31 - 1


def number_edges(graph: fr.Graph, src: Any, dst: Any, slots: Any = None) -> Any:
    """`number` for edges of `graph` in the given order: int32 by slot. One look-up per arc whose slot is not given."""
    xp = graph.xp
    numbers = xp.arange(src.size, dtype=np.int32)
    number = xp.full(graph.edge_capacity, -1, np.int32)
    number[graph.find_edges(src, dst, checked=False) if slots is None else slots] = numbers
    number[graph.find_edges(dst, src, checked=False)] = numbers
    return number


def peel(
    graph: fr.Graph, number: Any, src: Any, dst: Any, support: Any, leaving: Any, least: int, most: float = math.inf
) -> Any:
    """Remove the edges `leaving`, then repeatedly all with fewer than `least` triangles. The graph does not change.

    Updates `support`. Returns the numbers of all removed edges. After more than `most` removals it returns None, and
    supports are undefined. O(sum of the smaller degree of the two ends) look-ups over removed edges. One host
    synchronization per round.
    """
    xp = graph.xp
    fallen = xp.empty(support.size, np.int32)
    size = xp.zeros(1, np.int64)
    left, removed = [leaving], leaving.size
    while leaving.size:
        if removed > most:
            return None
        support[leaving] = MARKED
        size.fill(0)
        pass_on(graph, (src[leaving], dst[leaving]), number, support, -1, least, fallen, size)
        support[leaving] = GONE
        leaving = fallen[: int(size[0])].copy()
        left.append(leaving)
        removed += leaving.size
    return graph.joined(*left)


def pass_on(
    graph: fr.Graph, edges: tuple[Any, Any], number: Any, support: Any, change: int, least: int, fallen: Any, size: Any
) -> None:
    """Add `change` per triangle to the support of the edges that share triangles with the marked `edges`.

    Edges that fall below `least` are appended to `fallen`, and counted in `size`.
    """
    fr.intersect(graph, *edges, _pass_on, number, support, change, least, fallen, size, checked=False)


def _pass_on(u, v, w, edge_uw, edge_vw, number, support, change, least, fallen, size):
    a = number[edge_uw]
    b = number[edge_vw]
    if a < 0 or b < 0:
        return
    of_a = support[a]
    of_b = support[b]
    if of_a == GONE or of_b == GONE:
        return
    if of_a >= 0 and (of_b >= 0 or w < u) and fr.atomic_add(support, a, change) == least:
        fallen[fr.atomic_add(size, 0, 1)] = a
    if of_b >= 0 and (of_a >= 0 or w < v) and fr.atomic_add(support, b, change) == least:
        fallen[fr.atomic_add(size, 0, 1)] = b
