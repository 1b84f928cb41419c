"""PageRank whose edges fade with age.

The walk of `pagerank`, on a graph with times: an edge is followed in proportion to exp(-decay * age), times its weight
if the graph has weights. Only ratios among the edges of one vertex count, and as time passes all its edges fade by the
same factor. So ranks depend on the edges, not on the current time, and ages are measured from the newest edge of each
vertex. Its factor is 1, so no factor overflows and no sum underflows.

    newest[v]    the greatest time of v's outgoing edges
    ranks[v]     the rank (all ranks add up to 1)
    jump[v]      probability that a jump leads to v: uniform, or the personalization
    damping[v]   alpha / total faded weight of v's outgoing edges, 0 for dangling vertices
    shares[v]    damping[v] * ranks[v]: the contribution over an edge as new as the newest,
                 of weight 1
    lost         total rank of dangling vertices, which jumps distribute

Faded weights are computed from the times of the edges at each use, without an array of them.

Rozenshtein and Gionis, "Temporal PageRank", ECML PKDD 2016 (streams of edges with exponential decay).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_weights
from ._errors import iterate
from ._functors import faded, value_of
from .pagerank import (
    Iteration,
    PageRankResult,
    check_parameters,
    check_totals,
    damping_of,
    distribution,
    leads_nowhere,
    next_rank,
    not_converged,
)

NEVER = np.iinfo(np.int64).min


class Fading(NamedTuple):
    """The times of edges, the newest of each vertex, and the rate at which edges fade."""

    times: Any
    newest: Any
    rate: Any


@fr.advanced.reads
def temporal_pagerank(
    graph: fr.Graph,
    alpha: float = 0.85,
    max_iter: int = 100,
    tol: float = 1e-5,
    personalization: Any = None,
    nstart: Any = None,
    *,
    decay: float | None = None,
    half_life: Any = None,
    weighted: bool | None = None,
    fail_on_nonconvergence: bool = True,
) -> PageRankResult:
    """PageRank in which edges are followed in proportion to exp(-decay * age).

    Parameters
    ----------
    graph : Graph
        With times. In a directed graph the walk follows edges forward. In a graph that stores records
        (``multi_edges="all"``), each record is a separate edge, with its time and its weight. In other graphs an edge
        has one time, which ``keep_time`` selects.
    alpha, max_iter, tol, personalization, nstart, fail_on_nonconvergence
        As in `pagerank`. With the ranks of a moment ago as `nstart` fewer iterations are made.
    decay : float, optional
        The rate at which edges fade, per unit of the graph's times.
    half_life : int, timedelta or str, instead of `decay`
        The age at which an edge counts half of a new one: in units of the graph's times, or such as ``"10min"``.
    weighted : bool, optional
        Whether weights count, too. The default is whether the graph has any.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached.
    TypeError, ValueError
        The graph has no times, an argument is invalid, or a weight is negative or not finite.

    See Also
    --------
    pagerank : Ignores times.

    Notes
    -----
    O(V + E) work per iteration, O(V) memory. In a graph that stores records, E is their number, and a copy is made
    (`frontier.event_graph`). Ranks do not depend on the current time: see the module's description.

    Examples
    --------
    >>> from algorithms import temporal_pagerank
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 1, 0], [1, 2, 2], time=[10, 20, 30], time_unit="s", device="cpu"
    ... )
    >>> temporal_pagerank(graph, half_life="10s").pagerank.round(3)
    array([0.352, 0.229, 0.419])
    """
    graph = fr.event_graph(graph)
    times = fr.advanced.arguments.edge_times(graph)
    rate = fr.advanced.arguments.decay_rate(graph, decay, half_life)
    fr.advanced.arguments.flag(fail_on_nonconvergence, "fail_on_nonconvergence")
    weighted = (weighted is None or fr.advanced.arguments.flag(weighted, "weighted")) and graph.is_weighted
    check_parameters(alpha, tol, max_iter)
    xp, n = graph.xp, graph.num_vertices
    jump = distribution(graph, personalization, "personalization")
    if jump is None:
        return PageRankResult(xp.zeros(n, np.float64), 0, 0.0, True)
    ranks = jump.copy() if nstart is None else distribution(graph, nstart, "nstart").copy()
    newest = fr.neighbor_reduce(
        graph, None, _time_if_weighted if weighted else _time, times, reduce="max", dtype=np.int64
    )
    fading = Fading(times, newest, rate)
    damping = _damping(graph, alpha, weighted, fading)
    everyone = fr.Frontier.all(graph)
    dangling = fr.filter(everyone, leads_nowhere, damping)
    sums, before = graph.vertex_array(np.float64, combine="add"), xp.zeros(n, np.float64)
    walk = Iteration(sums, jump, damping, before, ranks, damping * ranks, graph.results(), alpha)
    change = graph.results()

    def step() -> None:
        fr.reduce(dangling, value_of, ranks, out=walk.lost)
        _follow(graph, everyone, weighted, walk.shares, sums, fading)
        fr.reduce(everyone, next_rank, *walk, out=change)

    error, iterations, is_ahead = iterate(graph, step, change, tol, max_iter)
    if is_ahead:
        ranks = before
    if error >= tol and fail_on_nonconvergence:
        raise not_converged("temporal_pagerank", tol, max_iter, f"ranks by {error:.3g}")
    return PageRankResult(ranks, iterations, error, error < tol)


def _damping(graph: fr.Graph, alpha: float, weighted: bool, fading: Fading) -> Any:
    """Per vertex, `alpha` divided by the total faded weight of its outgoing edges, 0 if that is 0."""
    if weighted:
        check_weights(graph, "temporal_pagerank")
    totals = fr.neighbor_reduce(graph, None, _total_weighted if weighted else _total, *fading)
    check_totals(graph, totals, "temporal_pagerank")
    return damping_of(graph, totals, alpha)


def _follow(graph: fr.Graph, everyone: Any, weighted: bool, shares: Any, sums: Any, fading: Fading) -> None:
    """Sum the ranks that each vertex gets from its in-neighbors."""
    if graph.has_in_edges:
        fr.neighbor_reduce(graph.reverse, None, _take_weighted if weighted else _take, shares, *fading, out=sums)
    else:
        sums.fill(0)
        fr.advance(graph, everyone, _give_weighted if weighted else _give, shares, sums, *fading)


def _time(src, dst, edge, weight, times):
    return times[edge]


def _time_if_weighted(src, dst, edge, weight, times):
    return times[edge] if weight > 0 else NEVER


def _factor(fading, v, edge):
    """The factor by which an edge of v fades."""
    return faded(fading.newest[v], fading.times[edge], fading.rate)


def _total(src, dst, edge, weight, *args):
    return _factor(Fading(*args), src, edge)


def _total_weighted(src, dst, edge, weight, *args):
    return weight * _factor(Fading(*args), src, edge) if weight > 0 else 0.0


def _take(src, dst, edge, weight, shares, *args):
    return shares[dst] * _factor(Fading(*args), dst, edge)


def _take_weighted(src, dst, edge, weight, shares, *args):
    return shares[dst] * weight * _factor(Fading(*args), dst, edge) if weight > 0 else 0.0


def _give(src, dst, edge, weight, shares, sums, *args):
    fr.atomic_add(sums, dst, shares[src] * _factor(Fading(*args), src, edge))
    return False


def _give_weighted(src, dst, edge, weight, shares, sums, *args):
    if weight > 0:
        fr.atomic_add(sums, dst, shares[src] * weight * _factor(Fading(*args), src, edge))
    return False
