"""Communities by label propagation: vertices take the label that most of their neighbors have.

All labels differ at first. In each round half of the vertices, drawn at random, look at their neighbors' labels at the
same time, and take the most frequent one: of several their own, or else the highest. (If all vertices did, two
neighbors could swap their labels forever.) Labels are places in a random order, so that ties are broken at random, but
the same way in each run. A vertex is looked at again once a neighbor's label has changed; without such vertices, every
label is one of the most frequent among the neighbors.

    label[v]      the label of v
    pending[v]    1 if v is to be looked at
    first[v]      where v's hash table starts in `table`; it has a power of two of entries, as many as neighbors or more
    table[...]    the round, a label, and how many neighbors have it; entries of earlier rounds count as empty
    best[v]       the highest of: how many neighbors have a label, whether it is v's own, the label

Raghavan, Albert and Kumara, "Near linear time algorithm to detect community structures in large-scale networks", Phys.
Rev. E 2007; Cordasco and Gargano, "Community Detection via Semi-Synchronous Label Propagation Algorithms", BASNA 2010;
Sahu, "GVE-LPA: Fast Label Propagation Algorithm for Community Detection in Shared Memory Setting", 2023 (hash tables).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._priorities import as_int64, check_undirected
from .result import Result

ENTRY_BITS = 63
"""Bits of an entry of a table, for the round, the label and the number of neighbors that have it."""


@dataclass(frozen=True)
class Communities(Result):
    """Result of `label_propagation`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device; -1 for deleted vertices.
    count : int
        Number of communities.
    iterations : int
    converged : bool
        Whether every label is one of the most frequent among the neighbors.
    """

    labels: Any
    count: int
    iterations: int
    converged: bool


@fr.reads
def label_propagation(graph: fr.Graph, *, max_iter: int = 100, seed: int = 0) -> Communities:
    """Communities, such that each vertex is in one that most of its neighbors are in.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights are ignored.
    max_iter : int
        Maximum number of rounds, in each of which about half of the vertices may change their labels.
    seed : int
        Communities depend on it and the edges alone.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, or `max_iter` or `seed` is invalid.

    Notes
    -----
    O(V) work per round, and for each edge of the vertices that are looked at; rarely more than 20 rounds. O(V + E)
    memory. Communities may consist of parts that are not connected.
    """
    check_undirected(graph, "label_propagation")
    fr.arguments.integer(max_iter, "max_iter", 1)
    seed = as_int64(seed)
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    degrees = graph.degrees()
    width = 1 << xp.ceil(xp.log2(xp.maximum(degrees, 1))).astype(np.int64)
    first = xp.zeros(n + 1, np.int64)
    xp.cumsum(width, out=first[1:])
    table, best = xp.zeros(int(first[-1]), np.int64), xp.zeros(n, np.int64)
    label_bits, count_bits = n.bit_length(), (int(degrees.max()) if n else 0).bit_length()
    stamps = (1 << max(ENTRY_BITS - label_bits - count_bits, 1)) - 1
    label, pending = _random_order(graph, everyone, seed), xp.ones(n, np.int32)
    iterations = 0
    while (waiting := fr.filter(everyone, _is_pending, pending)) and iterations < max_iter:
        if iterations and iterations % stamps == 0:
            table.fill(0)
        stamp = iterations % stamps + 1
        drawn = fr.filter(waiting, _is_drawn, pending, seed, iterations)
        fr.advance(graph, drawn, _count, label, first, table, best, stamp, label_bits, count_bits)
        changed = fr.filter(drawn, _adopt, label, best, label_bits)
        fr.advance(graph, changed, _call, pending)
        iterations += 1
    smallest = xp.full(n, n, graph.vertex_dtype)
    fr.compute(everyone, _find_smallest, label, smallest)
    labels = smallest[label]
    if graph.absent_mask is not None:
        labels[graph.absent_mask] = -1
    return Communities(labels, int((labels == xp.arange(n)).sum()), iterations, not waiting)


def _random_order(graph: fr.Graph, everyone: fr.Frontier, seed: np.int64) -> Any:
    """The place of each vertex in a random order, int32 or int64."""
    xp = graph.xp
    number = xp.zeros(graph.num_vertices, np.int64)
    fr.compute(everyone, _draw, number, seed)
    place = xp.empty(graph.num_vertices, graph.vertex_dtype)
    place[xp.argsort(number)] = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    return place


def _draw(v, number, seed):
    number[v] = fr.random_bits(seed, v, 1) << 31 | v


def _is_pending(v, pending):
    return pending[v] != 0


def _is_drawn(v, pending, seed, iteration):
    if fr.random_bits(seed, v, iteration) & 1:
        return False
    pending[v] = 0
    return True


def _count(src, dst, edge, weight, label, first, table, best, stamp, label_bits, count_bits):
    found = label[dst]
    key = stamp << label_bits | found
    low = first[src]
    mask = first[src + 1] - low - 1
    place = found & mask
    while True:
        entry = table[low + place]
        if entry >> label_bits + count_bits != stamp:  # of an earlier round
            seen = fr.atomic_cas(table, low + place, entry, key << count_bits | 1)
            if seen == entry:
                count = 1
                break
            entry = seen
        if entry >> count_bits == key:
            count = (fr.atomic_add(table, low + place, 1) & (1 << count_bits) - 1) + 1
            break
        place = place + 1 & mask
    score = (count << 1 | (found == label[src])) << label_bits | found
    if score > best[src]:
        fr.atomic_max(best, src, score)
    return False


def _adopt(v, label, best, label_bits):
    score = best[v]
    best[v] = 0
    chosen = score & (1 << label_bits) - 1
    if score == 0 or chosen == label[v]:
        return False
    label[v] = chosen
    return True


def _call(src, dst, edge, weight, pending):
    pending[dst] = 1
    return False


def _find_smallest(v, label, smallest):
    fr.atomic_min(smallest, label[v], v)
