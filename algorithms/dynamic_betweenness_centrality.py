"""Betweenness centrality from a fixed sample of sources, maintained incrementally.

Every source has its distances, numbers of shortest paths, and shares of the paths, as a search from it computes them
(`_shortest_paths`). Up to 32 sources have a column each in arrays, a bit each in words, and are repaired together:

    distance[v, s]   length of a shortest path from s to v, `UNREACHED` for none. While distances are repaired,
                     ``-1 - distance`` (negative) if v has lost its last predecessor
    paths[v, s]      number of shortest paths from s to v
    behind[v, s]     per shortest path from s to v: v itself as a target, and the paths that continue from it
    sums[v, s]       sum of `behind` over the successors of v, so ``paths * sums`` is what s adds to the centrality of v
    gain[v, s]       paths that predecessors of v have gained, less the paths that they have lost
    down[v], up[v]   sources for which the number of paths to v, or of paths behind v, may have changed
    moved[v]         sources whose distance to v has changed, or may have become shorter
    low[v], high[v]  the last two bits of all distances, which tell at a glance which neighbors are a step nearer
    pull_down[v]     sources for which v counts the paths of all predecessors again
    pull_up[v]       sources for which v sums up the paths behind all successors again
    priority[v]      the level of v that is next: the lowest for sources in `down`, the highest, negative, in `up`
    total[v]         sum of ``paths * sums`` over all sources

An edge from u to v concerns only the sources for which v is farther than u. If v is one step farther, an inserted or
deleted edge changes the gain of v, and the sum of u, at once. The rest follows when the centralities are read:

1. Vertices that have lost as many paths as they had are cut off, and their successors lose these paths. Vertices that
   were cut off, or have a new edge from a nearer vertex, get the distance of their nearest neighbor plus 1, and shorter
   distances are relaxed.
2. Level by level, away from the sources, vertices add their gains, and pass on the changes to their successors. If the
   distance of a vertex or of a predecessor has changed, it counts its paths again.
3. Level by level, back to the sources, vertices pass on the changes of `behind` to their predecessors. Vertices whose
   distance has changed, and vertices that may have lost or gained a successor whose distance has changed, sum up the
   paths behind their successors again.
4. The centralities of all vertices of the last step are summed up again.

Numbers of paths are exact up to 2**53. Larger ones are always counted again. A sum of `behind` is computed again if it
has fallen to almost nothing, or if there are more paths to the vertex than before, and all are after some repairs, so
no rounding errors accumulate. A repair is given up, and all sources are searched again, when it has visited too many
arcs.

Bergamini and Meyerhenke, "Fully-Dynamic Approximation of Betweenness Centrality", ESA 2015; Green, McColl and Bader,
"A Fast Algorithm for Streaming Betweenness Centrality", SocialCom 2012; Jamour, Skiadopoulos and Kalnis, "Parallel
Algorithm for Incremental Betweenness Centrality on Large Graphs", IEEE Trans. Parallel Distrib. Syst. 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._arguments import sample_of
from ._listed import Listed, enlist
from ._shortest_paths import UNREACHED, WIDTH, Found, add_paths, found_by, passes_of
from ._source_words import lowest_bit
from ._trials import Trials
from .betweenness_centrality import scaled
from .incremental import IncrementalAlgorithm, maintained

ONE = np.uint64(1)
NONE = 2**30
"""The priority of vertices that are not queued: more than all levels."""
EXACT = 2.0**53
"""Smaller numbers of paths are exact."""
LEFT = 2.0**-20
"""A sum is computed again if less than this fraction of it is left: the rest may be rounding errors."""
GROWS = 17 / 16
"""A sum is also computed again if the number of paths, by which its error is multiplied, increases by this factor."""
MAX_REPAIRS = 256
"""All sources are searched again after this number of repairs. Each adds rounding errors to sums."""
MOST = 4.0
"""A repair is given up when it has visited the arcs of the graph this number of times, for each 32 sources."""
STEP = {"cpu": 2**11, "gpu": 2**20}
"""Every step of a repair counts as this number of arcs in addition."""
MOST_EDGES = 1 / 8
"""The edges of a batch of more than this fraction of all arcs are not looked at."""


class DynamicBetweennessCentrality(IncrementalAlgorithm):
    """Betweenness centrality, or its estimate from a fixed sample of sources, exact for them after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph edges are followed forward. Without in-edges (``in_edges=True``), all sources are searched
        again after a batch that concerns one. Weights are ignored.
    sources : array-like of int, optional
        The sources, by default all vertices, including later ones, or `k` of them. A source that is deleted does not
        count until it returns.
    k : int, optional
        Draw this number of sources at random, once.
    normalized, endpoints : bool
        As in `betweenness_centrality`.
    seed : int
        As in `betweenness_centrality`.

    Attributes
    ----------
    betweenness_centrality : array of float64, shape (num_vertices,)
        As in `betweenness_centrality` with the current `sources`, on the graph's device: a new array on each read. Work
        is deferred until it is read, so several batches between two reads cost one repair.
    sources : array of the graph's vertex dtype
        The existing sources, ascending.

    Raises
    ------
    TypeError, ValueError
        `sources` are no vertices of the graph, `k` is not positive, or another argument is invalid.

    Notes
    -----
    A batch costs a comparison for each edge and source, without a host synchronization on a GPU. The next read costs
    nothing more if both ends of each edge are equally far from every source. Otherwise it costs work proportional to
    the arcs of the vertices whose distances, numbers of paths or paths behind them change, for each 32 sources, and a
    few launches for each level. At most it costs a fraction of `betweenness_centrality` in addition to that, and fewer
    batches are tried afterwards. O(V) memory for each source: 28 bytes a vertex.

    Examples
    --------
    >>> from algorithms import DynamicBetweennessCentrality
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> betweenness = DynamicBetweennessCentrality(graph, normalized=False)
    >>> betweenness.betweenness_centrality
    array([0., 0., 4., 3., 0.])
    >>> graph.insert_edges([1], [3])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> betweenness.betweenness_centrality
    array([0. , 1. , 1. , 3. , 0. ])
    """

    _stale = True  # whether all sources must be searched again
    _follows = False  # whether arrays have the results of each source

    def __init__(
        self, graph: fr.DynamicGraph, sources: Any = None, *, k: int | None = None, normalized: bool = True,
        endpoints: bool = False, seed: int = 0,
    ):  # fmt: skip
        super().__init__(graph)
        fr.advanced.arguments.flag(normalized, "normalized")
        fr.advanced.arguments.flag(endpoints, "endpoints")
        self.normalized, self.endpoints = bool(normalized), bool(endpoints)
        chosen, self._existing = sample_of(graph, sources, k, seed)
        self._sample = None if sources is None and k is None else np.asarray(chosen, np.int64)
        self._sources = chosen
        self._trials = Trials()
        self._words: list[_Word] = []
        self._bring_up()
        self._attach()

    @maintained
    def betweenness_centrality(self) -> Any:
        """The centralities: a new float64 array on the graph's device."""
        return self._last.copy() if self.closed else self._result()

    @maintained
    def sources(self) -> Any:
        """The existing sources, ascending, on the graph's device."""
        return self.graph.xp.asarray(np.asarray(self._sources, self.graph.vertex_dtype))

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """List the ends of edges to farther vertices, by source."""
        self._list(src, dst, 1.0)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """List both ends of edges on shortest paths, by source."""
        self._list(src, dst, -1.0)

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether all sources will be searched again."""
        large = edges > MOST_EDGES * self.graph.num_arcs and not fr.advanced.is_warming_up()
        return self._stale or not self._follows or large

    def outdated(self, edges: int) -> None:
        """Have all sources searched again when the centralities are read."""
        if edges:
            self._trials.pays(edges)
            self._stale = True

    def vertices_changed(self) -> None:
        """Give entries to new vertices, and clear the entries of deleted ones."""
        graph = self.graph
        present = fr.Frontier.all(graph)
        existing = np.sort(graph.device.to_host(present.vertices))
        before, self._existing = self._sources, int(existing.size)
        self._sources = (existing if self._sample is None else np.intersect1d(self._sample, existing)).tolist()
        if self._sources != before:
            self._stale = True
        if self._stale or not self._follows:
            self._stale = True
            return
        self._stale = True  # until all arrays exist
        absent = ~present.mask
        self._total = _extended(graph, self._total, 0)
        self._total[absent] = 0
        for word in self._words:
            word.adapt(graph, absent)
        self._make_scratch()
        self._stale = False

    # ---- centralities -----------------------------------------------------------------------------------------------

    def _result(self) -> Any:
        found = self._total.copy()
        return scaled(self.graph, found, self._sources, self._existing, self.normalized, self.endpoints)

    def _finish(self) -> None:
        """Compute the result while the graph has the vertices that belong to it."""
        super()._finish()
        self._last = self._result()

    def _list(self, src: Any, dst: Any, sign: float) -> None:
        """List the ends of the edges of a batch, and change gains and sums."""
        if self.recomputes("", src.size):
            self.outdated(src.size)
            return
        self._size += int(src.size)
        both = np.bool_(not self.graph.directed)
        for word in self._words:
            args = *word.found, word.gain, word.moved, sign, both, *word.lists
            fr.visit_edges(self.graph, src, dst, _list_ends, *args, output=False)

    def _bring_up(self) -> None:
        """Repair what is listed, or search from all sources if that is cheaper."""
        if not self._stale and self._size:
            self._stale = True  # until all of this has worked
            if self._repairs < MAX_REPAIRS:
                self._trials.pays(self._size)
                self._stale = not self._repair()
                self._trials.note(self._stale)
        if self._stale:
            self._recompute()
        self._size = 0

    def _recompute(self) -> None:
        """Search from all sources. If the next batch is not to be repaired, their results are not stored."""
        graph, sources = self.graph, self._sources
        self._follows = False
        follows = not self._trials.skips
        if follows:
            self._make_words()
        copied = fr.advanced.copy_for_passes(graph, passes_of(sources))
        self._total = graph.xp.zeros(graph.num_vertices)
        kept = [word.found for word in self._words] if follows else []
        add_paths(copied, sources, self._total, self.endpoints, kept=kept)
        for word in self._words if follows else ():
            fr.compute(fr.Frontier.all(graph), _set_bits, word.found.distance, word.low, word.high)
            if self.endpoints:
                word.reached[:] = (word.found.paths > 0).sum(axis=0)
        self._follows, self._stale, self._repairs = follows, False, 0

    def _make_words(self) -> None:
        """Arrays for the results of all sources, without entries."""
        graph, parts = self.graph, [self._sources[i : i + WIDTH] for i in range(0, len(self._sources), WIDTH)]
        shapes = [(graph.num_vertices, len(part)) for part in parts]
        if shapes != [word.shape for word in self._words]:
            self._words = []  # their memory first
            self._words = [_Word(graph, *shape) for shape in shapes]
        else:
            for word in self._words:
                word.clear()
        self._make_scratch()

    def _make_scratch(self) -> None:
        """Arrays that all words share."""
        graph, xp, n = self.graph, self.graph.xp, self.graph.num_vertices
        sizes = [n * word.found.paths.shape[1] for word in self._words]
        pulled = xp.empty(max(sizes, default=0))
        for word, size in zip(self._words, sizes, strict=True):
            word.pulled = pulled[:size].reshape(n, -1)
        self._here, self._coming = xp.zeros(n, np.uint64), xp.zeros(2 * n, np.uint64)
        self._queue = fr.PriorityFrontier(graph, xp.full(n, NONE, np.int32))
        self._is_altered = xp.zeros(n, np.uint8)
        self._altered = Listed(graph).arguments

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _repair(self) -> bool:
        """Process what is listed. Return whether that was cheaper than to search from all sources."""
        graph = self.graph
        self._budget, self._repairs = 0.0, self._repairs + 1
        for word in self._words:
            if not any(graph.device.to_host(word.numbers).tolist()):
                continue
            if not graph.has_in_edges:
                return False
            self._budget += MOST * graph.num_arcs
            if not (self._mend_distances(word) and self._count_paths(word) and self._sum_behind(word)):
                return False
            fr.advanced.clear(word.numbers)
        listed, number, _ = self._altered
        altered = fr.Frontier.listed(graph, listed, number)
        if self.endpoints:
            altered |= fr.Frontier(graph, self._sources)
        for first, word in enumerate(self._words):
            fr.compute(
                altered, _sum_up, word.found.distance, word.found.paths, word.found.sums, word.reached, word.moved,
                self._total, self._is_altered, np.bool_(first == 0), np.bool_(self.endpoints),
            )  # fmt: skip
        fr.advanced.clear(number)
        return True

    def _spends(self, members: fr.Frontier) -> bool:
        """Whether a visit of the arcs of these vertices is within the budget."""
        self._budget -= members.num_arcs + STEP[self.graph.device.kind]
        return self._budget > 0 or fr.advanced.is_warming_up()

    def _pulls(
        self, word: _Word, members: fr.Frontier, pull: Any, first: float, op: Any, *args: Any, edges: str
    ) -> bool:
        """Reduce values of neighbors, from `first` on, for members and their sources in `pull`. Return whether that is
        within the budget."""
        pulling = fr.filter(members, _starts_to_pull, pull, word.pulled, first)
        if not pulling:
            return True
        self._visit(pulling, op, word.found.distance, *args, pull, word.pulled, edges=edges)
        return self._spends(pulling)

    def _visit(self, members: fr.Frontier, op: Any, *args: Any, edges: str) -> None:
        """Visit the edges of some vertices."""
        fr.advance(self.graph, members, op, *args, edges=edges, output=None, direction="push")

    def _mend_distances(self, word: _Word) -> bool:
        """Repair the distances of listed vertices, and list all others that change, unless it is too much work."""
        graph, n, here = self.graph, self.graph.num_vertices, self._here
        distance, paths, down = word.found.distance, word.found.paths, word.lists[:4]
        suspects = word.listed(graph, 0)
        while suspects:
            fr.compute(suspects, _find_inexact, paths, word.down, here)
            if not self._pulls(word, suspects, here, UNREACHED, _find_nearest, edges="in"):
                return False
            lost = fr.filter(suspects, _cut_off, distance, paths, word.gain, word.pulled, word.down, word.moved, here)
            if lost and not self._spends(lost):
                return False
            args = distance, paths, word.gain, here, *down
            suspects = fr.advance(graph, lost, _suspect, *args, direction="push")
        members = fr.filter(word.listed(graph, 0), _has_any, word.moved)
        if not members:
            return True
        if not self._pulls(word, members, word.moved, UNREACHED, _find_nearest, edges="in"):
            return False
        near = fr.filter(members, _come_nearer, distance, word.pulled, word.moved, self._coming)
        fr.traverse(
            graph, near, _relax, distance, here, self._coming, word.moved, *down, n, fr.advanced.StepCounter(0),
            prepare=_arrive,
        )  # fmt: skip
        moved = fr.filter(word.listed(graph, 0), _has_any, word.moved)
        self._visit(moved, _list_farther, distance, word.moved, word.pull_up, *word.lists[4:], edges="in")
        return self._spends(moved)

    def _count_paths(self, word: _Word) -> bool:
        """Count the paths to listed vertices again, level by level, unless it is too much work."""
        queue, here, distance, paths = self._queue, self._here, word.found.distance, word.found.paths
        order = queue.priority, queue.deferred
        bits = word.low, word.high
        state = distance, paths, word.gain, word.down, word.pull_down, word.moved, word.reached
        fr.compute(
            word.listed(self.graph, 0), _start_down, *state, *bits, word.found.behind, word.found.sums,
            self._is_altered, *self._altered, *order,
        )  # fmt: skip
        while members := queue.pop():
            fr.compute(members, _pull_level, distance, word.pull_down, here, queue.limit, np.int32(1))
            if not self._pulls(word, members, here, 0.0, _add_paths, *bits, paths, queue.limit, edges="in"):
                return False
            changed = fr.filter(
                members, _settle_paths, *state, word.pulled, here, queue.limit, *order, word.pull_up, *word.lists[4:]
            )
            self._visit(
                changed, _pass_down, distance, *bits, word.gain, word.down, word.pull_down, word.moved, word.pulled,
                here, queue.limit, *order, edges="out",
            )  # fmt: skip
            if not self._spends(changed):
                return False
        return True

    def _sum_behind(self, word: _Word) -> bool:
        """Sum up the paths behind listed vertices again, level by level, unless it is too much work."""
        queue, here = self._queue, self._here
        distance, _, behind, sums = word.found
        order, bits = (queue.priority, queue.deferred), (word.low, word.high)
        fr.compute(word.listed(self.graph, 1), _start_up, distance, word.up, word.pull_up, *order)
        while members := queue.pop():
            fr.compute(members, _pull_level, distance, word.pull_up, here, queue.limit, np.int32(-1))
            if not self._pulls(word, members, here, 0.0, _add_behind, *bits, behind, queue.limit, edges="out"):
                return False
            changed = fr.filter(
                members, _settle_behind, *word.found, word.up, word.pull_up, word.moved, word.pulled, here,
                queue.limit, *order, self._is_altered, *self._altered,
            )  # fmt: skip
            self._visit(
                changed, _pass_up, distance, *bits, sums, word.up, word.pull_up, word.moved, word.pulled, here,
                queue.limit, *order, edges="in",
            )  # fmt: skip
            if not self._spends(changed):
                return False
        return True


class _Word:
    """Up to `WIDTH` sources: their results, and the vertices whose results may have changed."""

    pulled: Any  # scratch memory of the shape of the results, for reductions and changes

    def __init__(self, graph: fr.Graph, num_vertices: int, count: int):
        self.shape = num_vertices, count
        self.found = found_by(graph, count)
        self.gain = graph.xp.zeros_like(self.found.paths)
        self.reached = graph.xp.zeros(self.gain.shape[1], np.int64)
        self._set_bits(graph, [graph.xp.zeros(num_vertices, np.uint64) for _ in range(7)])

    def _set_bits(self, graph: fr.Graph, bits: list[Any]) -> None:
        """Adopt these words, and list the vertices that have any."""
        self._bits, n = bits, graph.num_vertices
        self.down, self.up, self.moved, self.pull_down, self.pull_up, self.low, self.high = bits
        self.numbers = graph.xp.zeros(2, np.int64)
        self._ids = [graph.xp.empty(n, graph.vertex_dtype) for _ in range(2)]
        self.lists = self.down, self._ids[0], self.numbers[:1], n, self.up, self._ids[1], self.numbers[1:], n

    def listed(self, graph: fr.Graph, which: int) -> fr.Frontier:
        """The vertices that are listed in `down` (0) or `up` (1)."""
        return fr.Frontier.listed(graph, self._ids[which], self.numbers[which : which + 1])

    def clear(self) -> None:
        """Forget all results."""
        self.found.clear()
        fr.advanced.clear(self.numbers)
        for array in (self.gain, *self._bits):
            array.fill(0)

    def adapt(self, graph: fr.Graph, absent: Any) -> None:
        """Give entries to new vertices, and clear the entries of deleted ones."""
        self.shape = graph.num_vertices, self.shape[1]
        distance, *numbers = self.found
        distance = _extended(graph, distance, UNREACHED)
        *numbers, self.gain = (_extended(graph, array, 0) for array in (*numbers, self.gain))
        bits = [_extended(graph, array, 0) for array in self._bits]
        self.reached -= (numbers[0][absent] > 0).sum(axis=0)
        distance[absent] = UNREACHED
        for array in (*numbers, self.gain, *bits):
            array[absent] = 0
        self.found = Found(distance, *numbers)
        self._set_bits(graph, bits)
        for which in range(2):
            ids = graph.xp.flatnonzero(bits[which])
            self._ids[which][: ids.size] = ids
            self.numbers[which] = ids.size


def _extended(graph: fr.Graph, array: Any, value: Any) -> Any:
    """The array with entries for new vertices."""
    fresh = graph.num_vertices - len(array)
    if not fresh:
        return array
    return graph.xp.concatenate([array, graph.xp.full((fresh, *array.shape[1:]), value, array.dtype)])


# ---- batches ---------------------------------------------------------------------------------------------------------


def _list_ends(
    src, dst, edge, weight, distance, paths, behind, sums, gain, moved, sign, both, down, ids, number, room, up, others,
    count, most,
):  # fmt: skip
    """List the ends of an edge that is inserted (`sign` 1) or deleted (-1), for the sources that it concerns."""
    for turn in range(2):
        if turn == 0 or both:
            u = dst if turn else src
            v = src if turn else dst
            nearer = np.uint64(0)
            after = np.uint64(0)
            before = np.uint64(0)
            for s in range(distance.shape[1]):
                here = distance[u, s]
                if here + 1 == distance[v, s]:
                    after |= ONE << np.uint64(s)
                    fr.atomic_add(gain, (v, s), sign * paths[u, s])
                    if here > 0:
                        before |= ONE << np.uint64(s)
                        fr.atomic_add(sums, (u, s), sign * behind[v, s])
                elif sign > 0 and here < distance[v, s]:
                    nearer |= ONE << np.uint64(s)
            if nearer != 0:
                fr.atomic_or(moved, v, nearer)
            _want(v, after | nearer, down, ids, number, room)
            _want(u, before, up, others, count, most)
    return False


def _want(v, bits, words, ids, number, room):
    """Add sources to the word of v, and list v with the first."""
    if bits != 0 and fr.atomic_or(words, v, bits) == 0:
        enlist(v, ids, number, room)


def _has_any(v, words):
    return words[v] != 0


def _set_bits(v, distance, low, high):
    low[v] = 0
    high[v] = 0
    for s in range(distance.shape[1]):
        low[v] |= np.uint64(distance[v, s] & 1) << np.uint64(s)
        high[v] |= np.uint64(distance[v, s] >> 1 & 1) << np.uint64(s)


def _may_be_at(v, level, low, high):
    """The sources whose distance to v may be `level`: has the same last two bits."""
    ones = low[v] if level & 1 else ~low[v]
    twos = high[v] if level & 2 else ~high[v]
    return ones & twos


def _starts_to_pull(v, pull, pulled, first):
    bits = pull[v]
    while bits != 0:
        pulled[v, lowest_bit(bits)] = first
        bits &= bits - ONE
    return pull[v] != 0


def _add_from(u, v, level, distance, low, high, values, pull, pulled):
    """Add the values of u, if it is at a level, to what v pulls."""
    bits = pull[v] & _may_be_at(u, level, low, high)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[u, s] == level:
            fr.atomic_add(pulled, (v, s), values[u, s])
        bits &= bits - ONE


# ---- distances -------------------------------------------------------------------------------------------------------


def _find_nearest(src, dst, edge, weight, distance, pull, pulled):
    bits = pull[src]
    while bits != 0:
        s = lowest_bit(bits)
        if 0 <= distance[dst, s] < pulled[src, s]:
            fr.atomic_min(pulled, (src, s), np.float64(distance[dst, s]))
        bits &= bits - ONE
    return False


def _find_inexact(v, paths, down, here):
    """The sources for which the number of paths does not show whether there are any left."""
    bits = down[v]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if paths[v, s] >= EXACT:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    here[v] = found


def _cut_off(v, distance, paths, gain, pulled, down, moved, here):
    bits = down[v]
    inexact = here[v]
    lost = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = distance[v, s]
        if 0 < own < UNREACHED:
            cut = pulled[v, s] >= own if inexact >> np.uint64(s) & ONE != 0 else paths[v, s] + gain[v, s] == 0
            if cut:
                distance[v, s] = -1 - own
                lost |= ONE << np.uint64(s)
        bits &= bits - ONE
    moved[v] |= lost
    here[v] = lost
    return lost != 0


def _suspect(src, dst, edge, weight, distance, paths, gain, here, down, ids, number, room):
    bits = here[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == -distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), -paths[src, s])
        bits &= bits - ONE
    _want(dst, found, down, ids, number, room)
    return found != 0


def _come_nearer(v, distance, pulled, moved, coming):
    """Set the distances for sources in `moved`, and leave the ones there whose distance changes."""
    bits = moved[v]
    near = np.uint64(0)
    changed = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = distance[v, s]
        through = UNREACHED
        if pulled[v, s] < UNREACHED:
            through = int(pulled[v, s]) + 1
        if own < 0 or through < own:
            distance[v, s] = through
            changed |= ONE << np.uint64(s)
            if through < UNREACHED:
                near |= ONE << np.uint64(s)
        bits &= bits - ONE
    moved[v] = changed
    coming[v] = near
    return near != 0


def _arrive(src, distance, here, coming, moved, down, ids, number, room, n, step):
    at = (step & 1) * n + src
    here[src] = coming[at]
    coming[at] = 0


def _relax(src, dst, edge, weight, distance, here, coming, moved, down, ids, number, room, n, step):
    bits = here[src]
    near = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        through = distance[src, s] + 1
        if through < distance[dst, s] and fr.atomic_min(distance, (dst, s), through) > through:
            near |= ONE << np.uint64(s)
        bits &= bits - ONE
    if near == 0:
        return False
    _want(dst, near, down, ids, number, room)
    fr.atomic_or(moved, dst, near)
    fr.atomic_or(coming, ((step + 1) & 1) * n + dst, near)
    return True


def _list_farther(src, dst, edge, weight, distance, moved, pull, up, ids, number, room):
    """List dst for the sources for which it may have been before src."""
    bits = moved[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[src, s] <= distance[dst, s] < UNREACHED:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    if found != 0:
        fr.atomic_or(pull, dst, found)
        _want(dst, found, up, ids, number, room)
    return False


# ---- numbers of paths ------------------------------------------------------------------------------------------------


def _alter(v, is_altered, ids, number, room):
    """List v, once, to have its centrality summed up again."""
    if is_altered[v] == 0:
        is_altered[v] = 1
        enlist(v, ids, number, room)


def _start_down(
    v, distance, paths, gain, down, pull, moved, reached, low, high, behind, sums, is_altered, ids, number, room,
    priority, deferred,
):  # fmt: skip
    """Queue v at the lowest level. Clear the results of sources that do not reach it any more."""
    bits = down[v]
    if moved[v] != 0:
        _set_bits(v, distance, low, high)
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if distance[v, s] < UNREACHED:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, int(distance[v, s]))
        elif paths[v, s] > 0:
            paths[v, s] = 0
            gain[v, s] = 0
            behind[v, s] = 0
            sums[v, s] = 0
            fr.atomic_add(reached, s, -1)
            _alter(v, is_altered, ids, number, room)
        bits &= bits - ONE
    down[v] = rest
    moved[v] &= rest
    pull[v] = moved[v]
    if rest != 0:
        priority[v] = lowest
        fr.defer(deferred, v)


def _pull_level(v, distance, pull, here, limit, sign):
    """The sources that pull, of the current level of v. Levels are negative on the way back."""
    bits = pull[v]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if sign * distance[v, s] <= limit[0]:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    here[v] = found


def _add_paths(src, dst, edge, weight, distance, low, high, paths, limit, pull, pulled):
    _add_from(dst, src, limit[0] - 1, distance, low, high, paths, pull, pulled)
    return False


def _settle_paths(
    v, distance, paths, gain, down, pull, moved, reached, pulled, here, limit, priority, deferred, pull_up, up, ids,
    number, room,
):  # fmt: skip
    """Add the gain, or take over what was pulled, and leave the change in `pulled`."""
    bits = down[v]
    pulls = here[v]
    rest = np.uint64(0)
    again = np.uint64(0)
    changed = np.uint64(0)
    much = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        bit = ONE << np.uint64(s)
        bits &= bits - ONE
        old = paths[v, s]
        value = old + gain[v, s]
        if pulls & bit != 0:
            value = pulled[v, s]
        elif distance[v, s] <= limit[0] and max(old, value) >= EXACT:
            again |= bit
        if distance[v, s] > limit[0] or again & bit != 0:
            rest |= bit
            lowest = min(lowest, int(distance[v, s]))
            continue
        gain[v, s] = 0
        if value != old or moved[v] & bit != 0:
            if old == 0:
                fr.atomic_add(reached, s, 1)
            paths[v, s] = value
            pulled[v, s] = value - old
            changed |= bit
            if moved[v] & bit != 0 or value > GROWS * old:
                much |= bit
    down[v] = rest
    pull[v] = pull[v] & ~pulls | again
    priority[v] = lowest
    if rest != 0:
        fr.defer(deferred, v)
    here[v] = changed
    if changed != 0:
        pull_up[v] |= much
        _want(v, changed, up, ids, number, room)
    return changed != 0


def _pass_down(
    src, dst, edge, weight, distance, low, high, gain, down, pull, moved, pulled, here, limit, priority, deferred
):  # fmt: skip
    level = limit[0] + 1
    bits = here[src] & _may_be_at(dst, level, low, high)
    if bits == 0:
        return False
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == level:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), pulled[src, s])
        bits &= bits - ONE
    _want_next(dst, found, found & moved[src], down, pull, level, priority, deferred)
    return False


def _want_next(v, bits, pulls, words, pull, level, priority, deferred):
    """Add sources to the words of v, and queue it."""
    if bits != 0:
        fr.atomic_or(words, v, bits)
        fr.atomic_min(priority, v, level)
        fr.defer(deferred, v)
        if pulls != 0:
            fr.atomic_or(pull, v, pulls)


# ---- paths behind vertices -------------------------------------------------------------------------------------------


def _start_up(v, distance, up, pull, priority, deferred):
    bits = up[v]
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if 0 < distance[v, s] < UNREACHED:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, -int(distance[v, s]))
        bits &= bits - ONE
    up[v] = rest
    pull[v] &= rest
    if rest != 0:
        priority[v] = lowest
        fr.defer(deferred, v)


def _add_behind(src, dst, edge, weight, distance, low, high, behind, limit, pull, pulled):
    _add_from(dst, src, 1 - limit[0], distance, low, high, behind, pull, pulled)
    return False


def _settle_behind(
    v, distance, paths, behind, sums, up, pull, moved, pulled, here, limit, priority, deferred, is_altered, ids, number,
    room,
):  # fmt: skip
    """Compute `behind` from the sum, or from what was pulled, and leave the change in `pulled`."""
    bits = up[v]
    pulls = here[v]
    rest = np.uint64(0)
    again = np.uint64(0)
    changed = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        bit = ONE << np.uint64(s)
        bits &= bits - ONE
        if pulls & bit != 0:
            sums[v, s] = pulled[v, s]
        elif -distance[v, s] <= limit[0] and sums[v, s] < LEFT * (behind[v, s] - 1 / paths[v, s]):
            again |= bit
        if -distance[v, s] > limit[0] or again & bit != 0:
            rest |= bit
            lowest = min(lowest, -int(distance[v, s]))
            continue
        value = (1 + paths[v, s] * sums[v, s]) / paths[v, s]
        if value != behind[v, s] or moved[v] & bit != 0:
            pulled[v, s] = value - behind[v, s]
            behind[v, s] = value
            if distance[v, s] > 1:
                changed |= bit
    up[v] = rest
    pull[v] = pull[v] & ~pulls | again
    priority[v] = lowest
    if rest != 0:
        fr.defer(deferred, v)
    here[v] = changed
    _alter(v, is_altered, ids, number, room)
    return changed != 0


def _pass_up(
    src, dst, edge, weight, distance, low, high, sums, up, pull, moved, pulled, here, limit, priority, deferred
):  # fmt: skip
    level = -limit[0] - 1
    bits = here[src] & _may_be_at(dst, level, low, high)
    if bits == 0:
        return False
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == level:
            found |= ONE << np.uint64(s)
            fr.atomic_add(sums, (dst, s), pulled[src, s])
        bits &= bits - ONE
    _want_next(dst, found, found & moved[src], up, pull, -level, priority, deferred)
    return False


def _sum_up(v, distance, paths, sums, reached, moved, total, is_altered, is_first, endpoints):
    is_altered[v] = 0
    moved[v] = 0
    value = 0.0 if is_first else total[v]
    for s in range(distance.shape[1]):
        value += paths[v, s] * sums[v, s]
    if endpoints:
        for s in range(distance.shape[1]):
            if distance[v, s] == 0:
                value += reached[s] - 1
            elif distance[v, s] < UNREACHED:
                value += 1
    total[v] = value
