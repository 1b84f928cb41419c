"""PageRank by power iteration.

A random walker follows an outgoing edge of its vertex with probability alpha and otherwise jumps to any vertex. On a
dangling vertex (without outgoing edges) it always jumps. The rank of a vertex is the long-run fraction of time spent
there. Every vertex pulls the shares of its in-neighbors: a product with the transposed adjacency matrix.

    ranks[v]    the rank (all ranks add up to 1)
    jump[v]     probability that a jump leads to v: uniform, or the personalization
    damping[v]  alpha / total weight of v's outgoing edges, 0 for dangling vertices
    sums[v]     total of the shares that v gets
    before[v]   the rank in the previous iteration
    shares[v]   damping[v] * ranks[v]: the contribution to each neighbor of v over an edge
                of weight 1
    lost        total rank of dangling vertices, which is spread by jumps

Page, Brin, Motwani and Winograd, "The PageRank Citation Ranking", 1999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_weights
from ._errors import iterate
from ._functors import value_of, weight_of
from .result import Result

FLOAT32_TOL = 1e-6
FLOAT32_ROUNDING = 2.0**-24
"""Down to the first value as tolerance, shares are stored in float32, which halves memory traffic. The second bounds
their relative rounding error, by which the tolerance is tightened. Sums are float64, and so are shares with weights,
which might overflow or underflow float32."""

DTYPES = (np.dtype(np.float32), np.dtype(np.float64))

LEAST_TOTAL = float(np.finfo(np.float64).tiny)
"""Lower bound on a vertex's total outgoing weight, unless it is 0: smaller sums are subnormal, and their inverses may
overflow."""


class Iteration(NamedTuple):
    """The arguments of `next_rank`."""

    sums: Any
    jump: Any
    damping: Any
    before: Any
    ranks: Any
    shares: Any
    lost: Any
    alpha: Any


class ConvergenceError(RuntimeError):
    """An iteration did not reach its tolerance.

    See Also
    --------
    pagerank : Raises it unless ``fail_on_nonconvergence=False``.
    """


@dataclass(frozen=True, repr=False)
class PageRankResult(Result):
    """Result of `pagerank`.

    Attributes
    ----------
    pagerank : array of float64 (or float32, with that dtype), shape (num_vertices,)
        On the graph's device. The ranks add up to 1. Deleted vertices have 0.
    iterations : int
    error : float
        Total change of the ranks in the last iteration (L1 norm).
    converged : bool
        Whether `error` fell below the tolerance.
    layout : ReadLayout or None
        Whether the graph was read as it is stored or as a static copy, and why.

    See Also
    --------
    pagerank : Computes it.
    temporal_pagerank : Computes it.
    """

    pagerank: Any
    iterations: int
    error: float
    converged: bool
    layout: fr.advanced.ReadLayout | None = None


@fr.advanced.reads
def pagerank(
    graph: fr.Graph,
    alpha: float = 0.85,
    max_iter: int = 100,
    tol: float = 1e-5,
    personalization: Any = None,
    nstart: Any = None,
    *,
    weighted: bool | None = None,
    dtype: Any = "float64",
    fail_on_nonconvergence: bool = True,
    layout: str = "auto",
) -> PageRankResult:
    """PageRank: the stationary distribution of a random walk with restarts.

    Parameters
    ----------
    graph : Graph
        In a directed graph the walk follows edges forward.
    alpha : float
        Probability of following an edge, between 0 and 1.
    max_iter : int
    tol : float
        Iteration stops when the ranks change by less than this in total (L1 norm). Their total error is then below
        ``tol * alpha / (1 - alpha)``, up to float64 rounding. (NetworkX stops at `tol` times the number of vertices.)
    personalization : mapping of vertex to number, or array of shape (num_vertices,), optional
        Weights of the vertices as jump targets, also for dangling vertices. Uniform by default.
    nstart : mapping or array, optional
        Initial ranks, up to scaling, by default the jump probabilities.
    weighted : bool, optional
        Whether edges are followed in proportion to their weights. The default is whether the graph has any.
    dtype : {"float64", "float32"}
        The type of the ranks. float32 halves their memory. Sums over neighbors remain float64, but each iteration
        rounds a rank by up to 6e-8 of its value. This adds to the total error, so `tol` must be 0 or at least 1e-6.
    fail_on_nonconvergence : bool
        Raise if the tolerance is not reached in `max_iter` iterations.
    layout : {"auto", "native", "csr"}
        True: prepare a static copy for the products (`frontier.SpMV`). False: read the graph as it is stored.
        ``"auto"``: the faster of both for the number of iterations expected from the tolerance, including the
        preparation. The result's `layout` gives the reason.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached.
    TypeError, ValueError
        An argument is invalid, or a weight is negative or not finite.

    See Also
    --------
    DynamicPageRank : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work per iteration, and about log(tol) / log(alpha) iterations, fewer on graphs without tight clusters.
    O(V) memory for the graph as it is stored, O(V + E) with a static copy. Directed graphs with in-edges are read
    backward. In other graphs each iteration of the first form adds to the destinations of arcs atomically, and the
    static copy is sorted by them.

    Examples
    --------
    >>> from algorithms import pagerank
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = pagerank(graph, tol=1e-8)
    >>> found.pagerank.round(3)
    array([0.192, 0.192, 0.283, 0.213, 0.12 ])
    >>> found.converged
    True
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.flag(fail_on_nonconvergence, "fail_on_nonconvergence")
    if weighted is not None:
        fr.advanced.arguments.flag(weighted, "weighted")
    check_parameters(alpha, tol, max_iter)
    dtype = _dtype_of(dtype, tol)
    xp = graph.xp
    jump = distribution(graph, personalization, "personalization")
    if jump is None:
        return PageRankResult(xp.zeros(graph.num_vertices, dtype), 0, 0.0, True)
    damping = damping_of(graph, totals_of(graph, weighted), alpha)
    start = jump if nstart is None else distribution(graph, nstart, "nstart")

    product = fr.SpMV(
        graph, transpose=True, weighted=weighted, layout=layout, products=_expected_steps(alpha, tol, max_iter)
    )
    jump, damping = product.arrange(jump), product.arrange(damping)
    ranks = xp.zeros(jump.size, dtype)
    before = xp.zeros_like(ranks) if graph.device.is_gpu or graph.in_parts else ranks  # elsewhere no step runs ahead
    is_rounded = (tol >= FLOAT32_TOL or dtype == np.float32) and not product.weighted
    shares = xp.zeros(jump.size, np.float32 if is_rounded else np.float64)
    least = tol - FLOAT32_ROUNDING if is_rounded and tol else tol
    if dtype == np.float32:
        jump, damping = jump.astype(dtype), damping.astype(shares.dtype, copy=False)
    everyone = fr.Frontier.all(product.graph)
    dangling = fr.filter(everyone, leads_nowhere, damping)
    change = graph.results()
    walk = Iteration(xp.empty(ranks.size), jump, damping, before, ranks, shares, graph.results(), alpha)
    # The kernel of a step also computes the first ranks and shares: CuPy would compile further kernels.
    first = walk._replace(sums=product.arrange(start), jump=xp.zeros_like(jump))
    fr.reduce(everyone, next_rank, *first, out=change)

    def step() -> None:
        fr.reduce(dangling, value_of, ranks, out=walk.lost)
        product(shares, out=walk.sums)
        fr.reduce(everyone, next_rank, *walk, out=change)

    error, iterations, is_ahead = iterate(graph, fr.capture(product.graph, step), change, least, max_iter)
    if is_ahead:
        ranks = before
    if error >= least and fail_on_nonconvergence:
        raise not_converged("pagerank", tol, max_iter, f"ranks by {error:.3g}")
    return PageRankResult(product.restore(ranks), iterations, error, error < least, product.layout)


