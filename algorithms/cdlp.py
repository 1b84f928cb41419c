"""Communities by label propagation as LDBC Graphalytics defines it: in rounds, and without random numbers.

The label of a vertex is its id at first. In each round, every vertex adopts the most frequent label of its neighbors,
the lowest of several, at the same time. In directed graphs, neighbors are those along edges in either direction, and
one along edges in both counts twice. A vertex without neighbors has its id for ever.

A vertex looks at its neighbors only if the label of one of them has changed in the last round.

    label[v]    the label of v
    found[v]    the label that v adopts in this round

Raghavan, Albert and Kumara, "Near linear time algorithm to detect community structures in large-scale networks", Phys.
Rev. E 2007; Iosup et al., "LDBC Graphalytics: A Benchmark for Large-Scale Graph Analysis on Parallel and Distributed
Platforms", VLDB 2016 (the deterministic form).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import frontier as fr

from ._edge_sums import without_directions
from ._functors import always, neighbor_value
from .result import Result


@dataclass(frozen=True, repr=False)
class CDLPResult(Result):
    """Result of `cdlp`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The label of each vertex, which is a vertex, on the graph's device, -1 for deleted vertices.
    iterations : int
        Number of rounds: fewer than allowed if labels no longer change.

    See Also
    --------
    cdlp : Computes it.
    """

    labels: Any
    iterations: int


@fr.advanced.reads
def cdlp(graph: fr.Graph, *, max_iter: int = 10) -> CDLPResult:
    """Community detection by label propagation, the algorithm CDLP of LDBC Graphalytics.

    Parameters
    ----------
    graph : Graph
        Directed or undirected. Weights are ignored.
    max_iter : int
        Number of rounds. More of them need not give better communities: labels of bipartite graphs alternate.

    Raises
    ------
    TypeError, ValueError
        `max_iter` is not an integer, or is negative.

    See Also
    --------
    label_propagation : Asynchronous, with random ties: fewer iterations.

    Notes
    -----
    O(V) work per round, and for each edge of the vertices that look. O(V) memory. Directed graphs, and graphs that are
    walked much slower than CSR, need O(V + E) for a copy. `label_propagation` finds communities in fewer rounds.

    Examples
    --------
    >>> from algorithms import cdlp
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> cdlp(graph).labels
    array([0, 0, 0, 2, 2, 2], dtype=int32)
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.integer(max_iter, "max_iter", 0)
    xp, score = graph.xp, _count if graph.directed else None
    held = without_directions(graph) if graph.directed else fr.advanced.copy_for_passes(graph, max_iter)
    label = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    found, waiting, iterations = label.copy(), fr.Frontier.all(held), 0
    while waiting and iterations < max_iter:
        fr.neighbor_reduce(held, waiting, neighbor_value, label, reduce="mode", score=score, out=found)
        changed = fr.filter(waiting, _differs, label, found)
        fr.compute(changed, _take, label, found)
        held.sync(label, of=changed)
        waiting = fr.advance(held, changed, always)
        iterations += 1
    if graph.absent_mask is not None:
        label[graph.absent_mask] = -1
    return CDLPResult(label, iterations)


def _count(src, value, total, label):
    """The number of edges that lead to neighbors with this label."""
    return total


def _differs(v, label, found):
    return found[v] >= 0 and found[v] != label[v]


def _take(v, label, found):
    label[v] = found[v]
