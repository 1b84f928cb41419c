"""Eigenvector centrality: a vertex is central if central vertices point to it.

The centralities are the eigenvector of the transposed adjacency matrix for its largest eigenvalue, by power iteration.
Each iteration adds to every vertex the centralities of its in-neighbors, times the weights of the edges, and scales all
to a Euclidean norm of 1. Without the vertex itself in its sum, iteration on a bipartite graph would oscillate.

    centrality[v]    the centrality, and within an iteration the sum that is not scaled yet
    before[v]        the centrality before the iteration
    shares[v]        the centrality as the products read it, in float32 if the tolerance
                     permits
    squares          sum of the squares of all sums

Bonacich, "Power and Centrality: A Family of Measures", Amer. J. Sociology 1987; von Mises and Pollaczek-Geiringer,
"Praktische Verfahren der Gleichungsauflosung", ZAMM 1929.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import check_weights
from ._errors import iterate
from ._functors import weight_of
from .pagerank import FLOAT32_TOL, distribution, not_converged
from .result import Result

PRODUCTS = 15
"""The expected number of iterations."""
LARGEST_TOTAL = 1e100
"""Upper bound on a vertex's total weight: squares of sums with larger ones may overflow."""


@dataclass(frozen=True, repr=False)
class EigenvectorCentralityResult(Result):
    """Result of `eigenvector_centrality`.

    Attributes
    ----------
    eigenvector_centrality : array of float64, shape (num_vertices,)
        On the graph's device, of Euclidean norm 1. Deleted vertices have 0.
    iterations : int
    error : float
        Mean change of a vertex in the last iteration.
    converged : bool
        Whether `error` fell below the tolerance.

    See Also
    --------
    eigenvector_centrality : Computes it.
    """

    eigenvector_centrality: Any
    iterations: int
    error: float
    converged: bool


@fr.advanced.reads
def eigenvector_centrality(
    graph: fr.Graph, max_iter: int = 100, tol: float = 1e-6, nstart: Any = None, *, weighted: bool | None = None,
    fail_on_nonconvergence: bool = True,
) -> EigenvectorCentralityResult:  # fmt: skip
    """The eigenvector centrality of every vertex.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward: a vertex gets the centralities of its in-neighbors.
    max_iter : int
    tol : float
        Stop once an iteration changes vertices by less than this on average, as NetworkX does.
    nstart : mapping of vertex to number, or array of shape (num_vertices,), optional
        Initial centralities, up to scaling, equal by default.
    weighted : bool, optional
        Whether to multiply centralities by the weights of edges. The default is whether the graph has any.
    fail_on_nonconvergence : bool
        Raise if `max_iter` iterations were not enough. Otherwise return the centralities so far.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached. Iterations on directed graphs without cycles converge slowly.
    TypeError, ValueError
        An argument is invalid, or a weight is negative or too large.

    See Also
    --------
    katz_centrality : With a constant for each vertex.

    Notes
    -----
    O(V + E) work per iteration: a product with the adjacency matrix (`frontier.SpMV`). The number of iterations depends
    on the ratio of the two largest eigenvalues. O(V) memory, or O(V + E) where a static copy is faster.

    Examples
    --------
    >>> from algorithms import eigenvector_centrality
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> eigenvector_centrality(graph).eigenvector_centrality.round(3)
    array([0.497, 0.497, 0.604, 0.342, 0.155])
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.integer(max_iter, "max_iter", 1)
    fr.advanced.arguments.flag(fail_on_nonconvergence, "fail_on_nonconvergence")
    if not 0 <= fr.advanced.arguments.number(tol, "tol") < np.inf:
        raise ValueError(f"tol must be finite and not negative, got {tol}")
    if weighted is not None:
        fr.advanced.arguments.flag(weighted, "weighted")
    start = distribution(graph, nstart, "nstart")
    if start is None:
        return EigenvectorCentralityResult(graph.xp.zeros(graph.num_vertices), 0, 0.0, True)
    product = fr.SpMV(graph, transpose=True, weighted=weighted, products=min(max_iter, PRODUCTS))
    if product.weighted:
        check_weights(graph, "eigenvector_centrality")
        if not bool((fr.neighbor_reduce(graph, None, weight_of) < LARGEST_TOTAL).all()):
            raise ValueError(f"eigenvector_centrality needs weights that add up to less than {LARGEST_TOTAL:.0e}")
    xp, everyone = graph.xp, fr.Frontier.all(product.graph)
    centrality = product.arrange(start).astype(np.float64)
    is_rounded = tol >= FLOAT32_TOL and not product.weighted
    before, sums = xp.zeros_like(centrality), xp.empty(centrality.size)
    shares = centrality.astype(np.float32 if is_rounded else np.float64)
    squares, change = graph.results(), graph.results()

    def step() -> None:
        product(shares, out=sums)
        fr.reduce(everyone, _add, sums, centrality, before, out=squares)
        fr.reduce(everyone, _scale, squares, centrality, before, shares, out=change)

    count = len(fr.Frontier.all(graph))
    error, iterations, is_ahead = iterate(graph, fr.capture(product.graph, step), change, tol * count, max_iter)
    error /= count
    if is_ahead:
        centrality = before
    if not error < tol and fail_on_nonconvergence:
        raise not_converged("eigenvector_centrality", tol, max_iter, f"a vertex by {error:.3g} on average")
    return EigenvectorCentralityResult(product.restore(centrality), iterations, error, error < tol)


def _add(v, sums, centrality, before):
    """Add the centralities of in-neighbors to v's own. Return the square of the sum."""
    before[v] = centrality[v]
    centrality[v] += sums[v]
    return centrality[v] * centrality[v]


def _scale(v, squares, centrality, before, shares):
    """Scale the sum of v to a norm of 1. Return the change of the centrality."""
    centrality[v] /= math.sqrt(squares[0])
    shares[v] = centrality[v]
    return abs(centrality[v] - before[v])
