"""Closeness centrality: the inverse of the mean distance to a vertex.

Breadth-first searches from 64 sources go on at the same time: each vertex has a bit for every source, and a step passes
on the bits of all sources that have just arrived. What is summed up at a vertex are the distances from the sources to
it.

    seen[v]       bits of the sources that have reached v
    arrived[v]    bits of those that did in the last step
    coming[v]     bits of those that do in this one
    total[v]      sum of the distances from sources to v
    count[v]      number of sources that reach v, itself excepted

Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014; Eppstein and Wang, "Fast
Approximation of Centrality", SODA 2001 (a sample of sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._samples import sample_of
from .result import Result

TOGETHER = 64


@dataclass(frozen=True)
class Closeness(Result):
    """Result of `closeness_centrality`.

    Attributes
    ----------
    closeness_centrality : array of float64, shape (num_vertices,)
        On the graph's device.
    """

    closeness_centrality: Any


@fr.reads
def closeness_centrality(graph: fr.Graph, sources: Any = None, *, wf_improved: bool = True, seed: int = 0) -> Closeness:
    """The closeness centrality of every vertex, or an estimate from a sample of sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph distances are those to the vertex, as in NetworkX. Weights are ignored.
    sources : int or array-like of int, optional
        Number of sources to draw at random, or the sources; by default all vertices. With a sample, means are those
        over the sample.
    wf_improved : bool
        Multiply by the fraction of other vertices that reach the vertex (Wasserman and Faust), so that those of small
        components do not come first.
    seed : int
        Of a sample that is drawn: the same one on every device.

    Raises
    ------
    TypeError, ValueError
        `sources` is neither a positive number nor vertices of the graph, or another argument is invalid.

    Notes
    -----
    O((V + E) (levels + 1)) work for every 64 sources, two launches for each level. O(V) memory.
    """
    fr.arguments.flag(wf_improved, "wf_improved")
    chosen, _ = sample_of(graph, sources, seed)
    xp, n = graph.xp, graph.num_vertices
    total, count = xp.zeros(n, np.int64), xp.zeros(n, np.int64)
    for i in range(0, len(chosen), TOGETHER):
        batch = xp.asarray(chosen[i : i + TOGETHER])
        seen, arrived, coming = (xp.zeros(n, np.uint64) for _ in range(3))
        arrived[batch] = xp.asarray(np.uint64(1) << np.arange(batch.size, dtype=np.uint64))
        seen[batch] = arrived[batch]
        reached, level = fr.Frontier(graph, batch), 1
        while reached:
            reached = fr.advance(graph, reached, _send, seen, arrived, coming)
            fr.compute(reached, _arrive, seen, arrived, coming, total, count, level)
            level += 1
    others = xp.full(n, len(chosen), np.int64)  # sources that are not the vertex itself
    others[xp.asarray(chosen, np.int64)] -= 1
    closeness = count / xp.maximum(total, 1)
    if wf_improved:
        closeness *= count / xp.maximum(others, 1)
    return Closeness(closeness)


def _send(src, dst, edge, weight, seen, arrived, coming):
    bits = arrived[src] & ~seen[dst]
    if bits == 0:
        return False
    fr.atomic_or(coming, dst, bits)
    return True


def _arrive(v, seen, arrived, coming, total, count, level):
    bits = coming[v]
    coming[v] = 0
    arrived[v] = bits
    seen[v] |= bits
    number = count_bits(bits)
    total[v] += number * level
    count[v] += number


def count_bits(bits):
    """The number of bits that are set; for use in functors."""
    low = np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits -= (bits >> np.uint64(1)) & low
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
