"""HITS: hubs, which point to good authorities, and authorities, to which good hubs point.

Every vertex has two scores. An authority's score is the sum over the hubs that point to it, a hub's score the sum over
the authorities that it points to. Both are scaled to add up to 1 in every iteration.

    hubs[v], authorities[v]    the scores

Kleinberg, "Authoritative Sources in a Hyperlinked Environment", J. ACM 1999.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import frontier as fr

from ._arguments import with_in_edges
from ._errors import iterate
from ._functors import neighbor_value, value_of
from .pagerank import not_converged
from .result import Result

PASSES = 10
"""The expected number of iterations."""


@dataclass(frozen=True, repr=False)
class HITSResult(Result):
    """Result of `hits`.

    Attributes
    ----------
    hubs, authorities : arrays of float64, shape (num_vertices,)
        On the graph's device. Each adds up to 1, unless the graph has no edges and all are 0.
    iterations : int
    error : float
        Total change of the hubs' scores in the last iteration (L1 norm).
    converged : bool
        Whether `error` fell below the tolerance.

    See Also
    --------
    hits : Computes it.
    """

    hubs: Any
    authorities: Any
    iterations: int
    error: float
    converged: bool


@fr.advanced.reads
def hits(
    graph: fr.Graph, *, max_iter: int = 100, tol: float = 1e-5, fail_on_nonconvergence: bool = True
) -> HITSResult:  # fmt: skip
    """Hub and authority scores of every vertex.

    Parameters
    ----------
    graph : Graph
        A directed graph without in-edges is copied to one with them. Other graphs are copied if that is faster. In an
        undirected graph both scores have the same limit. Weights are ignored.
    max_iter : int
    tol : float
        Stop once an iteration changes the hubs' scores by less than this in total.
    fail_on_nonconvergence : bool
        Raise if `max_iter` iterations were not enough. Otherwise return the scores so far.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached.
    TypeError, ValueError
        An argument is invalid.

    See Also
    --------
    pagerank : One score instead of two.
    eigenvector_centrality : The same for undirected graphs.

    Notes
    -----
    O(V + E) work for each iteration, O(V) memory.

    Examples
    --------
    >>> from algorithms import hits
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True, device="cpu")
    >>> found = hits(graph, tol=1e-8)
    >>> found.hubs.round(3)
    array([0., 0., 1., 0.])
    >>> found.authorities.round(3)
    array([0.5, 0. , 0. , 0.5])
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.integer(max_iter, "max_iter", 1)
    if not fr.advanced.arguments.number(tol, "tol") >= 0:
        raise ValueError(f"tol must not be negative, got {tol}")
    graph = with_in_edges(graph, "hits")
    reverse = fr.advanced.copy_for_passes(graph.reverse, PASSES)
    xp, graph = graph.xp, fr.advanced.copy_for_passes(graph, PASSES) if graph.directed else reverse
    everyone, pointed_at = fr.Frontier.all(graph), fr.Frontier.all(reverse)
    hubs = everyone.mask / max(len(everyone), 1)
    authorities, hubs_before, authorities_before = hubs.copy(), hubs.copy(), hubs.copy()
    total, change = xp.empty(1), xp.empty(1)

    def step() -> None:
        fr.compute(everyone, _keep, hubs, authorities, hubs_before, authorities_before)
        # Authorities are not scaled during the iteration: their factor is divided out of the hubs again.
        fr.neighbor_reduce(reverse, pointed_at, neighbor_value, hubs, out=authorities)
        fr.neighbor_reduce(graph, everyone, neighbor_value, authorities, out=hubs)
        fr.reduce(everyone, value_of, hubs, out=total)
        fr.reduce(everyone, _scale, hubs, total, hubs_before, out=change)

    error, iterations, is_ahead = iterate(graph, fr.capture(graph, step), change, tol, max_iter)
    if is_ahead:
        hubs, authorities = hubs_before, authorities_before
    if error >= tol and fail_on_nonconvergence:
        raise not_converged("hits", tol, max_iter, f"scores by {error:.3g}")
    total = authorities.sum()  # on the device
    return HITSResult(hubs, authorities / (total + (total == 0)), iterations, error, error < tol)


def _keep(v, hubs, authorities, hubs_before, authorities_before):
    hubs_before[v] = hubs[v]
    authorities_before[v] = authorities[v]


def _scale(v, hubs, total, hubs_before):
    """Scale the scores to add up to 1, unless all are 0. Return the change of v's score."""
    if total[0] > 0:
        hubs[v] /= total[0]
    return abs(hubs[v] - hubs_before[v])
