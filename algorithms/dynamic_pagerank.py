"""PageRank that is maintained incrementally.

The walk of `pagerank`, except that it ends at a dangling vertex (without outgoing edges); normalized to a sum of 1, the
ranks of both walks are the same. Every vertex remembers what it has sent: the share of its rank that each of its
neighbors has received over an edge of weight 1. A rank is the jump's part and what the vertex has received.

    ranks[v]      (1 - alpha) * jump[v], and what was received from the neighbors
    received[v]   what came since, which is to be added to ranks[v]
    totals[v]     total weight of v's outgoing edges; the share is alpha / totals[v] of the rank
    sent[v]       the share that the neighbors have; of a dangling vertex, anything
    moved[v]      what v sent last

A batch costs its own size: what an inserted edge brings is received, what a deleted one brought is taken back, and
`sent` stays. What is pending, the difference between shares and what was sent, is not stored; one pass over the
vertices finds its size, by which it is decided what comes next:

    push     vertices with much pending, and in turn those that they leave with much, send it. The arcs of a vertex are
             the fewer for what they achieve the larger its pending share is, so the largest shares go first.
    sweep    all vertices send what is pending; along in-edges each vertex sums up what it gets. On a CPU, from a
             snapshot of the graph if many sweeps are expected.
    scale    everything is multiplied by a number, after which pending shares add up to 0. Without this the slowest part
             of the error shrinks by a factor of alpha in a sweep, on R-MAT graphs all others by less than a half: it is
             the total rank, which batches change and the walk within a component conserves.

The error bound follows from what is pending. Let z be the ranks, s their sum, r what z would receive if all that is
pending were sent, t the sum of r, and G one iteration of `pagerank`. Then x = z / s adds up to 1, and

    G(x) - x = (r - t * jump) / s

G is a contraction by a factor of alpha in the L1 norm, so x is within d / (1 - alpha) of the exact ranks, where d is
the L1 norm of G(x) - x. The norm of r is at most the total of pending shares, each times the weight of its vertex's
edges.
Work ends when that and the absolute value of t are below alpha * tol * s, which is the guarantee of `pagerank` with the
same tolerance.

Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006 (pushing); Hong, "D-iteration:
Application to Differential Equations", 2012 (what was sent is remembered, so that the matrix may change); Sahu, "DF*
PageRank: Incrementally Expanding Approaches for Updating PageRank on Dynamic Graphs", 2024.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import frontier as fr

from .incremental import IncrementalAlgorithm, maintained
from .pagerank import LEAST_TOTAL, ConvergenceError, check_parameters, damping_of, distribution, pagerank

LOCAL_SHARE = 1 / 8
"""Vertices are pushed while they have at most this fraction of all arcs: an atomic addition per arc takes several times
as long as a read."""

ABOVE_MEAN = 1.0
FAR_ABOVE_MEAN = 4.0
"""Vertices are pushed whose pending share is the first multiple of the mean over all arcs; if these have too many arcs,
those with the second."""

BELOW_GOAL = 1 / 4
"""Pushes leave alone what could add up to this part of the tolerance."""

BEGIN_BELOW = 1 / 4
"""Ranks from scratch are made better than asked for by this factor. What is pending then lies everywhere: if it used up
the tolerance, the first small change would have all vertices send it."""

SCALE_ABOVE = 1 / 4
"""Ranks are scaled when this part of what is pending does not cancel out."""

MOST_SCALED = 2.0
"""They are scaled by no more than this factor, nor by less than its inverse."""

MOST_PUSHES = 32
"""Of vertices far above the mean, before all vertices are swept."""

GAIN = 2.3
"""The factor by which a sweep is expected to reduce what is pending."""

LEAST_KEPT = 0.1
"""Old ranks are used as a starting point only if their sum is larger."""

ROUNDING = 2.0**-50
"""Bound on the rounding error of ranks per round, relative to their sum."""

LEAST_ERROR = 2.0**-52
"""Rounding error of ranks that were just summed up."""

MEASURES = 5
"""Numbers that `_measure` sums up."""


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
    A batch takes work proportional to its edges; with weights, also to the arcs of their ends. Reading the ranks takes
    a few passes over the vertices, and work proportional to the arcs of vertices whose ranks move by more than their
    part of the tolerance; at worst that of a few iterations of `pagerank`. Directed graphs without in-edges
    (``in_edges=True``) add to the destinations of arcs atomically in a sweep. While the graph holds a weight that is
    negative or not finite, reading the ranks raises.

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
        self._value = _moved_by_weight if self._uses_weights else _moved
        # Increments that are sent in float32 are subtracted as such, so that no error arises; weights may exceed it.
        narrow = graph.device.is_gpu and not self._uses_weights
        self._moved_dtype = np.dtype(np.float32 if narrow else np.float64)
        self._bad = graph.xp.zeros(1, np.int32)
        self._product: fr.SpMV | None = None  # while ranks are brought up to date
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
        return self._ranks / self._total if len(self._everyone) else self._ranks.copy()

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Receive what new edges bring."""
        if not self._outdated and src.size:
            self._changed()
            self._gain(src, dst)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Find what edges bring whose weights will be gone."""
        if self._uses_weights and not self._outdated and src.size:
            if self._taking:  # an update failed
                self._taken.fill(0)
            self._taking = True
            fr.visit_edges(self.graph, src, dst, _take, self._sent, self._taken, self._both, output=False)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Take back what deleted edges brought."""
        if self._outdated or not src.size:
            return
        self._changed()
        if self._uses_weights:
            self._take_back(src, dst)
            self._find_totals(src, dst, _always)
        else:
            arrays = self._totals, self._sent, self._received
            fr.visit_edges(self.graph, src, dst, _remove_edge, *arrays, self._both, output=False)

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Find what edges bring with their old weights."""
        self.edges_deleting(src, dst)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Receive what they bring with their new weights instead."""
        if self._uses_weights and not self._outdated and src.size:
            self._changed()
            self._take_back(src, dst)
            self._gain(src, dst)

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

    # ---- batches ----------------------------------------------------------------------------------------------------

    @property
    def _both(self) -> Any:
        """Whether an edge is followed both ways."""
        return np.bool_(not self.graph.directed)

    def _changed(self) -> None:
        """Note that the ranks are no longer those of the graph."""
        self._settled = False
        self._drift += ROUNDING

    def _gain(self, src: Any, dst: Any) -> None:
        """Receive what edges bring. Each step needs that of the whole batch before it."""
        graph, both = self.graph, self._both
        if self._uses_weights:
            self._find_totals(src, dst, _note_end, self._totals, self._fresh)
        else:
            fr.visit_edges(graph, src, dst, _add_edge, self._totals, self._fresh, both, output=False)
        arrays = self._ranks, self._received, self._totals, self._sent, self._fresh
        fr.visit_edges(graph, src, dst, _send_first, *arrays, self.alpha, both, output=False)
        receive = _receive_weighted if self._uses_weights else _receive
        arrays = self._sent, self._received, self._fresh, self._bad
        fr.visit_edges(graph, src, dst, receive, *arrays, both, output=False)

    def _take_back(self, src: Any, dst: Any) -> None:
        """Subtract what was found before the edges changed."""
        fr.visit_edges(self.graph, src, dst, _take_from, self._taken, self._received, self._both, output=False)
        self._taking = False

    def _find_totals(self, src: Any, dst: Any, note: Any, *args: Any) -> None:
        """Sum up weights again: differences would lose all digits where a large weight goes."""
        graph, xp = self.graph, self.graph.xp
        ends = (dst, src) if graph.directed else (xp.concatenate([src, dst]), xp.concatenate([dst, src]))
        touched: Any = fr.visit_edges(graph, *ends, note, *args)  # of an edge, the second
        fr.neighbor_reduce(graph, touched, _weight, out=self._totals)
        fr.compute(touched, _check_total, self._totals, self._bad)

    # ---- ranks ------------------------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        """Bring the ranks up to date with the graph.

        Raises
        ------
        ValueError
            The graph holds a weight that is negative or not finite.
        """
        if self._uses_weights and not self._settled and int(self._bad[0]):
            self._start()
        elif self._outdated:
            self._start(self._ranks)
        elif not self._settled:
            self._settle()

    def _start(self, kept: Any = None) -> None:
        """Initialize all state, and rank all vertices, starting from old ranks if given."""
        graph, xp = self.graph, self.graph.xp
        n = graph.num_vertices
        self._outdated = True  # until all of this has worked
        self._settled = False
        self._everyone = fr.Frontier.all(graph)
        self._jump = self._jumps()
        damping = damping_of(graph, self.alpha, self._weighted)
        if self._uses_weights:
            self._totals = fr.neighbor_reduce(graph, None, _weight)
        else:
            self._totals = graph.degrees().astype(np.float64)
        self._ranks = self._jump.copy()
        if kept is not None:
            ranks = xp.zeros(n, np.float64)
            xp.maximum(kept, 0, out=ranks[: kept.size])  # rounding may have made one negative
            absent = graph.absent_mask
            if absent is not None:
                ranks[absent] = 0
            total = float(ranks.sum())
            if total > LEAST_KEPT:
                self._ranks = ranks / total
        self._sent = damping * self._ranks
        self._received = xp.zeros(n, np.float64)
        self._moved = xp.zeros(n, self._moved_dtype)
        self._fresh = xp.zeros(n, np.uint8)
        self._taken = xp.zeros(n if self._uses_weights else 0, np.float64)
        self._taking = False
        self._measures = xp.zeros(MEASURES, np.float64)
        self._total = 1.0
        self._drift = 0.0
        self._bad.fill(0)
        self._stale = True
        self._settle(BEGIN_BELOW)
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

    def _settle(self, share: float = 1.0) -> None:
        """Send what is pending until one more iteration would change the ranks by less than the tolerance in total.

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
        if stale:
            self._sum_up()
        try:
            self._send_all(share)
        finally:
            self._product = None
        self._stale, self._settled = False, True

    def _send_all(self, share: float) -> None:
        """The rounds of `_settle`."""
        rounds, begun = 0, False
        while True:
            pending, net, self._total, jumps, weight = self._measure()
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
                    f"change ranks by {error / goal * self.tol:.3g}. Make it with a larger tol or max_iter, or ask "
                    "again to go on from there"
                )
            if reached:
                self._sum_up()
            # What a batch leaves near its edges may have one sign: it is sent there, not made up for everywhere.
            elif begun and abs(net) > SCALE_ABOVE * pending and _is_near(jumps, jumps - net):
                self._scale(jumps / (jumps - net))
            else:
                rounds += self._send(pending / weight, goal / weight, not begun, self.max_iter - rounds) - 1
                begun = True
            rounds += 1
            self._drift += ROUNDING

    def _measure(self) -> list[float]:
        """Add what was received to the ranks, and sum up what they and the shares are.

        Returns
        -------
        list of float
            What is pending, without and with its sign; the ranks; of vertices that send anything, what jumps add to
            what they send; the weights of all arcs.
        """
        arrays = self._jump, self._received, self._ranks, self._totals, self._sent
        found = fr.reduce(
            self._everyone, _measure_vertex, *arrays, self.alpha, columns=MEASURES, out=self._measures
        )  # fmt: skip
        return self.graph.device.to_host(found).tolist()

    def _send(self, mean: float, goal: float, may_push_few: bool, most: int) -> int:
        """Send what is pending, by pushes or a sweep; returns the number of rounds, `most` at most.

        `mean` and `goal` are pending shares: the mean over all arcs, and what it is to be.
        """
        graph, arrays = self.graph, (self._ranks, self._totals, self._sent)
        most_arcs = int(LOCAL_SHARE * graph.num_arcs)
        enough = max(ABOVE_MEAN * mean, BELOW_GOAL * goal)
        if self._product is not None:
            return self._sweep()
        active = fr.filter(self._everyone, _has_pending, *arrays, self.alpha, enough)
        if active.num_arcs > most_arcs and self._prepares(mean, goal, most):
            return self._sweep()
        if active.num_arcs > most_arcs and may_push_few:
            enough = FAR_ABOVE_MEAN * mean
            active = fr.filter(active, _has_pending, *arrays, self.alpha, enough)
            most, most_arcs = min(most, MOST_PUSHES), most_arcs // 2
        if active and active.num_arcs <= most_arcs:
            push = _push_weighted if self._uses_weights else _push
            return fr.traverse(
                graph, active, push, *arrays, self._received, self._moved, self.alpha, enough, prepare=_push_vertex,
                max_arcs=most_arcs, max_steps=most,
            )  # fmt: skip
        return self._sweep()

    def _prepares(self, mean: float, goal: float, most: int) -> bool:
        """Whether products were prepared, from which the sweeps that are to come are expected to be faster."""
        sweeps = int(min(math.log(mean / goal, GAIN), most)) if goal * most > 0 else 0
        if self.graph.device.is_gpu or sweeps < 1:
            return False
        product = fr.SpMV(self.graph, transpose=True, weighted=self._uses_weights, products=sweeps)
        self._product = product if product.form.snapshot else None
        return self._product is not None

    def _sweep(self) -> int:
        """Have all vertices send what is pending; returns 1, the number of rounds."""
        fr.compute(self._everyone, _send_pending, self._ranks, self._totals, self._sent, self._moved, self.alpha)
        self._gather(self._moved)
        return 1

    def _scale(self, factor: float) -> None:
        """Multiply what was sent and received."""
        fr.compute(self._everyone, _scale_vertex, self._jump, self._ranks, self._sent, self.alpha, factor)

    def _sum_up(self) -> None:
        """Sum up the ranks from what was sent, without the errors of earlier sums."""
        self._gather(self._sent)
        fr.compute(self._everyone, _set_rank, self._jump, self._received, self._ranks, self.alpha)
        self._drift = LEAST_ERROR

    def _gather(self, shares: Any) -> None:
        """Have all vertices receive their neighbors' shares; nothing that was received before is left."""
        if self._product is not None:
            self._product(shares, out=self._received)
        elif self.graph.has_in_edges:
            fr.neighbor_reduce(self.graph.reverse, self._everyone, self._value, shares, out=self._received)
        else:
            self._received.fill(0)
            give = _give_weighted if self._uses_weights else _give
            fr.advance(self.graph, self._everyone, give, shares, self._received)


