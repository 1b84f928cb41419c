"""Ensemble clustering for graphs: Louvain's method, with edges weighted by how often their ends are in one community.

Several runs of the first level of Louvain's method, which differ in their random numbers, find small communities. An
edge weighs more if more runs have both of its ends in one community. Edges outside of the 2-core, which no other path
supports, have the lowest weight. Louvain's method with these weights finds the communities. They are more stable than
its own, and fewer of them are too large.

    spare[v]     remaining neighbors of v, minus one: positive for vertices of the 2-core
    votes[i]     the number of runs in which the ends of edge i are in one community

Poulin and Théberge, "Ensemble Clustering for Graphs", Complex Networks 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._arguments import as_int64
from ._communities import MAX_SWEEPS, CommunitiesResult, by_smallest, first_level, move, quality
from ._edge_sums import own_edges, weighted_graph
from .louvain import louvain

WHOLE = 2.0**20
"""The weight of an edge inside of communities of all runs. Weights are integers, whose sums do not depend on order."""


@fr.advanced.reads
def ecg(
    graph: fr.Graph, *, min_weight: float = 0.05, ensemble_size: int = 16, resolution: float = 1.0,
    max_level: int = 100, threshold: float = 1e-7, seed: int = 0,
) -> CommunitiesResult:  # fmt: skip
    """Communities on which several runs of Louvain's method agree.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights must not be negative.
    min_weight : float
        The weight of an edge between communities of all runs, from 0 to 1. Edges inside of them have weight 1.
    ensemble_size : int
        Number of runs.
    resolution, max_level, threshold
        As for `louvain`.
    seed : int
        Communities depend only on it and the edges, and with float weights on rounding.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    See Also
    --------
    louvain : One clustering, in a fraction of the time.
    leiden : Communities that are connected.

    Notes
    -----
    O(V + E) work for each sweep, at most 30 of them for each run, and `louvain`. O(V + E) memory.

    Examples
    --------
    >>> from algorithms import ecg
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> ecg(graph).labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    """
    first, share = first_level(graph, "ecg", resolution, max_level)
    if not 0 <= fr.advanced.arguments.number(min_weight, "min_weight") <= 1:
        raise ValueError(f"min_weight must be from 0 to 1, got {min_weight}")
    fr.advanced.arguments.integer(ensemble_size, "ensemble_size", 1)
    mixed, xp = as_int64(seed), graph.xp
    src, dst, weights = own_edges(first.graph)
    if weights is not None:
        positive = xp.flatnonzero(weights > 0)
        src, dst = src[positive], dst[positive]
    votes = xp.zeros(src.size)
    for run in range(ensemble_size if first.has_edges else 0):
        community, _ = move(first, None, share, mixed, run, MAX_SWEEPS)
        votes += community[src] == community[dst]
    core = two_core(first.graph)
    votes[~(core[src] & core[dst])] = 0
    weights = xp.rint(WHOLE * (min_weight + (1 - min_weight) / ensemble_size * votes))
    weighted = weighted_graph(first.graph, graph.num_vertices, src, dst, weights)
    found = louvain(weighted, resolution=resolution, max_level=max_level, threshold=threshold, seed=seed)
    labels, count = by_smallest(graph, found.labels)
    return CommunitiesResult(labels, count, quality(first, labels, resolution), found.levels)


def two_core(graph: fr.Graph) -> Any:
    """Whether each vertex is in the 2-core of the edges with weights above 0."""
    linked = fr.neighbor_reduce(graph, None, _is_link, dtype=np.int64)
    spare = graph.vertex_array(np.int32, linked - 1, combine="countdown")
    fr.traverse(graph, fr.filter(fr.Frontier.all(graph), _has_none, spare), _peel, spare)
    graph.sync(spare)
    return spare > 0


def _has_none(v, spare):
    return spare[v] <= 0


def _peel(src, dst, edge, weight, spare):
    return weight > 0 and fr.atomic_add(spare, dst, -1) == 1


def _is_link(src, dst, edge, weight):
    return 1 if weight > 0 else 0
