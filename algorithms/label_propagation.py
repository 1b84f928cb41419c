"""Communities by label propagation: vertices adopt the most frequent label of their neighbors.

All labels differ at first. Four rounds form a sweep, which divides the vertices among its rounds at random. In a round,
its vertices look at their neighbors' labels at the same time, and adopt the most frequent one. Ties go to the vertex's
own label, else to the lowest. (If all vertices did, two neighbors could swap their labels forever. Fewer concurrent
changes let more vertices see their neighbors' latest labels, and fewer change again.) Labels are positions in a random
order, which breaks ties at random, but the same way in each run. A vertex is visited again once a neighbor's label has
changed. Without such vertices, every label is one of the most frequent among the neighbors. If most neighbors of a
vertex have its label, some of them may change theirs before its neighbors are visited: no other label can be more
frequent until then.

    number[v]   a random number. Every sweep uses its next two bits as the round in which v
                is visited
    label[v]    the label of v, its position in the order of these numbers
    found[v]    the most frequent label of its neighbors, or -1 for its own, which makes it
                the lowest
    count[v]    the number of its neighbors with this label
    slack[v]    the number of neighbors that may still change labels before v is visited
                again, below 0 if it must be

Raghavan, Albert and Kumara, "Near linear time algorithm to detect community structures in large-scale networks", Phys.
Rev. E 2007; Cordasco and Gargano, "Community Detection via Semi-Synchronous Label Propagation Algorithms", BASNA 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import as_int64, check_undirected
from ._functors import is_negative
from ._labels import existing_sets, smallest_vertices
from .result import Result

SWEEP = 4
"""Rounds in which each vertex is visited at most once: two bits are drawn for it."""
RANDOM_FROM, RANDOM_BITS = 31, 32
"""Numbers have this many random bits, above the ids that make them distinct."""
PASSES = 3
"""Expected arc visits, as a multiple of the number of arcs."""


@dataclass(frozen=True, repr=False)
class LabelPropagationResult(Result):
    """Result of `label_propagation`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device, -1 for deleted vertices.
    count : int
        Number of communities.
    iterations : int
    converged : bool
        Whether every label is one of the most frequent among the neighbors.

    See Also
    --------
    label_propagation : Computes it.
    """

    labels: Any
    count: int
    iterations: int
    converged: bool


@fr.advanced.reads
def label_propagation(graph: fr.Graph, *, max_iter: int = 100, seed: int = 0) -> LabelPropagationResult:
    """Communities, such that each vertex is in one that most of its neighbors are in.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights are ignored.
    max_iter : int
        Maximum number of rounds, in each of which about a quarter of the vertices may change their labels.
    seed : int
        Communities depend only on it and the edges.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `max_iter` or `seed` is invalid.

    See Also
    --------
    DynamicLabelPropagation : Maintains the result while the graph changes.

    Notes
    -----
    O(V) work per round, and O(1) for each edge of the visited vertices. Rarely more than 70 rounds, with ever fewer
    visits. O(V) memory, and a copy of graphs that are walked much slower than CSR. Communities may be disconnected.

    Examples
    --------
    >>> from algorithms import label_propagation
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> label_propagation(graph).labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    """
    check_undirected(graph, "label_propagation")
    fr.advanced.arguments.integer(max_iter, "max_iter", 1)
    seed = as_int64(seed)
    graph = fr.advanced.copy_for_passes(graph, PASSES)
    everyone = fr.Frontier.all(graph)
    number = random_numbers(graph, everyone, seed)
    label, slack = order_of(graph, number), graph.vertex_array(np.int32, -1, combine="add")
    iterations, converged = propagate(everyone, number, label, slack, graph.degrees(), max_iter)
    return LabelPropagationResult(*existing_sets(graph, smallest_vertices(graph, label)), iterations, converged)


def propagate(
    everyone: fr.Frontier, number: Any, label: Any, slack: Any, degrees: Any, max_iter: int, first: int = 0
) -> tuple[int, bool]:  # fmt: skip
    """Visit all vertices whose slack is negative until none is left, and update labels and slacks.

    Returns the number of rounds, at most `max_iter`, and whether no such vertex is left. `first` is the number of
    rounds before.
    """
    graph = everyone.graph
    found = graph.xp.empty_like(label)
    for iterations in range(max_iter + 1):
        drawn = fr.filter(everyone, _is_drawn, slack, number, first + iterations)
        converged = not drawn and not fr.filter(everyone, is_negative, slack)
        if converged or iterations == max_iter:
            break
        _, count = fr.neighbor_reduce(graph, drawn, _label_of, label, reduce="mode", out=found, values=True)
        changed = fr.filter(drawn, _adopt, label, found, count, degrees, slack)
        graph.sync(label, of=changed)
        fr.advance(graph, changed, _call, slack, output=None)
    return iterations, converged


def random_numbers(graph: fr.Graph, everyone: fr.Frontier, seed: np.int64) -> Any:
    """Distinct numbers of 63 bits with 32 random upper bits."""
    number = graph.xp.zeros(graph.num_vertices, np.int64)
    fr.compute(everyone, _draw, number, seed)
    graph.sync(number)
    return number


def order_of(graph: fr.Graph, number: Any) -> Any:
    """The position of each vertex in the order of its number, int32 or int64."""
    xp = graph.xp
    place = xp.empty(graph.num_vertices, graph.vertex_dtype)
    place[xp.argsort(number)] = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    return place


def _draw(v, number, seed):
    number[v] = fr.advanced.random_bits(seed, v, 1) << RANDOM_FROM | v


def _is_drawn(v, slack, number, iteration):
    bits = number[v] >> (RANDOM_FROM + iteration // SWEEP * 2 % RANDOM_BITS)
    return slack[v] < 0 and (bits ^ iteration) & (SWEEP - 1) == 0


def _label_of(src, dst, edge, weight, label):
    return -1 if label[dst] == label[src] else label[dst]


def _adopt(v, label, found, count, degrees, slack):
    """Adopt the label that was found. Return whether it differs from the old one.

    A change removes one from v's label, and may add one to another. Without a majority any change counts.
    """
    slack[v] = max(2 * count[v] - degrees[v], 0) // 2
    if found[v] < 0:
        return False
    label[v] = found[v]
    return True


def _call(src, dst, edge, weight, slack):
    fr.atomic_add(slack, dst, -1)
    return False