def _is_near(one: float, other: float) -> bool:
    """Whether neither of two numbers is much larger than the other."""
    return one < MOST_SCALED * other and other < MOST_SCALED * one


# ---- batches --------------------------------------------------------------------------------------------------------


def _add_edge(src, dst, edge, weight, totals, fresh, both):
    """Count a new edge; who had none is to send its first share."""
    if fr.atomic_add(totals, src, 1.0) == 0:
        fresh[src] = 1
    if both and fr.atomic_add(totals, dst, 1.0) == 0:
        fresh[dst] = 1


def _remove_edge(src, dst, edge, weight, totals, sent, received, both):
    """Discount a deleted edge, and take back what it brought."""
    fr.atomic_add(totals, src, -1.0)
    fr.atomic_add(received, dst, -sent[src])
    if both:
        fr.atomic_add(totals, dst, -1.0)
        fr.atomic_add(received, src, -sent[dst])


def _note_end(src, dst, edge, weight, totals, fresh):
    if totals[dst] < LEAST_TOTAL:
        fresh[dst] = 1
    return True


def _always(src, dst, edge, weight):
    return True


def _weight(src, dst, edge, weight):
    return weight


def _check_total(v, totals, bad):
    if totals[v] > 0 and not LEAST_TOTAL <= totals[v] < math.inf:
        bad[0] = 1