def _dtype_of(dtype: Any, tol: float) -> np.dtype:
    """The type of the ranks. Raises TypeError or ValueError for another type, or one that does not reach the
    tolerance."""
    found = fr.advanced.arguments.one_dtype(dtype, "dtype", DTYPES)
    if found == np.float32 and 0 < tol < FLOAT32_TOL:
        raise ValueError(f"tol={tol} is not reached with dtype=float32: pass at least {FLOAT32_TOL}, or float64")
    return found


def _expected_steps(alpha: float, tol: float, max_iter: int) -> int:
    """The expected number of iterations: a third of the bound, as R-MAT graphs need."""
    if not 0 < alpha < 1 or not 0 < tol < 1:
        return max_iter
    return min(max_iter, 1 + int(np.log(tol) / np.log(alpha) / 3))


def leads_nowhere(v, damping):
    """Whether the rank of v follows no edge. A functor, as is the next one."""
    return damping[v] == 0


def next_rank(v, *args):
    """Give v the rank that arrives at it, and store the previous one. Return the change."""
    walk = Iteration(*args)
    old = walk.ranks[v]
    rank = walk.sums[v] + (1 - walk.alpha + walk.alpha * walk.lost[0]) * walk.jump[v]
    walk.before[v] = old  # which may be the array of ranks
    walk.ranks[v] = rank
    walk.shares[v] = rank * walk.damping[v]
    return abs(rank - old)


