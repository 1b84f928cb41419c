"""PageRank that is maintained incrementally.

The walk of `pagerank`, except that a walker on a dangling vertex (without outgoing edges) stays there instead of
jumping. Then rank is conserved within each connected component of an undirected graph, and a component that an update
joins to another brings along the rank that it must have: updates move ranks near the changed edges, not everywhere.
Finally, ranks of dangling vertices are scaled by 1 - alpha, and all ranks are normalized to a sum of 1, which yields
the ranks of `pagerank`.

    ranks[v]      rank in that walk
    damping[v]    alpha / total weight of v's outgoing edges; 0 for dangling vertices
    shares[v]     damping[v] * ranks[v]: the contribution to each neighbor of v over an edge of weight 1
    residual[v]   contributions of the jump and of the neighbors, less ranks[v]
    moved[v]      the last increment of shares[v]

To push a vertex is to add its residual to its rank; the residuals of its neighbors grow by their contributions. While
much of the graph has residual, all vertices are pushed at once. Otherwise only those with residuals above their part of
the tolerance are, and the vertices that they affect follow.

The error bound follows from the residuals. Let z be the ranks of the walk after the scaling by 1 - alpha, s their sum,
r the residuals, t the sum of those, and G one iteration of `pagerank`. Then x = z / s adds up to 1, and

    G(x) - x = (r - t * jump) / s

since each entry of r is the same for z as before the scaling, and G conserves the sum. G is a contraction by a factor
of alpha in the L1 norm. So G(x) is within d * alpha / (1 - alpha) of the exact ranks, where d is the L1 norm of
G(x) - x. Vertices are pushed until d < tol, and the result is G(x), which takes no pass over the edges. This is the
guarantee of `pagerank` with the same tolerance.

Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006 (pushing residuals); Sahu,
"DF* PageRank: Incrementally Expanding Approaches for Updating PageRank on Dynamic Graphs", 2024.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import frontier as fr

from .incremental import IncrementalAlgorithm, maintained
from .pagerank import LEAST_TOTAL, ConvergenceError, check_parameters, damping_of, distribution

LOCAL_SHARE = 1 / 8
"""Only active vertices are pushed while they have at most this fraction of all arcs: an atomic addition per arc takes
several times as long as a read."""

LEAST_KEPT = 0.1
"""Old ranks are used as a starting point only if their sum is larger."""

ROUNDING = 2.0**-50
"""Bound on the rounding error of residuals per round, relative to the ranks: a rank and a share are rounded."""

FILTER_BELOW = 64
"""After a batch that affected much of the graph, active vertices are selected only once the total residual is below
this multiple of the tolerance."""


class DynamicPageRank(IncrementalAlgorithm):
    """PageRank, within a tolerance after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph the walk follows edges forward.
    alpha : float
        Probability of following an edge, at least 0 and less than 1.
    tol : float
        As in `pagerank`: another iteration would change ranks by less than this in total (L1 norm), so that the total
        error is below ``tol * alpha / (1 - alpha)``.
    personalization : mapping of vertex to number, or array of shape (num_vertices,), optional
        Weights of the vertices as jump targets; uniform by default. Deleted vertices lose their weight, new ones have
        none; if no weight is left, jumps are uniform.
    weighted : bool, optional
        Whether edges are followed in proportion to their weights; by default if the graph has weights.
    max_iter : int
        Maximum number of rounds per read of the ranks. In a round all vertices are pushed, or the active ones.

    Attributes
    ----------
    pagerank : array of float64, shape (num_vertices,)
        The ranks, on the graph's device, which add up to 1: a new array on each read. Work is deferred until the ranks
        are read, so that several batches between two reads cost one computation.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached in `max_iter` rounds: here, or when the ranks are read. No ranks are returned
        then; reading again continues for as many rounds.
    TypeError, ValueError
        An argument is invalid, or a weight is negative or not finite.

    Notes
    -----
    A batch takes a few passes over the vertices, and work proportional to the arcs of vertices whose ranks move by more
    than their part of the tolerance. On directed graphs without in-edges (``in_edges=True``) the residuals of all
    vertices are recomputed, in O(V + E). While the graph holds a weight that is negative or not finite, reading the
    ranks raises.
    """

    exact = False

    def __init__(
        self, graph: fr.DynamicGraph, alpha: float = 0.85, tol: float = 1e-5, personalization: Any = None, *,
        weighted: bool | None = None, max_iter: int = 1000,
    ):  # fmt: skip
        super().__init__(graph)
        if weighted is not None:
            fr.arguments.flag(weighted, "weighted")
        check_parameters(alpha, tol, max_iter)
        if not (alpha < 1 and tol > 0):
            raise ValueError(f"alpha must be less than 1 and tol more than 0, got {alpha} and {tol}")
        self.alpha, self.tol, self.max_iter = float(alpha), float(tol), int(max_iter)
        self._weighted = weighted
        self._personal = None if personalization is None else distribution(graph, personalization, "personalization")
        self._uses_weights = graph.is_weighted and weighted is not False
        self._op = _share_by_weight if self._uses_weights else _share
        self._bad = graph.xp.zeros(1, np.int32)
        self._start()
        self._attach()

    @maintained
    def pagerank(self) -> Any:
        """The ranks: a new float64 array on the graph's device.

        Raises
        ------
        ConvergenceError
            The tolerance was not reached in `max_iter` rounds.
        ValueError
            The graph holds a weight that is negative or not finite.
        """
        ranks = self._walked()
        if len(self._everyone):
            total = ranks.sum()
            ranks += self._residual - self._residual.sum() * self._jump
            ranks /= total
        return ranks

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Update the residuals for new edges and weights."""
        self._follow(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Update the residuals for deleted edges."""
        self._follow(src, dst)

    def vertices_changed(self) -> None:
        """Adjust the jump targets; ranks are recomputed when they are next read."""
        graph = self.graph
        if self._personal is not None:
            personal = graph.xp.zeros(graph.num_vertices, np.float64)
            personal[: self._personal.size] = self._personal
            absent = graph.absent_mask
            if absent is not None:
                personal[absent] = 0
            self._personal = personal
        self._outdated = True

    def _bring_up(self) -> None:
        """Bring the ranks up to date with the graph.

        Raises
        ------
        ValueError
            The graph holds a weight that is negative or not finite.
        """
        if int(self._bad[0]):
            self._start()
        elif self._outdated:
            self._start(self._ranks)
        else:
            self._push_all()

    def _start(self, kept: Any = None) -> None:
        """Initialize all state, and rank all vertices, starting from old ranks if given."""
        graph, xp = self.graph, self.graph.xp
        n = graph.num_vertices
        self._outdated = True  # until all of this has worked
        self._everyone = fr.Frontier.all(graph)
        self._jump = self._jumps()
        self._damping = damping_of(graph, self.alpha, self._weighted)
        self._ranks = self._jump.copy()
        if kept is not None:
            ranks = xp.zeros(n, np.float64)
            # The rank that a deleted vertex passed on may have been negative.
            xp.maximum(kept, 0, out=ranks[: kept.size])
            absent = graph.absent_mask
            if absent is not None:
                ranks[absent] = 0
            total = float(ranks.sum())
            if total > LEAST_KEPT:
                self._ranks = ranks / total
        self._shares = self._damping * self._ranks
        self._moved, self._sums, self._residual = (xp.zeros(n, np.float64) for _ in range(3))
        self._totals = xp.zeros(n, np.float64)
        self._bad.fill(0)
        self._all_stale = self._spread_widely = True
        self._push_all()
        self._outdated = False

    def _jumps(self) -> Any:
        """The probability of each vertex as a jump target."""
        graph, personal = self.graph, self._personal
        if personal is not None:
            total = float(personal.sum())
            if total > 0:
                return personal / total
        jump = distribution(graph, None, "personalization")
        return graph.xp.zeros(graph.num_vertices, np.float64) if jump is None else jump

    def _follow(self, src: Any, dst: Any) -> None:
        """Update everything but the ranks for the edges of a batch."""
        graph = self.graph
        if self._outdated:
            return
        heads: Any = fr.visit_edges(graph, src, dst, _look_at if self._uses_weights else _look, self._bad)
        touched = fr.Frontier(graph, src[src >= 0]) if graph.directed else heads
        if not touched:
            return
        fr.neighbor_reduce(graph, touched, _weight if self._uses_weights else _one, out=self._totals)
        fr.compute(touched, _set_damping, self._totals, self._damping, self._bad, self.alpha)
        if not graph.directed:
            fr.visit_edges(graph, src, dst, _pass_on_rank, self._damping, self._jump, self._ranks)
        fr.compute(touched, _set_share, self._damping, self._ranks, self._shares)
        self._spread_widely |= touched.num_arcs > LOCAL_SHARE * graph.num_arcs
        self._all_stale |= not graph.has_in_edges or self._spread_widely
        if not self._all_stale:
            self._find_residuals(touched)
            if heads is not touched:
                self._find_residuals(heads)
            self._find_residuals(fr.advance(graph, touched, _always))

    def _find_all_residuals(self) -> None:
        """The residuals of all vertices."""
        self._drift = 0.0
        self._spread(self._shares, self._sums)
        arrays = self._jump, self._sums, self._damping, self._ranks, self._residual
        fr.compute(self._everyone, _find_residual, *arrays, self.alpha)

    def _find_residuals(self, frontier: fr.Frontier) -> None:
        """The residuals of some vertices, of a graph with in-edges."""
        fr.neighbor_reduce(self.graph.reverse, frontier, self._op, self._shares, out=self._sums)
        arrays = self._jump, self._sums, self._damping, self._ranks, self._residual
        fr.compute(frontier, _find_residual, *arrays, self.alpha)

    def _spread(self, shares: Any, sums: Any) -> None:
        """The sum of the neighbors' shares, for all vertices."""
        if self.graph.has_in_edges:
            fr.neighbor_reduce(self.graph.reverse, None, self._op, shares, out=sums)
        else:
            sums.fill(0)
            fr.advance(self.graph, self._everyone, _give_weighted if self._uses_weights else _give, shares, sums)

    def _push_all(self) -> None:
        """Push vertices until one more iteration would change the ranks by less than the tolerance in total.

        Raises
        ------
        ConvergenceError
            Not reached in `max_iter` rounds.
        """
        graph = self.graph
        if not len(self._everyone):
            return
        stale, self._all_stale = self._all_stale, True  # until all of this has worked
        if stale:
            self._find_all_residuals()
        tol = self.tol * float(self._walked().sum())
        enough = np.inf
        rounds = 0
        most_arcs = int(LOCAL_SHARE * graph.num_arcs)
        arrays = self._residual, self._damping, self._ranks, self._shares, self._moved
        while True:
            left = float(fr.reduce(self._everyone, _size, self._residual)[0])
            if left < tol:
                tol = self.tol * float(self._walked().sum())
                left = self._change()
                if left < tol and self._drift > self.tol / 16:
                    self._find_all_residuals()
                    left = self._change()
                if left < tol:
                    break
            if rounds >= self.max_iter:
                raise ConvergenceError(
                    f"DynamicPageRank did not reach tol={self.tol} in max_iter={self.max_iter} rounds; the next would "
                    f"change ranks by {left / tol * self.tol:.3g}. Make it with a larger tol or max_iter, or ask again "
                    "to go on from there"
                )
            least = tol / (4 * len(self._everyone))
            if left < FILTER_BELOW * tol or not self._spread_widely:
                active = fr.filter(self._everyone, _has_residual, self._residual, least)
                if active and active.num_arcs <= most_arcs:
                    # Start with a threshold that suffices if no more vertices than these are active.
                    enough = max(min(enough / 4, tol / (2 * len(active))), least)
                    push = _push_weighted if self._uses_weights else _push
                    made = fr.traverse(
                        graph, active, push, *arrays, self.alpha, enough, prepare=_push_vertex, max_arcs=most_arcs,
                        max_steps=self.max_iter - rounds,
                    )  # fmt: skip
                    rounds += made
                    self._drift += made * ROUNDING
                    continue
            fr.compute(self._everyone, _push_vertex, *arrays, self.alpha, least)
            self._spread(self._moved, self._residual)
            rounds += 1
            self._drift += ROUNDING
        self._all_stale = self._spread_widely = False

    def _change(self) -> float:
        """The total change by one more iteration, before normalization."""
        total = fr.reduce(self._everyone, _own, self._residual)
        return float(fr.reduce(self._everyone, _size_without_jump, self._residual, self._jump, total)[0])

    def _walked(self) -> Any:
        """The ranks of a walk that jumps from dangling vertices; they add up to less than 1."""
        return self.graph.xp.where(self._damping > 0, self._ranks, (1 - self.alpha) * self._ranks)


def _always(src, dst, edge, weight):
    return True


def _look(src, dst, edge, weight, bad):
    return True


def _look_at(src, dst, edge, weight, bad):
    if not 0 <= weight < math.inf:
        bad[0] = 1
    return True


def _one(src, dst, edge, weight):
    return 1


def _weight(src, dst, edge, weight):
    return weight


def _set_damping(v, totals, damping, bad, alpha):
    if totals[v] > 0 and not LEAST_TOTAL <= totals[v] < math.inf:
        bad[0] = 1
    damping[v] = alpha / totals[v] if totals[v] >= LEAST_TOTAL else 0.0


def _pass_on_rank(src, dst, edge, weight, damping, jump, ranks):
    """A vertex that lost its last edge keeps the rank of an isolated vertex; its neighbor gets the rest."""
    if damping[dst] == 0:
        rest = fr.atomic_exch(ranks, dst, jump[dst]) - jump[dst]
        fr.atomic_add(ranks, src, rest)
    return False


def _set_share(v, damping, ranks, shares):
    shares[v] = damping[v] * ranks[v]


def _share(src, dst, edge, weight, shares):
    return shares[dst]


def _share_by_weight(src, dst, edge, weight, shares):
    return weight * shares[dst]


def _find_residual(v, jump, sums, damping, ranks, residual, alpha):
    stays = alpha * ranks[v] if damping[v] == 0 else 0.0
    residual[v] = (1 - alpha) * jump[v] + sums[v] + stays - ranks[v]


def _has_residual(v, residual, enough):
    return abs(residual[v]) > enough


def _own(v, residual):
    return residual[v]


def _size(v, residual):
    return abs(residual[v])


def _size_without_jump(v, residual, jump, total):
    return abs(residual[v] - jump[v] * total[0])


def _push_vertex(v, residual, damping, ranks, shares, moved, alpha, enough):
    got = fr.atomic_exch(residual, v, 0.0)
    if damping[v] == 0:  # the walker stays here with probability alpha: the sum of a geometric series
        ranks[v] += got / (1 - alpha)
        moved[v] = 0.0
    else:
        ranks[v] += got
        moved[v] = damping[v] * got
        shares[v] = damping[v] * ranks[v]


def _push(src, dst, edge, weight, residual, damping, ranks, shares, moved, alpha, enough):
    return abs(fr.atomic_add(residual, dst, moved[src]) + moved[src]) > enough


def _push_weighted(src, dst, edge, weight, residual, damping, ranks, shares, moved, alpha, enough):
    share = weight * moved[src]
    return abs(fr.atomic_add(residual, dst, share) + share) > enough


def _give(src, dst, edge, weight, shares, sums):
    fr.atomic_add(sums, dst, shares[src])
    return False


def _give_weighted(src, dst, edge, weight, shares, sums):
    fr.atomic_add(sums, dst, weight * shares[src])
    return False
