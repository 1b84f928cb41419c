"""Random walks: from each start, along edges drawn uniformly at random.

A walk is one call of a functor, which goes along the lists of a sorted static copy. Each step draws a number that
belongs to the walk and the step, so walks are the same on every structure and device.

    paths[i, j]    vertex of walk i after j steps, -1 once the walk has ended

Perozzi, Al-Rfou and Skiena, "DeepWalk: Online Learning of Social Representations", KDD 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import as_int64, places, walk_starts
from .result import Result


@dataclass(frozen=True, repr=False)
class RandomWalksResult(Result):
    """Result of `random_walks`. Arrays are on the graph's device.

    Attributes
    ----------
    paths : array of the graph's vertex dtype, shape (number of walks, length + 1)
        The vertices of each walk, the start first, -1 after a walk has ended.
    steps : array of int32, shape (number of walks,)
        Edges of each walk, fewer than `length` if no edge led on.
    ends : array of the graph's vertex dtype, shape (number of walks,)
        The last vertex of each walk, -1 for deleted vertices.

    See Also
    --------
    biased_random_walks : Computes it.
    node2vec_random_walks : Computes it.
    random_walks : Computes it.
    """

    paths: Any
    steps: Any
    ends: Any


@fr.advanced.reads
def random_walks(graph: fr.Graph, starts: Any = None, length: int = 10, *, seed: int = 0) -> RandomWalksResult:
    """Uniform random walks.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Weights are ignored.
    starts : array-like of int, shape (number of walks,), optional
        The first vertex of each walk, any number of times. By default one walk from each vertex, deleted ones included:
        rows are vertices.
    length : int
        Edges of a walk.
    seed : int
        Walks depend only on it, their positions in `starts` and the edges.

    Raises
    ------
    TypeError, ValueError
        `starts` contains other things than vertices of the graph, or another argument is invalid.

    See Also
    --------
    biased_random_walks : Steps in proportion to weights.

    Notes
    -----
    O(length) work per walk, and a static copy of the graph if it is none: O(V + E) work and memory.

    Examples
    --------
    >>> from algorithms import random_walks
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True, device="cpu")
    >>> random_walks(graph, [0, 1], length=2).paths
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "random_walks")
    length, seed = fr.advanced.arguments.integer(length, "length", 0), as_int64(seed)
    xp, ends, snapshot = graph.xp, walk_starts(graph, starts), graph.to_csr()
    paths, steps = xp.full((ends.size, length + 1), -1, ends.dtype), xp.zeros(ends.size, np.int32)
    walks = places(graph, int(ends.size))
    fr.compute(walks, _walk, snapshot.offsets, snapshot.indices, paths.reshape(-1), steps, ends, length, seed)
    return RandomWalksResult(paths, steps, ends)


def _walk(walk, offsets, indices, paths, steps, ends, length, seed):
    at = ends[walk]
    place = walk * (length + 1)
    paths[place] = at
    step = 0
    while at >= 0 and step < length and offsets[at + 1] > offsets[at]:
        degree = offsets[at + 1] - offsets[at]
        at = indices[offsets[at] + (fr.advanced.random_bits(seed, walk, step) * degree >> 32)]
        step += 1
        paths[place + step] = at
    steps[walk] = step
    ends[walk] = at
