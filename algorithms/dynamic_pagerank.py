"""PageRank that is maintained incrementally.

The walk of `pagerank`, except that it ends at a dangling vertex (without outgoing edges). Normalized to a sum of 1, the
ranks of both walks are the same. Every vertex remembers the sent share: the share of its rank that each of its
neighbors has received over an edge of weight 1. A rank is the jump's contribution plus the received amount.

    ranks[v]      (1 - alpha) * jump[v] plus the amount received from the neighbors
    received[v]   the amount received since, to be added to ranks[v]
    totals[v]     total weight of v's outgoing edges: the share is alpha / totals[v] of the
                  rank
    sent[v]       the share that the neighbors have, undefined for a dangling vertex
    moved[v]      what v sent last

A batch costs its own size: the contribution of an inserted edge is received, the contribution of a deleted edge is
subtracted, and `sent` stays. The pending amount, the difference between the current and the sent shares, is not stored.
One pass over the vertices computes its size, which selects the next step:

    push     vertices with a large pending amount send it, and in turn neighbors that then
             have one. The largest shares go first, as they reduce the pending amount most
             per arc. Vertices with many edges are left to the steps below: their pending
             amount mixes well. Pending amounts in a small component, or a tree, leave it
             slowest of all and cost next to nothing to push.
    sweep    all vertices send their pending amount. Along in-edges each vertex sums up the
             amounts that it gets
    scale    everything is multiplied by a number, after which pending shares add up to 0.
             Without this the slowest component of the error shrinks by a factor of alpha in
             a sweep. It is the total rank, which batches change and the walk within a
             component conserves. The others shrink to less than half on R-MAT graphs.
    step     in undirected graphs, instead of the last two (below)

The last two are interrupted for pushes when they make slow progress. If the update cost more than `pagerank` would
have, the next batches of that size are ranked by `pagerank`. The sent shares are computed from the ranks when a batch
is next processed incrementally.

Sums over all arcs are computed from the graph as it is stored, or from a static copy if enough of them are expected to
pay for it.

Undirected graphs are symmetric, and so is the system to solve for `sent`. With the totals as a diagonal matrix D and
the weights of edges as A, the system is (D - alpha * A) * sent = alpha * (1 - alpha) * jump, and the pending amount is
its residual. The method of conjugate gradients, with D as preconditioner, needs a third of the sweeps' rounds if these
converge slowly, as on road networks. Before each step all vertices send the same additional amount, which makes the
pending shares add up to 0. The neighbors of v get this amount times v's total, so no arc is visited. The directions
that follow preserve this.

The error bound follows from the pending amount. Let z be the ranks and s their sum. Let r be the amounts that z would
receive if all pending amounts were sent, and t the sum of r. Let G be one iteration of `pagerank`. Then x = z / s adds
up to 1, and

    G(x) - x = (r - t * jump) / s

Let d be the L1 norm of G(x) - x. G is a contraction by a factor of alpha in this norm, so x is within d / (1 - alpha)
of the exact ranks. The norm of r is at most the total of pending shares, each times the weight of its vertex's edges.
Work ends when this total and the absolute value of t are below alpha * tol * s. That is the guarantee of `pagerank`
with the same tolerance.

Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006 (pushing); Hong, "D-iteration:
Application to Differential Equations", 2012 (remembered shares, under which the matrix may change); Sahu, "DF*
PageRank: Incrementally Expanding Approaches for Updating PageRank on Dynamic Graphs", 2024; Hestenes and Stiefel,
"Methods of Conjugate Gradients for Solving Linear Systems", 1952.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import frontier as fr

from . import _pagerank_functors as functors
from ._functors import always, neighbor_value, weight_of
from ._pagerank_functors import MEASURES
from ._trials import Trials
from .incremental import IncrementalAlgorithm, maintained
from .pagerank import ConvergenceError, check_parameters, check_total, distribution, pagerank, totals_of

LOCAL_SHARE = 1 / 8
"""Vertices are pushed while they have at most this fraction of all arcs: an atomic addition per arc costs several times
as much as a read."""

ABOVE_MEAN = 1 / 16
"""A vertex is pushed if its pending share exceeds the target mean, and this fraction of the mean over all arcs."""

WIDEST = 2.0
"""A vertex is pushed if its edges weigh at most this multiple of the mean over vertices. A batch of 65,536 edges in
RMAT 20/16 took 13 to 15 steps without pushes, 6 to 8 after pushes of all vertices, and 4 or 5 after pushes of these."""

MAX_PUSHES = 64
"""At once. More follow if these have halved the pending amount."""

MAX_TURNS = 4
"""Sweeps or series of steps that are followed by pushes."""

BEGIN_BELOW = 1 / 4
"""Ranks from scratch are more precise than requested, by this factor. The pending amount then lies everywhere: if it
used up the tolerance, the first small change would have all vertices send it."""

SCALE_ABOVE = 1 / 4
"""Ranks are scaled when this fraction of the pending amount does not cancel out."""

MAX_SCALED = 2.0
"""They are scaled by no more than this factor, nor by less than its inverse."""

GAIN = 2.5
"""The factor by which a sweep is expected to reduce the pending amount. A step that does not reach it is slow."""

GAIN_OF_STEPS = 4.0
"""The factor that is expected of steps: in RMAT 20/16 they reached 4 to 8."""

PASSES, STATIC_PASSES = 38, 11
"""A round costs as much as reading this number of neighbors of each vertex, in addition to its own. A round of
`pagerank` costs the second number. A round and an iteration of `pagerank` took 0.85 and 0.5 ms in RMAT 14/16, 0.38 and
0.14 ms in a grid of 128 x 128 vertices."""

SLOW_STEPS = 6
MAX_LEFT = 0.5
RISE = 10.0
"""Sweeps replace steps once rounding has spoiled the directions. After the first `SLOW_STEPS` steps, each must reduce
the pending amount by a factor of alpha, which sweeps are sure to reach, or of `MAX_LEFT`. `RISE` times as much may be
pending, since the first steps reduce its energy instead."""

PUSH = 1 / 2
"""Looking for vertices to push costs this number of rounds, in addition to the pushes."""

RESTART = 2
"""Computing the sent shares from the ranks costs this number of rounds."""

MAX_RISE = 1.25
"""The expected cost of `pagerank` after a batch is at most this multiple of its last cost."""

MAX_KEPT = 1e3
"""The largest multiple of the last direction. Directions restart after a step that increased the energy by more."""

LEAST_KEPT = 0.1
"""Old ranks are used as a starting point only if their sum is larger."""

ROUNDING = 2.0**-50
"""Bound on the rounding error of ranks per round, relative to their sum."""

LEAST_ERROR = 2.0**-52
"""Rounding error of ranks that were just summed up."""


class DynamicPageRank(IncrementalAlgorithm):
    """PageRank, within a tolerance after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph the walk follows edges forward.
    alpha : float
        Probability of following an edge, at least 0 and less than 1.
    tol : float
        As in `pagerank`: another iteration would change ranks by less than this in total (L1 norm), and the total error
        is below ``tol * alpha / (1 - alpha)``.
    personalization : mapping of vertex to number, or array of shape (num_vertices,), optional
        Weights of the vertices as jump targets. Uniform by default. Deleted vertices lose their weight, new ones have
        none. If no weight is left, jumps are uniform.
    weighted : bool, optional
        Whether edges are followed in proportion to their weights. The default is whether the graph has any.
    max_iter : int
        Maximum number of rounds per read of the ranks. In a round all vertices are pushed, or the active ones.

    Attributes
    ----------
    pagerank : array of float64, shape (num_vertices,)
        The ranks, on the graph's device, which add up to 1: a new array on each read. Work is deferred until the ranks
        are read, so several batches between two reads cost one computation.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached in `max_iter` rounds: here, or when the ranks are read. No ranks are returned
        then. Reading again continues for another `max_iter` rounds.
    TypeError, ValueError
        An argument is invalid, or a weight is negative or not finite.

    See Also
    --------
    pagerank : Computes the result for the current graph.

    Notes
    -----
    A batch costs work proportional to its edges and, with weights, to the arcs of their ends. Reading the ranks costs a
    few passes over the vertices, and work proportional to the arcs of vertices whose ranks move by more than their
    share of the tolerance. At worst it costs as much as a few iterations of `pagerank`. Directed graphs without
    in-edges (``in_edges=True``) add to the destinations of arcs atomically in a sweep. While the graph contains a
    weight that is negative or not finite, reading the ranks raises.

    Examples
    --------
    >>> from algorithms import DynamicPageRank
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> ranks = DynamicPageRank(graph, tol=1e-8)
    >>> ranks.pagerank.round(3)
    array([0.135, 0.246, 0.239, 0.246, 0.135])
    >>> graph.insert_edges([0], [4])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> ranks.pagerank.round(3)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """

    sees_changes = True  # of weights
    over_parts = True
    _local_share = LOCAL_SHARE

    def __init__(
        self, graph: fr.DynamicGraph, alpha: float = 0.85, tol: float = 1e-5, personalization: Any = None, *,
        weighted: bool | None = None, max_iter: int = 1000,
    ):  # fmt: skip
        super().__init__(graph)
        if weighted is not None:
            fr.advanced.arguments.flag(weighted, "weighted")
        check_parameters(alpha, tol, max_iter)
        if not (alpha < 1 and tol > 0):
            raise ValueError(f"alpha must be less than 1 and tol more than 0, got {alpha} and {tol}")
        self.alpha, self.tol, self.max_iter = float(alpha), float(tol), int(max_iter)
        self._weighted = weighted
        self._personal = None if personalization is None else distribution(graph, personalization, "personalization")
        self._uses_weights = graph.is_weighted and weighted is not False
        self._value = functors.weighted_share_of if self._uses_weights else neighbor_value
        # Increments that are sent in float32 are subtracted as such, so no error arises. Weights may exceed it.
        narrow = graph.device.is_gpu and not self._uses_weights
        self._moved_dtype = np.dtype(np.float32 if narrow else np.float64)
        self._bad = graph.xp.zeros(1, np.int32)
        self._product: fr.SpMV | None = None  # while ranks are brought up to date
        self._may_prepare = self._may_solve = True  # while they may still pay
        self._trials, self._tries = Trials(), True
        self._rounds = 0.0  # over all edges, since the ranks were last up to date
        self._make()
        self._attach()

    def _make(self) -> None:
        """Rank all vertices by `pagerank`, measure its time, and continue from its ranks."""
        self._most_rounds = math.inf
        self._start(self._ranks if self._rank() else None)

    @maintained
    def pagerank(self) -> Any:
        """The ranks: a new float64 array on the graph's device.

        Raises
        ------
        ConvergenceError
            The tolerance was not reached in `max_iter` rounds.
        ValueError
            The graph contains a weight that is negative or not finite.
        """
        return self.graph.divided(self._ranks, self._total if len(self._everyone) else 1.0)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Receive the shares that new edges carry."""
        if self._repairs("insert", src.size):
            self._changed()
            self._gain(src, dst)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Sum the shares that edges carry, while their weights exist."""
        if self._repairs("delete", src.size) and self._uses_weights:
            if self._taking:  # an update failed
                self._taken.fill(0)
            self._taking = True
            fr.visit_edges(self.graph, src, dst, functors.take, self._walk.sent, self._taken, self._both, output=False)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract the contributions of deleted edges."""
        if not src.size:
            return
        self._changed()
        if self._outdated:
            return
        if self._uses_weights:
            self._take_back(src, dst)
            self._find_totals(src, dst, always)
        else:
            walk = self._walk
            arrays = walk.totals, walk.sent, walk.received
            fr.visit_edges(self.graph, src, dst, functors.remove_edge, *arrays, self._both, output=False)

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Sum the shares that edges carry with their old weights."""
        self.edges_deleting(src, dst)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Receive their contributions with the new weights instead."""
        if self._uses_weights and not self._outdated and src.size:
            self._changed()
            self._take_back(src, dst)
            self._gain(src, dst)

    def vertices_changed(self) -> None:
        """Adjust the jump targets. Ranks are recomputed when they are next read."""
        if self._personal is not None:
            self._personal = self._fitted(self._personal)
        self._outdated, self._settled = True, False

    # ---- batches ----------------------------------------------------------------------------------------------------

    @property
    def _both(self) -> Any:
        return np.bool_(not self.graph.directed)

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether not to follow a batch: all vertices are then ranked again, from scratch or from the old ranks."""
        self._tries = self._tries and self._trials.pays(edges)
        return self._outdated or not self._tries

    def outdated(self, edges: int) -> None:
        """Have all vertices ranked when the ranks are read."""
        if edges or self._uses_weights:
            self._settled, self._outdated = False, True

    def _changed(self) -> None:
        """Mark the ranks as outdated."""
        self._settled = False
        self._drift += ROUNDING

    def _gain(self, src: Any, dst: Any) -> None:
        """Receive the shares that edges carry. Each step needs the result of the previous one for the whole batch."""
        graph, walk, ends = self.graph, self._walk, (self._fresh, self._both)
        if self._uses_weights:
            self._find_totals(src, dst, functors.note_end, walk.totals, self._fresh)
        else:
            fr.visit_edges(graph, src, dst, functors.add_edge, walk.totals, *ends, output=False)
        fr.visit_edges(graph, src, dst, functors.send_first, *ends, *walk, output=False)
        if self._uses_weights:
            fr.visit_edges(graph, src, dst, functors.receive_weighted, self._bad, *ends, *walk, output=False)
        else:
            fr.visit_edges(graph, src, dst, functors.receive, *ends, *walk, output=False)

    def _take_back(self, src: Any, dst: Any) -> None:
        """Subtract the contributions that were found before the edges changed."""
        received = self._walk.received
        fr.visit_edges(self.graph, src, dst, functors.take_from, self._taken, received, self._both, output=False)
        self._taking = False

    def _find_totals(self, src: Any, dst: Any, note: Any, *args: Any) -> None:
        """Sum up weights again: differences would lose all digits where a large weight goes."""
        graph, xp = self.graph, self.graph.xp
        ends = (dst, src) if graph.directed else (xp.concatenate([src, dst]), xp.concatenate([dst, src]))
        touched: Any = fr.visit_edges(graph, *ends, note, *args)  # of an edge, the second
        fr.neighbor_reduce(graph, touched, weight_of, out=self._walk.totals)
        fr.compute(touched, check_total, self._walk.totals, self._bad)

    # ---- ranks ------------------------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        """Bring the ranks up to date with the graph.

        Raises
        ------
        ValueError
            The graph contains a weight that is negative or not finite.
        """
        if self._uses_weights and not self._settled and int(self._bad[0]):
            self._start()
        elif not self._settled and (self._tries or not self._rank()):
            if self._outdated:
                self._start(self._ranks)
            else:
                self._settle()
            self._trials.note(self._rounds > self._most_rounds)
        self._tries = True

    def _rank(self) -> bool:
        """Rank all vertices by `pagerank`, after which the sent shares are unknown. False if that did not converge."""
        graph = self.graph
        self._outdated, self._everyone = True, fr.Frontier.all(graph)
        personal = self._personal if self._personal is not None and float(self._personal.sum()) > 0 else None
        found = pagerank(
            graph, self.alpha, self.max_iter, self.tol, personal, weighted=self._weighted, fail_on_nonconvergence=False
        )
        self._ranks, self._total = found.pagerank, 1.0
        if len(self._everyone):
            self._ranks = graph.divided(self._ranks, float(self._ranks.sum()))  # shares of float32 leave it near 1
        degree = graph.num_arcs / max(len(self._everyone), 1)
        rounds = max(found.iterations, 1) * (degree + STATIC_PASSES) / (degree + PASSES)
        self._most_rounds = min(rounds, MAX_RISE * self._most_rounds)
        self._settled = found.converged
        return self._settled

    def _start(self, kept: Any = None) -> None:
        """Initialize all state, and rank all vertices, starting from old ranks if given."""
        graph, xp = self.graph, self.graph.xp
        n = graph.num_vertices
        self._outdated = True  # until all of this has worked
        self._settled = False
        self._everyone = fr.Frontier.all(graph)
        jump = self._jumps()
        totals = graph.vertex_array(np.float64, totals_of(graph, self._weighted))
        self._ranks = graph.vertex_array(np.float64, jump)
        if kept is not None:
            ranks = self._fitted(kept)
            fr.compute(self._everyone, functors.raise_to_zero, ranks)
            total = float(ranks.sum())
            if total > LEAST_KEPT:
                self._ranks = graph.divided(ranks, total)
        sent, received, moved = (xp.zeros(n, dtype) for dtype in (np.float64, np.float64, self._moved_dtype))
        self._walk = functors.Walk(jump, self._ranks, totals, sent, received, moved, self.alpha)
        fr.compute(self._everyone, functors.send_all, *self._walk)
        self._fresh = xp.zeros(n, np.uint8)
        self._taken = xp.zeros(n if self._uses_weights else 0, np.float64)
        self._taking = False
        self._measures, self._slopes = xp.zeros(MEASURES, np.float64), xp.zeros(2, np.float64)
        self._total = 1.0
        self._drift = 0.0
        self._bad.fill(0)
        self._stale = True
        self._settle(BEGIN_BELOW)
        self._rounds += RESTART
        self._outdated = False
        self._tries = True

    def _fitted(self, values: Any) -> Any:
        """Values by vertex, as an array for the current vertices: 0 for new and for deleted ones."""
        fitted = self.graph.xp.zeros(self.graph.num_vertices, np.float64)
        fitted[: values.size] = values
        if self.graph.absent_mask is not None:
            fitted[self.graph.absent_mask] = 0
        return fitted

    def _jumps(self) -> Any:
        """The probability of each vertex as a jump target."""
        graph, personal = self.graph, self._personal
        if personal is not None:
            total = float(personal.sum())
            if total > 0:
                return personal / total
        jump = distribution(graph, None, "personalization")
        return graph.xp.zeros(graph.num_vertices, np.float64) if jump is None else jump

    def _settle(self, share: float = 1.0) -> None:
        """Send the pending amount until one more iteration would change the ranks by less than the tolerance in total.

        Or, if enough rounds are allowed, by less than a `share` of that.

        Raises
        ------
        ConvergenceError
            Not reached in `max_iter` rounds.
        """
        if not len(self._everyone):
            self._settled = True
            return
        stale, self._stale = self._stale, True  # until all of this has worked
        # Pending shares of an undirected graph are the residual of a symmetric system.
        self._may_prepare, self._may_solve = True, not self.graph.directed
        try:
            self._send_all(share, stale)
        finally:
            self._product = None
        self._stale, self._settled = False, True

    def _send_all(self, share: float, stale: bool) -> None:
        """The rounds of `_settle`. The ranks are summed up first if they are `stale`."""
        self._rounds = 0.0  # over all edges
        rounds, turns, found = 0, 0, self._sum_up() if stale else self._measure()
        begun, may_push = False, True
        while True:
            pending, net, self._total, jumps, weight, _ = found
            goal = self.alpha * self.tol * self._total
            error = pending + abs(net)
            if not (self.alpha and weight):  # nothing is ever sent
                break
            reached = error < share * goal or (error < goal and rounds >= self.max_iter)
            if reached and self._drift <= self.alpha * self.tol / 16:
                break
            if rounds >= self.max_iter:
                raise ConvergenceError(
                    f"DynamicPageRank did not reach tol={self.tol} in max_iter={self.max_iter} rounds; the next would "
                    f"change ranks by {error / goal * self.tol:.3g}. Make it with a larger tol or max_iter, or read "
                    "the result again to continue from there"
                )
            taken, most = 1, self.max_iter - rounds
            if reached:
                found = self._sum_up()
            # The pending amount of a batch near its edges may have one sign. It is sent there instead of scaling all
            # ranks.
            elif begun and not self._may_solve and abs(net) > SCALE_ABOVE * pending and _is_near(jumps, jumps - net):
                found = self._scale(jumps / (jumps - net))
            elif may_push and (pushes := self._push(pending / weight, goal / weight, weight, min(most, MAX_PUSHES))):
                taken, found = pushes, self._measure()
                may_push = pushes == MAX_PUSHES and found[0] + abs(found[1]) < error / 2
            else:
                turns += 1
                may_push = turns <= MAX_TURNS
                self._prepare(error, share * goal, most)
                taken, found = (
                    self._solve(found, share * goal, most, may_push) if self._may_solve else (1, self._sweep())
                )
                self._rounds += taken
            begun = begun or not reached
            rounds += taken
            self._drift += taken * ROUNDING

    def _measure(self, functor: Any = functors.measure_vertex, *more: Any) -> list[float]:
        """Add the received amounts to the ranks, and compute the sums of MEASURES."""
        found = fr.reduce(self._everyone, functor, *more, *self._walk, columns=MEASURES, out=self._measures)
        return self.graph.device.to_host(found).tolist()

    def _push(self, mean: float, goal: float, weight: float, most: int) -> int:
        """Push vertices with a large pending amount and few edges. Return the number of rounds, `most` at most, or 0 if
        they are too many.

        `mean` and `goal` are pending shares: the current mean over all arcs, and its target. All arcs weigh `weight`.
        """
        graph = self.graph
        most_arcs = int(self._local_share * graph.num_arcs)
        bounds = max(ABOVE_MEAN * mean, min(mean, goal)), WIDEST * weight / len(self._everyone)
        self._rounds += PUSH
        active = fr.filter(self._everyone, functors.has_pending, *bounds, *self._walk)
        if not active or active.num_arcs > most_arcs:
            return 0
        push = functors.push_weighted if self._uses_weights else functors.push
        return fr.traverse(
            graph, active, push, *bounds, *self._walk, prepare=functors.push_vertex, max_arcs=most_arcs, max_steps=most
        )

    def _prepare(self, error: float, goal: float, most: int) -> None:
        """Prepare products, once, if the following rounds are expected to be faster with them."""
        if not self._may_prepare:
            return
        self._may_prepare = False
        gain = GAIN_OF_STEPS if self._may_solve else GAIN
        rounds = int(min(math.log(error / goal, gain), most)) if goal > 0 else most
        if rounds > 0:
            product = self._product_for(rounds)
            self._product = product if product.layout.is_copy else None

    def _product_for(self, rounds: int, layout: str = "auto") -> fr.SpMV:
        """Products for this number of rounds."""
        return fr.SpMV(self.graph, transpose=True, weighted=self._uses_weights, products=rounds, layout=layout)

    def _solve(self, found: list[float], goal: float, most: int, may_push: bool) -> tuple[int, list[float]]:
        """Send the pending amount in conjugate directions, until the error is below `goal`, in `most` rounds at most.
        If vertices may be pushed afterwards, stop at a slow step.

        If the steps would need more rounds than sweeps, the rest of the work is left to sweeps. Accepts and returns the
        numbers of MEASURES, preceded in the result by the number of rounds.
        """
        pending, net, _, _, weight, energy = found
        error = first = pending + abs(net)
        rounds, kept = 0, 0.0
        while rounds < most and error >= goal:
            if rounds >= SLOW_STEPS and not error < RISE * first * max(self.alpha, MAX_LEFT) ** (rounds - SLOW_STEPS):
                self._may_solve = False
                break
            energy -= net * (net / weight)
            fr.compute(self._everyone, functors.turn, net / (1 - self.alpha) / weight, kept, *self._walk)
            self._gather(self._walk.moved)
            fr.reduce(self._everyone, functors.slope, *self._walk, columns=2, out=self._slopes)
            found = self._measure(functors.step_vertex, self._slopes)
            pending, net, _, _, _, now = found
            before, error = error, pending + abs(net)
            kept, energy = (now / energy if 0 <= now < MAX_KEPT * energy else 0.0), now
            rounds += 1
            if may_push and rounds > 1 and GAIN * error > before:
                break
        return rounds, found

    def _sweep(self) -> list[float]:
        """Have all vertices send their pending amounts."""
        fr.compute(self._everyone, functors.send_pending, *self._walk)
        self._gather(self._walk.moved)
        return self._measure()

    def _scale(self, factor: float) -> list[float]:
        """Multiply the sent and received amounts."""
        fr.compute(self._everyone, functors.scale_vertex, factor, *self._walk)
        return self._measure()

    def _sum_up(self) -> list[float]:
        """Sum up the ranks from the sent shares, without the errors of earlier sums."""
        self._gather(self._walk.sent)
        fr.compute(self._everyone, functors.set_rank, *self._walk)
        self._drift = LEAST_ERROR
        return self._measure()

    def _gather(self, shares: Any) -> None:
        """Have all vertices receive their neighbors' shares, replacing all received amounts."""
        product, received = self._product, self._walk.received
        if product is not None and product.order is not None:
            received[:] = product.restore(product(product.arrange(shares)))
        elif product is not None:
            product(shares, out=received)
        elif self.graph.has_in_edges:
            fr.neighbor_reduce(self.graph.reverse, self._everyone, self._value, shares, out=received)
        else:
            received.fill(0)
            give = functors.give_weighted if self._uses_weights else functors.give
            fr.advance(self.graph, self._everyone, give, shares, received)


