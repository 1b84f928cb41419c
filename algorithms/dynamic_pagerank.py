"""PageRank that keeps up with a graph.

The walk of `pagerank`, except that a walker on a vertex that no edge leaves stays there instead of jumping. Then rank
is neither lost nor made in any part of an undirected graph that no edge leaves, and a part that an update joins to
another brings the rank along that it must have: updates move ranks near the changed edges, not everywhere. At the end
ranks of vertices that no edge leaves are scaled by 1 - alpha, and then all ranks to a sum of 1: those of `pagerank`.

    ranks[v]      of that walk
    damping[v]    alpha / weight of the edges that leave v; 0 where there are none
    shares[v]     damping[v] * ranks[v]: what each neighbor of v gets, for an edge of weight 1
    residual[v]   how much the rank of v is short of what the jump and its neighbors say
    moved[v]      what shares[v] has just grown by

To settle a vertex is to add its residual to its rank; the residuals of its neighbors grow by what they get of that.
While much of the graph has residual, all vertices settle at once. Otherwise only those with more than their part of the
tolerance do, and what they cause is followed from there.

How exact ranks are follows from the residuals. Let z be the ranks of the walk after the scaling by 1 - alpha, s their
sum, r the residuals, t the sum of those, and G one iteration of `pagerank`. Then x = z / s adds up to 1, and

    G(x) - x = (r - t * jump) / s

as each entry of r is the same for z as before the scaling, and G keeps the sum. G moves any two distributions closer by
a factor of alpha at least, in the sum of absolute differences. So G(x) is within d * alpha / (1 - alpha) of the exact
ranks, if d is the sum of |G(x) - x|. Vertices settle until d < tol, and the ranks handed out are G(x), which takes no
pass over the edges: what `pagerank` does, and promises, with this tolerance.

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
"""Vertices settle one by one while no more than this part of all arcs leaves those that have to: adding to neighbors
takes several times as long for an arc as reading from them."""

LEAST_KEPT = 0.1
"""Of old ranks that add up to less, nothing is learnt."""

ROUNDING = 2.0**-50
"""By how much, relative to the ranks, residuals may go wrong in one round: a rank and a share are rounded."""

LOOK_BELOW = 64
"""After a batch that touched much of the graph, it is not worth looking who has residual before all together have less
than this many times the tolerance."""


class DynamicPageRank(IncrementalAlgorithm):
    """PageRank, within a tolerance after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph the walk follows edges forward.
    alpha : float
        Probability to follow an edge, at least 0 and less than 1.
    tol : float
        As in `pagerank`: another iteration would change ranks by less in total, so that they differ from the exact ones
        by less than ``tol * alpha / (1 - alpha)`` in total.
    personalization : mapping of vertex to number, or array of shape (num_vertices,), optional
        Where jumps lead, in proportion; by default to all vertices alike. Deleted vertices lose their part, new ones
        have none; once nothing is left, jumps lead to all vertices alike.
    weighted : bool, optional
        Whether edges are followed in proportion to their weights; by default where the graph has weights.
    max_iter : int
        The most rounds to make for one answer. In a round all vertices settle, or some of them.

    Attributes
    ----------
    pagerank : array of float64, shape (num_vertices,)
        The ranks, on the graph's device, which add up to 1: a new array each time it is asked for. What was updated
        since the last time is settled then, so that an insertion and a deletion between two questions cost one answer.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached in `max_iter` rounds: here, or when the ranks are asked for. No ranks are handed
        out then; to ask again makes as many rounds more.
    TypeError, ValueError
        An argument is not of this kind, or a weight is negative or not finite.

    Notes
    -----
    A batch takes a few passes over the vertices, and work in proportion to the arcs around those whose ranks move by
    more than their part of the tolerance. Directed graphs keep no arcs backward: with them the residuals of all
    vertices are found anew, in O(V + E). A weight that is negative or not finite raises when the ranks are asked for,
    for as long as the graph holds it.
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
        """The ranks: a new float64 array, on the graph's device.

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
        """Let the ranks follow new edges and new weights."""
        self._follow(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Let the ranks follow deletions."""
        self._follow(src, dst)

    def vertices_changed(self) -> None:
        """Let jumps lead to the vertices that there will be, when the ranks are asked for."""
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
            self._settle()

    def _start(self, kept: Any = None) -> None:
        """Set everything up, and rank all vertices, starting from old ranks if there are some."""
        graph, xp = self.graph, self.graph.xp
        n = graph.num_vertices
        self._outdated = True  # until all of this has worked
        self._everyone = fr.Frontier.all(graph)
        self._jump = self._jumps()
        self._damping = damping_of(graph, self.alpha, self._weighted)
        self._ranks = self._jump.copy()
        if kept is not None:
            ranks = xp.zeros(n, np.float64)
            # What a deleted vertex has handed over may have been less than nothing.
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
        self._settle()
        self._outdated = False

    def _jumps(self) -> Any:
        """Where jumps lead: numbers that add up to 1."""
        graph, personal = self.graph, self._personal
        if personal is not None:
            total = float(personal.sum())
            if total > 0:
                return personal / total
        jump = distribution(graph, None, "personalization")
        return graph.xp.zeros(graph.num_vertices, np.float64) if jump is None else jump

    def _follow(self, src: Any, dst: Any) -> None:
        """Bring everything in line with the edges of a batch, but for the ranks themselves."""
        graph = self.graph
        if self._outdated:
            return
        touched = fr.visit_edges(graph, src, dst, _look_at if self._uses_weights else _look, self._bad)
        if graph.directed:
            touched = fr.Frontier(graph, src[src >= 0])
        if not touched:
            return
        fr.neighbor_reduce(graph, touched, _weight if self._uses_weights else _one, out=self._totals)
        fr.compute(touched, _set_damping, self._totals, self._damping, self._bad, self.alpha)
        if not graph.directed:
            fr.visit_edges(graph, src, dst, _hand_over, self._damping, self._jump, self._ranks)
        fr.compute(touched, _set_share, self._damping, self._ranks, self._shares)
        self._spread_widely |= touched.num_arcs > LOCAL_SHARE * graph.num_arcs
        self._all_stale |= graph.directed or self._spread_widely
        if not self._all_stale:
            self._find_residuals(touched)
            self._find_residuals(fr.advance(graph, touched, _always))

    def _find_all_residuals(self) -> None:
        """The residuals of all vertices."""
        self._drift = 0.0
        self._spread(self._shares, self._sums)
        arrays = self._jump, self._sums, self._damping, self._ranks, self._residual
        fr.compute(self._everyone, _find_residual, *arrays, self.alpha)

    def _find_residuals(self, frontier: fr.Frontier) -> None:
        """The residuals of some vertices, of an undirected graph."""
        fr.neighbor_reduce(self.graph, frontier, self._op, self._shares, out=self._sums)
        arrays = self._jump, self._sums, self._damping, self._ranks, self._residual
        fr.compute(frontier, _find_residual, *arrays, self.alpha)

    def _spread(self, shares: Any, sums: Any) -> None:
        """What all vertices get, if each hands its share to its neighbors."""
        if self.graph.directed:
            sums.fill(0)
            fr.advance(self.graph, self._everyone, _give_weighted if self._uses_weights else _give, shares, sums)
        else:
            fr.neighbor_reduce(self.graph, None, self._op, shares, out=sums)

    def _settle(self) -> None:
        """Settle vertices until one more iteration would change all ranks by less than the tolerance.

        Raises
        ------
        ConvergenceError
            `max_iter` rounds did not do.
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
            if left < LOOK_BELOW * tol or not self._spread_widely:
                active = fr.filter(self._everyone, _has_residual, self._residual, least)
                if active and active.num_arcs <= most_arcs:
                    # To begin with, look only at residuals that matter if there are no more than these.
                    enough = max(min(enough / 4, tol / (2 * len(active))), least)
                    push = _push_weighted if self._uses_weights else _push
                    made = fr.traverse(
                        graph, active, push, *arrays, self.alpha, enough, prepare=_settle_vertex, max_arcs=most_arcs,
                        max_steps=self.max_iter - rounds,
                    )  # fmt: skip
                    rounds += made
                    self._drift += made * ROUNDING
                    continue
            fr.compute(self._everyone, _settle_vertex, *arrays, self.alpha, least)
            self._spread(self._moved, self._residual)
            rounds += 1
            self._drift += ROUNDING
        self._all_stale = self._spread_widely = False

    def _change(self) -> float:
        """By how much one more iteration would change all ranks, before they are scaled to a sum of 1."""
        total = fr.reduce(self._everyone, _own, self._residual)
        return float(fr.reduce(self._everyone, _size_without_jump, self._residual, self._jump, total)[0])

    def _walked(self) -> Any:
        """The ranks of a walk that jumps from the vertices that no edge leaves; they add up to less than 1."""
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


def _hand_over(src, dst, edge, weight, damping, jump, ranks):
    """A vertex that has lost its last edge keeps what it has alone; its neighbor gets the rest."""
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


def _settle_vertex(v, residual, damping, ranks, shares, moved, alpha, enough):
    got = fr.atomic_exch(residual, v, 0.0)
    if damping[v] == 0:  # it keeps a part of all that it gets: the sum of a geometric series
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