def not_converged(name: str, tol: float, max_iter: int, changed: str) -> ConvergenceError:
    """The error of an algorithm of this name. `changed` names the values that its last iteration changed, and the
    amount."""
    return ConvergenceError(
        f"{name} did not reach tol={tol} in max_iter={max_iter} iterations; the last one changed {changed}. Raise "
        "either, or pass fail_on_nonconvergence=False"
    )


def check_parameters(alpha: float, tol: float, max_iter: int) -> None:
    """Raise unless these are numbers that an iteration can work with."""
    for name, value in (("alpha", alpha), ("tol", tol)):
        fr.advanced.arguments.number(value, name)
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if not tol >= 0:
        raise ValueError(f"tol must not be negative, got {tol}")
    fr.advanced.arguments.integer(max_iter, "max_iter", 1)


def distribution(graph: fr.Graph, given: Any, name: str) -> Any:
    """Numbers by vertex, scaled to add up to 1, as float64. Equal numbers if none are given, None in an empty graph.

    Raises TypeError or ValueError, which names the argument and the fault.
    """
    xp, n = graph.xp, graph.num_vertices
    absent = graph.absent_mask
    if given is None:
        count = len(fr.Frontier.all(graph))
        if not count:
            return None
        values = graph.vertex_array(np.float64, 1.0 / count)
        if absent is not None:
            values[absent] = 0
        return values
    if isinstance(given, Mapping):
        ids = fr.advanced.arguments.vertex_ids(graph, list(given.keys()), name, allow_deleted=True)
        values = xp.zeros(n, np.float64)
        values[ids] = fr.advanced.arguments.numbers(graph, list(given.values()), name)
    else:
        values = fr.advanced.arguments.numbers(graph, given, name)
        if values.shape != (n,):
            raise ValueError(f"{name} must have an entry for each of the {n} vertices, not shape {values.shape}")
        values = values.astype(np.float64)
    if not n:
        return None
    total = float(values.sum())
    if not float(values.min()) >= 0 or not np.isfinite(total):
        raise ValueError(f"{name} must contain finite numbers that are not negative")
    if absent is not None and bool((values[absent] != 0).any()):
        raise ValueError(f"{name} names a vertex that was deleted")
    if not total > 0:
        raise ValueError(f"{name} adds up to 0")
    return values / total


def damping_of(graph: fr.Graph, totals: Any, alpha: float) -> Any:
    """Per vertex, `alpha` divided by the total weight of its outgoing edges, 0 if that is 0."""
    damping = graph.vertex_array(np.float64)
    fr.compute(fr.Frontier.all(graph), _damp, totals, damping, alpha)
    graph.sync(damping)
    return damping


def _damp(v, totals, damping, alpha):
    if totals[v] > 0:
        damping[v] = alpha / totals[v]


def totals_of(graph: fr.Graph, weighted: bool | None) -> Any:
    """Per vertex, the total weight of its outgoing edges, or their number. ValueError for unfit weights."""
    if not graph.is_weighted or weighted is False:
        return graph.degrees()
    check_weights(graph, "pagerank")
    totals = fr.neighbor_reduce(graph, None, weight_of)
    check_totals(graph, totals, "pagerank")
    return totals


def check_totals(graph: fr.Graph, totals: Any, name: str) -> None:
    """Raise ValueError, in the algorithm of this name, unless `damping_of` can divide by these totals."""
    unfit = graph.flags()
    fr.compute(fr.Frontier.all(graph), check_total, totals, unfit)
    graph.sync(unfit)
    if not graph.device.to_host(unfit)[0]:
        return
    if not np.isfinite(graph.device.to_host(totals)).all():
        raise ValueError(f"{name} needs weights that are finite")
    raise ValueError(f"{name} needs weights that add up to at least {LEAST_TOTAL:.3g} where they are not 0")


def check_total(v, totals, unfit):
    """Note a total that is infinite, NaN, or too small to divide by."""
    if not (totals[v] <= 0 or LEAST_TOTAL <= totals[v] < math.inf):
        unfit[0] = 1
