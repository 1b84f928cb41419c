"""Betweenness centrality from a fixed sample of sources, maintained incrementally.

Every source has its distances, numbers of shortest paths, and shares of the paths, as a search from it computes them
(`_shortest_paths`). Up to 32 sources have a column each in arrays, a bit each in words, and are repaired together:

    distance[v, s]   length of a shortest path from s to v, `UNREACHED` for none. While
                     distances are repaired, ``-1 - distance`` (negative) if v has lost its
                     last predecessor
    paths[v, s]      number of shortest paths from s to v
    behind[v, s]     per shortest path from s to v: v itself as a target, and the paths that
                     continue from it
    sums[v, s]       sum of `behind` over the successors of v, so ``paths * sums`` is what s
                     adds to the centrality of v
    gain[v, s]       paths that predecessors of v have gained, less the paths that they have
                     lost
    down[v], up[v]   sources for which the number of paths to v, or of paths behind v, may
                     have changed
    moved[v]         sources whose distance to v has changed, or may have become shorter
    again[v]         sources for which v sums up the paths behind all successors again
    last[v]          the last two bits of all distances, of source s at bits s and s + 32,
                     which tell at a glance which neighbors may be a step nearer
    priority[v]      minus the largest distance of v from sources in `up`: the farthest
                     vertices come first
    total[v]         sum of ``paths * sums`` over all sources

An edge from u to v concerns only the sources for which v is farther than u. If v is one step farther, an inserted or
deleted edge changes the gain of v, and the sum of u, at once. The rest follows when the centralities are read:

1. Vertices that have lost as many paths as they had are cut off, and their successors lose these paths. Vertices that
   were cut off, or have a new edge from a nearer vertex, get the distance of their nearest neighbor plus 1, and shorter
   distances are relaxed. Their numbers of paths and of paths behind them start again from 0.
2. Away from the sources, vertices add their gains, and pass on the changes to their successors.
3. Back to the sources, vertices compute `behind`, and pass on the changes to their predecessors.
4. The centralities of all vertices of the last step are summed up again.

Vertices may pass on changes in any order, but a vertex is visited again for changes that come later. Step 2 is one
traversal. In step 3 changes start at all distances, so it is a traversal for each of several ranges of distances, the
farthest first.

Numbers of paths up to 2**53 are exact. Sums of `behind` get rounding errors. They are summed up again if little of them
is left, or if there are more paths to the vertex, and all sources are searched again after some repairs. A repair is
given up when it has visited too many arcs, or if almost all of more than 2**53 paths have vanished.

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

ONE, ALL = np.uint64(1), np.uint64(2**WIDTH - 1)
EXACT, VANISHED = 2.0**53, 2.0**-10
"""Smaller numbers of paths are exact. If less than the second fraction of a larger number is left, it may be wrong."""
GROWN = 17 / 16
"""The paths behind a vertex are summed up again if the paths to it, by which rounding errors are multiplied, increase
by this factor."""
LITTLE = 2.0**-20
"""They are also summed up again if there are fewer for each path than this: all of it may be rounding errors."""
MAX_REPAIRS = 256
"""All sources are searched again after this number of repairs."""
MOST, MOST_LONG, EARLY = 3.0, 20.0, 0.4
"""A repair is given up when it has visited the arcs of the graph this number of times for each 32 sources: half of the
work of a search. The second limit applies if a search visits all arcs for each source. Before the last step, which
costs as much as the others, only the third number's fraction may have been visited."""
VISIT = 8
"""The visit of a vertex counts as this number of arcs in addition."""
CALLS = {"cpu": 2**10, "gpu": 2**16}
"""The calls of the operators of a repair count as this number of arcs."""
STAGES = {"cpu": 64, "gpu": 4}
"""The number of stages of the third step. Each costs a GPU two host synchronizations."""
NONE = 2**30
"""The priority of vertices that are not queued: more than that of all others."""
MOST_EDGES = 1 / 128
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

    See Also
    --------
    betweenness_centrality : Computes the result for the current graph.

    Notes
    -----
    A batch costs a comparison for each edge and source, without a host synchronization on a GPU. The next read costs
    nothing more if both ends of each edge are equally far from every source. Otherwise it costs work proportional to
    the arcs of the vertices whose distances, numbers of paths or paths behind them change, for each 32 sources. At most
    it costs half as much as `betweenness_centrality`, in addition to that, and fewer batches are tried afterwards. On a
    GPU it needs a few launches and host synchronizations for each 32 sources. O(V) memory for each source: 36 bytes a
    vertex.

    In R-MAT 16/16 with 32 sources, one core of a CPU repairs a batch of one edge in 6 ms, and of 64 edges in 140 ms.
    `betweenness_centrality` costs 585 ms. Batches of 1,024 edges concern most paths of this graph, and are recomputed.

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
    array([0., 1., 1., 3., 0.])
    """

    _stale = True  # whether all sources must be searched again
    _follows = False  # whether arrays have the results of each source
    _tries = False  # whether they will be needed, as a batch like the last one is to be repaired

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
        return self._stale or not self._follows or self._is_large(edges)

    def outdated(self, edges: int) -> None:
        """Have all sources searched again when the centralities are read."""
        if edges:
            self._tries = self._trials.pays(edges) and not self._is_large(edges)
            if self._is_large(edges):
                self._trials.note(1.0)
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

    def _is_large(self, edges: int) -> bool:
        """Whether a batch of this number of edges is not looked at."""
        return edges > MOST_EDGES * self.graph.num_arcs and not fr.advanced.is_warming_up()

    def _list(self, src: Any, dst: Any, sign: float) -> None:
        """List the ends of the edges of a batch, and change gains and sums."""
        if self.recomputes("", src.size):
            self.outdated(src.size)
            return
        self._size += int(src.size)
        both = np.bool_(not self.graph.directed)
        for word in self._words:
            args = *word.found, word.gain, word.moved, self._spent, sign, both, *word.lists
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
        self._follows, follows = False, self._tries or not self._trials.skips
        if follows:
            self._make_words()
        copied = fr.advanced.copy_for_passes(graph, passes_of(sources))
        self._total = graph.xp.zeros(graph.num_vertices)
        kept = [word.found for word in self._words] if follows else []
        self._in_turn = add_paths(copied, sources, self._total, self.endpoints, kept=kept)
        everyone = fr.Frontier.all(graph)
        for word in self._words if follows else ():
            fr.compute(everyone, _set_last, word.found.distance, word.last)
            if self.endpoints:
                word.reached[:] = (word.found.paths > 0).sum(axis=0)
        if self._words and follows:
            farthest = fr.reduce(everyone, _farthest, self._words[0].found.distance, reduce="max", dtype=np.int64)
            self._width = max(int(farthest[0]), 0) // STAGES[graph.device.kind]
            self._queue = None
        self._follows, self._stale, self._tries, self._repairs = follows, False, False, 0

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
        self._spent = graph.xp.zeros(2, np.int64)  # visited arcs, and whether a number of paths is not known any more
        self._make_scratch()

    def _make_scratch(self) -> None:
        """Arrays that all words share."""
        graph, xp, n = self.graph, self.graph.xp, self.graph.num_vertices
        sizes = [n * word.found.paths.shape[1] for word in self._words]
        pulled = xp.empty(max(sizes, default=0))
        for word, size in zip(self._words, sizes, strict=True):
            word.pulled = pulled[:size].reshape(n, -1)
        self._here, self._coming = xp.zeros(n, np.uint64), xp.zeros(2 * n, np.uint64)
        self._queue: fr.PriorityFrontier | None = None
        self._is_altered = xp.zeros(n, np.uint8)
        self._altered = Listed(graph).arguments

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _repair(self) -> bool:
        """Process what is listed. Return whether that was cheaper than to search from all sources."""
        graph = self.graph
        self._repairs += 1
        words = [word for word in self._words if any(graph.device.to_host(word.numbers).tolist())]
        if not words:
            return True
        if not graph.has_in_edges:
            return False
        if self._queue is None:
            priority = graph.xp.full(graph.num_vertices, NONE, np.int32)
            self._queue = fr.PriorityFrontier(graph, priority, self._width)
        fr.advanced.clear(self._spent[:1])
        most = (MOST_LONG if self._in_turn else MOST) * graph.num_arcs - CALLS[graph.device.kind]
        self._degrees = graph.degrees()
        for done, word in enumerate(words):
            for step, part in ((self._mend_distances, EARLY), (self._count_paths, EARLY), (self._sum_behind, 1)):
                self._most = int((done + part) * most)
                if not step(word):
                    return False
            fr.advanced.clear(word.numbers)
        listed, number, _ = self._altered
        altered = fr.Frontier.listed(graph, listed, number)
        for word in words:
            self._sum_again(fr.filter(altered, _has_little, *word.found[1:], word.again), word)
        if self.endpoints:
            altered |= fr.Frontier(graph, self._sources)
        fr.compute(altered, _clear_total, self._total, self._is_altered)
        for word in self._words:
            distance, paths, _, sums = word.found
            args = distance, paths, sums, word.reached, word.moved, self._total, np.bool_(self.endpoints)
            fr.compute(altered, _sum_up, *args)
        fr.advanced.clear(number)
        return True

    @property
    def _work(self) -> tuple[Any, ...]:
        """Arguments of functors that visit vertices until the limit is reached."""
        return self._here, self._degrees, self._spent, self._most

    def _goes_on(self) -> bool:
        """Whether the limit has not been reached."""
        spent, unknown = self.graph.device.to_host(self._spent).tolist()
        return not unknown and (spent <= self._most or fr.advanced.is_warming_up())

    def _mend_distances(self, word: _Word) -> bool:
        """Repair the distances of listed vertices, and list all others that change, unless it is too much work."""
        graph, n = self.graph, self.graph.num_vertices
        distance, paths, down = word.found.distance, word.found.paths, word.lists[:4]
        args = distance, paths, word.gain, word.moved, *down, *self._work
        fr.traverse(graph, word.listed(graph, 0), _suspect, *args, prepare=_cut_off)
        moved = fr.filter(word.listed(graph, 0), _starts_to_look, word.moved, word.pulled)
        if moved and self._goes_on():
            args = distance, word.moved, word.pulled
            fr.advance(graph, moved, _find_nearest, *args, edges="in", output=None, direction="push")
            near = fr.filter(moved, _come_nearer, *args, self._coming)
            fr.traverse(
                graph, near, _relax, distance, word.moved, *down, self._coming, n, *self._work,
                fr.advanced.StepCounter(0), prepare=_arrive,
            )  # fmt: skip
            moved = fr.filter(word.listed(graph, 0), _has_any, word.moved)
            args = distance, word.moved, word.again, *word.lists[4:]
            fr.advance(graph, moved, _list_farther, *args, edges="in", output=None, direction="push")
            args = *word.found, word.gain, word.moved, word.last, word.reached
            fr.compute(moved, _start_again, *args, word.down, self._is_altered, *self._altered)
            args = distance, paths, word.gain, word.moved
            fr.advance(graph, moved, _gain_all, *args, edges="in", output=None, direction="push")
        return self._goes_on()

    def _count_paths(self, word: _Word) -> bool:
        """Pass on changes of the numbers of paths, unless it is too much work."""
        distance, paths, _, _ = word.found
        fr.traverse(
            self.graph, word.listed(self.graph, 0), _pass_down, distance, paths, word.gain, word.moved, word.last,
            word.reached, word.pulled, word.down, word.again, *word.lists[4:], *self._work,
            prepare=_settle_paths,
        )  # fmt: skip
        return self._goes_on()

    def _sum_behind(self, word: _Word) -> bool:
        """Pass on changes of the paths behind vertices, unless it is too much work."""
        graph, listed, queue = self.graph, word.listed(self.graph, 1), self._queue
        self._sum_again(fr.filter(listed, _has_any, word.again), word)
        fr.compute(listed, _start_up, word.found.distance, word.up, queue.priority, queue.deferred)
        while farthest := queue.pop():
            fr.traverse(
                graph, farthest, _pass_up, *word.found, word.last, word.pulled, word.up, self._is_altered,
                *self._altered, queue.limit, queue.priority, queue.deferred, *self._work, prepare=_settle_behind,
                edges="in",
            )  # fmt: skip
            if not self._goes_on():
                return False
        return True

    def _sum_again(self, members: fr.Frontier, word: _Word) -> None:
        """Sum up the paths behind some vertices again, for their sources in `again`."""
        distance, _, behind, sums = word.found
        fr.compute(members, _clear_sums, sums, word.again)
        args = distance, word.last, behind, sums, word.again
        fr.advance(self.graph, members, _add_behind, *args, output=None, direction="push")
        fr.compute(members, _clear, word.again)


class _Word:
    """Up to `WIDTH` sources: their results, and the vertices whose results may have changed."""

    pulled: Any  # scratch memory of the shape of the results, for reductions and changes

    def __init__(self, graph: fr.Graph, num_vertices: int, count: int):
        self.shape = num_vertices, count
        self.found = found_by(graph, count)
        self.gain = graph.xp.zeros_like(self.found.paths)
        self.reached = graph.xp.zeros(self.gain.shape[1], np.int64)
        self._set_bits(graph, [graph.xp.zeros(num_vertices, np.uint64) for _ in range(5)])

    def _set_bits(self, graph: fr.Graph, bits: list[Any]) -> None:
        """Adopt these words, and list the vertices that have any."""
        self._bits, n = bits, graph.num_vertices
        self.down, self.up, self.moved, self.again, self.last = bits
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
    src, dst, edge, weight, distance, paths, behind, sums, gain, moved, spent, sign, both, down, ids, number, room, up,
    others, count, most,
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
                    if paths[u, s] >= EXACT > paths[v, s]:
                        spent[1] = 1
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


def _set_last(v, distance, last):
    found = np.uint64(0)
    for s in range(distance.shape[1]):
        found |= np.uint64(distance[v, s] & 1) << np.uint64(s)
        found |= np.uint64(distance[v, s] >> 1 & 1) << np.uint64(s + WIDTH)
    last[v] = found


def _clear(v, words):
    words[v] = 0


def _may_be_next(u, v, last):
    """The sources for which v may be one step farther than u: the last two bits of the distances differ by 1."""
    differ = last[u] ^ last[v]
    return differ & ~(differ >> np.uint64(WIDTH) ^ last[u]) & ALL


def _farthest(v, distance):
    """The largest distance from a source."""
    found = 0
    for s in range(distance.shape[1]):
        if distance[v, s] < UNREACHED:
            found = max(found, int(distance[v, s]))
    return found


def _spend(v, degrees, spent):
    fr.atomic_add(spent, 0, degrees[v] + VISIT)


# ---- distances -------------------------------------------------------------------------------------------------------


def _cut_off(src, distance, paths, gain, moved, down, ids, number, room, here, degrees, spent, most):
    bits = down[src]
    lost = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = distance[src, s]
        if 0 < own < UNREACHED:
            left = paths[src, s] + gain[src, s]
            if left == 0:
                distance[src, s] = -1 - own
                lost |= ONE << np.uint64(s)
            if paths[src, s] >= EXACT and left < VANISHED * paths[src, s]:
                spent[1] = 1
        bits &= bits - ONE
    moved[src] |= lost
    here[src] = lost
    if lost != 0:
        _spend(src, degrees, spent)


def _suspect(src, dst, edge, weight, distance, paths, gain, moved, down, ids, number, room, here, degrees, spent, most):
    bits = here[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == -distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), -paths[src, s])
        bits &= bits - ONE
    _want(dst, found, down, ids, number, room)
    return found != 0 and spent[0] <= most


def _starts_to_look(v, moved, pulled):
    bits = moved[v]
    while bits != 0:
        pulled[v, lowest_bit(bits)] = UNREACHED
        bits &= bits - ONE
    return moved[v] != 0


def _find_nearest(src, dst, edge, weight, distance, moved, pulled):
    bits = moved[src]
    while bits != 0:
        s = lowest_bit(bits)
        if 0 <= distance[dst, s] < pulled[src, s]:
            fr.atomic_min(pulled, (src, s), np.float64(distance[dst, s]))
        bits &= bits - ONE
    return False


def _come_nearer(v, distance, moved, pulled, coming):
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


def _arrive(src, distance, moved, down, ids, number, room, coming, n, here, degrees, spent, most, step):
    at = (step & 1) * n + src
    here[src] = coming[at]
    coming[at] = 0
    _spend(src, degrees, spent)


def _relax(
    src, dst, edge, weight, distance, moved, down, ids, number, room, coming, n, here, degrees, spent, most, step
):  # fmt: skip
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
    return spent[0] <= most


def _list_farther(src, dst, edge, weight, distance, moved, again, up, ids, number, room):
    """List dst for the sources for which it may have been before src."""
    bits = moved[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[src, s] <= distance[dst, s] < UNREACHED:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    if found != 0:
        fr.atomic_or(again, dst, found)
        _want(dst, found, up, ids, number, room)
    return False


def _start_again(
    v, distance, paths, behind, sums, gain, moved, last, reached, down, is_altered, ids, number, room
):  # fmt: skip
    """Clear the numbers of v for sources whose distance to it has changed."""
    _set_last(v, distance, last)
    bits = moved[v]
    while bits != 0:
        s = lowest_bit(bits)
        if paths[v, s] > 0:
            fr.atomic_add(reached, s, -1)
        paths[v, s] = 0
        behind[v, s] = 0
        sums[v, s] = 0
        gain[v, s] = 0
        if distance[v, s] == UNREACHED:
            moved[v] &= ~(ONE << np.uint64(s))
            down[v] &= ~(ONE << np.uint64(s))
            _alter(v, is_altered, ids, number, room)
        bits &= bits - ONE


def _alter(v, is_altered, ids, number, room):
    """List v, once, to have its centrality summed up again."""
    if is_altered[v] == 0:
        is_altered[v] = 1
        enlist(v, ids, number, room)


def _gain_all(src, dst, edge, weight, distance, paths, gain, moved):
    bits = moved[src]
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] + 1 == distance[src, s]:
            fr.atomic_add(gain, (src, s), paths[dst, s])
        bits &= bits - ONE
    return False


# ---- numbers of paths ------------------------------------------------------------------------------------------------


def _settle_paths(
    src, distance, paths, gain, moved, last, reached, pulled, down, again, up, ids, number, room, here, degrees,
    spent, most,
):  # fmt: skip
    """Add the gain of src, and leave it in `pulled`."""
    bits = fr.atomic_exch(down, src, np.uint64(0))
    changed = np.uint64(0)
    grown = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        bit = ONE << np.uint64(s)
        bits &= bits - ONE
        change = fr.atomic_exch(gain, (src, s), 0.0)
        if change == 0:
            continue
        old = paths[src, s]
        value = old + change
        paths[src, s] = value
        pulled[src, s] = change
        changed |= bit
        if value > GROWN * old:
            grown |= bit
        if old >= EXACT and not value >= max(EXACT, VANISHED * old):
            spent[1] = 1
        if old == 0:
            fr.atomic_add(reached, s, 1)
        if value == 0:
            fr.atomic_add(reached, s, -1)
    here[src] = changed
    if changed != 0:
        again[src] |= grown
        _want(src, changed, up, ids, number, room)
        _spend(src, degrees, spent)


def _pass_down(
    src, dst, edge, weight, distance, paths, gain, moved, last, reached, pulled, down, again, up, ids, number,
    room, here, degrees, spent, most,
):  # fmt: skip
    bits = here[src] & _may_be_next(src, dst, last)
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == distance[src, s] + 1:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), pulled[src, s])
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(down, dst, found)
    return spent[0] <= most


# ---- paths behind vertices -------------------------------------------------------------------------------------------


def _clear_sums(v, sums, again):
    bits = again[v]
    while bits != 0:
        sums[v, lowest_bit(bits)] = 0
        bits &= bits - ONE


def _add_behind(src, dst, edge, weight, distance, last, behind, sums, again):
    bits = again[src] & _may_be_next(src, dst, last)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == distance[src, s] + 1:
            fr.atomic_add(sums, (src, s), behind[dst, s])
        bits &= bits - ONE
    return False


def _start_up(v, distance, up, priority, deferred):
    """Queue v for its sources in `up` that reach it."""
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
    if rest != 0:
        priority[v] = lowest
        fr.defer(deferred, v)


def _settle_behind(
    src, distance, paths, behind, sums, last, pulled, up, is_altered, ids, number, room, limit, priority, deferred,
    here, degrees, spent, most,
):  # fmt: skip
    """Compute the paths behind src, for sources that are far enough, and leave the change in `pulled`."""
    bits = up[src]
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if -distance[src, s] > limit[0]:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, -int(distance[src, s]))
        bits &= bits - ONE
    bits = fr.atomic_and(up, src, rest) & ~rest
    priority[src] = lowest
    if rest != 0:
        fr.defer(deferred, src)
    changed = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        value = (1 + paths[src, s] * sums[src, s]) / paths[src, s]
        if value != behind[src, s] and distance[src, s] > 1:
            changed |= ONE << np.uint64(s)
        pulled[src, s] = value - behind[src, s]
        behind[src, s] = value
        bits &= bits - ONE
    here[src] = changed
    _alter(src, is_altered, ids, number, room)
    if changed != 0:
        _spend(src, degrees, spent)


def _pass_up(
    src, dst, edge, weight, distance, paths, behind, sums, last, pulled, up, is_altered, ids, number, room, limit,
    priority, deferred, here, degrees, spent, most,
):  # fmt: skip
    bits = here[src] & _may_be_next(dst, src, last)
    found = np.uint64(0)
    joins = False
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        level = -int(distance[dst, s])
        if level - 1 == -distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(sums, (dst, s), pulled[src, s])
            if level <= limit[0]:
                joins = True
            else:
                lowest = min(lowest, level)
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(up, dst, found)
    if lowest < NONE:
        fr.atomic_min(priority, dst, lowest)
        fr.defer(deferred, dst)
    return joins and spent[0] <= most


def _has_little(v, paths, behind, sums, again):
    """Mark sources for which most of the sum of v may be a rounding error."""
    for s in range(sums.shape[1]):
        if sums[v, s] != 0 and paths[v, s] * sums[v, s] < LITTLE:
            again[v] |= ONE << np.uint64(s)
    return again[v] != 0


def _clear_total(v, total, is_altered):
    total[v] = 0
    is_altered[v] = 0


def _sum_up(v, distance, paths, sums, reached, moved, total, endpoints):
    moved[v] = 0
    value = total[v]
    for s in range(distance.shape[1]):
        value += paths[v, s] * sums[v, s]
    if endpoints:
        for s in range(distance.shape[1]):
            if distance[v, s] == 0:
                value += reached[s] - 1
            elif distance[v, s] < UNREACHED:
                value += 1
    total[v] = value
