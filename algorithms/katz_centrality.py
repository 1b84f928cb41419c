"""Katz centrality: the number of walks that end at a vertex, longer ones with less weight.

A walk of n edges counts alpha^n times beta. So the centrality of a vertex is beta plus alpha times the sum of the
centralities of the vertices that point to it.

    centrality[v]    walks that end at v, with at most one edge per iteration

Katz, "A New Status Index Derived from Sociometric Analysis", Psychometrika 1953.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import with_in_edges
from ._errors import iterate
from ._functors import neighbor_value
from .pagerank import ConvergenceError
from .result import Result

PASSES = 5
"""The expected number of iterations."""


@dataclass(frozen=True, repr=False)
class KatzCentralityResult(Result):
    """Result of `katz_centrality`.

    Attributes
    ----------
    katz_centrality : array of float64, shape (num_vertices,)
        On the graph's device. Deleted vertices have 0.
    iterations : int
    error : float
        Mean change of a vertex in the last iteration, before scaling.
    converged : bool
        Whether `error` fell below the tolerance.

    See Also
    --------
    katz_centrality : Computes it.
    """

    katz_centrality: Any
    iterations: int
    error: float
    converged: bool


@fr.advanced.reads
def katz_centrality(
    graph: fr.Graph, alpha: float | None = None, beta: float = 1.0, *, max_iter: int = 1000, tol: float = 1e-6,
    normalized: bool = True, fail_on_nonconvergence: bool = True,
) -> KatzCentralityResult:  # fmt: skip
    """The Katz centrality of every vertex.

    Parameters
    ----------
    graph : Graph
        A directed graph without in-edges is copied to one with them. Other graphs are copied if that is faster. Weights
        are ignored.
    alpha : float, optional
        The factor by which each further edge multiplies a walk's weight. The sum converges if it is less than the
        inverse of the largest eigenvalue of the adjacency matrix. The default, 1 / (largest degree + 1), is.
    beta : float
        Weight of a walk without edges.
    max_iter : int
    tol : float
        Stop once an iteration changes vertices by less than this on average, as NetworkX does.
    normalized : bool
        Scale the result to a Euclidean norm of 1, unless it is 0 or, since alpha is too large, infinite.
    fail_on_nonconvergence : bool
        Raise if `max_iter` iterations were not enough. Otherwise return the centralities so far.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached. Perhaps alpha is too large.
    TypeError, ValueError
        An argument is invalid.

    See Also
    --------
    DynamicKatzCentrality : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work for each iteration, O(V) memory.

    Examples
    --------
    >>> from algorithms import katz_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> katz_centrality(graph).katz_centrality.round(3)
    array([0.46 , 0.46 , 0.545, 0.424, 0.315])
    """
    fr.advanced.arguments.check_graph(graph)
    check_parameters(alpha, beta, max_iter, tol, normalized)
    graph = with_in_edges(graph, "katz_centrality")
    alpha = default_alpha(graph) if alpha is None else alpha
    xp, reverse = graph.xp, fr.advanced.copy_for_passes(graph.reverse, PASSES)
    everyone = fr.Frontier.all(reverse)
    start = everyone.mask * float(beta)
    centrality, before, sums = start.copy(), start.copy(), xp.empty(graph.num_vertices)
    change = xp.empty(1)

    def step() -> None:
        fr.neighbor_reduce(reverse, everyone, neighbor_value, centrality, out=sums)
        fr.reduce(everyone, _grow, start, float(alpha), sums, centrality, before, out=change)

    count = max(graph.num_vertices, 1)
    error, iterations, is_ahead = iterate(reverse, fr.capture(reverse, step), change, tol * count, max_iter)
    error /= count
    if is_ahead:
        centrality = before
    if not error < tol and fail_on_nonconvergence:
        raise ConvergenceError(
            f"katz_centrality did not reach tol={tol} in max_iter={max_iter} iterations; the last one changed "
            f"a vertex by {error:.3g} on average. Lower alpha={alpha:.3g}, raise one of these, or pass "
            "fail_on_nonconvergence=False"
        )
    if normalized:
        largest = float(centrality.max()) if centrality.size else 0.0
        if 0 < largest < np.inf:  # whose square may overflow float64
            centrality = centrality / largest
            centrality = centrality / float((centrality * centrality).sum()) ** 0.5
    return KatzCentralityResult(centrality, iterations, error, error < tol)


def check_parameters(alpha: float | None, beta: float, max_iter: int, tol: float, normalized: bool) -> None:
    """Raise unless the parameters of `katz_centrality` are in range."""
    for name, value in (("alpha", alpha), ("beta", beta), ("tol", tol)):
        if value is not None and not 0 <= fr.advanced.arguments.number(value, name) < np.inf:
            raise ValueError(f"{name} must be finite and not negative, got {value}")
    fr.advanced.arguments.integer(max_iter, "max_iter", 1)
    fr.advanced.arguments.flag(normalized, "normalized")


def default_alpha(graph: fr.Graph) -> float:
    """1 / (largest degree + 1), which is less than the inverse of the largest eigenvalue."""
    return 1 / ((int(graph.degrees().max()) if graph.num_vertices else 0) + 1)


def _grow(v, start, alpha, sums, centrality, before):
    """The weight of walks to v that are an edge longer. Return the change."""
    before[v] = centrality[v]
    centrality[v] = start[v] + alpha * sums[v]
    return abs(centrality[v] - before[v])
