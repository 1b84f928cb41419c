"""Core numbers that are maintained incrementally.

Vertices have an order: by core number, and within a level (the vertices of one core number) by rank. Two numbers of
each vertex together prove that its core number is right:

    core[v]      the core number of v, between batches
    support[v]   neighbors u of v with core[u] >= core[v]
    rank[v]      position of v within its level. Each of several vertices with one rank
                 comes after all others. HELD while a batch has v removed from the order
    later[v]     neighbors of v that come after it
    former[v]    the rank of v before it moved, or fell
    count[v]     if v is held: neighbors of higher core numbers, and held neighbors at its
                 level. If v moves: the lowest rank among its later neighbors
    moved[v]     the number of the last step in which v moved
    tried[v]     the number of the last batch in which v moved without being held

* *support[v] >= core[v] for all v: no core number is too high.* Then the vertices with core[v] >= k form a graph of
  minimum degree k, and so are in the k-core.
* *later[v] <= core[v] for all v: none is too low.* Suppose that v is in a graph of minimum degree core[v] + 1. Consider
  its first vertex in the order. It comes no later than v, so its core number is no higher, and all of its neighbors in
  that graph come after it. They outnumber its core number: a contradiction.

**Deletions** lower both numbers, so only the first condition can fail. Vertices with too little support fall by 1, all
at once, and go to the end of the level below. At the new position a vertex has no more later neighbors than it had
support, since its support included the vertices that fell with it. No vertex below gets another later neighbor. Its
support is counted at its new level, and neighbors at the old level lose one for it. That is repeated until no support
is too low. The second condition is preserved throughout.

**Insertions** raise both, so only the second condition can fail. A vertex with too many later neighbors moves back in
its level, behind the first of them, which gets one more later neighbor and may have to move, too. Most moves end soon.
A vertex that must move again is *held*: it leaves the order. When nothing moves any more, the held vertices are peeled,
as in computing core numbers from scratch. A vertex whose count is at most its core number returns to the end of its
level, and no longer counts for its neighbors. The rest rise by 1, to the front of the level above, where they are later
neighbors of no vertex. Their support is their count, which is high enough. The number of their later neighbors equals
it, and may be too high again. That is repeated until none is. The first condition is preserved throughout.

All levels are worked on at once, since a step at one level changes no number of a vertex at another. Each parallel edge
counts: in a directed graph, both directions do. If a repair needs many visits or rounds, core numbers are recomputed
from scratch when they are next read.

Zhang, Yu, Zhang and Qin, "A Fast Order-Based Approach for Core Maintenance", ICDE 2017, for this order, as a list and
for single edges, while here vertices may share ranks; Sariyuce et al., "Streaming Algorithms for k-core Decomposition",
PVLDB 2013; Montresor, De Pellegrini and Miorandi, "Distributed k-Core Decomposition", TPDS 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._functors import value_of
from ._trials import Trials
from .core_number import core_number
from .incremental import IncrementalAlgorithm, maintained

HELD = np.int32(np.iinfo(np.int32).max)
MAX_RANK = 2**30
"""Ranks at the end only grow, and ranks at the front only fall. Before they overflow, they are reassigned."""

RECOMPUTE_ABOVE = 1 / 4
"""A repair is given up once it has cost this fraction of a recomputation."""

ROUND_ARCS = {"cpu": 2**15, "gpu": 2**20}
"""A round costs as much as a visit to this number of arcs, by device. A recomputation has one for each core number."""

WASTED = 2
"""The cost of a repair that is given up, in recomputations. The order is lost with it, and costs one more."""

LARGE_EDGES = 1 / 16
"""If a batch has more edges than this fraction of the arcs, most of the graph would be visited."""

SMALL_EDGES = {"cpu": 256, "gpu": 4096}
"""Batches up to this number of edges, by device, are always tried, for one round at least: recomputing the smallest
graph costs as much."""


class _Order(NamedTuple):
    """The order of the vertices, and what changes of it need. `found` lists the `size` vertices that are held."""

    core: Any
    support: Any
    later: Any
    rank: Any
    former: Any
    count: Any
    moved: Any
    tried: Any
    found: Any
    size: Any


class DynamicCoreNumber(IncrementalAlgorithm):
    """Core numbers, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph the degree of a vertex is its in-degree plus its out-degree, as in `core_number`. Without
        in-edges (``in_edges=True``), the core numbers of a directed graph are recomputed after every batch.

    Attributes
    ----------
    core_number : array of int32, shape (num_vertices,)
        On the graph's device, 0 for isolated and for deleted vertices. Read-only: on the CPU a view, which later
        batches may change, on the GPU a copy.
    degeneracy : int
        The largest core number.

    See Also
    --------
    core_number : Computes the result for the current graph.

    Notes
    -----
    A batch costs a look-up for each edge. Then an insertion costs two passes over the edges of each vertex that moves
    in the order. A deletion costs one over the edges of the vertices whose core numbers fall. Most edges of a batch
    lead to neither. If that would cost more than a quarter of a recomputation, core numbers are recomputed when results
    are next read.

    Examples
    --------
    >>> from algorithms import DynamicCoreNumber
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> cores = DynamicCoreNumber(graph)
    >>> cores.core_number
    array([1, 1, 1, 1, 1], dtype=int32)
    >>> graph.insert_edges([0], [2])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> cores.core_number
    array([2, 2, 2, 1, 1], dtype=int32)
    """

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._trials = Trials()
        # Whether the last batch was small enough to be worked on incrementally, and whether the next is likely to be.
        self._fits = self._orders = graph.has_in_edges
        self._recompute()
        self._attach()

    @maintained
    def core_number(self) -> Any:
        """The core number of every vertex: a read-only array of int32 on the graph's device."""
        return self.graph.device.read_only(self._order.core)

    @maintained
    def degeneracy(self) -> int:
        """The largest core number."""
        largest = fr.reduce(fr.Frontier.all(self.graph), value_of, self._order.core, reduce="max", dtype=np.int32)
        return max(int(largest[0]), 0)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether a batch cannot be worked on incrementally, or is not likely to pay."""
        pays = self._known and self._is_small(edges) and self._trials.pays() and self._ordered
        return not pays or max(self._last, -self._first) > MAX_RANK

    def outdated(self, edges: int) -> None:
        """Have core numbers recomputed when they are read."""
        if edges:
            self._note_size(edges)
            self._known = self._ordered = False

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Raise core numbers, round by round."""
        if not self._tries("insert", src):
            return
        self._batch += 1
        order = self._order
        crowded = self._visit(src, dst, _gain)
        while crowded:
            order.size.fill(0)
            while crowded:
                if not self._spend(2 * crowded.num_arcs):
                    return
                crowded = self._move_back(crowded)
            held = fr.Frontier(self.graph, order.found[: int(order.size[0])])
            if not held:
                break
            if not self._spend(2 * held.num_arcs):
                return
            fr.advance(self.graph, held, _count, *self._places, edges="both")
            self._put_back(held)
            self._first -= 1
            risen = fr.filter(held, _rise, self._first, *order)
            levels = order.core, order.support, order.rank, self._first
            fr.advance(self.graph, risen, _count_risen, *levels, edges="both")
            crowded = fr.filter(risen, _is_crowded, order.core, order.later, order.rank)
        self._trials.note(0)  # edges_deleted notes no success: deletions nearly always pay, and would excuse failures

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Lower core numbers, round by round."""
        if not self._tries("delete", src):
            return
        order = self._order
        falling = self._visit(src, dst, _lose)
        while falling:
            if not self._spend(falling.num_arcs):
                return
            self._last += 1
            fr.compute(falling, _fall, self._last, *order)
            others = fr.advance(self.graph, falling, _count_fallen, self._last, *order, edges="both")
            falling = fr.filter(falling, _falls_again, order.core, order.support) | others

    def vertices_changed(self) -> None:
        """Allocate entries for new vertices. Deleted ones have lost their edges before."""
        fresh = self.graph.num_vertices - int(self._order.core.size)
        if self._known and fresh:
            xp = self.graph.xp
            self._take(*(xp.concatenate([array, xp.zeros(fresh, np.int32)]) for array in self._order[:4]))

    # ---- steps ------------------------------------------------------------------------------------------------------

    def _visit(self, src: Any, dst: Any, op: Any) -> fr.Frontier:
        """Visit the edges of a batch in both directions."""
        xp = self.graph.xp
        return fr.visit_edges(self.graph, xp.concatenate([src, dst]), xp.concatenate([dst, src]), op, *self._order)

    def _tries(self, update: str, src: Any) -> bool:
        """Whether to work on a batch incrementally."""
        repairs = self._repairs(update, src.size)
        if repairs:
            self._note_size(src.size)
            price = ROUND_ARCS[self.graph.device.kind]
            self._left = (self.graph.num_arcs + self._largest * price) * RECOMPUTE_ABOVE + price
        return repairs

    def _is_small(self, edges: int) -> bool:
        """Whether to process a batch of this number of edges incrementally. Always true while kernels are loaded."""
        graph = self.graph
        most = max((graph.num_arcs + edges) * LARGE_EDGES, SMALL_EDGES[graph.device.kind])
        return graph.has_in_edges and (edges <= most or fr.advanced.is_warming_up())

    def _note_size(self, edges: int) -> None:
        """Decide whether the next order will be of use: if batches are now too large, now not, none is."""
        fitted, self._fits = self._fits, self._is_small(edges)
        self._orders = self._fits and (fitted or fr.advanced.is_warming_up())

    def _spend(self, arcs: int) -> bool:
        """Account for a visit to this number of arcs. False if recomputing, at the next read, is cheaper."""
        self._left -= arcs + ROUND_ARCS[self.graph.device.kind]
        if self._left < 0 and not fr.advanced.is_warming_up():
            self._known = self._ordered = False
            self._trials.note(WASTED)
        return self._known

    def _move_back(self, crowded: fr.Frontier) -> fr.Frontier:
        """Move vertices behind their next neighbors. Return the vertices that then have too many later neighbors."""
        order = self._order
        self._moves += 1
        self._last += 1  # the greatest rank that a vertex can move to
        fr.compute(crowded, _begin_move, order.rank, order.former, order.count)
        fr.advance(self.graph, crowded, _find_next, *self._places, edges="both")
        fr.compute(crowded, _move, self._moves, self._batch, *order)
        others = fr.advance(self.graph, crowded, _count_moved, self._moves, *order, edges="both")
        return fr.filter(crowded, _is_crowded, order.core, order.later, order.rank) | others

    def _put_back(self, held: fr.Frontier) -> None:
        """Put the held vertices whose counts are low at the end of their levels, in the order of peeling."""
        peeled = fr.filter(held, _is_peeled, *self._places, self._last + 1)
        last = fr.advanced.StepCounter(self._last + 2)
        steps = fr.traverse(self.graph, peeled, _peel, *self._places, last, edges="both")
        self._last += 1 + steps

    def _recompute(self) -> None:
        """Recompute from scratch, including the order if it is likely to be of use."""
        graph = self.graph
        found = core_number(graph)
        core = found.core_number
        zeros = graph.xp.zeros_like
        self._first = self._last = self._moves = self._batch = 0
        held = graph.xp.full_like(core, HELD)
        if graph.absent_mask is not None:  # a reinserted vertex is in the order, among the isolated vertices
            held[graph.absent_mask] = 0
        self._take(core, zeros(core), zeros(core), held)
        self._ordered = self._orders and not self._trials.skips
        if self._ordered:
            self._largest = found.degeneracy
            everything = fr.Frontier.all(graph)
            fr.advance(graph, everything, _count, *self._places, edges="both")
            self._order.support[:] = self._order.count
            self._put_back(everything)
            self._order.later[:] = self._order.count

    def _take(self, core: Any, support: Any, later: Any, rank: Any) -> None:
        """Adopt these arrays."""
        xp = self.graph.xp
        scratch = (xp.zeros_like(core) for _ in range(4))
        found, size = xp.empty(core.size, self.graph.vertex_dtype), xp.zeros(1, np.int64)
        self._order = _Order(core, support, later, rank, *scratch, found, size)
        self._known = True

    def _bring_up(self) -> None:
        if not self._known:
            self._recompute()

    @property
    def _places(self) -> tuple:
        """The first arguments of functors that only count neighbors by their position in the order."""
        return self._order.core, self._order.rank, self._order.count


def _gain(src, dst, edge, weight, *args):
    """True if dst has too many later neighbors now."""
    order = _Order(*args)
    if order.core[src] < order.core[dst]:
        return False
    fr.atomic_add(order.support, dst, 1)
    if order.core[src] == order.core[dst] and order.rank[src] < order.rank[dst]:
        return False
    return fr.atomic_add(order.later, dst, 1) == order.core[dst]


def _is_crowded(v, core, later, rank):
    return rank[v] != HELD and later[v] > core[v]


def _begin_move(v, rank, former, count):
    former[v] = rank[v]
    count[v] = HELD


def _find_next(src, dst, edge, weight, core, rank, count):
    if core[dst] == core[src] and rank[dst] >= rank[src]:
        fr.atomic_min(count, src, rank[dst])
    return False


def _move(v, moves, batch, *args):
    """Move v behind the next of its neighbors, or hold it if it has none, or has moved before."""
    order = _Order(*args)
    order.moved[v] = moves
    order.later[v] = 0
    if order.count[v] < HELD and order.tried[v] != batch:
        order.tried[v] = batch
        order.rank[v] = order.count[v] + 1
    else:
        order.rank[v] = HELD
        order.count[v] = 0
        order.found[fr.atomic_add(order.size, 0, 1)] = v


def _count_moved(src, dst, edge, weight, moves, *args):
    """Count the later neighbors of src at its new position. A neighbor that it was moved behind gets one more."""
    order = _Order(*args)
    if order.core[dst] > order.core[src]:
        fr.atomic_add(order.later, src, 1)
    if order.core[dst] != order.core[src]:
        return False
    place = order.rank[dst]
    if place >= order.rank[src]:
        fr.atomic_add(order.later, src, 1)
    if order.moved[dst] == moves or place == HELD or not order.former[src] < place <= order.rank[src]:
        return False
    return fr.atomic_add(order.later, dst, 1) == order.core[dst]


def _count(src, dst, edge, weight, core, rank, count):
    if core[dst] > core[src] or (core[dst] == core[src] and rank[dst] == HELD):
        fr.atomic_add(count, src, 1)
    return False


def _is_peeled(v, core, rank, count, last):
    if count[v] > core[v]:
        return False
    rank[v] = last
    return True


def _peel(src, dst, edge, weight, core, rank, count, last):
    # Vertices that are peeled in this step have counted src, too, which was peeled before.
    if core[dst] != core[src] or (rank[dst] != HELD and rank[dst] != last):
        return False
    if fr.atomic_add(count, dst, -1) != core[dst] + 1:
        return False
    rank[dst] = last
    return True


def _rise(v, first, *args):
    order = _Order(*args)
    order.later[v] = order.count[v]
    if order.rank[v] != HELD:
        return False
    order.core[v] += 1
    order.support[v] = order.count[v]
    order.rank[v] = first
    return True


def _count_risen(src, dst, edge, weight, core, support, rank, first):
    if core[dst] == core[src] and rank[dst] != first:
        fr.atomic_add(support, dst, 1)
    return False


def _lose(src, dst, edge, weight, *args):
    """True if dst has too little support now."""
    order = _Order(*args)
    if order.core[src] < order.core[dst]:
        return False
    if order.core[src] > order.core[dst] or order.rank[src] >= order.rank[dst]:
        fr.atomic_add(order.later, dst, -1)
    return fr.atomic_add(order.support, dst, -1) == order.core[dst]


def _fall(v, last, *args):
    order = _Order(*args)
    order.core[v] -= 1
    order.support[v] = 0
    order.later[v] = 0
    order.former[v] = order.rank[v]
    order.rank[v] = last


def _count_fallen(src, dst, edge, weight, last, *args):
    """Count for src at its new level. A neighbor that has stayed at the old one loses src."""
    order = _Order(*args)
    if order.core[dst] >= order.core[src]:
        fr.atomic_add(order.support, src, 1)
        if order.core[dst] > order.core[src] or order.rank[dst] == last:
            fr.atomic_add(order.later, src, 1)
    if order.core[dst] != order.core[src] + 1 or order.rank[dst] == last:
        return False
    if order.former[src] >= order.rank[dst]:
        fr.atomic_add(order.later, dst, -1)
    return fr.atomic_add(order.support, dst, -1) == order.core[dst]


def _falls_again(v, core, support):
    return support[v] < core[v]
