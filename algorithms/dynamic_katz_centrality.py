"""Katz centrality that is maintained incrementally.

Every vertex stores the centrality that it has sent to its neighbors, and the sum of the amounts that it has received. A
batch changes these sums only.

    start[v]    beta, 0 for a deleted vertex
    sent[v]     the centrality of v that its neighbors have received
    sums[v]     the sum of `sent` over the vertices that point to v: start[v] + alpha *
                sums[v] is v's centrality
    ahead[v]    the centrality of v, which the next sweep sends. During pushes, the amount
                that v pushed last

A batch costs its own size: an inserted edge adds the amount that its source has sent to the sum of its destination, and
a deleted edge subtracts it. The centralities are an iteration of `katz_centrality` that starts from `sent`. So the
pending amount, the difference between a centrality and the sent amount, is the change by that iteration. Work ends when
its mean is below the tolerance, as in `katz_centrality`. One pass over the vertices computes the mean. Another alpha
changes pending amounts only, as neither `sent` nor `sums` contains alpha. Two steps reduce the pending amount:

    push     vertices with a large pending amount per edge send it, and in turn neighbors
             that then have one
    sweep    all vertices send their centralities, and all sums are computed from scratch:
             an iteration of `katz_centrality` that starts closer to the result

After batches that are a large share of the graph, sums are computed from scratch instead of edge by edge.

Katz, "A New Status Index Derived from Sociometric Analysis", Psychometrika 1953; Nathan and Bader, "A Dynamic Algorithm
for Updating Katz Centrality in Graphs", ASONAM 2017 (the residual of the old result); van der Grinten, Bergamini,
Green, Bader and Meyerhenke, "Scalable Katz Ranking Computation in Large Static and Dynamic Graphs", ESA 2018; Hong,
"D-iteration: Application to Differential Equations", 2012 (remembered amounts, under which the matrix may change).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._functors import value_of
from .incremental import IncrementalAlgorithm, maintained
from .katz_centrality import PASSES, check_parameters, default_alpha
from .pagerank import ConvergenceError

LARGE, FEW_EDGES = 1 / 100, 64
"""Sums are computed from scratch after a batch of more edges than this fraction of all arcs, plus a constant. To look
up the edge of a batch costs as much as to read 25 arcs, and such batches need two sweeps anyway, on R-MAT graphs."""

LOCAL_SHARE = 1 / 8
"""Vertices are pushed while they have at most this fraction of all arcs."""

ABOVE_MEAN, NEXT_ABOVE_MEAN = 4.0, 1 / 2
"""A vertex is pushed if its pending amount per arc is above this multiple of the mean that the tolerance allows, and
its neighbors are if theirs are above the second. An arc of a push costs about four times as much as one of a sweep."""

MOST_LEFT = 3 / 4
"""Vertices are pushed if all other vertices have at most this fraction of the pending amount that the tolerance allows.
A sweep that follows would make the pushes useless."""

MAX_PUSHES = 8
"""Rounds of pushes at once. More follow if these have halved the pending amount, and a sweep otherwise."""

MAX_SWEEPS = 2
"""Sweeps that may be followed by pushes."""

FAR = 1 / 16
"""Iteration starts from scratch if more than this fraction of the centralities is pending, and more than would be after
the first sweep from scratch."""

LEAST_GAIN = 1.1
"""A sweep is expected to reduce the pending amount by at least this factor, or else by the factor of the last sweep."""

ROUNDING = 2.0**-50
"""Bound on the rounding error of centralities per batch or round, relative to their sum."""


class Amounts(NamedTuple):
    """The amounts that are sent and received: see the top of the file."""

    start: Any
    sums: Any
    sent: Any
    ahead: Any
    alpha: Any


class DynamicKatzCentrality(IncrementalAlgorithm):
    """Katz centrality, within a tolerance after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        Weights are ignored.
    alpha : float, optional
        As in `katz_centrality`. The default, 1 / (largest degree + 1), follows the largest degree of the graph, so a
        batch at the vertex with that degree changes all centralities a little. Pass a number for a fixed alpha. It must
        stay below the inverse of the largest eigenvalue while the graph grows.
    beta : float
        Weight of a walk without edges.
    max_iter : int
        Maximum number of rounds per read of the centralities. In a round all vertices are pushed, or the active ones.
    tol : float
        As in `katz_centrality`: the last iteration changed vertices by less than this on average, before scaling.
    normalized : bool
        Scale the result to a Euclidean norm of 1, unless it is 0.

    Attributes
    ----------
    katz_centrality : array of float64, shape (num_vertices,)
        On the graph's device: a new array on each read. Deleted vertices have 0. Work is deferred until it is read, so
        several batches between two reads cost one computation.
    alpha : float
        The factor that belongs to the centralities.

    Raises
    ------
    ConvergenceError
        The tolerance was not reached in `max_iter` rounds: here, or when the centralities are read. Perhaps alpha has
        become too large for the graph. The next read starts from scratch.
    TypeError, ValueError
        An argument is invalid.

    See Also
    --------
    katz_centrality : Computes the result for the current graph.

    Notes
    -----
    A batch costs work proportional to its edges. Reading the centralities costs a few passes over the vertices, and
    work proportional to the arcs of vertices whose centralities change by more than their share of the tolerance. At
    worst it costs about as many iterations of `katz_centrality` as that needs from the old centralities. O(V) memory.

    In R-MAT 18/16 with the default parameters, the changes by about 3,000 edges stay within the tolerance. Each third
    batch of 1,024 edges costs a sweep, and `katz_centrality` costs four and a static copy.

    Examples
    --------
    >>> from algorithms import DynamicKatzCentrality
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> katz = DynamicKatzCentrality(graph, tol=1e-8)
    >>> katz.katz_centrality.round(3)
    array([0.357, 0.487, 0.52 , 0.487, 0.357])
    >>> graph.insert_edges([0], [4])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> katz.katz_centrality.round(3)
    array([0.447, 0.447, 0.447, 0.447, 0.447])
    """

    def __init__(
        self, graph: fr.DynamicGraph, alpha: float | None = None, beta: float = 1.0, *, max_iter: int = 1000,
        tol: float = 1e-6, normalized: bool = True,
    ):  # fmt: skip
        super().__init__(graph)
        check_parameters(alpha, beta, max_iter, tol, normalized)
        self._given_alpha = None if alpha is None else float(alpha)
        self.beta, self.max_iter, self.tol, self.normalized = float(beta), int(max_iter), float(tol), bool(normalized)
        self._alpha, self._gain = 0.0, LEAST_GAIN
        self._product: fr.SpMV | None = None  # while pending amounts are sent
        self._error, self._forecast = (graph.xp.zeros(columns, np.float64) for columns in (1, 2))
        self._start_over()
        self._bring_up()
        self._attach()

    @maintained
    def katz_centrality(self) -> Any:
        """The centralities: a new float64 array on the graph's device.

        Raises
        ------
        ConvergenceError
            The tolerance was not reached in `max_iter` rounds.
        """
        return self._last.copy() if self.closed else self._result()

    @maintained
    def alpha(self) -> float:
        """The factor by which each further edge multiplies a walk's weight."""
        return self._alpha

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Have the ends of new edges receive the amounts that their neighbors have sent."""
        if self._repairs("insert", src.size):
            self._receive(src, dst, 1.0)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Subtract the amounts that the ends of deleted edges have received."""
        if self._repairs("delete", src.size):
            self._receive(src, dst, -1.0)

    def vertices_changed(self) -> None:
        """Adapt the arrays. A new vertex has no neighbors, so nothing of it is pending."""
        was, sums, sent = self._present, self._sums, self._sent
        self._make_arrays()
        old = was.size
        kept = was & self._present[:old]
        where = self.graph.xp.where
        self._sums[:old] = where(kept, sums, 0)
        self._sent[:old] = where(kept, sent, self._start[:old])
        self._settled = False

    # ---- batches ----------------------------------------------------------------------------------------------------

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether sums will be computed from scratch."""
        return self._stale or (edges > LARGE * self.graph.num_arcs + FEW_EDGES and not fr.advanced.is_warming_up())

    def outdated(self, edges: int) -> None:
        """Have sums computed from scratch when the centralities are read."""
        if edges:
            self._settled, self._stale = False, True

    def _receive(self, src: Any, dst: Any, sign: float) -> None:
        self._settled = False
        self._drift += ROUNDING * self._total
        both = np.bool_(not self.graph.directed)
        fr.visit_edges(self.graph, src, dst, _receive, self._sent, self._sums, sign, both, output=False)

    # ---- centralities -----------------------------------------------------------------------------------------------

    def _result(self) -> Any:
        by = 1.0
        if self.normalized and self._total > 0:  # squares of fractions cannot overflow
            squares = fr.reduce(self._everyone, _square_of_share, self._ahead, self._total)
            by = self._total * math.sqrt(float(squares[0]))
        return self.graph.divided(self._ahead, by)

    def _finish(self) -> None:
        """Compute the result while the graph has the vertices that belong to it."""
        super()._finish()
        self._last = self._result()

    @property
    def _amounts(self) -> Amounts:
        return Amounts(self._start, self._sums, self._sent, self._ahead, self._alpha)

    def _make_arrays(self) -> None:
        """Arrays for the current vertices, as if each had sent `start` and received nothing."""
        self._everyone = fr.Frontier.all(self.graph)
        self._present = self._everyone.mask
        self._start = self._present * self.beta
        self._sent = self._start.copy()
        self._sums, self._ahead = (self.graph.xp.zeros(self._start.size, np.float64) for _ in range(2))

    def _start_over(self) -> None:
        """Return to the state before the first iteration."""
        self._make_arrays()
        self._settled, self._stale = False, True
        self._total = self._drift = 0.0

    def _bring_up(self) -> None:
        """Send pending amounts until their mean is below the tolerance.

        Raises
        ------
        ConvergenceError
            Not reached in `max_iter` rounds.
        """
        if self._settled:
            return
        stale, self._stale = self._stale, True  # until all of this has worked
        self._alpha = default_alpha(self.graph) if self._given_alpha is None else self._given_alpha
        try:
            self._settle(stale)
        finally:
            self._product = None
        self._total = float(fr.reduce(self._everyone, value_of, self._ahead)[0])
        self._settled, self._stale = True, False

    def _settle(self, stale: bool) -> None:
        """The rounds of `_bring_up`. Sums are computed first if they are `stale`."""
        goal = self.tol * max(self.graph.num_vertices, 1)
        if stale:
            self._gather(PASSES)
        rounds, error = int(stale), self._measure()
        first = self._alpha * self.beta * self.graph.num_arcs  # the pending amount after the first sweep from scratch
        if error > max(goal, 2 * first, FAR * self._total):
            self._sent[:] = self._start
            self._gather(PASSES)
            rounds, error = rounds + 1, self._measure()
        sweeps, may_push = 0, not stale
        while not (error < goal and self._drift <= goal / 16):
            if rounds >= self.max_iter or not math.isfinite(error):
                alpha = self._alpha
                self._start_over()
                raise ConvergenceError(
                    f"DynamicKatzCentrality did not reach tol={self.tol} in max_iter={self.max_iter} rounds; the last "
                    f"one changed a vertex by {error / max(self.graph.num_vertices, 1):.3g} on average. Make it with a "
                    f"lower alpha than {alpha:.3g}, or with a larger tol or max_iter"
                )
            before = error
            pushes = self._push(goal, min(self.max_iter - rounds, MAX_PUSHES)) if may_push and error >= goal else 0
            if pushes:
                self._drift += pushes * ROUNDING * self._total
                rounds, error = rounds + pushes, self._measure()
                may_push = error < before / 2
            else:
                self._sent, self._ahead = self._ahead, self._sent
                self._gather(self._sweeps_to(error, goal))
                rounds, error, sweeps = rounds + 1, self._measure(), sweeps + 1
                self._gain = before / error if error > 0 else self._gain
                may_push = not stale and sweeps <= MAX_SWEEPS

    def _sweeps_to(self, error: float, goal: float) -> int:
        """The expected number of sweeps until the pending amount is below `goal`, at least 1."""
        ratio = max(error / goal, 1.0) if goal > 0 else math.inf
        return int(min(1 + math.log(ratio) / math.log(max(self._gain, LEAST_GAIN)), self.max_iter))

    def _measure(self) -> float:
        """Return the pending amount, and compute the centralities."""
        fr.reduce(self._everyone, _measure_vertex, *self._amounts, out=self._error)
        return self.graph.device.to_host(self._error).tolist()[0]

    def _push(self, goal: float, most: int) -> int:
        """Push vertices with a large pending amount per edge. Return the number of rounds, `most` at most, or 0 if they
        have too many edges, or the rest of the vertices has too much."""
        graph = self.graph
        most_arcs = int(LOCAL_SHARE * graph.num_arcs)
        mean = goal / max(graph.num_arcs, 1)
        degrees, amounts = graph.degrees(), self._amounts
        pushed = degrees, ABOVE_MEAN * mean, *amounts
        found = fr.reduce(self._everyone, _foresee, *pushed, columns=2, out=self._forecast)
        left, arcs = graph.device.to_host(found).tolist()
        if (left > MOST_LEFT * goal or arcs > most_arcs) and not fr.advanced.is_warming_up():
            return 0
        active = fr.filter(self._everyone, _is_pending, *pushed)
        return fr.traverse(
            graph, active, _push, degrees, NEXT_ABOVE_MEAN * mean, *amounts, prepare=_push_vertex, max_arcs=most_arcs,
            max_steps=most,
        )  # fmt: skip

    def _gather(self, sweeps: int) -> None:
        """Compute all sums from scratch, as about this number of sweeps will."""
        if self._product is None:
            self._product = fr.SpMV(self.graph, transpose=True, weighted=False, products=sweeps)
        product = self._product
        if product.order is None:
            product(self._sent, out=self._sums)
        else:
            self._sums = product.restore(product(product.arrange(self._sent)))
        self._drift = 0.0


def _receive(src, dst, edge, weight, sent, sums, sign, both):
    fr.atomic_add(sums, dst, sign * sent[src])
    if both:
        fr.atomic_add(sums, src, sign * sent[dst])


def _measure_vertex(v, *args):
    amounts = Amounts(*args)
    amounts.ahead[v] = _centrality(amounts, v)
    return abs(amounts.ahead[v] - amounts.sent[v])


def _centrality(amounts, v):
    return amounts.start[v] + amounts.alpha * amounts.sums[v]


def _is_pending(v, degrees, enough, *args):
    amounts = Amounts(*args)
    return abs(_centrality(amounts, v) - amounts.sent[v]) > enough * degrees[v]


def _foresee(v, column, degrees, enough, *args):
    """The pending amount of vertices that are not pushed, and the arcs of vertices that are."""
    amounts = Amounts(*args)
    pending = abs(_centrality(amounts, v) - amounts.sent[v])
    if pending > enough * degrees[v]:
        return degrees[v] if column else 0.0
    return 0.0 if column else pending


def _push_vertex(v, degrees, enough, *args):
    amounts = Amounts(*args)
    value = _centrality(amounts, v)
    amounts.ahead[v] = value - amounts.sent[v]
    amounts.sent[v] = value


def _push(src, dst, edge, weight, degrees, enough, *args):
    amounts = Amounts(*args)
    total = fr.atomic_add(amounts.sums, dst, amounts.ahead[src]) + amounts.ahead[src]
    return abs(amounts.start[dst] + amounts.alpha * total - amounts.sent[dst]) > enough * degrees[dst]


def _square_of_share(v, values, total):
    share = values[v] / total
    return share * share
