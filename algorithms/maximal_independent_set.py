"""Maximal independent set: no two of its vertices are neighbors, and no vertex can be added.

Vertices are visited by increasing degree, and each joins the set unless a neighbor before it did. In parallel, a vertex
is decided as soon as a neighbor before it is in, or all of them are out (`_priorities`). This is one traversal from the
vertices without neighbors before them.

    state[v]    UNDECIDED, IN or OUT

Blelloch, Fineman and Shun, "Greedy Sequential Maximal Independent Set and Matching are Parallel on Average", SPAA 2012;
Burtscher, Devale, Azimi, Jaiganesh and Powers, "A High-Quality and Fast Maximal Independent Set Implementation for
GPUs", ACM TOPC 2018 (low degrees first).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from ._priorities import comes_before, earlier_neighbors, random_priority
from .result import Result

UNDECIDED, IN, OUT = 0, 1, 2


@dataclass(frozen=True, repr=False)
class MaximalIndependentSetResult(Result):
    """Result of `maximal_independent_set`.

    Attributes
    ----------
    members : array of bool, shape (num_vertices,)
        Which vertices are in the set, on the graph's device. Deleted ones are not.
    count : int
        Number of members.

    See Also
    --------
    maximal_independent_set : Computes it.
    """

    members: Any
    count: int


@fr.advanced.reads
def maximal_independent_set(graph: fr.Graph, *, seed: int = 0) -> MaximalIndependentSetResult:
    """A set of vertices without edges between them that no further vertex can join.

    Parameters
    ----------
    graph : Graph
        Undirected.
    seed : int
        The seed of the order of vertices with equal degrees. The set depends only on it and the edges.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `seed` is not an integer.

    See Also
    --------
    coloring : Splits all vertices into independent sets.

    Notes
    -----
    O(V + E) work, O(V) memory. The number of steps is the number of vertices on the longest path of decreasing
    priorities that matters.

    Examples
    --------
    >>> from algorithms import maximal_independent_set
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> maximal_independent_set(graph).members.nonzero()[0]
    array([1, 4])
    """
    check_undirected(graph, "maximal_independent_set")
    fr.advanced.arguments.check_one_device(graph, "maximal_independent_set")
    xp, degrees = graph.xp, graph.degrees()
    most = degrees.max() if degrees.size else 0  # on the device
    priority = random_priority(graph, most - degrees, seed)
    waiting = earlier_neighbors(graph, priority)
    state = xp.zeros(graph.num_vertices, np.int32)
    fr.traverse(graph, fr.filter(fr.Frontier.all(graph), _joins, waiting, state), _decide, priority, waiting, state)
    members = state == IN
    return MaximalIndependentSetResult(members, int(members.sum()))


def _joins(v, waiting, state):
    if waiting[v] != 0:
        return False
    state[v] = IN
    return True


def _decide(src, dst, edge, weight, priority, waiting, state):
    if not comes_before(src, dst, priority):
        return False
    if state[src] == IN:
        return fr.atomic_cas(state, dst, UNDECIDED, OUT) == UNDECIDED
    if fr.atomic_add(waiting, dst, -1) == 1 and state[dst] == UNDECIDED:
        state[dst] = IN
        return True
    return False