def _first_share(v, ranks, received, totals, alpha):
    """In the walk that stays at dangling vertices a vertex without edges has all rank that it keeps when it gets some:
    a geometric series, of which the rank here is the first term."""
    return alpha * (ranks[v] + received[v]) / ((1 - alpha) * totals[v])


def _send_first(src, dst, edge, weight, ranks, received, totals, sent, fresh, alpha, both):
    """Have a vertex with its first edges send a share."""
    if fresh[src] and totals[src] >= LEAST_TOTAL:
        sent[src] = _first_share(src, ranks, received, totals, alpha)
    if both and fresh[dst] and totals[dst] >= LEAST_TOTAL:
        sent[dst] = _first_share(dst, ranks, received, totals, alpha)


def _receive(src, dst, edge, weight, sent, received, fresh, bad, both):
    fresh[src] = 0
    fr.atomic_add(received, dst, sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(received, src, sent[dst])


def _receive_weighted(src, dst, edge, weight, sent, received, fresh, bad, both):
    if not 0 <= weight < math.inf:
        bad[0] = 1
    fresh[src] = 0
    fr.atomic_add(received, dst, weight * sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(received, src, weight * sent[dst])


def _take(src, dst, edge, weight, sent, taken, both):
    fr.atomic_add(taken, dst, weight * sent[src])
    if both:
        fr.atomic_add(taken, src, weight * sent[dst])


def _take_from(src, dst, edge, weight, taken, received, both):
    fr.atomic_add(received, dst, -fr.atomic_exch(taken, dst, 0.0))
    if both:
        fr.atomic_add(received, src, -fr.atomic_exch(taken, src, 0.0))


# ---- ranks ----------------------------------------------------------------------------------------------------------


def _measure_vertex(v, column, jump, received, ranks, totals, sent, alpha):
    """One of the numbers of `_measure`; the first is asked for first."""
    if column == 0:
        ranks[v] += received[v]
        received[v] = 0.0
    if column == 2:
        return ranks[v]
    if totals[v] < LEAST_TOTAL:
        return 0.0
    if column == 3:
        return alpha * (1 - alpha) * jump[v]
    if column == 4:
        return totals[v]
    pending = alpha * ranks[v] - totals[v] * sent[v]
    return abs(pending) if column == 0 else pending


def _has_pending(v, ranks, totals, sent, alpha, enough):
    return totals[v] >= LEAST_TOTAL and abs(alpha * ranks[v] - totals[v] * sent[v]) > enough * totals[v]


def _push_vertex(v, ranks, totals, sent, received, moved, alpha, enough):
    ranks[v] += fr.atomic_exch(received, v, 0.0)
    moved[v] = alpha * ranks[v] / totals[v] - sent[v]
    sent[v] += moved[v]


def _push(src, dst, edge, weight, ranks, totals, sent, received, moved, alpha, enough):
    rank = ranks[dst] + fr.atomic_add(received, dst, moved[src]) + moved[src]
    return totals[dst] >= LEAST_TOTAL and abs(alpha * rank - totals[dst] * sent[dst]) > enough * totals[dst]


def _push_weighted(src, dst, edge, weight, ranks, totals, sent, received, moved, alpha, enough):
    share = weight * moved[src]
    rank = ranks[dst] + fr.atomic_add(received, dst, share) + share
    return totals[dst] >= LEAST_TOTAL and abs(alpha * rank - totals[dst] * sent[dst]) > enough * totals[dst]


def _send_pending(v, ranks, totals, sent, moved, alpha):
    if totals[v] < LEAST_TOTAL:
        moved[v] = 0.0
    else:
        moved[v] = alpha * ranks[v] / totals[v] - sent[v]
        sent[v] += moved[v]


def _scale_vertex(v, jump, ranks, sent, alpha, factor):
    own = (1 - alpha) * jump[v]
    ranks[v] = own + factor * (ranks[v] - own)
    sent[v] *= factor


def _set_rank(v, jump, received, ranks, alpha):
    ranks[v] = (1 - alpha) * jump[v] + received[v]
    received[v] = 0.0


def _moved(src, dst, edge, weight, shares):
    return shares[dst]


def _moved_by_weight(src, dst, edge, weight, shares):
    return weight * shares[dst]


def _give(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, shares[src])
    return False


def _give_weighted(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, weight * shares[src])
    return False


class _OverParts(DynamicPageRank):
    """The same for a graph in several parts: `pagerank` goes on from the old ranks when they are read."""

    exact = False
    sees_changes = False

    @maintained
    def pagerank(self) -> Any:
        """The ranks: a new float64 array on the graph's device."""
        return self._ranks.copy()

    def _start(self, kept: Any = None) -> None:
        graph = self.graph
        self._outdated = True  # until this has worked
        personal = self._personal if self._personal is not None and float(self._personal.sum()) > 0 else None
        found = pagerank(
            graph, self.alpha, self.max_iter, self.tol, personal, kept, weighted=self._weighted, snapshot=False
        )
        self._ranks, self._outdated = found.pagerank, False

    def _bring_up(self) -> None:
        if not self._outdated:
            return
        graph, kept = self.graph, self.graph.xp.zeros(self.graph.num_vertices, np.float64)
        kept[: self._ranks.size] = self._ranks
        if graph.absent_mask is not None:
            kept[graph.absent_mask] = 0
        self._start(kept if float(kept.sum()) > 0 else None)

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Have the ranks brought up to date when they are read."""
        self._outdated = True

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Nothing to be done yet."""

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Have the ranks brought up to date when they are read."""
        self._outdated = True


DynamicPageRank.form_over_parts = _OverParts
