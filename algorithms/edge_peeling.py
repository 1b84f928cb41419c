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
from typing import Any, NamedTuple

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
    peeling = Peeling(number, support, -1, least, xp.empty(support.size, np.int32), xp.zeros(1, np.int64))
    left, removed = [leaving], leaving.size
    while leaving.size:
        if removed > most:
            return None
        support[leaving] = MARKED
        peeling.size.fill(0)
        pass_on(graph, src[leaving], dst[leaving], peeling)
        support[leaving] = GONE
        leaving = peeling.fallen[: int(peeling.size[0])].copy()
        left.append(leaving)
        removed += leaving.size
    return graph.joined(*left)


class Peeling(NamedTuple):
    """Changes of supports. Edges that fall below `least` are appended to `fallen`, and counted in `size`."""

    number: Any
    support: Any
    change: Any
    least: Any
    fallen: Any
    size: Any


def pass_on(graph: fr.Graph, src: Any, dst: Any, peeling: Peeling) -> None:
    """Add `change` per triangle to the support of the edges that share triangles with these marked edges."""
    fr.intersect(graph, src, dst, _pass_on, *peeling, checked=False)


def _pass_on(u, v, w, edge_uw, edge_vw, *args):
    peeling = Peeling(*args)
    a = peeling.number[edge_uw]
    b = peeling.number[edge_vw]
    if a < 0 or b < 0:
        return
    of_a = peeling.support[a]
    of_b = peeling.support[b]
    if of_a == GONE or of_b == GONE:
        return
    if of_a >= 0 and (of_b >= 0 or w < u):
        _add(peeling, a)
    if of_b >= 0 and (of_a >= 0 or w < v):
        _add(peeling, b)


def _add(peeling, e):
    """Change the support of an edge, and list it if it falls below `least`."""
    if fr.atomic_add(peeling.support, e, peeling.change) == peeling.least:
        peeling.fallen[fr.atomic_add(peeling.size, 0, 1)] = e