def _is_near(one: float, other: float) -> bool:
    """Whether neither of two numbers is much larger than the other."""
    return one < MAX_SCALED * other and other < MAX_SCALED * one


class _OverParts(DynamicPageRank):
    """The same for a distributed graph: `pagerank` continues from the old ranks when they are read."""

    exact = False
    sees_changes = False

    def _make(self) -> None:
        self._start()

    @maintained
    def pagerank(self) -> Any:
        """The ranks: a new float64 array on the graph's device."""
        return self._ranks.copy()

    def _start(self, kept: Any = None) -> None:
        self._outdated = True  # until this has worked
        personal = self._personal if self._personal is not None and float(self._personal.sum()) > 0 else None
        found = pagerank(
            self.graph, self.alpha, self.max_iter, self.tol, personal, kept, weighted=self._weighted, layout="native"
        )
        self._ranks, self._outdated = found.pagerank, False

    def _bring_up(self) -> None:
        if not self._outdated:
            return
        kept = self._fitted(self._ranks)
        self._start(kept if float(kept.sum()) > 0 else None)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Have the ranks brought up to date when they are read."""
        self._outdated = True

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Does nothing: the deletion may still fail."""

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Have the ranks brought up to date when they are read."""
        self._outdated = True


DynamicPageRank.form_over_parts = _OverParts
