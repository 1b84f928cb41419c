"""Personalized PageRank by pushing residuals: ranks near a source, at a cost that depends on how far rank spreads.

A random walker starts at a source, follows an outgoing edge with probability alpha, and otherwise jumps back to a
source. At first all rank is residual of the sources. To push a vertex is to add 1 - alpha of its residual to its rank,
and to pass the rest on to its neighbors. Only vertices with much residual for their degree are pushed. Rank that
arrives at a vertex without outgoing edges jumps to a source as well, which equals losing it, once ranks are scaled. If
rank spreads over a large share of the graph, the power iteration continues. Distributed graphs use only the iteration.

    rank[v]        the rank so far
    residual[v]    rank that has arrived at v and was not pushed yet
    moved[v]       the amount that each neighbor gets by the current push of v
    limit[v]       the residual from which v is pushed

Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from .pagerank import FLOAT32_ROUNDING, FLOAT32_TOL, pagerank
from .result import Result

PUSH_BELOW = 1 / 8
"""The largest fraction of all arcs along which rank is pushed at once."""
LEAST = float(np.finfo(np.float64).tiny)
"""Replaces 0 as a divisor."""


class Pushes(NamedTuple):
    """The arguments of a push: see the top of the file. `degree` has the number of neighbors."""

    rank: Any
    residual: Any
    moved: Any
    limit: Any
    degree: Any
    alpha: Any


@dataclass(frozen=True, repr=False)
class PersonalizedPageRankResult(Result):
    """Result of `personalized_pagerank`.

    Attributes
    ----------
    pagerank : array of float64, shape (num_vertices,)
        On the graph's device. The ranks add up to 1.
    steps : int
        Rounds of pushes, and iterations.
    error : float
        Bound on the sum of the absolute errors.

    See Also
    --------
    personalized_pagerank : Computes it.
    """

    pagerank: Any
    steps: int
    error: float


@fr.advanced.reads
def personalized_pagerank(
    graph: fr.Graph, source: Any, *, alpha: float = 0.85, tol: float = 1e-4
) -> PersonalizedPageRankResult:  # fmt: skip
    """PageRank of a walker that jumps back to its sources.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Weights are ignored.
    source : int or array-like of int
        Several sources are equally likely.
    alpha : float
        Probability of following an edge, less than 1.
    tol : float
        Ranks differ from the exact ones by at most this in total.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex or a list of such, or another argument is invalid.

    See Also
    --------
    pagerank : With ``personalization``, for all vertices, by iteration.
    DynamicPageRank : Maintains ranks while the graph changes.

    Notes
    -----
    O(E / tol) pushes along edges at most, O(V) work for the arrays, and O(V + E) for each iteration of `pagerank` if
    rank spreads far. It pays where rank stays near the source, or for a loose tolerance. The last digits of ranks may
    differ from call to call where several threads share a vertex.

    Examples
    --------
    >>> from algorithms import personalized_pagerank
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> personalized_pagerank(graph, 4, tol=1e-8).pagerank.round(3)
    array([0.106, 0.106, 0.216, 0.295, 0.276])
    """
    fr.advanced.arguments.check_graph(graph)
    if np.ndim(source) == 0:
        source = [fr.advanced.arguments.vertex_id(graph, source, "source")]
    start = fr.Frontier(graph, fr.advanced.arguments.vertex_ids(graph, source, "source"))
    if not start:
        raise ValueError("source must name at least one vertex")
    if not 0 <= fr.advanced.arguments.number(alpha, "alpha") < 1:
        raise ValueError(f"alpha must be at least 0 and less than 1, got {alpha}")
    if not fr.advanced.arguments.number(tol, "tol") > 0:
        raise ValueError(f"tol must be more than 0, got {tol}")
    xp, n = graph.xp, graph.num_vertices
    degree = graph.degrees()
    # Ranks are off by the residuals at most, and scaled by the assigned rank: all but the residuals, unless rank is
    # lost. An undirected graph loses some only at sources without neighbors.
    loses = graph.directed or not int(degree[start.vertices].min())
    share = (1 - alpha if loses else 1) / 3
    limit = degree * (min(tol, 1.0) * share / max(graph.num_arcs, 1))
    rank, residual = xp.zeros(n), xp.zeros(n)
    residual[start.vertices] = 1 / len(start)
    steps = 0
    if not graph.in_parts:  # partitions would exchange residuals in each step: they use only the power iteration
        pushes = Pushes(rank, residual, xp.zeros(n), limit, degree, float(alpha))
        steps = fr.traverse(graph, start, _pass_on, *pushes, prepare=_push, max_arcs=int(graph.num_arcs * PUSH_BELOW))
    kept, left = float(rank.sum()), float(residual.sum())
    if 2 * left <= tol * kept:
        return PersonalizedPageRankResult(rank / kept, steps, 2 * left / kept)
    # The iteration brings ranks nearer to the exact ones by a factor of alpha, so these are as near as a geometric
    # series of further changes. A fraction of the tolerance is reserved for rounding.
    jump = xp.zeros(n)
    jump[start.vertices] = 1.0
    further = max(alpha / (1 - alpha), LEAST)
    change = 0.8 * tol / further
    most = max(2 + int(np.log(min(change, 1.0) / 4) / np.log(max(alpha, LEAST))), 1)
    found = pagerank(graph, alpha, most, change, jump, rank + residual, weighted=False, fail_on_nonconvergence=False)
    total = float(found.pagerank.sum())
    rounding = FLOAT32_ROUNDING if change >= FLOAT32_TOL else 0.0
    error = further * (found.error + rounding) + abs(total - 1)
    return PersonalizedPageRankResult(found.pagerank / total, steps + found.iterations, error)


def _push(src, *args):
    pushes = Pushes(*args)
    got = fr.atomic_exch(pushes.residual, src, 0.0)
    pushes.rank[src] += (1 - pushes.alpha) * got
    pushes.moved[src] = pushes.alpha * got / max(pushes.degree[src], 1)


def _pass_on(src, dst, edge, weight, *args):
    pushes = Pushes(*args)
    return fr.atomic_add(pushes.residual, dst, pushes.moved[src]) + pushes.moved[src] > pushes.limit[dst]
